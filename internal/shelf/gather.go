package shelf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"pflow/internal/catalogue"
	"pflow/internal/diag"
	"pflow/internal/home"
	"pflow/internal/library"
	"pflow/internal/mcp"
	"pflow/ir"
)

// Sources say where a shelf comes from.
type Sources struct {
	Builtin   []*ir.Interface       // the node types of the program
	Shipped   []*catalogue.Declared // those that it ships as declarations
	NoBuiltin bool                  // leaves both out
	Home      home.Home             // its folder nodes, and its saved workflows
	Files     []string              // more files or folders of declared nodes
	FilesBy   string                // what named them, for errors: --nodes
	// Records are the saved workflows instead of those of Library; nil: those of Library.
	Records []*library.Record
	Library *library.Library
}

// Workflows is the library of saved workflows in a home. reserved are names that mean something else.
func Workflows(h home.Home, reserved ...string) *library.Library {
	return library.New(h.Path("workflows"), reserved...)
}

// Gather gives all that there is, whatever the settings say of it. Findings are about what was left out; with an error
// among them the shelf is not to be used.
func Gather(from Sources) (*Shelf, diag.List, error) {
	var o catalogue.Options
	if !from.NoBuiltin {
		o.Builtin, o.Shipped = from.Builtin, from.Shipped
	}
	if folder := from.Home.Path("nodes"); folder != "" {
		o.Sources = append(o.Sources, catalogue.Source{Path: folder, Optional: true})
	}
	for _, path := range from.Files {
		if _, err := os.Stat(path); err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", from.FilesBy, path, reason(err))
		}
		o.Sources = append(o.Sources, catalogue.Source{Path: path})
	}
	tools, unlisted := mcp.Components(from.Home)
	o.More = tools
	set, found := catalogue.Load(o)
	found = append(found, unlisted...)
	listing := library.Listing{Records: from.Records}
	if from.Records == nil && from.Library != nil {
		listing = from.Library.List()
	}
	set, more := set.Workflows(listing)
	return &Shelf{Catalogue: set.Catalogue, Records: listing.Records, Declared: set.Declared, Secrets: secretsOf(listing.Records)}, append(found, more...), nil
}

// secretsOf lists the environment variables that workflows read secrets from.
func secretsOf(records []*library.Record) []string {
	var out []string
	for _, r := range records {
		for _, in := range r.Workflow.Inputs {
			if in.Secret && in.FromEnv != "" {
				out = append(out, in.FromEnv)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// reason is an error of the file system for a message that names the file already.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
