package yamltree

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"pflow/internal/diag"
)

// builder turns the library's tree into values.
type builder struct {
	doc     *Document
	found   diag.List
	done    map[*yaml.Node]built // of anchored nodes, for their aliases
	under   map[*yaml.Node]bool  // anchored nodes whose values are being built
	aliased int                  // values that aliases have added
	full    bool                 // too many of them: the finding is made, no more is read
}

// built is the value of an anchored node, how many values it holds in all, itself counted, and how deep it nests.
type built struct {
	value       *Value
	size, depth int
}

func (d *Document) build(n node) (*Value, diag.List) {
	b := &builder{doc: d, done: map[*yaml.Node]built{}, under: map[*yaml.Node]bool{}}
	got := b.value(n.Node, 1)
	if b.full {
		return nil, b.found
	}
	return got.value, b.found
}

func (b *builder) report(p diag.Place, kind, format string, args ...any) {
	if len(b.found) < maxFindings {
		b.found = append(b.found, b.doc.finding(p, kind, format, args...))
	}
}

func (b *builder) place(n *yaml.Node) diag.Place {
	return diag.Place{File: b.doc.File, Line: n.Line, Col: n.Column}
}

// value builds n, which nests depth deep. What is refused is null, with a finding.
func (b *builder) value(n *yaml.Node, depth int) built {
	if n.Kind == yaml.AliasNode {
		return b.alias(n, depth)
	}
	v := &Value{Place: b.place(n), Doc: b.doc}
	got := built{value: v, size: 1, depth: 1}
	if n.Anchor != "" {
		b.under[n] = true
	}
	switch {
	case b.full:
	case n.Kind == yaml.ScalarNode:
		b.scalar(v, n)
	case depth > MaxDepth:
		b.report(v.Place, BadYAML, "lists and mappings nest deeper than %d levels here", MaxDepth)
	case n.Kind == yaml.SequenceNode:
		v.Kind = Seq
		v.Items = make([]*Value, 0, len(n.Content))
		for _, c := range n.Content {
			item := b.value(c, depth+1)
			v.Items = append(v.Items, item.value)
			got.size, got.depth = got.size+item.size, max(got.depth, item.depth+1)
		}
	case n.Kind == yaml.MappingNode:
		v.Kind = Map
		b.mapping(&got, n, depth)
	}
	if n.Kind != yaml.ScalarNode && n.Style&yaml.TaggedStyle != 0 && !tagged(n.Tag, v.Kind) {
		b.report(v.Place, BadYAML, "the tag %s is not supported; remove it", n.Tag)
	}
	if n.Anchor != "" {
		delete(b.under, n)
		b.done[n] = got
	}
	return got
}

// alias gives the value of the anchor, which is shared and not copied. So a document of aliases to aliases needs no
// memory, but whoever walks it would need for ever: what walking costs is what is bounded.
func (b *builder) alias(n *yaml.Node, depth int) built {
	got, ok := b.done[n.Alias]
	if !ok {
		if b.under[n.Alias] {
			b.report(b.place(n), BadYAML, "the alias *%s stands inside its own anchor", n.Value)
		}
		return built{value: &Value{Place: b.place(n), Doc: b.doc}, size: 1, depth: 1}
	}
	b.aliased += got.size
	switch {
	case b.full:
	case b.aliased > maxAliased:
		b.full = true
		b.report(b.place(n), BadYAML, "aliases make this document too large: they add more than %d values", maxAliased)
	case depth+got.depth-1 > MaxDepth:
		b.report(b.place(n), BadYAML, "lists and mappings nest deeper than %d levels here", MaxDepth)
		got.value = &Value{Place: b.place(n), Doc: b.doc}
	}
	return got
}

func (b *builder) mapping(got *built, n *yaml.Node, depth int) {
	v := got.value
	v.Entries = make([]Entry, 0, len(n.Content)/2)
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := b.key(n.Content[i])
		item := b.value(n.Content[i+1], depth+1)
		got.size, got.depth = got.size+1+item.size, max(got.depth, item.depth+1)
		if !ok {
			continue
		}
		if line, twice := first[key.Text]; twice {
			b.report(key.Place, DuplicateKey, "the key %s stands here twice; the first is in line %d", quote(key.Text), line)
			continue
		}
		first[key.Text] = key.Place.Line
		v.Entries = append(v.Entries, Entry{Key: key.Text, KeyPlace: key.Place, Name: key, Value: item.value})
	}
}

// key builds the key of an entry; false if it is refused, which is reported.
func (b *builder) key(n *yaml.Node) (*Value, bool) {
	at := b.place(n)
	if n.Kind == yaml.AliasNode && n.Alias != nil && n.Alias.Kind == yaml.ScalarNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		b.report(at, BadYAML, "a key must be text")
		return nil, false
	}
	if n.Style&^yaml.TaggedStyle == 0 && n.Tag == "!!merge" {
		b.report(at, BadYAML, "merge keys (<<) are not supported; write the keys out, or use extends for a whole flow")
		return nil, false
	}
	errs := len(b.found)
	key := b.value(n, 1).value
	switch {
	case len(b.found) > errs:
		return nil, false
	case key.Kind == Null && key.Text == "":
		b.report(at, BadYAML, "a key is missing before the colon")
		return nil, false
	case key.Kind != String:
		b.report(at, BadYAML, "the key %s is %s, and a key must be text; write '%s'", key.Text, key.Kind, key.Text)
		return nil, false
	}
	return key, true
}

func (b *builder) scalar(v *Value, n *yaml.Node) {
	v.Text = n.Value
	switch {
	case n.Style&yaml.SingleQuotedStyle != 0:
		v.style = singleQuoted
	case n.Style&yaml.DoubleQuotedStyle != 0:
		v.style = doubleQuoted
	case n.Style&yaml.LiteralStyle != 0:
		v.style = literal
	case n.Style&yaml.FoldedStyle != 0:
		v.style = folded
	}
	if v.style != plain || n.Style&yaml.TaggedStyle != 0 && n.Tag == "!!str" {
		v.Kind, v.Scalar = String, n.Value
	} else {
		var problem string
		if v.Kind, v.Scalar, problem = resolve(n.Value); problem != "" {
			b.report(v.Place, BadYAML, "%s", problem)
			return
		}
	}
	if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str" && !tagged(n.Tag, v.Kind) {
		b.report(v.Place, BadYAML, "the tag %s is not supported; remove it (quotes make a value text)", n.Tag)
	}
}

// quote shows a name in a message, shortened if it is very long.
func quote(name string) string {
	if len(name) > 60 {
		name = name[:60] + "…"
	}
	return fmt.Sprintf("%q", name)
}
