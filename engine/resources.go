package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pflow/internal/diag"
)

// DocumentKind is what a document is: it decides where it is looked for.
type DocumentKind string

// The kinds of documents.
const (
	FlowDocument   DocumentKind = "flow"   // NAME.yaml
	PromptDocument DocumentKind = "prompt" // prompts/NAME.tmpl
	SchemaDocument DocumentKind = "schema" // prompts/NAME.schema.json
)

// Document is a text that a flow is made of. Path is what findings show.
type Document struct {
	Kind DocumentKind
	Name string
	Path string
	Data []byte
}

// Resources finds documents by name. from lists the paths of the documents that ask, the nearest first: a flow asks
// with its own path, prompts are asked for with the flow's path and then those of its bases.
type Resources interface {
	Find(kind DocumentKind, name string, from []string) (Document, error)
	// Names lists what could be found, for suggestions.
	Names(kind DocumentKind, from []string) []string
}

// ErrNoDocument is the error of Find where no place has the document.
var ErrNoDocument = errors.New("no such document")

// Folders looks beside the document that asks, then in a home, then among embedded files. The current directory is
// never searched. shipped:NAME is always the embedded flow, and so is all that this flow names.
type Folders struct {
	Home    string // has flows/ and prompts/; "" for none
	Flows   fs.FS  // the embedded flows, NAME.yaml; may be nil
	Prompts fs.FS  // the embedded prompts, NAME.tmpl and NAME.schema.json; may be nil
}

// Embedded is what the path of an embedded document begins with.
const Embedded = "embedded:"

// Shipped begins the name of a flow that is to be the embedded one, whatever lies in a home, and the path of a document
// that was found so.
const Shipped = "shipped:"

// IsShipped reports whether a path is that of an embedded document.
func IsShipped(path string) bool {
	return strings.HasPrefix(path, Embedded) || strings.HasPrefix(path, Shipped)
}

// IsPath tells the path of a flow from its name.
func IsPath(flow string) bool {
	return strings.ContainsRune(flow, '/') || strings.HasSuffix(flow, ".yaml") || strings.HasSuffix(flow, ".yml")
}

// noDocument is ErrNoDocument with the name that was asked for.
type noDocument struct{ text string }

func (e noDocument) Error() string   { return e.text }
func (e noDocument) Is(t error) bool { return t == ErrNoDocument }

// maxDocumentName is the longest name of a document, in bytes: file systems take no more than 255 with the suffix.
const maxDocumentName = 200

// maxDocument bounds what is read into memory, in bytes.
const maxDocument = 4 << 20

// folder is one place to look: a directory, or an embedded file system.
type folder struct {
	dir    string // shown before the file's name
	fsys   fs.FS
	prefix string
}

func (f Folders) folders(kind DocumentKind, name string, from []string) []folder {
	var out []folder
	if strings.HasPrefix(name, Shipped) || len(from) > 0 && strings.HasPrefix(from[0], Shipped) {
		if kind == FlowDocument {
			return []folder{{fsys: f.Flows, prefix: Shipped + "flows"}}
		}
		return []folder{{fsys: f.Prompts, prefix: Shipped + "prompts"}}
	}
	beside := func(dir string) {
		if kind != FlowDocument {
			dir = filepath.Join(dir, "prompts")
		}
		out = append(out, folder{dir: dir})
	}
	for _, p := range from {
		if !IsShipped(p) {
			beside(filepath.Dir(p))
		}
	}
	if kind == FlowDocument {
		if f.Home != "" {
			out = append(out, folder{dir: filepath.Join(f.Home, "flows")})
		}
		return append(out, folder{fsys: f.Flows, prefix: Embedded + "flows"})
	}
	if f.Home != "" {
		out = append(out, folder{dir: filepath.Join(f.Home, "prompts")})
	}
	return append(out, folder{fsys: f.Prompts, prefix: Embedded + "prompts"})
}

var suffixes = map[DocumentKind]string{FlowDocument: ".yaml", PromptDocument: ".tmpl", SchemaDocument: ".schema.json"}

// Find gives the first document of the name.
func (f Folders) Find(kind DocumentKind, name string, from []string) (Document, error) {
	places, asked := f.folders(kind, name, from), name
	if kind == FlowDocument {
		name = strings.TrimPrefix(name, Shipped)
	}
	if name == "" || len(name) > maxDocumentName || strings.ContainsAny(name, "/\\\x00") || !fs.ValidPath(name+suffixes[kind]) {
		return Document{}, noDocument{fmt.Sprintf("%s is no name of a %s", quoted(asked), kind)}
	}
	for _, at := range places {
		d, err := at.read(kind, name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return d, err
		}
	}
	return Document{}, noDocument{fmt.Sprintf("there is no %s %q", kind, asked)}
}

func (at folder) read(kind DocumentKind, name string) (Document, error) {
	file := name + suffixes[kind]
	if at.dir != "" {
		return ReadDocument(kind, filepath.Join(at.dir, file))
	}
	if at.fsys == nil {
		return Document{}, fs.ErrNotExist
	}
	data, err := fs.ReadFile(at.fsys, file)
	return Document{Kind: kind, Name: name, Path: path.Join(at.prefix, file), Data: data}, err
}

// ReadDocument reads a document from a file that was named by its path. Only regular files are read: a pipe may have no
// writer, and then opening it would wait for ever.
func ReadDocument(kind DocumentKind, file string) (Document, error) {
	switch info, err := os.Stat(file); {
	case err != nil:
		return Document{}, err
	case info.IsDir():
		return Document{}, fmt.Errorf("%s is a directory, not a %s", file, kind)
	case !info.Mode().IsRegular():
		return Document{}, fmt.Errorf("%s is no regular file; write the %s to a file first", file, kind)
	}
	f, err := os.Open(file)
	if err != nil {
		return Document{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDocument+1)) // a file may grow, and some of /proc tell no size
	if err == nil && len(data) > maxDocument {
		err = fmt.Errorf("%s is larger than %d bytes, the most a %s may have", file, maxDocument, kind)
	}
	if err != nil {
		return Document{}, err
	}
	file = filepath.Clean(file) // so that ./a.yaml is the a.yaml that is found beside it
	name := strings.TrimSuffix(filepath.Base(file), suffixes[kind])
	return Document{Kind: kind, Name: name, Path: file, Data: data}, nil
}

// Meant lists the names that a name which was not found may stand for.
func Meant(r Resources, kind DocumentKind, name string, from []string) []string {
	wanted, shipped := strings.CutPrefix(name, Shipped)
	if kind != FlowDocument || !shipped {
		return r.Names(kind, from)
	}
	if near := diag.Nearest(wanted, r.Names(kind, []string{Shipped})); near != "" {
		return []string{Shipped + near}
	}
	return nil
}

// Names lists the documents of a kind, sorted, each once.
func (f Folders) Names(kind DocumentKind, from []string) []string {
	var names []string
	for _, at := range f.folders(kind, "", from) {
		fsys := at.fsys
		if at.dir != "" {
			fsys = os.DirFS(at.dir)
		}
		if fsys == nil {
			continue
		}
		entries, _ := fs.ReadDir(fsys, ".") // a folder that cannot be read has no names to offer
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), suffixes[kind]); ok && !e.IsDir() && !strings.HasSuffix(name, "_test") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Places are the files that Find looks at, the first that is there being what it gives; of embedded documents there are none.
func (f Folders) Places(kind DocumentKind, name string, from []string) []string {
	if name == "" || strings.ContainsAny(name, "/\\\x00:") {
		return nil
	}
	var out []string
	for _, at := range f.folders(kind, name, from) {
		if at.dir != "" {
			out = append(out, filepath.Join(at.dir, name+suffixes[kind]))
		}
	}
	return out
}
