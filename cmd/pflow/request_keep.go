package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/ir"
)

// ownName is where a new workflow is saved.
type ownName struct {
	name  string
	saved *library.Record // what has the name already, if that is the same document
	next  bool            // it becomes the next version of another that has the name
	moved string          // why the name is not the one that was wanted; "" if it is
}

// place gives a draft its name, and makes it the saved workflow that it is, if it is one: what is saved already is not new,
// whoever made it again.
func (a *app) place(ctx context.Context, d *planDraft) error {
	own, err := a.ownName(ctx, d.name, d.workflow)
	if err != nil {
		return err
	}
	d.name, d.next, d.moved, d.reuse = own.name, own.next, own.moved, own.saved != nil
	d.plan.WorkflowName = own.name
	if own.saved == nil {
		if d.plan.Path == "reuse" { // of a workflow that is not here
			d.plan.Path = "generate"
		}
		return nil
	}
	metadata := maps.Clone(d.plan.Metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	keywords := []any{}
	for _, w := range own.saved.Keywords {
		keywords = append(keywords, w)
	}
	metadata["description"], metadata["keywords"] = own.saved.Description, keywords
	d.plan.Path, d.plan.Metadata = "reuse", metadata
	return nil
}

// ownName finds the name under which a new workflow is saved. A name never changes its meaning: where it is that of a saved
// workflow whose callers the new one would break, the new one gets a name of its own.
func (a *app) ownName(ctx context.Context, name string, w *ir.Workflow) (ownName, error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return ownName{}, err
	}
	if c := shelf.Catalogue.Get(name); c != nil && !c.Workflow { // saved under it, it would be hidden by the node type
		name += "-workflow"
	}
	own := ownName{name: name}
	if a.homeDir() == "" {
		return own, nil
	}
	const most = 1000
	why := ""
	for n := 2; n < most; n++ {
		if !a.library().Has(own.name) { // which costs less than being told the nearest of thousands
			break
		}
		now, _, err := a.library().Get(own.name)
		if err != nil && !unreadable(err) {
			break // it is not there, or cannot be, which saving tells
		}
		broken := []string{"it cannot be read"}
		if err == nil {
			if now.Workflow().Hash() == w.Hash() {
				own.saved = now
				break
			}
			broken = w.BreaksCallers(now.Workflow(), shelf.Catalogue)
		}
		if own.next = len(broken) == 0; own.next {
			break
		}
		if why == "" {
			why = strings.Join(broken, "; ")
		}
		own.name = numbered(name, n)
	}
	if own.name != name {
		own.moved = fmt.Sprintf("%s stands for another workflow, whose callers this one would break (%s): it is named %s", name, why, own.name)
	}
	return own, nil
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
		return now != nil && len(r.Workflow().BreaksCallers(now.Workflow(), shelf.Catalogue)) == 0
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
		switch {
		case a.quiet:
		case got.UpdatedAt.Equal(o.Now):
			fmt.Fprintf(a.stderr, "saved as %s\n", got.Name)
		default: // by another meanwhile
			fmt.Fprintf(a.stderr, "%s is saved already\n", got.Name)
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
