package main

import (
	"context"
	"os"
	"path/filepath"
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
	a.showFindings(found)
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

// permitted leaves out the components that the settings refuse. A workflow that uses one is told where it says so.
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
	out := &nodes.Shelf{Records: []*library.Record{}}
	out.Catalogue = s.Catalogue.Only(func(i *ir.Interface) bool { return refused[i.Name] == "" }).Skipping(refused)
	for _, r := range s.Records {
		if refused[r.Name] == "" {
			out.Records = append(out.Records, r)
		}
	}
	return out, nil
}

// showFindings shows what was left out, on standard error.
func (a *app) showFindings(found diag.List) {
	if len(found) > 0 {
		_, _ = a.stderr.Write([]byte(found.Sort().Text()))
	}
}

// library is the folder of saved workflows. The names of commands are no names for workflows.
func (a *app) library() *library.Library {
	return library.New(filepath.Join(a.homeDir(), "workflows"), a.commandNames()...)
}

func (a *app) commandNames() []string {
	var out []string
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
