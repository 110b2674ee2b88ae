// Package jsonedit reads values out of a JSON document by their paths, and changes the document where they stand: the rest of
// it, the order of its keys and its layout stay as they are.
package jsonedit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// node is a value of a document: where it stands, and what it has in it.
type node struct {
	start, end int      // byte offsets
	kind       byte     // { [ or that of anything else: 0
	members    []member // of an object or a list
}

// member is a value in an object or a list. keyStart is where it begins: its key, in a list the value.
type member struct {
	key      string
	keyStart int
	keyEnd   int
	of       *node
}

// parse reads a document. The error is a fault of kind malformed that names line and column.
func parse(doc []byte) (*node, error) {
	if _, err := value.ParseJSON(doc); err != nil {
		return nil, err
	}
	s := &scanner{doc: doc}
	s.blank()
	return s.value(), nil
}

// scanner reads JSON that is known to be valid.
type scanner struct {
	doc []byte
	at  int
}

func (s *scanner) blank() {
	for s.at < len(s.doc) && strings.IndexByte(" \t\r\n", s.doc[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) text() string {
	start := s.at
	for s.at++; s.doc[s.at] != '"'; s.at++ {
		if s.doc[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	var out string
	_ = json.Unmarshal(s.doc[start:s.at], &out)
	return out
}

func (s *scanner) value() *node {
	n := &node{start: s.at}
	switch c := s.doc[s.at]; c {
	case '"':
		s.text()
	case '{', '[':
		n.kind = c
		s.at++
		s.blank()
		for s.doc[s.at] != '}' && s.doc[s.at] != ']' {
			m := member{keyStart: s.at}
			if c == '{' {
				m.key = s.text()
				m.keyEnd = s.at
				s.blank()
				s.at++ // the colon
				s.blank()
			}
			m.of = s.value()
			n.members = append(n.members, m)
			s.blank()
			if s.doc[s.at] == ',' {
				s.at++
				s.blank()
			}
		}
		s.at++
	default:
		for s.at < len(s.doc) && strings.IndexByte(" \t\r\n,]}", s.doc[s.at]) < 0 {
			s.at++
		}
	}
	n.end = s.at
	return n
}

// Path leads to a value: keys of objects, as texts, and places in lists, from 0, or from the end as -1, -2 and so on.
type Path []any

// ParsePath reads a path such as server.ports[0] or ["a key"].name. Nothing is the document itself.
func ParsePath(text string) (Path, error) {
	var out Path
	bad := func(why string) (Path, error) {
		return nil, fault.New(fault.InvalidRequest, "the path %s %s; write it as server.ports[0], a key that has a dot in it as [\"a.b\"]", value.JSON(text), why)
	}
	for rest := text; rest != ""; {
		if rest[0] == '[' {
			end := strings.IndexByte(rest, ']')
			if strings.HasPrefix(rest, `["`) {
				if end = strings.Index(rest, `"]`); end > 0 {
					end++
				}
			}
			if end < 0 {
				return bad("has a [ that nothing closes")
			}
			v, err := value.ParseJSON([]byte(rest[1:end]))
			switch v.(type) {
			case string, int:
				out = append(out, v)
			default:
				return bad(fmt.Sprintf("has [%s], which is neither a place nor a key in quotes (%v)", rest[1:end], err))
			}
			if rest = rest[end+1:]; rest != "" && rest[0] == '.' {
				if rest = rest[1:]; rest == "" {
					return bad("ends with a dot")
				}
			}
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return bad("has an empty key")
		}
		out = append(out, rest[:end])
		if rest = rest[end:]; rest != "" && rest[0] == '.' {
			if rest = rest[1:]; rest == "" {
				return bad("ends with a dot")
			}
		}
	}
	return out, nil
}

// String writes a path as ParsePath reads it.
func (p Path) String() string {
	var b strings.Builder
	for _, part := range p {
		key, isKey := part.(string)
		switch {
		case !isKey:
			fmt.Fprintf(&b, "[%v]", part)
		case key == "" || strings.ContainsAny(key, ".[]\""):
			fmt.Fprintf(&b, "[%s]", value.JSON(key))
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	if b.Len() == 0 {
		return "the document"
	}
	return b.String()
}

// find gives the value at a path, the object or list that it is in and its place there. at is nil if it is not there, and the
// error says why.
func (n *node) find(p Path) (at, in *node, place int, err error) {
	at = n
	for i, part := range p {
		in = at
		if _, isPlace := part.(int); isPlace {
			in = in.onlyList()
		}
		if place, err = in.place(part, p[:i]); err != nil {
			return nil, in, -1, err
		}
		at = in.members[place].of
	}
	return at, in, place, nil
}

// onlyList is the only list that is in an object: a place of such an object is one in it. Anything else is itself.
func (n *node) onlyList() *node {
	found := n
	if n.kind != '{' {
		return n
	}
	for _, m := range n.members {
		if m.of.kind != '[' {
			continue
		}
		if found != n {
			return n
		}
		found = m.of
	}
	return found
}

// place is where a key or a place of a path stands. A key is also one that is written otherwise: with capitals, with
// hyphens and the like between its words, or in the plural.
func (n *node) place(part any, before Path) (int, error) {
	if k, isPlace := part.(int); isPlace {
		if n.kind != '[' {
			return -1, fault.New(fault.NotFound, "%s is no list, so it has no [%d]", before, k)
		}
		at := k
		if at < 0 {
			at += len(n.members)
		}
		if at < 0 || at >= len(n.members) {
			return -1, fault.New(fault.NotFound, "%s has no [%d]: it has %d entries", before, k, len(n.members))
		}
		return at, nil
	}
	key, ok := part.(string)
	if !ok {
		return -1, fault.New(fault.InvalidRequest, "the path has %s, which is neither a key nor a place", value.Describe(part))
	}
	if n.kind != '{' {
		return -1, fault.New(fault.NotFound, "%s is no object, so it has no key %s", before, value.JSON(key))
	}
	if at := slices.IndexFunc(n.members, func(m member) bool { return m.key == key }); at >= 0 {
		return at, nil
	}
	found, keys := -1, []string{}
	for i, m := range n.members {
		keys = append(keys, m.key)
		if a, b := loose(m.key), loose(key); a == b || strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") {
			if found >= 0 {
				return -1, fault.New(fault.InvalidRequest, "%s has the keys %s and %s; write the one that is meant as it stands", before, value.JSON(n.members[found].key), value.JSON(m.key))
			}
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	hint := "."
	if near := diag.Nearest(key, keys); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	list := strings.Join(keys[:min(len(keys), 20)], ", ")
	switch {
	case len(keys) > 20:
		list += ", …"
	case list == "":
		list = "none"
	}
	return -1, fault.New(fault.NotFound, "there is no key %s in %s%s There are: %s", value.JSON(key), before, hint, list).Lacks(key, keys)
}

// loose is a key without what people write in different ways.
func loose(key string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == ' ' {
			return -1
		}
		return unicode.ToLower(c)
	}, key)
}
