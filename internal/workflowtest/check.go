package workflowtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// check compares what tests name with what the workflow has.
func (f *File) check(st *stage) diag.List {
	r := &reader{}
	w := st.program.Workflow
	for i := range f.cases {
		c := &f.cases[i]
		r.inputs(c.inputs, st.program)
		for k := range c.nodes {
			r.node(&c.nodes[k], w, st.env.Catalogue)
		}
		if c.expect.outputs != nil && len(w.Outputs) > 0 {
			r.names(c.expect.outputs, "output", outputNames(w))
		}
		for _, v := range []*yamltree.Value{c.expect.steps, c.expect.skipped} {
			if v == nil || !r.Want(v, yamltree.Seq, "a list of nodes") {
				continue
			}
			for _, item := range v.Items {
				if r.Want(item, yamltree.String, "the id of a node") {
					r.step(item, declaredStep(item.Text), w)
				}
			}
		}
	}
	return r.Found.Sort()
}

func outputNames(w *ir.Workflow) []string {
	var out []string
	for _, o := range w.Outputs {
		out = append(out, o.Name)
	}
	return out
}

// names reports keys that are none of those that there are.
func (r *reader) names(v *yamltree.Value, what string, there []string) {
	for _, e := range v.Entries {
		if !slices.Contains(there, e.Key) {
			r.unknown(e.Name, what, e.Key, there)
		}
	}
}

func (r *reader) unknown(v *yamltree.Value, what, name string, there []string) {
	message := fmt.Sprintf("there is no %s called %q", what, name)
	if len(there) > 0 {
		message += "; there is: " + strings.Join(there, ", ")
	} else {
		message += "; there are none"
	}
	f := r.Report(v, yamltree.UnknownKey, "%s", message)
	f.Suggestion, f.Alternatives = diag.Nearest(name, there), there
}

func (r *reader) inputs(v *yamltree.Value, p *workflow.Program) {
	if v == nil {
		return
	}
	var names []string
	for _, in := range p.Inputs {
		names = append(names, in.Name)
	}
	r.names(v, "input", names)
	for _, e := range v.Entries {
		in, err := p.Input(e.Key)
		switch {
		case err != nil:
		case in.Secret:
			r.Report(e.Value, yamltree.BadValue, "%s is a secret: a test gives none, and its nodes see a made-up one", e.Key)
		default:
			if _, err := ir.Coerce(in.Type, e.Value.Plain()); err != nil {
				r.Report(e.Value, yamltree.WrongKind, "the input %s: %v", e.Key, err)
			}
		}
	}
}

// item is what the name of a step says of the item of a batch.
var item = regexp.MustCompile(`\[\d+\]`)

// step finds the node of a step; nil of one inside a called workflow, whose nodes are not known here.
func (r *reader) step(v *yamltree.Value, name string, w *ir.Workflow) *ir.Node {
	id, _, inner := strings.Cut(item.ReplaceAllString(name, ""), "/")
	at := w.Node(id)
	if at < 0 {
		var ids []string
		for i := range w.Nodes {
			ids = append(ids, w.Nodes[i].ID)
		}
		r.unknown(v, "node", id, ids)
		return nil
	}
	if inner {
		return nil
	}
	return &w.Nodes[at]
}

// node compares what a test says of a step with the interface of its component.
func (r *reader) node(n *cannedNode, w *ir.Workflow, c *ir.Catalogue) {
	at := r.step(n.Name, n.Key, w)
	if at == nil {
		return
	}
	i := c.Get(at.Type)
	if i == nil {
		return
	}
	for k := range n.outcomes {
		o := &n.outcomes[k]
		if o.given != nil && i.Workflow {
			r.Report(o.given, yamltree.BadValue, "%s calls a workflow, whose nodes run: say what these give, as %s/NODE", at.ID, at.ID)
			continue
		}
		if o.given != nil && !i.OpenOutputs && len(i.Outputs) > 0 {
			r.names(o.given, "output of "+i.Name, i.OutputKeys())
		}
		if o.given != nil {
			r.outputs(o.given, i)
		}
		if o.action != "" && !slices.Contains(append(i.ResultsOf(at.Params), ir.ActionError), o.action) {
			r.unknown(n.Name, "action of "+at.ID, o.action, i.ResultsOf(at.Params))
		}
		if o.expect != nil && o.expect.params != nil && !i.OpenParams {
			r.names(o.expect.params, "param of "+i.Name, i.ParamKeys())
		}
	}
}

// outputs compares canned outputs with the types that they are declared to have.
func (r *reader) outputs(v *yamltree.Value, i *ir.Interface) {
	for _, e := range v.Entries {
		port, known := i.Output(e.Key)
		if !known || e.Value.Kind == yamltree.Null {
			continue
		}
		if _, err := value.Fits(port.Type, e.Value.Plain()); port.Type != value.Any && err != nil {
			r.Report(e.Value, yamltree.WrongKind, "the output %s of %s: %v", e.Key, i.Name, err)
		}
	}
}

// canned are the outcomes of a test by step.
func (c *testCase) canned() map[string][]outcome {
	out := map[string][]outcome{}
	for _, n := range c.nodes {
		out[n.Key] = n.outcomes
	}
	return out
}

// values are the inputs that a test gives.
func (c *testCase) values() map[string]any {
	if c.inputs == nil {
		return nil
	}
	m, _ := c.inputs.Plain().(map[string]any)
	return maps.Clone(m)
}
