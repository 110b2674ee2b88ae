// Package catalogue gathers the components there are: the built-in ones that the caller hands over, those declared in
// YAML files, by users and by pflow itself, and the saved workflows. It writes what planners read of them: names and descriptions only, or the full
// interfaces of the chosen ones, within a budget of tokens.
//
// Whatever is malformed is left out with a warning that names its file and line; the rest stays usable.
package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// The kinds of findings of this package, beside those of package yamltree.
const (
	Unreadable    = "unreadable"
	BadNode       = "bad-node"    // a declared node that cannot be used
	BadDefault    = "bad-default" // a default that is no value of its port's type
	DuplicateNode = "duplicate-node"
)

// Source is a file of declared nodes, or a folder of such files.
type Source struct {
	Path     string
	Optional bool // that it does not exist is no mistake
}

// Options says what to gather. What comes first wins a name: built-in, then declared in the order of the sources, then
// shipped as a declaration, which anybody's own may replace.
type Options struct {
	Builtin []*ir.Interface
	Sources []Source
	Shipped []*Declared
	More    []*Declared // of other origin, behind those of the sources
}

// Set is a catalogue with what is needed to run its declared nodes.
type Set struct {
	Catalogue *ir.Catalogue
	Declared  map[string]*Declared
}

// Declared is a node from a YAML file.
type Declared struct {
	Interface *ir.Interface
	Run       *Run            // nil: plan-only
	Parse     *yamltree.Value // an expression over result and inputs that gives an object of the outputs; nil: none
	Examples  []Example       // how it is used, and what comes of it; the first is that of the interface
}

// Example runs a node in an empty folder with Files in it.
type Example struct {
	Says    string
	Params  map[string]any
	Files   map[string]string
	Outputs map[string]any    // those that are wanted, or some of them
	After   map[string]string // what files hold afterwards, or some of them
	Place   diag.Place
}

// Run says how a declared node is run.
type Run struct {
	By    string     // shell, http, flow or mcp
	Spec  any        // what stands under that key, normalised
	Place diag.Place // of it
}

// Load gathers a catalogue. Findings are warnings about what was left out, but a source that is not optional and does
// not exist is an error.
func Load(o Options) (*Set, diag.List) {
	l := &loader{taken: map[string]string{}, declared: map[string]*Declared{}, skipped: map[string]string{}}
	all := append([]*ir.Interface(nil), o.Builtin...)
	for _, i := range all {
		l.taken[i.Name] = "a built-in node"
	}
	for _, s := range o.Sources {
		for _, file := range l.files(s) {
			all = append(all, l.file(file)...)
		}
	}
	for _, d := range o.Shipped {
		if _, taken := l.taken[d.Interface.Name]; taken {
			continue
		}
		l.taken[d.Interface.Name] = d.Interface.Origin
		l.declared[d.Interface.Name] = d
		all = append(all, d.Interface)
	}
	for _, d := range o.More {
		i := d.Interface
		if by, taken := l.taken[i.Name]; taken {
			l.warn(DuplicateNode, diag.Place{}, fmt.Sprintf("%s %q is left out: the name belongs to %s", i.Origin, i.Name, by))
			continue
		}
		l.taken[i.Name] = i.Origin
		l.declared[i.Name] = d
		all = append(all, i)
	}
	l.extend(all)
	return &Set{Catalogue: ir.NewCatalogue(all...).Skipping(l.skipped), Declared: l.declared}, l.found
}

// unread says of a component whose file, or a place in it, is at fault what to do.
func unread(where string) string { return "could not be read; mend " + where }

type loader struct {
	taken      map[string]string // name -> what has it
	declared   map[string]*Declared
	extensions []*Extension
	skipped    map[string]string // name -> why it was left out
	lenient    bool              // keys that nobody reads are warnings
	found      diag.List
}

func (l *loader) warn(kind string, at diag.Place, message string) *diag.Finding {
	l.found = append(l.found, diag.Finding{Severity: diag.Warning, Kind: kind, Place: at, Message: message})
	return &l.found[len(l.found)-1]
}

// files lists the YAML files of a source in the order of their names.
func (l *loader) files(s Source) []string {
	info, err := os.Stat(s.Path)
	if err == nil && !info.IsDir() {
		return []string{s.Path}
	}
	var entries []os.DirEntry
	if err == nil {
		entries, err = os.ReadDir(s.Path)
	}
	if errors.Is(err, fs.ErrNotExist) && s.Optional {
		return nil
	}
	if err != nil {
		f := l.warn(Unreadable, diag.Place{File: s.Path}, "cannot be read, so its nodes are missing: "+reason(err))
		if errors.Is(err, fs.ErrNotExist) {
			f.Severity = diag.Error
		}
		return nil
	}
	var out []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, filepath.Join(s.Path, e.Name()))
		}
	}
	sort.Strings(out)
	return out
}

// reason cuts the path off a file error: the finding has it already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

func (l *loader) file(path string) []*ir.Interface {
	data, err := os.ReadFile(path)
	if err != nil {
		l.warn(Unreadable, diag.Place{File: path}, "cannot be read, so its nodes are missing: "+reason(err))
		return nil
	}
	var out []*ir.Interface
	for _, d := range l.documents(path, data) {
		name := d.Interface.Name
		if by, taken := l.taken[name]; taken {
			l.warn(DuplicateNode, diag.Place{File: path, Line: d.line()}, fmt.Sprintf("the node %q is left out: the name belongs to %s", name, by))
			continue
		}
		l.taken[name] = d.Interface.Origin
		l.declared[name] = d
		out = append(out, d.Interface)
	}
	return out
}

// line is where the node is declared, read off its origin "file:line".
func (d *Declared) line() (n int) {
	at := strings.LastIndexByte(d.Interface.Origin, ':')
	_, _ = fmt.Sscanf(d.Interface.Origin[at+1:], "%d", &n)
	return n
}
