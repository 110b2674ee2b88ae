package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/ir"
)

// ownName is the name under which a new workflow is saved. A name never changes its meaning: where it is that of a saved
// workflow whose callers the new one would break, the new one gets a name of its own, and moved says why. next tells that
// it becomes the next version of the one that has the name.
func (a *app) ownName(ctx context.Context, name string, w *ir.Workflow) (own string, next bool, moved string, err error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return "", false, "", err
	}
	if c := shelf.Catalogue.Get(name); c != nil && !c.Workflow { // saved under it, it would be hidden by the node type
		name += "-workflow"
	}
	if a.homeDir() == "" {
		return name, false, "", nil
	}
	const most = 1000
	own, why := name, ""
	for n := 2; n < most; n++ {
		now, _, err := a.library().Get(own)
		if err != nil && !unreadable(err) {
			break // it is not there, or cannot be, which saving tells
		}
		broken := []string{"it cannot be read"}
		if err == nil {
			broken = w.BreaksCallers(now.Workflow, shelf.Catalogue)
			next = now.Workflow.Hash() != w.Hash()
		}
		if len(broken) == 0 {
			break
		}
		if next = false; why == "" {
			why = strings.Join(broken, "; ")
		}
		own = numbered(name, n)
	}
	if own != name {
		moved = fmt.Sprintf("%s stands for another workflow, whose callers this one would break (%s): it is named %s", name, why, own)
	}
	return own, next, moved, nil
}

// unreadable reports whether there is a workflow of a name, but none that can be read.
func unreadable(err error) bool {
	var findings *diag.Err
	k := fault.Of(err).Kind
	return errors.As(err, &findings) || k == fault.Malformed || k == fault.Permission
}

// numbered is a name with a number, within the length of names.
func numbered(name string, n int) string {
	end := fmt.Sprintf("-%d", n)
	return strings.TrimRight(name[:min(len(name), library.MaxName-len(end))], "-") + end
}

// keep saves the record of a new workflow under its name, and gives the name. If that was taken by another meanwhile, it
// gets one of its own.
func (a *app) keep(ctx context.Context, document []byte) (string, error) {
	r, _, err := library.Parse("the record of the run", document)
	if err != nil {
		return "", err
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return "", err
	}
	wanted := r.Name
	o := library.SaveOptions{Now: time.Now(), Next: true, Once: true, If: func(now *library.Record) bool {
		return now != nil && len(r.Workflow.BreaksCallers(now.Workflow, shelf.Catalogue)) == 0
	}}
	for n := 2; ; n++ {
		got, err := a.library().Save(context.WithoutCancel(ctx), r, o)
		if isTaken(err) {
			r.Name = numbered(wanted, n)
			continue
		}
		if err != nil {
			return "", err
		}
		if !a.quiet {
			fmt.Fprintf(a.stderr, "saved as %s\n", r.Name)
		}
		for _, text := range r.Examples { // what is saved already may have been asked for in other words
			a.exemplify(ctx, got.Name, text)
		}
		return got.Name, nil
	}
}

// exemplify notes a request with the saved workflow that it was approved for.
func (a *app) exemplify(ctx context.Context, name, request string) {
	if err := a.library().AddExample(context.WithoutCancel(ctx), name, request); err != nil {
		a.warn("the request is not noted with %s: %v", name, err)
	}
}
