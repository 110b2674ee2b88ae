package flowtest

import (
	"fmt"

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
	if r.want(tree, yamltree.Seq, "a list of tests") {
		for _, item := range tree.Items {
			if r.want(item, yamltree.Map, "a test: {name, store, results, expect}") {
				cases = append(cases, r.test(item))
			}
		}
	}
	return cases, append(found, r.found...).Sort()
}

// reader collects findings.
type reader struct{ found diag.List }

func (r *reader) report(at diag.Place, v *yamltree.Value, kind, suggestion string, format string, args ...any) {
	r.found = append(r.found, diag.Finding{
		Severity: diag.Error, Kind: kind, Message: fmt.Sprintf(format, args...),
		Place: at, Snippet: v.Snippet(at), Suggestion: suggestion,
	})
}

func (r *reader) want(v *yamltree.Value, kind yamltree.Kind, what string) bool {
	if v.Kind != kind {
		r.report(v.Place, v, "wrong-kind", "", "want %s", what)
	}
	return v.Kind == kind
}

// keys calls the function of each key and reports the keys that have none.
func (r *reader) keys(v *yamltree.Value, read map[string]func(*yamltree.Value)) {
	names := make([]string, 0, len(read))
	for name := range read {
		names = append(names, name)
	}
	for _, e := range v.Entries {
		if f := read[e.Key]; f != nil {
			f(e.Value)
		} else {
			r.report(e.KeyPlace, v, "unknown-key", diag.Nearest(e.Key, names), "there is no key %q here", e.Key)
		}
	}
}

func (r *reader) text(to *string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if r.want(v, yamltree.String, "text") {
			*to = v.Text
		}
	}
}

func (r *reader) object(to *map[string]any) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if r.want(v, yamltree.Map, "a mapping") {
			*to = v.Plain().(map[string]any)
		}
	}
}

func keep(to **yamltree.Value) func(*yamltree.Value) { return func(v *yamltree.Value) { *to = v } }

func (r *reader) test(v *yamltree.Value) Case {
	c := Case{Place: v.Place, results: map[string][]outcome{}}
	expected := false
	r.keys(v, map[string]func(*yamltree.Value){
		"name":  r.text(&c.Name),
		"node":  r.text(&c.Node),
		"store": r.object(&c.store),
		"results": func(v *yamltree.Value) {
			if r.want(v, yamltree.Map, "a mapping from step to results") {
				for _, e := range v.Entries {
					c.results[e.Key] = r.outcomes(e.Value)
				}
			}
		},
		"expect": func(v *yamltree.Value) {
			expected = true
			if r.want(v, yamltree.Map, "a mapping: {status, action, path, prep, store, error}") {
				r.keys(v, map[string]func(*yamltree.Value){
					"status": keep(&c.expect.status), "action": keep(&c.expect.action), "path": keep(&c.expect.path),
					"prep": keep(&c.expect.prep), "store": keep(&c.expect.store), "error": keep(&c.expect.err),
				})
			}
		},
	})
	if c.Name == "" {
		r.report(v.Place, v, "missing-key", "", "a test needs a name")
	}
	if !expected {
		r.report(v.Place, v, "missing-key", "", "a test needs expect: what it wants")
	}
	return c
}

func (r *reader) outcomes(v *yamltree.Value) []outcome {
	var out []outcome
	if !r.want(v, yamltree.Seq, "a list, one item an attempt: {result, action} or {error: {kind, message}}") {
		return nil
	}
	for _, item := range v.Items {
		if !r.want(item, yamltree.Map, "{result, action, meters} or {error: {kind, message}}") {
			continue
		}
		var o outcome
		r.keys(item, map[string]func(*yamltree.Value){
			"result": func(v *yamltree.Value) { o.result = v.Plain() },
			"action": r.text(&o.action),
			"error": func(v *yamltree.Value) {
				o.err = &fault.Error{}
				if r.want(v, yamltree.Map, "{kind, message}") {
					kind := ""
					r.keys(v, map[string]func(*yamltree.Value){"kind": r.text(&kind), "message": r.text(&o.err.Message)})
					o.err.Kind = fault.Kind(kind)
				}
			},
			"meters": func(v *yamltree.Value) {
				o.meters = map[string]float64{}
				for _, e := range v.Entries {
					switch n := e.Value.Scalar.(type) {
					case int:
						o.meters[e.Key] = float64(n)
					case float64:
						o.meters[e.Key] = n
					default:
						r.report(e.Value.Place, e.Value, "wrong-kind", "", "want a number")
					}
				}
			},
		})
		out = append(out, o)
	}
	return out
}
