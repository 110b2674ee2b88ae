package workflow

import (
	"context"
	"slices"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// grants is what a run was allowed to destroy before it began. It is kept with the run, for its resume.
type grants struct {
	All   bool             `json:"all,omitempty"` // whatever turns out while it runs, too
	Steps map[string]grant `json:"steps,omitempty"`
}

// grant is what one node was allowed to.
type grant struct {
	Reasons []string `json:"reasons"`
	// Open tells that not all of its params were known when it was allowed: what they turn out to be is allowed.
	Open bool `json:"open,omitempty"`
}

// Grant allows a run what was foreseen of it; all: whatever else turns out while it runs, too. It is to be called before
// the run begins, and before Documents.
func (p *Program) Grant(foreseen *DryRun, all bool) {
	p.shared.granted = grants{All: all, Steps: map[string]grant{}}
	for i := range foreseen.Steps {
		if s := &foreseen.Steps[i]; s.Destroys != "" {
			p.shared.granted.Steps[s.Node] = grant{Reasons: append([]string{s.Destroys}, s.reasons...), Open: s.open}
		}
	}
	if w := p.shared.env.Written; w != nil {
		w.Grant(foreseen.Needed()...)
	}
}

// mayDestroy looks again at what a node would destroy, now that everything is known, and refuses what was not allowed.
// any tells that files which nobody named may be replaced, too.
func (c *call) mayDestroy(ctx context.Context, step string, seen nodetype.Foreseen) (any bool, err error) {
	if seen.Destroys != "" && c.c.env.Undestroyed != "" {
		return false, fault.New(fault.Refused, "%s, which is turned off by %s; nothing of this step was done", seen.Destroys, c.c.env.Undestroyed)
	}
	node := declaredName(step)
	g, ok := c.c.granted.Steps[node]
	if c.c.granted.All || ok && g.Open {
		return true, nil
	}
	files := running(ctx).files(c.c.shared)
	own := func(path string) bool { return files != nil && files.May(path) }
	switch {
	case seen.Destroys == "":
		return false, nil
	case len(seen.Replaces) > 0 && !slices.ContainsFunc(seen.Needs, func(path string) bool { return !own(path) }):
		return false, nil // its own files, and those that were named
	case len(seen.Replaces) == 0 && ok && slices.Contains(g.Reasons, seen.Destroys):
		return true, nil
	case running(ctx).approves(ctx, Approval{Node: step, Type: c.node.Type, Destructive: true, Why: seen.Destroys}):
		return true, nil
	}
	return false, fault.New(fault.Refused, "%s, which was not known before the run and was not approved; nothing of this step was done; approve it by running again with --yes=destructive", seen.Destroys)
}

// stepFiles are the files of a run as one of its steps may replace them: overwrite alone replaces nothing that was not
// allowed.
type stepFiles struct {
	nodetype.Files
	any bool
}

// Put implements nodetype.Files.
func (f stepFiles) Put(ctx context.Context, path, content string, overwrite bool, put func(replace bool) error) error {
	return f.Files.Put(ctx, path, content, overwrite && f.any, put)
}

// Move implements nodetype.Files.
func (f stepFiles) Move(ctx context.Context, from, path, content string, overwrite bool, put func(replace bool) error) error {
	return f.Files.Move(ctx, from, path, content, overwrite && f.any, put)
}

// foreseeStep is what a component foresees of a call that is about to be made; effects that its interface states add to it.
func foreseeStep(t nodetype.Type, i *ir.Interface, in nodetype.Call) (seen nodetype.Foreseen) {
	if t.Foresee != nil {
		seen = t.Foresee(in, nil)
	}
	if len(seen.Replaces) > 0 && !in.Flag("overwrite") {
		seen.Destroys = "" // the node itself leaves what it may not replace, and says so
	}
	if seen.Destroys == "" && i.Has(ir.Destructive) {
		seen.Destroys = "its effects are destructive"
	}
	return seen
}
