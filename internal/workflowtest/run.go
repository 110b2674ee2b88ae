package workflowtest

import (
	"context"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/flowtest"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/internal/yamltree"
)

// Report is how one test went. Fakes are the steps whose outputs were made up.
type Report struct {
	Name   string   `json:"name"`
	Pass   bool     `json:"pass"`
	Faults []string `json:"faults"`
	Fakes  []string `json:"fakes"`
}

// Run runs the tests. fake makes up what no test says. The findings are of what the tests name and the workflow does not
// have: with any of them nothing runs.
func (f *File) Run(ctx context.Context, src workflow.Source, env workflow.Env, fake bool) ([]Report, error) {
	reports := []Report{}
	for i := range f.cases {
		c := &f.cases[i]
		canned := c.canned()
		st, err := c.stage(src, env, fake, canned)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := f.check(st).Err(); err != nil {
				return nil, err
			}
		}
		r, err := c.run(ctx, st, canned)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// stage compiles the workflow for a test.
func (c *testCase) stage(src workflow.Source, env workflow.Env, fake bool, canned map[string][]outcome) (*stage, error) {
	return prepare(src, env, fake, func(name string) bool { return c.inputs != nil && c.inputs.Get(name) != nil },
		func(step string) bool {
			return slices.ContainsFunc(canned[step], func(o outcome) bool { return o.gives() })
		})
}

// play runs what a test describes. The fault is of what it gives, or of a node that reaches outside and has no canned result.
func (c *testCase) play(ctx context.Context, st *stage, canned map[string][]outcome) (res *workflow.Result, s *session, fault, err error) {
	store, fault := st.bind(workflow.Given{Values: c.values(), Stdin: c.stdin}, false)
	if fault != nil {
		return nil, nil, fault, nil
	}
	if res, s, fault = st.run(ctx, store, canned); ctx.Err() != nil {
		return nil, nil, nil, ctx.Err()
	}
	return res, s, fault, nil
}

// run runs one test.
func (c *testCase) run(ctx context.Context, st *stage, canned map[string][]outcome) (Report, error) {
	r := Report{Name: c.name, Faults: []string{}, Fakes: []string{}}
	fault := func(p diag.Place, format string, args ...any) { r.Faults = append(r.Faults, at(p, format, args...)) }
	res, s, wrong, err := c.play(ctx, st, canned)
	switch {
	case err != nil:
		return r, err
	case wrong != nil:
		fault(c.place, "%v", wrong)
		return r, nil
	}
	r.Fakes = append(r.Fakes, s.fakes...)
	e := &c.expect
	if e.status == nil && e.err == nil && res.Status != workflow.Done {
		fault(c.place, "status: want done, got %s: %s", res.Status, failureText(res))
	}
	got := map[string]any{"status": string(res.Status), "outputs": res.Outputs, "error": nil, "steps": steps(res), "skipped": skipped(st, res)}
	if res.Error != nil {
		got["error"] = map[string]any{"kind": res.Error.Kind, "message": res.Error.Message, "node": res.Error.Node, "attempts": res.Error.Attempts}
	}
	for _, w := range []struct {
		name string
		want *yamltree.Value
	}{{"status", e.status}, {"outputs", e.outputs}, {"error", e.err}, {"steps", e.steps}, {"skipped", e.skipped}} {
		if w.want != nil {
			flowtest.Compare(&r.Faults, w.name, w.want, got[w.name], w.name == "outputs" || w.name == "error")
		}
	}
	for i := range c.nodes {
		c.nodes[i].compare(&r, s, res)
	}
	r.Pass = len(r.Faults) == 0
	return r, nil
}

func failureText(res *workflow.Result) string {
	if res.Error == nil {
		return "it did not end"
	}
	return res.Error.Error()
}

// compare adds a fault for each param that an attempt was not made with, and for a step that never ran.
func (n *cannedNode) compare(r *Report, s *session, res *workflow.Result) {
	attempts := s.seen[n.Key]
	if len(attempts) == 0 {
		r.Faults = append(r.Faults, at(n.KeyPlace, "nodes: the step %q never ran; these did: %s", n.Key, strings.Join(value.SortedKeys(s.seen), ", ")))
		return
	}
	for k := range n.outcomes {
		want := n.outcomes[k].expect
		if want == nil || want.params == nil {
			continue
		}
		if k >= len(attempts) {
			r.Faults = append(r.Faults, at(want.params.Place, "nodes: there is no attempt %d of %q; there is: %d", k+1, n.Key, len(attempts)))
			continue
		}
		got := attempts[k]
		if got.err != nil {
			r.Faults = append(r.Faults, at(want.params.Place, "params: %v", got.err))
			continue
		}
		flowtest.Compare(&r.Faults, "params", want.params, got.params, true)
	}
}

func steps(res *workflow.Result) []any {
	out := []any{}
	for _, s := range res.Steps {
		if !strings.HasSuffix(s.Node, workflow.GateSuffix) {
			out = append(out, s.Node)
		}
	}
	return out
}

// skipped are the nodes of the workflow itself that did not run.
func skipped(st *stage, res *workflow.Result) []any {
	ran := map[string]bool{}
	for _, s := range res.Steps {
		ran[s.Node] = true
	}
	out := []any{}
	for i := range st.program.Workflow.Nodes {
		if id := st.program.Workflow.Nodes[i].ID; !ran[id] {
			out = append(out, id)
		}
	}
	return out
}

// Fake runs a workflow once, with outputs that are made up in the place of what its nodes would do. What is needed and not
// given is made up, too: give reads what is. The warnings of the result say what failed with values that are made up.
func Fake(ctx context.Context, src workflow.Source, env workflow.Env, give func(*workflow.Program) (workflow.Given, error)) (*workflow.Result, error) {
	var given workflow.Given
	st, err := prepare(src, env, true, func(name string) bool { _, there := given.Values[name]; return there }, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	if given, err = give(st.program); err != nil {
		return nil, err
	}
	st.settle()
	store, err := st.bind(given, false)
	if err != nil {
		return nil, err
	}
	res, s, err := st.run(ctx, store, nil)
	if err != nil {
		return nil, err
	}
	res.Fakes = append([]string{}, s.fakes...)
	for _, f := range s.failed {
		res.Warnings = append(res.Warnings, f.node.ID+": it failed with values that are made up, and what it gives is made up, too: "+f.err.Message)
	}
	return res, nil
}
