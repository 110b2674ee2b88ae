package syntax

import (
	"fmt"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// checker compares a tree with the tables and collects findings.
type checker struct {
	found diag.List
	node  string // the id of the node that is being checked, for findings
}

// maxFindings is how many findings are kept; a document with more is reported by its first ones.
const maxFindings = 200

// full reports that no more findings are kept, so that the work for them can be spared.
func (c *checker) full() bool { return len(c.found) >= maxFindings }

func (c *checker) add(f diag.Finding) bool {
	if !c.full() {
		f.Node = c.node
		c.found = append(c.found, f)
	}
	return false
}

// report adds an error at a value. It gives false, for checks to return.
func (c *checker) report(v *yamltree.Value, kind, format string, args ...any) bool {
	return c.add(v.Error(kind, fmt.Sprintf(format, args...)))
}

// form checks a value against a form. It gives false if the value was refused as a whole: it is of the wrong kind, or
// its check said so. at is the key above it, called what messages call it, fault the kind of findings for bad values.
func (c *checker) form(f *form, v *yamltree.Value, at Str, called, fault string) bool {
	if !f.allows(v.Kind) {
		kind := v.Kind.String()
		if v.Kind == yamltree.Null && v.Text == "" {
			kind = "empty"
		}
		return c.report(v, WrongKind, "%s must be %s, but is %s", called, f.name, kind)
	}
	if f.section != nil && v.Kind == yamltree.Map {
		c.section(f.section, v, at)
	}
	if f.each != nil {
		for i, item := range v.Items {
			c.form(f.each, item, Str{V: item}, fmt.Sprintf("entry %d of %s", i+1, called), fault)
		}
	}
	return f.check == nil || f.check(c, v, fault)
}

// section checks a mapping against its table.
func (c *checker) section(s *section, v *yamltree.Value, at Str) {
	fault := s.fault
	if fault == "" {
		fault = WrongKind
	}
	for i := range v.Entries {
		e := &v.Entries[i]
		f := s.other
		if k := s.key(e.Key); k != nil {
			f = k.form
		} else if f == nil {
			if !s.open {
				c.unknown(s, v, e)
			}
			continue
		} else if ok, why := s.names.allows(e.Key); !ok {
			c.badName(s, v, e, why)
		}
		if s == &nodesSection {
			c.node = e.Key
		}
		name := Str{e.Key, e.Name}
		c.form(f, e.Value, name, shown(e.Key), fault)
		if s == &nodesSection {
			c.node = ""
		}
	}
	for i := range s.keys {
		if k := &s.keys[i]; k.required && v.Get(k.name) == nil {
			c.missing(s, k, at)
		}
	}
	if s.check != nil {
		s.check(c, v)
	}
}

func (c *checker) missing(s *section, k *key, at Str) {
	what := s.what
	if at.Text != "" {
		what = strings.TrimPrefix(strings.TrimPrefix(s.what, "a "), "an ") + " " + shown(at.Text)
	}
	c.report(at.V, MissingKey, "%s needs the key %q: %s", what, k.name, lowerFirst(k.doc))
}

func lowerFirst(s string) string {
	return strings.TrimSuffix(strings.ToLower(s[:1])+s[1:], ".")
}

// unknown reports a key that the section does not have, with those that it could still have.
func (c *checker) unknown(s *section, v *yamltree.Value, e *yamltree.Entry) {
	if c.full() {
		return
	}
	free := s.free(v)
	f := e.Name.Error(UnknownKey, fmt.Sprintf("%s has no key %s", s.what, shown(e.Key)))
	f.Suggestion, f.Alternatives = diag.Nearest(e.Key, free), free
	if f.Suggestion == "" {
		if home := homeOf(e.Key, s); home != "" {
			f.Message += fmt.Sprintf("; %q is a key of %s", e.Key, home)
		}
	}
	c.add(f)
}

// free lists the keys of the section that a mapping does not have yet.
func (s *section) free(v *yamltree.Value) []string {
	var names []string
	for _, k := range s.keys {
		if v.Get(k.name) == nil {
			names = append(names, k.name)
		}
	}
	return names
}

// homeOf names the section that has a key, if it is exactly one.
func homeOf(name string, not *section) string {
	home := ""
	for _, s := range sections() {
		if s == not || s.key(name) == nil || s == &itemSection || s == &branchSection || s == &defaultsSection {
			continue
		}
		if home != "" {
			return ""
		}
		home = s.what
	}
	return home
}

// badName reports a name that the document must not choose, with the key that it may be meant to be.
func (c *checker) badName(s *section, v *yamltree.Value, e *yamltree.Entry, why string) {
	if c.full() {
		return
	}
	f := e.Name.Error(BadName, fmt.Sprintf("the name %s %s", shown(e.Key), why))
	f.Suggestion = diag.Nearest(e.Key, s.free(v))
	c.add(f)
}

func checkNodes(c *checker, v *yamltree.Value, _ string) bool {
	if len(v.Entries) == 0 {
		return c.report(v, MissingKey, "a flow needs at least one node")
	}
	return true
}

func checkActions(c *checker, v *yamltree.Value, kind string) bool {
	if len(v.Items) == 0 {
		return c.report(v, kind, "the list of actions is empty; remove it, or name the actions")
	}
	return true
}

func checkStateKey(c *checker, v *yamltree.Value) {
	required, def, typ := v.Get("required"), v.Entry("default"), v.Get("type")
	if required != nil && required.Scalar == true && def != nil {
		c.report(def.Name, BadType, "a required key is always given, so a default never holds; remove one of the two")
	}
	if def == nil || def.Value.Kind == yamltree.Null || typ == nil || !isType(typ) {
		return
	}
	if _, err := value.Fits(value.Type(typ.Text), def.Value.Plain()); err != nil {
		c.report(def.Value, BadType, "the default does not fit the type: %v", err)
	}
}

func isType(v *yamltree.Value) bool {
	for _, t := range value.Types() {
		if v.Kind == yamltree.String && v.Text == string(t) {
			return true
		}
	}
	return false
}

func checkFunction(c *checker, v *yamltree.Value) {
	switch expr, cel := v.Get("expr"), v.Entry("cel"); {
	case expr == nil && cel == nil:
		c.report(v, MissingKey, "a function needs a body: write it under expr, or under cel")
	case expr != nil && cel != nil:
		c.report(cel.Name, WrongKind, "a function is written in expr or in cel; remove one of the two")
	}
}

func checkActionCase(c *checker, v *yamltree.Value) {
	if v.Get("expr") != nil && v.Get("cel") != nil {
		c.report(v.Entry("cel").Name, WrongKind, "a condition is written in expr or in cel; remove one of the two")
	}
}
