package workflowtest

import (
	"fmt"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/yamltree"
)

// File is a file of tests, NAME_test.yaml:
//
//	workflow: greet                        # a saved workflow or a file; without it the one beside the tests
//	cases:
//	- name: a page that is gone            # every key but name and expect may be left out
//	  inputs: {url: https://example.com}
//	  stdin: piped text
//	  nodes:                               # by step: fetch, each[1] for an item of a batch, outer/inner of a called workflow
//	    fetch:                             # a list of such mappings gives one an attempt, the last for all that follow
//	      error: {kind: not_found, message: gone}
//	    notify:
//	      outputs: {sent: true}
//	      expect: {params: {to: Ada}}      # these params, others are free
//	  expect:
//	    status: done                       # done unless said otherwise
//	    outputs: {text: gone}              # these; others are free
//	    error: {kind: limit}               # likewise
//	    steps: [fetch, notify]             # those that ended, in order
//	    skipped: [store]                   # the nodes that did not run, in the order of the document
type File struct {
	Path     string
	Workflow string // as the file names it; "" if it does not
	Place    diag.Place
	cases    []testCase
}

// testCase is one test.
type testCase struct {
	name   string
	place  diag.Place
	inputs *yamltree.Value
	stdin  *string
	nodes  []cannedNode
	expect expectation
}

// cannedNode is what a test says of a step.
type cannedNode struct {
	yamltree.Entry
	outcomes []outcome
}

// expectedParams are params that an attempt is to be made with.
type expectedParams struct{ params *yamltree.Value }

// expectation is what a test wants of a run; what is not given is free.
type expectation struct{ status, outputs, err, steps, skipped *yamltree.Value }

// Parse reads a file of tests.
func Parse(file string, data []byte) (*File, diag.List) {
	tree, found := yamltree.Parse(file, data)
	if tree == nil || found.HasErrors() {
		return nil, found
	}
	r := &reader{}
	f := &File{Path: file, Place: tree.Place}
	r.Mapping(tree, "tests of a workflow: {workflow, cases}", yamltree.Fields{
		"workflow": func(v *yamltree.Value) {
			f.Place = v.Place
			r.Text(&f.Workflow)(v)
		},
		"cases": func(v *yamltree.Value) {
			if v.Kind == yamltree.Seq && len(v.Items) == 0 {
				r.Report(v, yamltree.BadValue, "this list is empty: there are no tests")
			}
			r.Each(v, "a list of tests", func(item *yamltree.Value) { f.cases = append(f.cases, r.test(item)) })
		},
	})
	if tree.Kind == yamltree.Map && tree.Get("cases") == nil {
		r.Report(tree, yamltree.MissingKey, "there are no cases: the tests are listed under cases")
	}
	return f, append(found, r.Found...).Sort()
}

// reader reads tests and collects findings.
type reader struct{ yamltree.Decoder }

const (
	testKeys    = "a test: {name, inputs, stdin, nodes, expect}"
	outcomeKeys = "{outputs, error: {kind, message}, action, expect: {params}}"
)

func (r *reader) test(v *yamltree.Value) testCase {
	c := testCase{place: v.Place}
	expected := false
	r.Mapping(v, testKeys, yamltree.Fields{
		"name":   r.Text(&c.name),
		"inputs": r.mapping(&c.inputs, "a mapping from inputs to values"),
		"stdin": func(v *yamltree.Value) {
			text := ""
			r.Written(&text)(v)
			c.stdin = &text
		},
		"nodes": func(v *yamltree.Value) {
			r.Named(v, "a mapping from steps to what they give", func(e yamltree.Entry) {
				c.nodes = append(c.nodes, cannedNode{e, r.outcomes(e.Value)})
			})
		},
		"expect": func(v *yamltree.Value) {
			expected = true
			r.Mapping(v, "a mapping: {status, outputs, error, steps, skipped}", yamltree.Fields{
				"status": yamltree.Keep(&c.expect.status), "outputs": r.mapping(&c.expect.outputs, "a mapping from outputs to values"),
				"error": yamltree.Keep(&c.expect.err), "steps": yamltree.Keep(&c.expect.steps), "skipped": yamltree.Keep(&c.expect.skipped),
			})
		},
	})
	if v.Kind != yamltree.Map {
		return c
	}
	if c.name == "" {
		r.Report(v, yamltree.MissingKey, "a test needs a name")
	}
	if !expected {
		r.Report(v, yamltree.MissingKey, "a test needs expect: what it wants")
	}
	return c
}

// mapping keeps a value that has to be a mapping.
func (r *reader) mapping(to **yamltree.Value, what string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if r.Want(v, yamltree.Map, what) {
			*to = v
		}
	}
}

// outcomes reads what a step gives: one mapping, or a list of them.
func (r *reader) outcomes(v *yamltree.Value) []outcome {
	if v.Kind != yamltree.Seq {
		return []outcome{r.outcome(v)}
	}
	var out []outcome
	for _, item := range v.Items {
		out = append(out, r.outcome(item))
	}
	if len(out) == 0 {
		r.Report(v, yamltree.BadValue, "this list is empty: want %s for each attempt", outcomeKeys)
	}
	return out
}

func (r *reader) outcome(v *yamltree.Value) (o outcome) {
	r.Mapping(v, outcomeKeys, yamltree.Fields{
		"outputs": func(v *yamltree.Value) {
			if r.Want(v, yamltree.Map, "a mapping from outputs to values") {
				o.outputs, _ = v.Plain().(map[string]any)
				o.given = v
			}
		},
		"action": r.Text(&o.action),
		"error": func(v *yamltree.Value) {
			kind := ""
			o.err = &fault.Error{}
			r.Mapping(v, "{kind, message}", yamltree.Fields{"kind": r.Text(&kind), "message": r.Written(&o.err.Message)})
			o.err.Kind = fault.Kind(kind)
			if kind == "" && v.Kind == yamltree.Map {
				r.Report(v, yamltree.MissingKey, "an error needs a kind, such as network or not_found")
			}
		},
		"expect": func(v *yamltree.Value) {
			o.expect = &expectedParams{}
			r.Mapping(v, "{params}", yamltree.Fields{"params": r.mapping(&o.expect.params, "a mapping from params to values")})
		},
	})
	if o.err != nil && o.outputs != nil {
		r.Report(v, yamltree.BadValue, "an attempt gives outputs or an error, not both")
	}
	return o
}

// at writes a place before what is wrong there.
func at(p diag.Place, format string, args ...any) string {
	return p.String() + ": " + fmt.Sprintf(format, args...)
}
