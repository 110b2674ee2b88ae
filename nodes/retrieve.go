package nodes

import (
	"context"
	"sync"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/retrieve"
	"pflow/internal/value"
)

// retrieveOp ranks candidates.
func retrieveOp() engine.Op {
	return engine.Op{
		Name:    "retrieve",
		Summary: "Ranks candidates by how well their words, and past requests they were right for, fit a request.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "candidates", Type: value.Array, Required: true, Doc: "[{name, description?, keywords?, examples?}]"},
		},
		With: []engine.Field{
			{Name: "most", Type: value.Integer, Default: 0, Doc: "how many to give; 0 gives all"},
		},
		Result:     value.Array,
		ResultDoc:  "[{name, confidence, reason}], best first; a confidence, from 0 to 1, means the same for every request",
		Idempotent: true,
		Instant:    true,
		Example: `flow: retrieve-example
version: 1
description: Find the tool that a request means.
state:
  request: {type: string, default: copy a file}
  tools:
    type: array
    default: [{name: send-mail, description: Send a message.}, {name: copy-file, description: Copy a file.}]
  best:    {type: any, default: null}
nodes:
  find:
    op: retrieve
    prep: {request: store.request, candidates: store.tools}
    post: {best: 'result[0].name'}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			most := option(s, "most", 0)
			var last lastIndex
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				request, _ := in.Prep["request"].(string)
				list, _ := in.Prep["candidates"].([]any)
				index, err := last.of(ctx, list)
				if err != nil {
					return engine.Output{}, err
				}
				ranked, err := index.First(ctx, request, most)
				if err != nil {
					return engine.Output{}, err
				}
				return engine.Output{Result: rankedValue(ranked, len(ranked))}, nil
			}
		},
	}
}

// rankedValue is the best of a ranking as a value.
func rankedValue(ranked []retrieve.Ranked, most int) []any {
	out := make([]any, 0, min(most, len(ranked)))
	for _, r := range ranked[:min(most, len(ranked))] {
		out = append(out, map[string]any{"name": r.Name, "confidence": r.Confidence, "reason": r.Reason})
	}
	return out
}

// mostEvidence is of how many of the best it is kept what spoke for them.
const mostEvidence = 5

// evidenceValue is what spoke for a candidate, for whoever asks why it was chosen.
func evidenceValue(r retrieve.Ranked, e retrieve.Evidence) any {
	terms := make([]any, len(e.Terms))
	for k, t := range e.Terms {
		terms[k] = map[string]any{"word": t.Word, "weight": t.Weight}
	}
	var example any
	if e.Example != "" {
		example = map[string]any{"request": e.Example, "alike": e.Alike}
	}
	return map[string]any{"name": r.Name, "confidence": r.Confidence, "terms": terms, "example": example}
}

// workflowEvidence is what spoke for the first of the saved workflows.
func (s *candidates) workflowEvidence(ranked []retrieve.Ranked, request string) ([]any, error) {
	out := []any{}
	for _, r := range ranked[:min(mostEvidence, len(ranked))] {
		index, err := s.workflowIndex()
		if err != nil {
			return nil, err
		}
		out = append(out, evidenceValue(r, index.Evidence(request, r.Index, s.Records[r.Index].Examples, false)))
	}
	return out, nil
}

// fitEvidence is what spoke for the first of the components.
func (s *candidates) fitEvidence(fits []fit, request string) ([]any, error) {
	out := []any{}
	for _, f := range fits[:min(mostEvidence, len(fits))] {
		index, examples := s.typeIndex(), []string(nil)
		if f.record != nil {
			var err error
			if index, err = s.workflowIndex(); err != nil {
				return nil, err
			}
			examples = f.record.Examples
		}
		out = append(out, evidenceValue(f.Ranked, index.Evidence(request, f.Index, examples, true)))
	}
	return out, nil
}

// lastIndex keeps the index of the list it was asked for last: values are never written to, so the same list has the
// same index.
type lastIndex struct {
	mu    sync.Mutex
	list  []any
	index *retrieve.Index
}

func (l *lastIndex) of(ctx context.Context, list []any) (*retrieve.Index, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index != nil && len(list) == len(l.list) && (len(list) == 0 || &list[0] == &l.list[0]) {
		return l.index, nil
	}
	candidates, newIndex := make([]retrieve.Candidate, len(list)), retrieve.NewIndex
	for i, item := range list {
		m, _ := item.(map[string]any)
		name, ok := m["name"].(string)
		if !ok {
			return nil, fault.New(fault.Type, "candidates[%d]: want {name, description?, keywords?, examples?}", i)
		}
		description, _ := m["description"].(string)
		candidates[i] = retrieve.Candidate{Name: name, Description: description, Keywords: texts(m["keywords"]), Examples: texts(m["examples"])}
		if len(candidates[i].Examples) > 0 {
			newIndex = retrieve.NewDiscovery
		}
	}
	index, err := newIndex(ctx, candidates)
	if err != nil {
		return nil, err
	}
	l.list, l.index = list, index
	return index, nil
}

// texts are the strings of a list.
func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
