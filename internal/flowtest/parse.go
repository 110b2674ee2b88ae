package flowtest

import (
	"math"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/yamltree"
)

// Case is one test of a flow. The file NAME_test.yaml holds a list of them:
//
//	# every key but name and expect may be left out
//	- name: gives up after the second attempt
//	  store: {user_input: hello}           # the first store
//	  results:                             # step -> what its attempts give; the last holds for all that follow
//	    generate:
//	      - error: {kind: timeout, message: too slow}
//	      - result: {nodes: []}
//	        action: default
//	  expect:
//	    status: done                       # done unless said otherwise
//	    action: failed
//	    path: [generate, check]            # the steps in order
//	    store: {attempts: 2}               # these keys; others are free
//	    error: {kind: limit}               # likewise
//	- name: one node alone
//	  node: check                          # runs this node on the store, and nothing else
//	  store: {errors: []}
//	  results: {check: [{result: []}]}
//	  expect: {prep: {workflow: null}, action: valid, store: {errors: []}}
type Case struct {
	Name    string
	Node    string
	Place   diag.Place
	store   map[string]any
	results map[string][]outcome
	expect  expectation
}

// expectation is what a test wants; what is not given is free.
type expectation struct {
	status *yamltree.Value
	action *yamltree.Value
	path   *yamltree.Value
	prep   *yamltree.Value
	store  *yamltree.Value
	err    *yamltree.Value
}

// Parse reads a test file.
func Parse(file string, data []byte) ([]Case, diag.List) {
	tree, found := yamltree.Parse(file, data)
	if tree == nil || found.HasErrors() {
		return nil, found
	}
	r := &reader{}
	var cases []Case
	r.Each(tree, "a list of tests", func(item *yamltree.Value) {
		if r.Want(item, yamltree.Map, testKeys) {
			cases = append(cases, r.test(item))
		}
	})
	return cases, append(found, r.Found...).Sort()
}

// reader reads tests and collects findings.
type reader struct{ yamltree.Decoder }

const testKeys = "a test: {name, store, results, expect}"

func (r *reader) test(v *yamltree.Value) Case {
	c := Case{Place: v.Place, results: map[string][]outcome{}}
	expected := false
	r.Mapping(v, testKeys, yamltree.Fields{
		"name":  r.Text(&c.Name),
		"node":  r.Text(&c.Node),
		"store": r.Object(&c.store),
		"results": func(v *yamltree.Value) {
			r.Named(v, "a mapping from step to results", func(e yamltree.Entry) { c.results[e.Key] = r.outcomes(e.Value) })
		},
		"expect": func(v *yamltree.Value) {
			expected = true
			r.Mapping(v, "a mapping: {status, action, path, prep, store, error}", yamltree.Fields{
				"status": yamltree.Keep(&c.expect.status), "action": yamltree.Keep(&c.expect.action), "path": yamltree.Keep(&c.expect.path),
				"prep": yamltree.Keep(&c.expect.prep), "store": yamltree.Keep(&c.expect.store), "error": yamltree.Keep(&c.expect.err),
			})
		},
	})
	if c.Name == "" {
		r.Report(v, yamltree.MissingKey, "a test needs a name")
	}
	if !expected {
		r.Report(v, yamltree.MissingKey, "a test needs expect: what it wants")
	}
	return c
}

func (r *reader) outcomes(v *yamltree.Value) []outcome {
	var out []outcome
	r.Each(v, "a list, one item an attempt: {result, action, meters} or {error: {kind, message, details}}", func(item *yamltree.Value) {
		var o outcome
		r.Mapping(item, "{result, action, meters} or {error: {kind, message, details}}", yamltree.Fields{
			"result": yamltree.Plain(&o.result),
			"action": r.Text(&o.action),
			"error": func(v *yamltree.Value) {
				kind, details := "", any(nil)
				o.err = &fault.Error{}
				r.Mapping(v, "{kind, message, details}", yamltree.Fields{
					"kind": r.Text(&kind), "message": r.Text(&o.err.Message), "details": yamltree.Plain(&details),
				})
				o.err.Kind = fault.Kind(kind)
				o.err.Details, _ = details.(map[string]any)
			},
			"meters": func(v *yamltree.Value) {
				o.meters = map[string]float64{}
				r.Named(v, "a mapping from meters to numbers", func(e yamltree.Entry) {
					n := 0.
					r.Number(&n, math.Inf(-1))(e.Value)
					o.meters[e.Key] = n
				})
			},
		})
		out = append(out, o)
	})
	return out
}
