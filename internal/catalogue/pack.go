package catalogue

import (
	"bytes"
	"io/fs"
	"os"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// Pack is what the documents of a folder of YAML files declare.
type Pack struct {
	Declared   []*Declared
	Extensions []*Extension
	documents  []packDocument
}

type packDocument struct {
	name string // of the component that it is about
	text []byte
}

// ReadPack reads the YAML files at the top of a file system, in the order of their names. Findings call them by from and their
// name; all of them are about something that was left out.
func ReadPack(files fs.FS, from string) (*Pack, diag.List, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, nil, err
	}
	l := &loader{skipped: map[string]string{}}
	p := &Pack{}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, nil, err
		}
		for _, part := range split(data) {
			before := len(l.extensions)
			for _, d := range l.documents(from+name, part) {
				p.Declared = append(p.Declared, d)
				p.documents = append(p.documents, packDocument{d.Interface.Name, document(part)})
			}
			for _, e := range l.extensions[before:] {
				p.documents = append(p.documents, packDocument{e.Of, document(part)})
			}
		}
	}
	p.Extensions = l.extensions
	return p, l.found, nil
}

// document is a part of a file without the lines before it and the mark that parts it from the next.
func document(part []byte) []byte {
	part = bytes.TrimPrefix(bytes.TrimLeft(part, "\n"), []byte("---\n"))
	return append(bytes.TrimSpace(part), '\n')
}

// Document is the text that a component stands in, and of one that is stated elsewhere the text that adds its forms, as it is
// to be written to give them all: nil if the pack says nothing of it.
func (p *Pack) Document(name string) []byte {
	for _, d := range p.documents {
		if d.name == name {
			return d.text
		}
	}
	return nil
}

// Declares reports whether the pack declares a component, and does not only add to it.
func (p *Pack) Declares(name string) bool {
	for _, d := range p.Declared {
		if d.Interface.Name == name {
			return true
		}
	}
	return false
}

// The keys of a document that adds forms to a component.
const (
	formsOf = "forms_of"
	instead = "instead"
)

// Own marks a document that adds forms as one that gives all of them: those that pflow ships with the component are left out.
func Own(document []byte) []byte {
	tree, found := yamltree.Parse("", document)
	if found.HasErrors() || tree.Get(formsOf) == nil {
		return document
	}
	line := tree.Get(formsOf).Place.Line
	lines := bytes.SplitAfter(document, []byte("\n"))
	out := append([]byte(nil), bytes.Join(lines[:line], nil)...)
	out = append(out, instead+": true\n"...)
	return append(out, bytes.Join(lines[line:], nil)...)
}

// ReadFile reads what a file declares. Findings are about what was left out.
func ReadFile(path string) (*Pack, diag.List, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	l := &loader{skipped: map[string]string{}}
	return &Pack{Declared: l.documents(path, data), Extensions: l.extensions}, l.found, nil
}

// Without is a file of declarations without those of a component, its own and that of its forms. ok is false if it has none.
// rest is empty if nothing else is left in the file.
func Without(data []byte, name string) (rest []byte, ok bool) {
	for _, part := range split(data) {
		if named(part) == name {
			ok = true
			continue
		}
		if len(rest) > 0 {
			rest = append(rest, "---\n"...)
		}
		rest = append(rest, document(part)...)
	}
	return rest, ok
}

// named is the component that a document is about, as far as it can be read.
func named(part []byte) string {
	if tree, found := yamltree.Parse("", part); tree != nil && !found.HasErrors() {
		for _, key := range []string{"name", formsOf} {
			if v := tree.Get(key); v != nil {
				return v.Text
			}
		}
		return ""
	}
	if m := nameLine.FindSubmatch(part); m != nil {
		return string(m[1])
	}
	return ""
}

// Files lists the YAML files of a folder, or the one file that a path is, as Load reads them.
func Files(path string) []string { return (&loader{}).files(Source{Path: path, Optional: true}) }

// Names lists the components that the pack says something of.
func (p *Pack) Names() []string {
	var out []string
	for _, d := range p.documents {
		if !slices.Contains(out, d.name) {
			out = append(out, d.name)
		}
	}
	return out
}
