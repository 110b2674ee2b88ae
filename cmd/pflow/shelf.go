package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"pflow/internal/catalogue"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/workflow"
	"pflow/ir"
	"pflow/nodes"
)

// planning is what requests are planned with: flags, and what was loaded by them.
type planning struct {
	nodeFiles []string // --nodes
	noBuiltin bool     // --no-builtin
	flowName  string   // --flow
	date      string   // --date

	root      *cobra.Command
	shelfOnce sync.Once
	shelf     *nodes.Shelf
	shelfErr  error
	declared  map[string]*catalogue.Declared // how the declared nodes of the shelf are run
}

// deps is what ops and node types reach the outside through.
func (a *app) deps() nodes.Deps {
	return nodes.Deps{
		ReadLine: a.readLine, Log: a.log, Shelf: a.shelfOf, Model: a.callModel, Priced: a.priced,
		Check: func(data []byte, c *ir.Catalogue, o ir.Options) diag.List {
			_, found := workflow.Check(data, c, a.nodeTypes(), o)
			return found
		},
	}
}

type shelfKey struct{}

// withShelf hands a shelf to the runs of a context.
func withShelf(ctx context.Context, s *nodes.Shelf) context.Context {
	return context.WithValue(ctx, shelfKey{}, s)
}

// shelfOf gives the shelf of a run: the one that its context was given, else that of the home.
func (a *app) shelfOf(ctx context.Context) (*nodes.Shelf, error) {
	if s, ok := ctx.Value(shelfKey{}).(*nodes.Shelf); ok {
		return s, nil
	}
	a.shelfOnce.Do(func() { a.shelf, a.shelfErr = a.loadShelf() })
	return a.shelf, a.shelfErr
}

// loadShelf is gather, with a warning of what had to be left out.
func (a *app) loadShelf() (*nodes.Shelf, error) {
	s, found, err := a.gather()
	if err != nil {
		return nil, err
	}
	a.showFindings(append(found, a.unknownNames(s.Catalogue)...))
	if found.HasErrors() {
		return nil, usage("the nodes cannot be read")
	}
	return a.permitted(s)
}

// gather gives what requests may be answered with: built-in and declared nodes and the saved workflows.
func (a *app) gather() (*nodes.Shelf, diag.List, error) {
	var o catalogue.Options
	if !a.noBuiltin {
		for _, t := range nodes.Types(a.deps()) {
			o.Builtin = append(o.Builtin, t.Interface)
		}
	}
	home := a.homeDir()
	if home != "" {
		o.Sources = append(o.Sources, catalogue.Source{Path: filepath.Join(home, "nodes"), Optional: true})
	}
	for _, path := range a.nodeFiles {
		if _, err := os.Stat(path); err != nil {
			return nil, nil, usage("--nodes %s", fileError(err))
		}
		o.Sources = append(o.Sources, catalogue.Source{Path: path})
	}
	set, found := catalogue.Load(o)
	records := []*library.Record{}
	if home != "" {
		listing := a.library().List()
		with, more := set.Workflows(listing)
		set, found, records = with, append(found, more...), listing.Records
	}
	a.declared = set.Declared
	return &nodes.Shelf{Catalogue: set.Catalogue, Records: records}, found, nil
}

// unknownNames warns of names in the settings that no component has: none of the catalogue, of those that could not be
// read, and of the built-in ones, which --no-builtin leaves out. Settings that cannot be read are permitted's to report.
func (a *app) unknownNames(c *ir.Catalogue) diag.List {
	settings, err := a.settings()
	if err != nil {
		return nil
	}
	names := slices.Clone(c.Names())
	for _, t := range nodes.Types(a.deps()) {
		names = append(names, t.Interface.Name)
	}
	for _, p := range slices.Concat(settings.Allow, settings.Deny) {
		if _, unread := c.Skipped(p.Text); unread {
			names = append(names, p.Text)
		}
	}
	return settings.unknown(names)
}

// permitted leaves out the components that the settings refuse, and the saved workflows that use one, at any depth: what
// is made with such a workflow could not run. A workflow that uses one is told where it says so.
func (a *app) permitted(s *nodes.Shelf) (*nodes.Shelf, error) {
	settings, err := a.settings()
	if err != nil {
		return nil, err
	}
	refused := map[string]string{}
	for _, i := range s.Catalogue.All() {
		if why := settings.refuses(i); why != "" {
			refused[i.Name] = "is turned off by " + why
		}
	}
	if len(refused) == 0 {
		return s, nil
	}
	for more := true; more; {
		more = false
		for _, r := range s.Records {
			i := s.Catalogue.Get(r.Name)
			if i == nil || !i.Workflow || refused[r.Name] != "" { // the name may be a node type's
				continue
			}
			if part := refusedPart(r.Workflow, s.Catalogue, refused); part != "" {
				refused[r.Name] = fmt.Sprintf("uses %q, which %s", part, refused[part])
				more = true
			}
		}
	}
	out := &nodes.Shelf{Records: []*library.Record{}}
	out.Catalogue = s.Catalogue.Only(func(i *ir.Interface) bool { return refused[i.Name] == "" }).Skipping(refused)
	for _, r := range s.Records {
		if refused[r.Name] == "" && refusedPart(r.Workflow, s.Catalogue, refused) == "" {
			out.Records = append(out.Records, r)
		}
	}
	return out, nil
}

// refusedPart is a component that a workflow runs and that is refused, or "".
func refusedPart(w *ir.Workflow, c *ir.Catalogue, refused map[string]string) string {
	for _, n := range w.Nodes {
		if refused[n.Type] != "" {
			return n.Type
		}
		if i := c.Get(n.Type); i != nil && i.Call != nil {
			if called, _ := n.Params[i.Call.Name].(string); refused[called] != "" {
				return called
			}
		}
	}
	return ""
}

// showFindings shows what was left out, on standard error.
func (a *app) showFindings(found diag.List) {
	if len(found) > 0 {
		_, _ = a.stderr.Write([]byte(found.Sort().Text()))
	}
}

// library is the folder of saved workflows. The names of commands, also of those to come, are no names for workflows.
func (a *app) library() *library.Library {
	return library.New(filepath.Join(a.homeDir(), "workflows"), a.commandNames()...)
}

func (a *app) commandNames() []string {
	out := slices.Clone(reservedCommands)
	for _, c := range a.root.Commands() {
		out = append(out, c.Name())
	}
	return out
}

// declaredFor gives a shelf with the nodes of one line of `plan --from` added.
func declaredFor(s *nodes.Shelf, declared []*catalogue.Declared) *nodes.Shelf {
	var more []*ir.Interface
	for _, d := range declared {
		more = append(more, d.Interface)
	}
	return &nodes.Shelf{Catalogue: s.Catalogue.With(more...), Records: s.Records}
}
