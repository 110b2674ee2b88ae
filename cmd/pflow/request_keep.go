package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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
	was   *library.Record // what has the name and becomes an earlier version; nil if nothing does
	moved string          // why the name is not the one that was wanted; "" if it is
}

// place gives a draft its name, and makes it the saved workflow that it is, if it is one: what is saved already is not new,
// whoever made it again.
func (a *app) place(ctx context.Context, d *planDraft) error {
	own, err := a.ownName(ctx, d.record())
	if err != nil {
		return err
	}
	d.name, d.was, d.moved, d.reuse = own.name, own.was, own.moved, own.saved != nil
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
// workflow for another job, or whose callers the new one would break, the new one gets a name of its own.
func (a *app) ownName(ctx context.Context, r *library.Record) (ownName, error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return ownName{}, err
	}
	name := r.Name
	if c := shelf.Catalogue.Get(name); c != nil && !c.Workflow { // saved under it, it would be hidden by the node type
		name += "-workflow"
	}
	own := ownName{name: name}
	if a.homeDir() == "" {
		return own, nil
	}
	const most = 1000
	for n := 2; n < most; n++ {
		if !a.library().Has(own.name) { // which costs less than being told the nearest of thousands
			break
		}
		now, _, err := a.library().Get(own.name)
		if err != nil && !unreadable(err) {
			break // it is not there, or cannot be, which saving tells
		}
		why := "cannot be read"
		if err == nil {
			if now.Workflow().Hash() == r.Workflow().Hash() {
				own.saved = now
				break
			}
			if why = notNext(r, now, shelf.Catalogue); why == "" {
				own.was = now
				break
			}
		}
		if own.moved == "" {
			own.moved = fmt.Sprintf("there is another workflow %s, which %s", name, why)
		}
		own.name = numbered(name, n)
	}
	if own.moved != "" {
		own.moved += ": this one is saved as " + own.name
	}
	return own, nil
}

// notNext says why a new workflow is no next version of a saved one; "" if it is. A version is a change of the same job: it
// was asked for in the same words, or takes the same steps, and whoever calls the saved one notices nothing.
func notNext(r, now *library.Record, c *ir.Catalogue) string {
	if broken := r.Workflow().BreaksCallers(now.Workflow(), c); len(broken) > 0 {
		return fmt.Sprintf("has callers that this one would break (%s)", strings.Join(broken, "; "))
	}
	if of := fixedOf(r); of != "" { // a fix is of one workflow, whatever it does in its place
		if of != now.Workflow().Hash() {
			return "was changed since this one was made of it"
		}
		return ""
	}
	if r.Traits().Steps == now.Traits().Steps || formOf(r) != "" && formOf(r) == formOf(now) {
		return ""
	}
	return fmt.Sprintf("does something else (%s)", stepsOf(now.Workflow()))
}

// stepsOf names the steps of a workflow.
func stepsOf(w *ir.Workflow) string {
	var types []string
	for _, n := range w.Nodes {
		types = append(types, n.Type)
	}
	return strings.Join(types, " >> ")
}

// requestForm is a request with marks for the values that it gives: two with the same form ask for the same job. "" is none.
func requestForm(request string, values map[string]any) string {
	var said []string
	for _, v := range values {
		switch v.(type) {
		case map[string]any, []any, bool, nil: // no words of the request, or such as are in every other
			continue
		}
		if text := string(ir.Text(v)); text != "" {
			said = append(said, text)
		}
	}
	slices.SortFunc(said, func(a, b string) int { // the longest first: one may be part of another
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var pairs []string
	for _, text := range said {
		pairs = append(pairs, text, "{}")
	}
	return strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer(pairs...).Replace(request)), " "))
}

// formOf is the form of the request that a saved workflow was made of; "" if it was made of none.
func formOf(r *library.Record) string {
	var origin struct {
		Form string `json:"form"`
	}
	_ = json.Unmarshal(r.Origin(), &origin) // what is no object tells none
	return origin.Form
}

// fixedOf is the hash of the workflow that a record mends; "" if it mends none.
func fixedOf(r *library.Record) string {
	var origin struct {
		Fixes string `json:"fixes"`
	}
	_ = json.Unmarshal(r.Origin(), &origin)
	return origin.Fixes
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
		return now != nil && notNext(r, now, shelf.Catalogue) == ""
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
			fmt.Fprintf(a.stderr, "saved as %s%s\n", got.Name, versionNote(got))
		default: // by another meanwhile
			fmt.Fprintf(a.stderr, "%s is saved already\n", got.Name)
		}
		a.warnDependents(got.Name)
		for _, text := range r.Examples { // what is saved already may have been asked for in other words
			a.exemplify(ctx, got.Name, text)
		}
		return got.Name, nil
	}
}

// versionNote says of a record that was saved that there was one before it.
func versionNote(got *library.Record) string {
	if got.Version < 2 {
		return ""
	}
	return fmt.Sprintf(", version %d", got.Version)
}

// exemplify notes a request with the saved workflow that it was approved for.
func (a *app) exemplify(ctx context.Context, name, request string) {
	if err := a.library().AddExample(context.WithoutCancel(ctx), name, request); err != nil {
		a.warn("the request is not noted with %s: %v", name, err)
	}
}
