package workflow

import (
	"pflow/internal/value"
	"pflow/ir"
)

// DryRunSchema names the shape of DryRun as JSON.
const DryRunSchema = "pflow.dry-run/v1"

// DryRun is what a run would do.
type DryRun struct {
	Schema   string         `json:"schema"`
	Workflow string         `json:"workflow"`
	Inputs   map[string]any `json:"inputs"` // this run's; a secret is {"$env": NAME}
	Steps    []PlannedStep  `json:"steps"`  // in an order in which they can run
	Warnings []string       `json:"warnings"`

	made made
}

// PlannedStep is one node with its params as far as they are known. A text named in Pending stands as its template: it
// reads what a node has yet to write.
type PlannedStep struct {
	Node     string         `json:"node"` // outer/inner
	Type     string         `json:"type"`
	Purpose  string         `json:"purpose,omitempty"`
	Params   map[string]any `json:"params"`
	Pending  []string       `json:"pending"`            // paths into params: content, headers.Authorization; or of a setting
	Items    any            `json:"items,omitempty"`    // of a batch
	Settings map[string]any `json:"settings,omitempty"` // how it runs, by path: {"retry.attempts": 3, "timeout": "30s"}
	Approval bool           `json:"approval,omitempty"`
	Destroys string         `json:"destroys,omitempty"` // what it destroys, or why that is not known
	Replaces []string       `json:"replaces,omitempty"` // files that are there and whose content it replaces
	Appends  []string       `json:"appends,omitempty"`  // files that are there and that it adds to
	Changes  []string       `json:"changes,omitempty"`  // an excerpt of what changes in files, a line each
	Absent   []string       `json:"absent,omitempty"`   // what it reads that is not there, and that no step before it could make
	Refused  string         `json:"refused,omitempty"`  // why the settings do not let it run

	needs   []string // of those it replaces, the ones that an approval has to name, by their real paths
	reasons []string // all of those that Destroys gives the first of: each item of a batch has its own
	open    bool     // not all of what it is given was known when it was looked at
}

// maxPlanned bounds the steps of a dry run: called workflows are shown with their steps, each time they are called.
const maxPlanned = 20_000

// DryRun shows every step with its params and runs nothing. store is what Bind made.
func (p *Program) DryRun(store map[string]any) *DryRun {
	inputs, _ := store[inputsKey].(map[string]any)
	d := &DryRun{Schema: DryRunSchema, Workflow: p.Name, Inputs: inputs, Steps: []PlannedStep{}, Warnings: []string{}}
	d.steps("", p, store, 0)
	if len(d.Steps) == maxPlanned {
		d.Warnings = append(d.Warnings, "there are more steps; they are not shown")
	}
	return d
}

func (d *DryRun) steps(prefix string, p *Program, store map[string]any, depth int) {
	c := &compiler{shared: p.shared, w: p.Workflow, sources: newSources(p.Workflow, p.Inputs, p.handed, p.shared.env.Catalogue), program: p}
	for _, at := range order(p.Workflow) {
		if len(d.Steps) == maxPlanned {
			return
		}
		n := &p.Workflow.Nodes[at]
		i := p.shared.env.Catalogue.Get(n.Type)
		ps := c.params(n, n.Params, i, nil)
		known := ps.reads.known(store, nil)
		delete(known, itemRoot(n))
		step := PlannedStep{Node: prefix + n.ID, Type: n.Type, Purpose: n.Purpose, Params: map[string]any{}, Pending: []string{}, Approval: n.Approval}
		for _, q := range ps.list {
			v, open := q.value.Partial(known)
			step.Params[q.key] = v
			for _, path := range open {
				step.Pending = append(step.Pending, pathInto(q.key, path))
			}
		}
		if n.Batch != nil {
			step.Items = c.planned(&step, n, batchItems, n.Batch.Items, store)
		}
		for _, s := range n.Settings() {
			if step.Settings == nil {
				step.Settings = map[string]any{}
			}
			if s.Raw {
				step.Settings[s.Path] = s.Value
				continue
			}
			step.Settings[s.Path] = c.planned(&step, n, s.Path, s.Value, store)
		}
		c.foresee(&step, n, i, ps, known)
		d.absent(c, &step, n, i, ps, known)
		d.Steps = append(d.Steps, step)
		d.called(step, n, i, p, depth)
	}
}

// planned is a value of a node that does not see the item of its batch, as far as it is known.
func (c *compiler) planned(step *PlannedStep, n *ir.Node, path string, v any, store map[string]any) any {
	p, _ := ir.Compile(v)
	reads := capture{}
	c.read(reads, p, n, false)
	got, open := p.Partial(reads.known(store, nil))
	for _, inner := range open {
		step.Pending = append(step.Pending, pathInto(path, inner))
	}
	return got
}

// itemRoot is the root of a batch's item: no item is known yet.
func itemRoot(n *ir.Node) string {
	if n.Batch == nil {
		return ""
	}
	return n.Batch.As
}

func pathInto(key, path string) string {
	if path == "" || path[0] == '[' {
		return key + path
	}
	return key + "." + path
}

// called adds the steps of a workflow that a node calls, with what is known of its inputs.
func (d *DryRun) called(step PlannedStep, n *ir.Node, i *ir.Interface, p *Program, depth int) {
	name, given := n.Type, step.Params
	if i.Call != nil {
		name, _ = step.Params[i.Call.Name].(string)
		given, _ = step.Params[i.Call.Inputs].(map[string]any)
	} else if !i.Workflow {
		return
	}
	inner := p.shared.program(name)
	if inner == nil || depth+1 >= maxDepth || p.Name == name {
		return
	}
	open := map[string]bool{}
	for _, path := range step.Pending {
		open[path] = true
	}
	inputs := map[string]any{}
	for _, in := range inner.Inputs {
		v, there := given[in.Name]
		path := in.Name
		if i.Call != nil {
			path = i.Call.Inputs + "." + in.Name
		}
		switch {
		case there && !pendingIn(open, path):
			inputs[in.Name] = v
		case there:
		case in.Secret:
			inputs[in.Name] = envMarker(in.FromEnv)
		default:
			inputs[in.Name] = in.Default
		}
	}
	d.steps(step.Node+"/", inner, map[string]any{inputsKey: inputs}, depth+1)
}

// pendingIn reports whether anything inside the value at a path is still a template.
func pendingIn(open map[string]bool, path string) bool {
	for _, p := range value.SortedKeys(open) {
		if p == path || len(p) > len(path) && p[:len(path)] == path && (p[len(path)] == '.' || p[len(path)] == '[') {
			return true
		}
	}
	return false
}

// program finds a called workflow that was compiled, whatever secrets it was handed.
func (s *shared) program(name string) *Program {
	for _, key := range value.SortedKeys(s.programs) {
		if p := s.programs[key]; p.Name == name {
			return p
		}
	}
	return nil
}
