package nodes

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"pflow/engine"
	"pflow/internal/coverage"
	"pflow/internal/extract"
	"pflow/internal/value"
	"pflow/ir"
)

// coverOp says what of a request a workflow stands for.
func coverOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "cover",
		Summary: "Says what of a request a workflow stands for, and what is left open: by what a model says, else by words alone.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "workflow", Type: value.Any, Required: true, Doc: "the IR; null leaves all open"},
			{Name: "says", Type: value.Array, Doc: "texts in which a saved workflow says what it does: name, description, keywords"},
			{Name: "examples", Type: value.Array, Doc: "the requests that a saved workflow was approved for"},
			{Name: "values", Type: value.Object, Doc: "{input: value}: what its inputs take"},
			{Name: "taken", Type: value.Object, Doc: "{input: {start, end}}: where the request says those values, in bytes, as map-params found them"},
			{Name: "parts", Type: value.Any, Doc: "what a model says stands for the words of the request, as in validate; workflow and value may stand for them, too"},
			{Name: "asking", Type: value.Boolean, Doc: "whether values have to be asked for: then less may be left"},
			{Name: "now", Type: value.Any, Doc: "the date that relative words count from; the run's own if not given"},
		},
		Result: value.Object,
		ResultDoc: "{parts: [{text, start, end, by}], open: [{text, start, end, why}], left, strict}, by being node:ID, input:NAME, workflow, value or phrase; " +
			"start and end in bytes; left, without parts given: how much is open, too much from 1 on; strict: a component states effects or forms, or past requests stand for what they are like, so that one open word is too much",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: cover-example
version: 1
description: Ask for more than a step does.
state:
  request:  {type: string, default: read a.txt and sing it}
  workflow: {type: any, default: {ir_version: 0.1.0, nodes: [{id: read, type: read-file}], inputs: {file_path: {type: string, required: true}}}}
  open:     {type: array, default: []}
nodes:
  cover:
    op: cover
    prep: [request, workflow, {values: {file_path: '"a.txt"'}}]
    post: [open]
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				request, _ := in.Prep["request"].(string)
				read, err := d.reading(ctx, request, in.Prep["now"], in.Now)
				if err != nil {
					return engine.Output{}, err
				}
				w := &ir.Workflow{}
				if in.Prep["workflow"] != nil {
					w, _ = ir.DecodeValue(in.Prep["workflow"]) // what is wrong with it is for the validator
				}
				if in.Prep["parts"] != nil {
					told, _, err := coverage.Told(ctx, request, read.Entities, partsOf(in.Prep["parts"]), append([]string{"workflow", "value"}, speakers(w)...))
					return engine.Output{Result: coverageValue(told)}, err
				}
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				says, examples := texts(in.Prep["says"]), texts(in.Prep["examples"])
				said, values := saidBySteps(w, shelf.Catalogue, len(examples) > 0)
				own := coverage.Said{By: "workflow", Texts: says}
				whole := len(examples) > 0 && !saysItself(said, says)
				var spoken map[string]bool
				if !whole {
					own.Texts = append(says, examples...)
				} else if own.Past, spoken, err = d.pastRequests(ctx, examples, in); err != nil {
					return engine.Output{}, err
				}
				said = append(said, own)
				given, _ := in.Prep["values"].(map[string]any)
				values = slices.Concat(takenValues(in.Prep["taken"], read.Text), inputValues(given, read.Entities), values)
				var marks [][2]int
				for _, e := range read.Entities {
					if spoken[string(e.Kind)] {
						continue // it was approved for such values
					}
					marks = append(marks, [2]int{e.Start, e.End})
				}
				covered := coverage.ByWords(read.Text, said, values, marks)
				out := coverageValue(covered)
				out["left"] = covered.Left(read.Text, saysOf(w, shelf.Catalogue)).Measure(in.Prep["asking"] == true, len(w.Nodes) == 1)
				out["strict"] = whole || strict(w, shelf.Catalogue)
				return engine.Output{Result: out}, nil
			}
		},
	}
}

// saysOf are what the components of a workflow's steps say of themselves.
func saysOf(w *ir.Workflow, c *ir.Catalogue) (out []string) {
	for _, n := range w.Nodes {
		if of := c.Get(n.Type); of != nil {
			out = append(out, of.Name+" "+of.Description)
		}
	}
	return out
}

// strict reports whether a step has a component that states effects, or forms: it does what it says and nothing else. What others
// say of themselves is free text, and a request may say the same in other words.
func strict(w *ir.Workflow, c *ir.Catalogue) bool {
	return slices.ContainsFunc(w.Nodes, func(n ir.Node) bool {
		of := c.Get(n.Type)
		return of == nil || len(of.Effects) > 0 || len(of.Forms) > 0
	})
}

// saysItself reports whether the steps of a saved workflow say what it does: they have most of the words by which it is known.
func saysItself(steps []coverage.Said, says []string) bool {
	own := map[string]bool{}
	for _, s := range steps {
		for stem := range stemsOf(s.Texts...) {
			own[stem] = true
		}
	}
	known := stemsOf(says...)
	n := 0
	for stem := range known {
		if own[stem] {
			n++
		}
	}
	return 2*n >= len(known)
}

// pastRequests are requests without the values that they hold, and the kinds of those.
func (d Deps) pastRequests(ctx context.Context, requests []string, in engine.Input) (plain []string, kinds map[string]bool, err error) {
	kinds = map[string]bool{}
	for _, request := range requests {
		read, err := d.reading(ctx, request, in.Prep["now"], in.Now)
		if err != nil {
			return nil, nil, err
		}
		text := []byte(read.Text)
		for _, e := range read.Entities {
			kinds[string(e.Kind)] = true
			for i := e.Start; i < e.End; i++ {
				text[i] = ' '
			}
		}
		plain = append(plain, string(text))
	}
	return plain, kinds, nil
}

// saidBySteps are what the components of a workflow's steps say of themselves, and the fixed texts that its steps take. Of a
// workflow that was approved for requests, a step that is told what to do by a prompt of its own does that, and not all that its
// component could be told: those requests stand for it.
func saidBySteps(w *ir.Workflow, c *ir.Catalogue, approved bool) (said []coverage.Said, values []coverage.Value) {
	for _, n := range w.Nodes {
		s := coverage.Said{By: "node:" + n.ID, Texts: []string{n.Type}}
		if of := c.Get(n.Type); of != nil && !(approved && prompted(n)) {
			s.Texts = append(s.Texts, of.Description)
			if form, _ := of.FormOf(n.Params); form != nil {
				s.Texts = append(s.Texts, form.Says...)
			}
			for _, ports := range [][]ir.Port{of.Inputs, of.Outputs} {
				for _, p := range ports {
					s.Texts = append(s.Texts, p.Key, p.Description)
				}
			}
		}
		s.Texts = append(s.Texts, n.Purpose)
		for _, key := range value.SortedKeys(n.Params) {
			if n.Params[key] != false {
				s.Texts = append(s.Texts, key) // "confirm delete" has set confirm_delete
			}
		}
		said = append(said, s)
		params, _ := value.Normalize(n.Params)
		eachText(params, func(text string) {
			values = append(values, coverage.Value{By: s.By, Text: text})
		})
	}
	return said, values
}

// prompted reports whether a step has a prompt with words of its own, and not only what an input or another step gives.
func prompted(n ir.Node) bool {
	text, _ := n.Params["prompt"].(string)
	if text == "" {
		return false
	}
	p, problems := ir.Compile(text)
	if len(problems) > 0 {
		return true
	}
	p.Walk(func(_ string, e *ir.Expr) { text = strings.ReplaceAll(text, e.Text, "") })
	return strings.ContainsFunc(text, unicode.IsLetter)
}

// takenValues are the places of a request that inputs were filled from.
func takenValues(taken any, request string) (out []coverage.Value) {
	places, _ := taken.(map[string]any)
	for _, name := range value.SortedKeys(places) {
		at, _ := places[name].(map[string]any)
		start, okStart := at["start"].(int)
		end, okEnd := at["end"].(int)
		if okStart && okEnd && 0 <= start && start < end && end <= len(request) {
			out = append(out, coverage.Value{By: "input:" + name, Text: request[start:end], Start: start, End: end})
		}
	}
	return out
}

// inputValues are the places of what inputs take: as it was written, or the entity that has the value.
func inputValues(given map[string]any, entities []extract.Entity) []coverage.Value {
	var out []coverage.Value
	for _, name := range value.SortedKeys(given) {
		by := "input:" + name
		eachText(given[name], func(text string) { out = append(out, coverage.Value{By: by, Text: text}) })
		for _, e := range entities {
			if v, err := value.Normalize(e.Value); err == nil && v != nil && value.Equal(v, given[name]) {
				out = append(out, coverage.Value{By: by, Text: e.Text, Start: e.Start, End: e.End})
			}
		}
	}
	return out
}

// eachText gives every scalar inside a value as text.
func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case nil:
	case []any:
		for _, item := range v {
			eachText(item, f)
		}
	case map[string]any:
		for _, key := range value.SortedKeys(v) {
			eachText(v[key], f)
		}
	case string:
		f(v)
	default:
		f(value.JSON(v))
	}
}

// coverageValue is a coverage as a value of a flow.
func coverageValue(c coverage.Coverage) map[string]any {
	parts, open := []any{}, []any{}
	for _, p := range c.Parts {
		parts = append(parts, map[string]any{"text": p.Text, "start": p.Start, "end": p.End, "by": p.By})
	}
	for _, o := range c.Open {
		open = append(open, map[string]any{"text": o.Text, "start": o.Start, "end": o.End, "why": o.Why})
	}
	return map[string]any{"parts": parts, "open": open}
}
