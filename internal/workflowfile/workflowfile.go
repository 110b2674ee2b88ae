// Package workflowfile reads the files of workflows: a saved workflow's record or a bare IR document, in JSON or in YAML
// with the same keys. What reads workflows reads JSON, so a YAML file is turned into it, and the places of findings back.
//
// A YAML file is bounded as package yamltree bounds it, and what its aliases may write out is bounded here.
package workflowfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// CutText is the kind of the warning of a text in YAML that ends at a #.
const CutText = "cut-text"

// MaxExpanded bounds what a YAML file is in JSON, in bytes. Without aliases none of yamltree.MaxSize comes near.
const MaxExpanded = 4 * yamltree.MaxSize

// Endings are those of the names of files with workflows. What pflow saves is JSON.
var Endings = []string{".json", ".yaml", ".yml"}

// IsYAML reports whether a file is read as YAML, which its name says.
func IsYAML(name string) bool { return slices.Contains(Endings[1:], filepath.Ext(name)) }

// File is the file of a workflow.
type File struct {
	Name   string
	JSON   []byte    // the document; the text itself of a file that is no YAML
	values []placed  // what stands in JSON, by its offset there; nil of a file that is no YAML
	Found  diag.List // warnings
}

// maxFound is how many warnings of one file are given.
const maxFound = 20

// placed is a value of a YAML file, and where it begins in JSON.
type placed struct {
	offset int
	value  *yamltree.Value
}

// Read reads a file: YAML where its name says so. The error is a *diag.Err of what is wrong with the YAML, each with its
// place; whether JSON is well formed is found out by those who read it.
func Read(name string, text []byte) (*File, error) {
	if !IsYAML(name) {
		return &File{Name: name, JSON: text}, nil
	}
	tree, found := yamltree.Parse(name, text)
	if err := found.Err(); err != nil {
		return nil, err
	}
	if tree.Kind != yamltree.Map {
		return nil, diag.List{tree.Error(yamltree.WrongKind, "a workflow is a mapping: {ir_version, nodes, edges, …}, not "+tree.Kind.String())}.Err()
	}
	w := writer{comments: bytes.IndexByte(text, '#') >= 0}
	w.value(tree)
	if w.full != nil {
		return nil, diag.List{w.full.Error(yamltree.BadYAML, fmt.Sprintf("aliases make this document too large: written out it has more than %d MB", MaxExpanded>>20))}.Err()
	}
	return &File{Name: name, JSON: w.out, values: w.values, Found: w.found}, nil
}

// Hint is what may be meant where JSON is none, to be added to an error: YAML in a file whose name does not say so; else "".
func (f *File) Hint() string {
	if f.values != nil || bytes.HasPrefix(bytes.TrimSpace(f.JSON), []byte("{")) {
		return ""
	}
	if tree, found := yamltree.Parse(f.Name, f.JSON); found.HasErrors() || tree.Kind != yamltree.Map {
		return ""
	}
	return "; it can be read as YAML, for which the name of the file has to end in .yaml or .yml"
}

// Bare tells an IR document from a saved record, which holds one under its key ir.
func (f *File) Bare() bool {
	_, bare, err := f.IR()
	return bare || err != nil
}

// IR gives the IR document: that of a record, or all of a bare one.
func (f *File) IR() (doc []byte, bare bool, err error) {
	var record struct{ IR json.RawMessage }
	if err := json.Unmarshal(bytes.TrimPrefix(f.JSON, []byte("\ufeff")), &record); err != nil {
		return nil, false, err
	}
	if record.IR != nil {
		return record.IR, false, nil
	}
	return f.JSON, true, nil
}

// Locate adds to findings about the IR their places in the file. It gives a copy, in which the paths are those of the file.
func (f *File) Locate(list diag.List) diag.List {
	list = slices.Clone(list)
	if !f.Bare() {
		for i := range list {
			list[i].Path = strings.TrimSuffix("ir."+list[i].Path, ".")
		}
	}
	return f.Places(list)
}

// Places is ir.Locate for findings whose paths are those of the file.
func (f *File) Places(list diag.List) diag.List {
	if f.values == nil {
		return ir.Locate(f.Name, f.JSON, list)
	}
	list = slices.Clone(list)
	for i, offset := range ir.Offsets(f.JSON, list) {
		at := sort.Search(len(f.values), func(k int) bool { return f.values[k].offset > offset }) - 1
		v := f.values[max(at, 0)].value
		list[i].Place, list[i].Snippet = v.Place, v.Snippet(v.Place)
	}
	return list
}

// writer writes a tree of YAML as JSON.
type writer struct {
	out      []byte
	values   []placed
	full     *yamltree.Value // where there was no more room; nil: there was
	comments bool            // the document may have some
	found    diag.List
}

func (w *writer) value(v *yamltree.Value) {
	if w.full != nil {
		return
	}
	w.values = append(w.values, placed{len(w.out), v})
	switch v.Kind {
	case yamltree.Map:
		w.out = append(w.out, '{')
		for i, e := range v.Entries {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.out = append(value.AppendString(w.out, e.Key), ':')
			w.value(e.Value)
		}
		w.out = append(w.out, '}')
	case yamltree.Seq:
		w.out = append(w.out, '[')
		for i, item := range v.Items {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.value(item)
		}
		w.out = append(w.out, ']')
	case yamltree.Int, yamltree.Float:
		w.out = append(w.out, number(v)...)
	case yamltree.String:
		w.out = value.AppendString(w.out, v.Text)
		w.comment(v)
	default:
		w.out = value.AppendJSON(w.out, v.Scalar)
	}
	if len(w.out) > MaxExpanded && w.full == nil {
		w.full = v
	}
}

// number is how JSON writes a number: as it is written, which keeps its digits, where JSON can.
func number(v *yamltree.Value) []byte {
	if text := []byte(v.Text); json.Valid(text) {
		return text
	}
	return value.AppendJSON(nil, v.Scalar)
}

// comment warns of a text that most likely went on where a comment begins: an issue #${n}, or filter(list, # > 1). A
// comment that is meant has a blank behind its # and does not begin inside parentheses.
func (w *writer) comment(v *yamltree.Value) {
	if !w.comments || len(w.found) == maxFound || !strings.Contains(v.Snippet(v.Place), " #") {
		return
	}
	rest := strings.TrimLeft(v.Comment(), "#")
	told := func(f diag.Finding) bool { return f.Place == v.Place } // through another alias
	open := strings.Count(v.Text, "(") > strings.Count(v.Text, ")")
	if rest == "" || strings.ContainsAny(rest[:1], " \t") && !open || slices.ContainsFunc(w.found, told) {
		return
	}
	f := v.Error(CutText, "in YAML this text ends before the #, and the rest of the line is a comment; quote the text if the rest belongs to it, else put a blank behind the #")
	f.Severity = diag.Warning
	w.found = append(w.found, f)
}
