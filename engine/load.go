package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Loader turns flow documents into compiled flows.
type Loader struct {
	Ops       *Registry
	Resources Resources
	// Set are edits of the flows' trees, made after extends: the path of a key and a YAML value.
	Set []Setting
}

// Load compiles a flow. The findings are sorted; the flow is nil if one of them is an error.
func (l *Loader) Load(doc Document) (*Flow, diag.List) {
	s := &session{loader: l, cond: cond.NewCompiler(), flows: map[string]*Flow{}, meters: map[*Flow][]string{}}
	for _, e := range l.Set {
		s.edits = append(s.edits, newEdit(e))
	}
	flow := s.load(doc, "")
	s.unmatched()
	if s.errors > 0 {
		flow = nil
	}
	return flow, s.found.Sort()
}

// LoadNamed finds a flow by name and compiles it.
func (l *Loader) LoadNamed(name string) (*Flow, diag.List) {
	doc, err := l.Resources.Find(FlowDocument, name, nil)
	if err != nil {
		s := &session{loader: l}
		s.notFound(whole(nil), "unknown-flow", "", FlowDocument, name, nil, err)
		return nil, s.found
	}
	return l.Load(doc)
}

// session is one call of Load: what all flows of it share.
type session struct {
	loader *Loader
	cond   *cond.Compiler
	flows  map[string]*Flow // by path and edits, once they are done; nil for one with errors
	edits  []*edit
	named  []string // what flow: options call inner flows
	meters map[*Flow][]string
	stack  []string // paths of the flows under way, outermost first
	found  diag.List
	errors int // how many were reported, also of those that are not kept
	looked int // at how many names, for suggestions
}

// load compiles one document and what it reaches. name is what the flow: option says that led here, "" for the outermost.
func (s *session) load(doc Document, name string) *Flow {
	tree, chain, ok := s.merged(doc)
	if !ok {
		return nil
	}
	if tree, ok = s.edited(tree, name); !ok {
		return nil
	}
	src, found := syntax.Decode(tree)
	s.addAll(found)
	if src == nil {
		return nil
	}
	s.stack = append(s.stack, doc.Path)
	defer func() { s.stack = s.stack[:len(s.stack)-1] }()
	c := &compiler{s: s, src: src, chain: chain, flow: &Flow{
		Name: src.Name.Text, Description: src.Description.Text, File: doc.Path, source: &Definition{Tree: tree, Inner: map[string]*Flow{}},
	}}
	c.compile()
	c.flow.Hash = hashFlow(tree, c.parts)
	return c.flow
}

// maxChain bounds how many flows extend each other in a row, and how deep flows nest.
const maxChain = 50

// merged reads a document and its bases and merges them; chain lists their paths, the child's first.
func (s *session) merged(doc Document) (tree *yamltree.Value, chain []string, ok bool) {
	tree, found := syntax.Parse(doc.Path, doc.Data)
	s.addAll(found)
	if tree == nil || found.HasErrors() {
		return nil, nil, false
	}
	trees := []*yamltree.Value{tree}
	chain = []string{doc.Path}
	for {
		ext := trees[len(trees)-1].Get("extends")
		if ext == nil || ext.Kind != yamltree.String || strings.TrimSpace(ext.Text) == "" {
			break // Decode reports what is no name
		}
		from := chain[len(chain)-1:]
		base, err := s.loader.Resources.Find(FlowDocument, ext.Text, from)
		switch {
		case err != nil:
			s.notFound(whole(ext), "bad-extends", "", FlowDocument, ext.Text, from, err)
			return nil, nil, false
		case slices.Contains(chain, base.Path):
			s.report(whole(ext), "bad-extends", none, "the flow extends itself: %s; extend another flow", strings.Join(append(chain, base.Path), " -> "))
			return nil, nil, false
		case len(chain) == maxChain:
			s.report(whole(ext), "bad-extends", none, "more than %d flows extend each other here", maxChain)
			return nil, nil, false
		}
		t, found := syntax.Parse(base.Path, base.Data)
		s.addAll(found)
		if t == nil || found.HasErrors() {
			return nil, nil, false
		}
		trees, chain = append(trees, t), append(chain, base.Path)
	}
	for _, t := range trees {
		if len(trees) > 1 && t.Kind != yamltree.Map {
			_, found := syntax.Decode(t) // says that a flow is a mapping
			s.addAll(found)
			return nil, nil, false
		}
	}
	tree = trees[len(trees)-1]
	for i := len(trees) - 2; i >= 0; i-- {
		tree, found = syntax.Extend(tree, trees[i])
		s.addAll(found)
		if found.HasErrors() {
			return nil, nil, false
		}
	}
	return tree, chain, true
}

// inner finds and compiles a flow that another names; nil if it has errors, which are reported once.
func (s *session) inner(at *yamltree.Value, node string, from []string) *Flow {
	name := at.Text
	s.named = append(s.named, name)
	doc, err := s.loader.Resources.Find(FlowDocument, name, from)
	if err != nil {
		s.notFound(whole(at), "unknown-flow", node, FlowDocument, name, from, err)
		return nil
	}
	if i := slices.Index(s.stack, doc.Path); i >= 0 {
		s.reportIn(node, whole(at), "flow-cycle", none, "the flow runs itself: %s; break the circle, or loop with next", strings.Join(append(slices.Clone(s.stack[i:]), doc.Path), " -> "))
		return nil
	}
	key := doc.Path + s.editsOf(name)
	if f, done := s.flows[key]; done {
		return f
	}
	if len(s.stack) >= maxChain {
		s.reportIn(node, whole(at), "flow-cycle", none, "flows nest deeper than %d here", maxChain)
		return nil
	}
	before := s.errors
	f := s.load(doc, name)
	if s.errors > before {
		f = nil // its users are not checked against half a flow
	}
	s.flows[key] = f
	return f
}

// hashFlow covers the merged flow and its parts: the hashes of its inner flows, prompts and schemas. Comments and layout
// do not count, nor does search. The order of keys counts where it means something: of nodes (the first is where a flow starts), of
// branches, and of the expressions of a node.
func hashFlow(tree *yamltree.Value, parts []string) string {
	h := sha256.New()
	plain, _ := tree.Plain().(map[string]any)
	delete(plain, "extends") // what it stands for is merged
	delete(plain, "search")  // no run takes notice of it
	if nodes, ok := plain["nodes"].(map[string]any); ok {
		for _, n := range nodes {
			if n, ok := n.(map[string]any); ok {
				if to, ok := n["next"].(string); ok {
					n["next"] = map[string]any{DefaultAction: to}
				}
			}
		}
	}
	h.Write(value.AppendJSON(nil, plain))
	for _, line := range keyOrder(nil, "", tree) {
		h.Write([]byte("\n" + line))
	}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(parts))) {
		h.Write([]byte("\n" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// keyOrder lists the keys of the mappings whose order means something.
func keyOrder(lines []string, key string, v *yamltree.Value) []string {
	ordered := key == "nodes" || key == "functions" || key == "prep" || key == "vars" || key == "post" || key == "branches"
	for _, e := range v.Entries {
		if ordered {
			lines = append(lines, key+" "+e.Key)
		}
		lines = keyOrder(lines, e.Key, e.Value)
	}
	return lines
}

// notFound reports a document that could not be found or read.
func (s *session) notFound(at spot, kind, node string, doc DocumentKind, name string, from []string, err error) {
	could := none
	if errors.Is(err, ErrNoDocument) {
		could = choice{name, Meant(s.loader.Resources, doc, name, from)}
	}
	s.reportIn(node, at, kind, could, "%v", err)
}
