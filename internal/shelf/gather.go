package shelf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

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
	Index   Index // of the saved workflows of Library
}

// Workflows is the library of saved workflows in a home. reserved are names that mean something else.
func Workflows(h home.Home, reserved ...string) *library.Library {
	l := library.New(h.Path("workflows"), reserved...)
	if cache := h.Path(cacheFolder); cache != "" {
		l = l.Indexed(filepath.Join(cache, "workflows.index"), program())
	}
	return l
}

// DiscoveryIndex is the index that finds the saved workflows of a home.
func DiscoveryIndex(h home.Home) Index {
	if cache := h.Path(cacheFolder); cache != "" {
		return Index{filepath.Join(cache, "discovery.index"), program()}
	}
	return Index{}
}

// cacheFolder is the folder of a home with what is made again when it is not there.
const cacheFolder = "cache"

// program tells this program from others, which may read the same file in another way: an update makes what is kept anew.
var program = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
})

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
	s := &Shelf{Catalogue: set.Catalogue, Records: listing.Records, Declared: set.Declared, Secrets: secretsOf(listing.Records)}
	if from.Records == nil && from.Library != nil {
		s.Index = from.Index
	}
	return s, append(found, more...), nil
}

// secretsOf lists the environment variables that workflows read secrets from.
func secretsOf(records []*library.Record) []string {
	var out []string
	for _, r := range records {
		out = append(out, r.Traits().Secrets...)
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
