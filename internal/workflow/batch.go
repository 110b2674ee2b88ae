package workflow

import (
	"pflow/engine/cond"
	"pflow/ir"
)

// itemOutputs marks the result of an item that succeeded, so that it cannot be taken for a failure's.
const itemOutputs = "outputs"

// batchResult writes what a batch node gave: the outputs of each item, null for one that failed, how many items there
// were, and what failed.
type batchResult struct {
	inner func(store map[string]any) any // of a called workflow: its outputs; nil: the result holds them
}

// Eval implements engine.Evaluator.
func (b batchResult) Eval(s *cond.Scope) (any, error) {
	prep, _ := s.Get("prep").(map[string]any)
	items, _ := prep["items"].([]any)
	list, _ := s.Get("result").([]any)
	results, errors := []any{}, []any{}
	for i, r := range list {
		got, _ := r.(map[string]any)
		if failed, ok := got[ir.ErrorKey].(map[string]any); ok && len(got) == 1 && got[itemOutputs] == nil {
			errors = append(errors, map[string]any{"index": i, "item": items[i], ir.ErrorKey: failed})
			results = append(results, nil) // each result stands where its item stands
			continue
		}
		if b.inner != nil {
			results = append(results, b.inner(got))
		} else {
			results = append(results, got[itemOutputs])
		}
	}
	return map[string]any{ir.BatchResults: results, ir.BatchCount: len(items), ir.BatchErrors: errors}, nil
}

// itemList resolves the items of a batch.
type itemList struct {
	c     *shared
	reads capture
	value *ir.Param
}

// Eval implements engine.Evaluator.
func (l itemList) Eval(s *cond.Scope) (any, error) {
	v, err := l.value.Resolve(l.reads.known(s.Get("store").(map[string]any), s))
	if err == nil {
		err = l.c.gone(v)
	}
	if err != nil {
		return nil, err
	}
	return ir.Coerce("array", v)
}
