package experiment

import (
	"path/filepath"
	"slices"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/llm"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Defaults gives a spec of everything that a document need not say.
func Defaults() Spec {
	return Spec{
		Repeats: 1, Seed: 1, Primary: Pass, Effect: 0.02,
		Scoring: Scoring{Edges: EdgesRefs, Params: ParamsAll},
	}
}

// ReadSpec reads the document of an experiment. Findings have places; the spec is nil if one of them is an error.
//
//	experiment: planners
//	cases: cases.jsonl                      # or a list of cases
//	variants:
//	  - {name: offline, flow: planner-offline}
//	  - {name: strict, flow: planner-offline, set: {params.reuse_confidence: 0.6}}
//
// docs/experiments.md has every key.
func ReadSpec(file string, data []byte) (*Spec, diag.List) {
	tree, found := yamltree.Parse(file, data)
	if tree == nil || found.HasErrors() {
		return nil, found
	}
	s := Defaults()
	s.File, s.Dir = file, filepath.Dir(file)
	r := &specReader{reader: reader{dir: s.Dir}, s: &s}
	r.document(tree)
	found = append(found, r.Found...).Sort()
	if found.HasErrors() {
		return nil, found
	}
	return &s, found
}

type specReader struct {
	reader
	s        *Spec
	cases    *yamltree.Value
	variants *yamltree.Value
	factors  *yamltree.Value
	baseline *yamltree.Value
}

func (r *specReader) document(tree *yamltree.Value) {
	s := r.s
	r.Mapping(tree, "an experiment: {experiment, cases, variants, …}", yamltree.Fields{
		"experiment":    r.name(&s.Name),
		"description":   r.Text(&s.Description),
		"model":         r.Text(&s.Model),
		"cases":         func(v *yamltree.Value) { r.cases = v; r.readCases(v) },
		"variants":      func(v *yamltree.Value) { r.variants = v },
		"node_variants": func(v *yamltree.Value) { r.factors = v },
		"baseline":      func(v *yamltree.Value) { r.baseline = v },
		"allow_equal":   r.Truth(&s.AllowEqual),
		"repeats":       r.Whole(&s.Repeats, 1),
		"concurrency":   r.Whole(&s.Concurrency, 1),
		"seed": func(v *yamltree.Value) {
			n := 0
			r.Whole(&n, 0)(v)
			s.Seed = uint64(max(n, 0))
		},
		"date":      r.date,
		"library":   r.path(&s.Library),
		"catalogue": r.paths(&s.Catalogue),
		"builtin": func(v *yamltree.Value) {
			builtin := true
			r.Truth(&builtin)(v)
			s.NoBuiltin = !builtin
		},
		"budget": func(v *yamltree.Value) {
			r.Mapping(v, "{cost_usd, calls, tokens}", yamltree.Fields{
				"cost_usd": r.Number(&s.Budget.CostUSD, 0), "calls": r.Whole(&s.Budget.Calls, 1), "tokens": r.Whole(&s.Budget.Tokens, 1),
			})
		},
		"replies": func(v *yamltree.Value) {
			r.Mapping(v, "{record, replay, replay_or_call, carry, clock, about}", yamltree.Fields{
				"record": r.path(&s.Replies.Record), "replay": r.path(&s.Replies.Replay), "replay_or_call": r.Truth(&s.Replies.ReplayOrCall),
				"carry": r.Truth(&s.Replies.Carry), "clock": r.clock, "about": r.Text(&s.Replies.About),
			})
			if s.Replies.ReplayOrCall && s.Replies.Replay == "" {
				r.Report(v, yamltree.MissingKey, "replay_or_call needs replay: the folder of recordings")
			}
			if s.Replies.Clock != nil && !s.Replies.Kept() {
				r.Report(v, yamltree.BadValue, "clock is for replies that are recorded or replayed: others take their time")
			}
			switch {
			case !s.Replies.Carry:
			case s.Replies.Replay == "":
				r.Report(v, yamltree.MissingKey, "carry needs replay: the folder of recordings")
			case s.Replies.ReplayOrCall:
				r.Report(v, yamltree.BadValue, "a call that is not recorded is answered from other words, or made: leave out carry or replay_or_call")
			case s.Replies.Record != "":
				r.Report(v, yamltree.BadValue, "replies that are carried over are no recordings of what was asked: leave out carry or record")
			}
		},
		"scoring": func(v *yamltree.Value) {
			r.Mapping(v, "{edges, params}", yamltree.Fields{
				"edges": r.OneOf(&s.Scoring.Edges, EdgesRefs, EdgesDeclared), "params": r.OneOf(&s.Scoring.Params, ParamsAll, ParamsListed),
			})
		},
		"primary": r.metric(&s.Primary),
		"metrics": func(v *yamltree.Value) {
			if r.Want(v, yamltree.Seq, "a list of metrics") {
				for _, item := range v.Items {
					var m Metric
					r.metric(&m)(item)
					s.Metrics = append(s.Metrics, m)
				}
			}
		},
		"effect":     r.Number(&s.Effect, 0),
		"guardrails": r.guardrails,
		"fail_on":    r.failOn,
		"fail_if":    r.failIf,
	})
	if tree.Kind != yamltree.Map {
		return
	}
	r.apart(tree)
	if s.Repeats > mostRepeats {
		r.Report(tree.Get("repeats"), yamltree.BadValue, "%s", tooOften(s.Repeats))
	}
	if s.Primary.Rate() && s.Effect > 1 {
		r.Report(tree.Get("effect"), yamltree.BadValue, "%s", tooLarge(s.Primary, s.Effect))
	}
	for _, key := range []string{"experiment", "cases", "variants"} {
		if tree.Get(key) == nil {
			r.Report(tree, yamltree.MissingKey, "an experiment needs %s", key)
		}
	}
	if r.variants != nil {
		r.readVariants(r.variants)
	}
	if r.factors != nil {
		r.readFactors(r.factors)
	}
	if tree.Get("variants") != nil {
		r.settle(tree)
	}
}

// settle puts the baseline first and looks at the variants as a whole.
func (r *specReader) settle(tree *yamltree.Value) {
	names := []string{}
	for _, v := range r.s.Variants {
		if slices.Contains(names, v.Name) {
			r.Report(r.variants, yamltree.BadValue, "two variants are named %q", v.Name)
		}
		names = append(names, v.Name)
	}
	if r.variants.Kind == yamltree.Seq && len(r.variants.Items) == 0 {
		r.Report(r.variants, yamltree.BadValue, "there are no variants; name at least one")
	}
	if len(names) == 1 {
		r.alone(tree)
	}
	const most = 64
	if len(names) > most {
		r.Report(r.variants, yamltree.BadValue, "there are %d variants; at most %d are compared at once", len(names), most)
	}
	if r.baseline == nil || r.baseline.Kind == yamltree.Null {
		return
	}
	name := ""
	r.OneOf(&name, names...)(r.baseline)
	if i := slices.Index(names, name); i > 0 {
		base := r.s.Variants[i]
		r.s.Variants = slices.Insert(slices.Delete(r.s.Variants, i, i+1), 0, base)
	}
}

// clock reads recorded, or an assumption for calls whose recordings have no time.
func (r *specReader) clock(v *yamltree.Value) {
	c := &llm.Clock{}
	if v.Kind == yamltree.String {
		word := ""
		r.OneOf(&word, "recorded")(v)
	} else {
		r.Mapping(v, "recorded, or {call_ms, prompt_ms_per_1k_tokens, reply_ms_per_token}", yamltree.Fields{
			"call_ms": r.Number(&c.CallMS, 0), "prompt_ms_per_1k_tokens": r.Number(&c.PromptMS, 0), "reply_ms_per_token": r.Number(&c.ReplyMS, 0),
		})
	}
	r.s.Replies.Clock = c
}

// alone refuses what only a comparison has: one variant is scored by itself, and what would never hold must not look like a gate.
func (r *specReader) alone(tree *yamltree.Value) {
	for _, key := range []string{"fail_on", "guardrails"} {
		if v := tree.Get(key); v != nil && v.Kind != yamltree.Null {
			r.Report(v, yamltree.BadValue, "%s needs a second variant to compare with; hold one alone by fail_if, such as variants[0].means.pass < 0.9", key)
		}
	}
}

func (r *specReader) date(v *yamltree.Value) {
	if r.Text(&r.s.Date)(v); r.s.Date != "" && !isDate(r.s.Date) {
		r.Report(v, yamltree.BadValue, "this is no date; write one like 2024-01-31")
	}
}

func (r *specReader) paths(to *[]string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		r.Texts(to)(v)
		for i := range *to {
			(*to)[i] = r.resolve((*to)[i])
		}
	}
}

func (r *specReader) readCases(v *yamltree.Value) {
	if v.Kind == yamltree.String {
		r.path(&r.s.CasesFile)(v)
		return
	}
	if !r.Want(v, yamltree.Seq, "the path of a JSONL file, or a list of cases") {
		return
	}
	if len(v.Items) == 0 {
		r.Report(v, yamltree.BadValue, "there are no cases")
	}
	seen, p := map[string]bool{}, newPredicates()
	for _, item := range v.Items {
		c, found := readCase(item.Plain(), inTree(item), r.dir, p)
		c.place = item.Place
		if seen[c.ID] && len(found) == 0 {
			r.Report(item, DuplicateCase, "two cases have the id %q", c.ID)
		}
		seen[c.ID] = true
		r.Found = append(r.Found, found...)
		r.s.Inline = append(r.s.Inline, c)
	}
}

// name reads what something is called in reports.
func (r *specReader) name(to *string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		r.Text(to)(v)
		if problem := nameProblem(*to); problem != "" {
			r.Report(v, yamltree.BadValue, "%s", problem)
		}
	}
}

func (r *specReader) readVariants(v *yamltree.Value) {
	if !r.Want(v, yamltree.Seq, "a list of variants: {name, flow, set, model, prompts}") {
		return
	}
	for _, item := range v.Items {
		out := Variant{Place: item.Place}
		r.Mapping(item, "a variant: {name, flow, set, model, prompts}", yamltree.Fields{
			"name": r.name(&out.Name), "flow": r.flow(&out), "model": r.Text(&out.Model),
			"set": r.settings(&out.Set, ""), "prompts": r.prompts(&out.Prompts),
		})
		if out.Flow == "" && item.Kind == yamltree.Map && item.Get("flow") == nil {
			r.Report(item, yamltree.MissingKey, "a variant needs flow: the name or the path of a planner flow")
		}
		if out.Name == "" {
			out.Name = FlowLabel(out.Flow)
			if out.Rev != "" {
				out.Name += "@" + out.Rev
			}
		}
		r.s.Variants = append(r.s.Variants, out)
	}
}

// flow reads the name or the path of a flow, and its revision.
func (r *specReader) flow(to *Variant) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		text, problem := "", ""
		if r.Text(&text)(v); text == "" {
			return
		}
		if to.Flow, to.Rev, problem = splitRevision(text); problem != "" {
			r.Report(v, yamltree.BadValue, "%s", problem)
		}
		if engine.IsPath(to.Flow) {
			to.Flow = r.resolve(to.Flow)
		}
	}
}

// settings reads {PATH: VALUE}, each path below prefix.
func (r *specReader) settings(to *[]engine.Setting, prefix string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if !r.Want(v, yamltree.Map, "a mapping from paths in the flow to values, as in {params.max_attempts: 2}") {
			return
		}
		for _, e := range v.Entries {
			*to = append(*to, engine.Setting{Path: prefix + e.Key, Value: value.JSON(e.Value.Plain())})
		}
	}
}

// prompts reads a folder, or {NAME: FILE}.
func (r *specReader) prompts(to *[]Prompts) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if v.Kind == yamltree.String {
			p := Prompts{}
			r.path(&p.Path)(v)
			*to = append(*to, p)
			return
		}
		if !r.Want(v, yamltree.Map, "a folder of prompts, or a mapping from prompt names to files") {
			return
		}
		for _, e := range v.Entries {
			p := Prompts{Name: e.Key}
			r.path(&p.Path)(e.Value)
			*to = append(*to, p)
		}
	}
}
