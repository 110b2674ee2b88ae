package yamltree

import (
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"pflow/internal/diag"
)

// The kinds of findings of this package.
const (
	BadYAML      = "bad-yaml"
	DuplicateKey = "duplicate-key"
)

// The bounds of a document.
const (
	// MaxSize is in bytes.
	MaxSize = 4 << 20
	// MaxDepth is how deep lists and mappings may nest.
	MaxDepth = 100
	// maxIndicators bounds the characters that can begin a value, and so the memory for the tree: the library alone
	// takes some 400 bytes a value.
	maxIndicators = 500_000
	// maxAliased is how many values aliases may add in all.
	maxAliased = 50_000
	// maxFindings is how many findings are kept of one document.
	maxFindings = 200
)

// Parse reads a text that holds exactly one document. The value is nil if it cannot be read at all; where only parts
// are wrong (a duplicate key, a tag) the rest is given beside the findings, so that more can be checked.
func Parse(file string, data []byte) (*Value, diag.List) {
	doc, found := open(file, data)
	if doc == nil {
		return nil, found
	}
	if v := doc.quick(); len(v) == 1 {
		return v[0], nil
	}
	nodes, found := doc.read()
	if len(found) > 0 {
		return nil, found
	}
	if len(nodes) > 1 {
		at := doc.place(doc.offset(nodes[1].Line, nodes[1].Column))
		return nil, diag.List{doc.finding(at, BadYAML, "a second document begins here; one file holds one document")}
	}
	if len(nodes) == 0 || nodes[0].empty() {
		return nil, diag.List{doc.finding(doc.place(0), BadYAML, "the document is empty")}
	}
	return doc.build(nodes[0])
}

// ParseAll reads a text that holds any number of documents, separated by ---. Empty ones are left out.
func ParseAll(file string, data []byte) ([]*Value, diag.List) {
	doc, found := open(file, data)
	if doc == nil {
		return nil, found
	}
	if values := doc.quick(); values != nil {
		return values, nil
	}
	nodes, found := doc.read()
	var values []*Value
	for _, n := range nodes {
		if n.empty() {
			continue
		}
		v, more := doc.build(n)
		found = append(found, more...)
		if v != nil {
			values = append(values, v)
		}
	}
	return values, found
}

// node is the root of one document of the library's tree.
type node struct{ *yaml.Node }

// empty reports a document of nothing but a separator or comments.
func (n node) empty() bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0
}

// read runs the library. Nodes are the roots of the documents that could be read.
func (d *Document) read() (nodes []node, found diag.List) {
	dec := yaml.NewDecoder(strings.NewReader(d.source))
	for {
		var n yaml.Node
		switch err := decode(dec, &n); {
		case err == io.EOF:
			return nodes, nil
		case err != nil:
			return nodes, diag.List{d.syntaxError(err)}
		}
		if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
			nodes = append(nodes, node{n.Content[0]})
		}
	}
}

// decode reads the next document into n. The library is archived and known to panic on a few malformed inputs; what
// it panics with is an error of the document.
func decode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the document cannot be read: %v", r)
		}
	}()
	return dec.Decode(n)
}
