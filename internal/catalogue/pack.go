package catalogue

import (
	"bytes"
	"io/fs"

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
