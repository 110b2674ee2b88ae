package nodes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/compose"
	"pflow/internal/library"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// browseWorkflowsOp finds saved workflows for a request.
func browseWorkflowsOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "browse-workflows",
		Summary: "Ranks the saved workflows by the words of a request and the requests they were approved for, and loads the best.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "now", Type: value.Any, Doc: "the date that relative words count from; the run's own if not given"},
		},
		With: []engine.Field{
			{Name: "most", Type: value.Integer, Default: 10, Doc: "how many to give"},
			{Name: "tokens", Type: value.Integer, Default: 4000, Doc: "the budget of the context"},
			{Name: "skip_failed", Type: value.Boolean, Default: false, Doc: "give none as the best that, as it is now, never ran well and whose last run failed with an error of a permanent kind"},
		},
		Result: value.Object,
		ResultDoc: "{ranked: [{name, confidence, reason}] best first, best: the record of the first {name, description, keywords, examples, ir}, " +
			"null if there is none or it is no longer valid, problem: why, failed: the same where its last run is why, context: names and descriptions as text, " +
			"evidence: [{name, confidence, terms: [{word, weight}], example: {request, alike} or null}] of the first five: the words that spoke for each, " +
			"and the approved request that is most alike}",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: browse-workflows-example
version: 1
description: Find the saved workflow for a request.
state:
  request: {type: string, default: copy a file}
  found:   {type: any, default: null}
nodes:
  browse:
    op: browse-workflows
    prep: {request: store.request}
    post: {found: result.best}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			most, tokens, skip := option(s, "most", 10), option(s, "tokens", 4000), s.Value("skip_failed") == true
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				request, _ := in.Prep["request"].(string)
				read, err := d.reading(ctx, request, in.Prep["now"], in.Now)
				if err != nil {
					return engine.Output{}, err
				}
				ranked, made, err := shelf.rankWorkflows(ctx, read, max(most, tokens/leastTokens))
				if err != nil {
					return engine.Output{}, err
				}
				out := map[string]any{"ranked": shelf.rankedWorkflows(ranked, most), "best": nil, "problem": "", "failed": "", "context": shelf.workflowContext(ranked, request, tokens)}
				if out["evidence"], err = shelf.workflowEvidence(ranked, compose.Unvalued(read)); err != nil {
					return engine.Output{}, err
				}
				if len(ranked) > 0 && ranked[0].Confidence > 0 {
					best := shelf.Records[ranked[0].Index]
					problem, failed := shelf.problem(best, read, ranked[0].Index == made, skip)
					if out["problem"] = problem; failed {
						out["failed"] = problem
					}
					if problem == "" {
						if out["best"], err = recordValue(best); err != nil {
							return engine.Output{}, err
						}
					}
				}
				return engine.Output{Result: out}, nil
			}
		},
	}
}

// problem says why a saved workflow that ranks well is not what is asked for; "" if nothing is known against it. made tells
// that it would be made for the request again. failed tells that its last run is why, which counts with skipFailed.
func (s *candidates) problem(r *library.Record, request *mapparams.Request, made, skipFailed bool) (why string, failed bool) {
	if found := ir.Validate(r.Workflow(), s.Catalogue, ir.Options{}); found.HasErrors() {
		return "the saved workflow " + r.Name + " is no longer valid: " + found[0].Message, false
	}
	if why := s.unfit(r, request); why != "" {
		return why, false
	}
	if why := s.unequal(r, request.Text); why != "" && !made {
		return why, false
	}
	if why := neverWell(r); skipFailed && why != "" {
		return why, true
	}
	return "", false
}

// rankWorkflows ranks the saved workflows and gives the best of them, most of them or a few more. What the best would take as
// values of their inputs says nothing of what is wanted, so it does not count for or against them.
// made is the index of the one that would be made for the request again, -1 if there is none.
func (s *candidates) rankWorkflows(ctx context.Context, request *mapparams.Request, most int) (ranked []retrieve.Ranked, made int, err error) {
	if len(s.Records) == 0 {
		return nil, -1, nil
	}
	unvalued := compose.Unvalued(request)
	again, err := s.madeFor(ctx, request)
	if err != nil {
		return nil, -1, err
	}
	const close = 5
	index, err := s.workflowIndex()
	if err != nil {
		return nil, -1, err
	}
	ranked, beside, err := index.Beside(ctx, unvalued, max(most, close), again.same)
	if err != nil {
		return nil, -1, err
	}
	if err := s.rankWithoutValues(ctx, ranked[:min(close, len(ranked))], request, unvalued); err != nil {
		return nil, -1, err
	}
	if ranked, made, err = s.raise(ctx, ranked, beside, again, request.Now); err != nil {
		return nil, -1, err
	}
	slices.SortStableFunc(ranked, func(a, b retrieve.Ranked) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return ranked, made, nil
}

// rankWithoutValues ranks saved workflows again, each by the request without what its inputs take; none is lower for it. Those
// that leave the same of the request are ranked at once.
func (s *candidates) rankWithoutValues(ctx context.Context, ranked []retrieve.Ranked, request *mapparams.Request, unvalued string) error {
	left := map[string][]int{} // the words that are left -> places in ranked
	for k := range ranked {
		r := s.Records[ranked[k].Index]
		inputs := workflowInputs(r.Workflow(), s.Catalogue)
		if ranked[k].Confidence == 0 || len(inputs) == 0 {
			continue
		}
		mapped, err := mapparams.Map(ctx, request, inputs, r.Description+"\n"+strings.Join(r.Keywords, " "))
		if err != nil {
			return err
		}
		text := []byte(unvalued)
		for _, span := range mapped.Taken {
			for i := span[0]; i < span[1]; i++ {
				text[i] = ' '
			}
		}
		words := strings.Join(strings.Fields(string(text)), " ") // how many blanks there are changes nothing
		left[words] = append(left[words], k)
	}
	delete(left, strings.Join(strings.Fields(unvalued), " ")) // these are ranked by that already
	for _, words := range value.SortedKeys(left) {
		var places []int
		for _, k := range left[words] {
			places = append(places, ranked[k].Index)
		}
		index, err := s.workflowIndex()
		if err != nil {
			return err
		}
		_, again, err := index.Beside(ctx, words, 1, places)
		if err != nil {
			return err
		}
		for n, k := range left[words] {
			if again[n].Confidence > ranked[k].Confidence {
				ranked[k] = again[n]
			}
		}
	}
	return nil
}

// unfit says why a request cannot be what a saved workflow is for: it says what is not to be done, or names more paths, addresses or quoted texts than the workflow takes. It is "" if there is no such reason.
func (s *candidates) unfit(r *library.Record, request *mapparams.Request) string {
	if why := compose.Refuses(request.Text); why != "" {
		return why
	}
	room := map[string]int{}
	for _, in := range workflowInputs(r.Workflow(), s.Catalogue) {
		room[mapparams.WantedKind(in)]++
	}
	for kind, n := range compose.Written(request) {
		if n > room[kind]+room[""] {
			return fmt.Sprintf("the saved workflow %s does not take %d values of the kind %s", r.Name, n, kind)
		}
	}
	return ""
}

// unequal says why a saved workflow is not the whole of what is asked for, and nothing else: it lacks something that a
// component could do, or does to the world what nobody spoke of. It is "" if there is no such reason.
func (s *candidates) unequal(r *library.Record, request string) string {
	own := stemsOf(r.Name, r.Description, strings.Join(r.Keywords, " "), strings.Join(r.Examples, "\n"))
	for _, n := range r.Workflow().Nodes {
		for stem := range stemsOf(n.Type, n.Purpose) {
			own[stem] = true
		}
		if c := s.Catalogue.Get(n.Type); c != nil {
			for stem := range stemsOf(c.Description) {
				own[stem] = true
			}
		}
	}
	asked := stemsOf(request)
	does := s.effectVerbs()
	opaque := s.opaque(r) // then its past requests tell more than a word: see coverage.Said
	for _, w := range retrieve.Words(request) {
		if !opaque && !w.Stop && does[w.Stem] != "" && !own[w.Stem] {
			return "the saved workflow " + r.Name + " does only a part: nothing in it can " + w.Text
		}
	}
	for _, n := range r.Workflow().Nodes {
		c := s.Catalogue.Get(n.Type)
		if c == nil || !(c.Has(ir.Writes) || c.Has(ir.Destructive)) {
			continue
		}
		spoken := sharesMost(asked, stemsOf(r.Name)) || sharesMost(asked, stemsOf(r.Description))
		for stem := range stemsOf(c.Name, c.Description, n.ID) {
			spoken = spoken || asked[stem]
		}
		for _, e := range r.Examples {
			spoken = spoken || sharesMost(asked, stemsOf(e))
		}
		if !spoken {
			return "the saved workflow " + r.Name + " does more than was asked for: " + n.ID
		}
	}
	return ""
}

// opaque reports whether the steps of a saved workflow do not say what it does.
func (s *candidates) opaque(r *library.Record) bool {
	steps, _ := saidBySteps(r.Workflow(), s.Catalogue, true)
	return len(r.Examples) > 0 && !saysItself(steps, append([]string{r.Name, r.Description}, r.Keywords...))
}

// sharesMost reports whether more than half of a past request's words are in a request.
func sharesMost(asked, past map[string]bool) bool {
	n := 0
	for stem := range past {
		if asked[stem] {
			n++
		}
	}
	return 2*n > len(past)
}

// effectVerbs are the words by which components that do something to the world say what they do, by stem.
func (s *candidates) effectVerbs() map[string]string {
	s.verbs.once.Do(func() {
		s.verbs.of = map[string]string{}
		for _, c := range s.types {
			if words := retrieve.Words(c.Description); len(c.Effects) > 0 && len(words) > 0 && !words[0].Stop {
				s.verbs.of[words[0].Stem] = c.Name
			}
		}
	})
	return s.verbs.of
}

func stemsOf(parts ...string) map[string]bool {
	out := map[string]bool{}
	for _, p := range parts {
		for _, s := range retrieve.Stems(p) {
			out[s] = true
		}
	}
	return out
}

// leastTokens is what a workflow takes of a list at the least, by which more than fit are looked at.
const leastTokens = 15

// workflowContext lists the best workflows as text.
func (s *candidates) workflowContext(ranked []retrieve.Ranked, request string, tokens int) string {
	var list []*ir.Interface
	for _, r := range ranked[:min(tokens/leastTokens, len(ranked))] {
		rec := s.Records[r.Index]
		list = append(list, &ir.Interface{Name: rec.Name, Description: rec.Description + lastFailed(rec), Workflow: true})
	}
	return catalogue.Discovery(list, catalogue.ContextOptions{Tokens: tokens, Rank: catalogue.AsGiven}).Text
}

// rankedWorkflows is rankedValue, with what is known against a workflow.
func (s *candidates) rankedWorkflows(ranked []retrieve.Ranked, most int) []any {
	out := rankedValue(ranked, most)
	for k := range out {
		m := out[k].(map[string]any)
		m["reason"] = m["reason"].(string) + lastFailed(s.Records[ranked[k].Index])
	}
	return out
}

// lastFailed says that the last run of a workflow failed, and why; "" if it did not.
func lastFailed(r *library.Record) string {
	last := r.Outcome.LastFailed()
	if last == nil {
		return ""
	}
	return " (its last run failed: " + last.Why() + ")"
}

// neverWell says that a workflow, as it is now, never ran well and failed last with what the next run would fail with, too;
// "" if that is not so.
func neverWell(r *library.Record) string {
	last := r.Outcome.NeverWell()
	if last == nil {
		return ""
	}
	return "the saved workflow " + r.Name + " is not chosen, since it never ran well and its last run failed: " + last.Why() +
		"; pflow run " + r.Name + " runs it all the same, pflow workflow edit " + r.Name + " mends it"
}

// recordValue is a saved workflow as a value.
func recordValue(r *library.Record) (any, error) {
	workflow, err := value.ParseJSON([]byte(json.RawMessage(r.IR())))
	if err != nil {
		return nil, err
	}
	keywords, examples := []any{}, []any{}
	for _, e := range r.Examples {
		examples = append(examples, e)
	}
	for _, k := range r.Keywords {
		keywords = append(keywords, k)
	}
	return map[string]any{"name": r.Name, "description": r.Description, "keywords": keywords, "examples": examples, "version": r.Version, "ir": workflow}, nil
}
