package syntax

import "pflow/internal/yamltree"

// form is what may stand under a key. Messages and documentation call it by name, so that it completes "must be …".
type form struct {
	name  string
	kinds []yamltree.Kind // nil for any
	check func(c *checker, v *yamltree.Value, kind string) bool
	// schema is the form as JSON Schema; for sections and lists it is derived.
	schema  map[string]any
	section *section // of a mapping
	each    *form    // of the items of a list
}

// section is a mapping of the language: the keys it has, or the form of what stands under names that the document
// chooses, or both.
type section struct {
	name  string // of the table in the documentation
	what  string // what messages call such a mapping: "a node"
	doc   string
	keys  []key
	open  bool    // other keys are somebody else's to check
	other *form   // what stands under other names; nil if there are none
	names *naming // rule for those names
	fault string  // the kind of findings for bad values; WrongKind unless set
	check func(c *checker, v *yamltree.Value)
	// schema is what check demands, as JSON Schema, where that can say it.
	schema map[string]any
}

// key is one key of a section. Its default is what documentation shows, "" for none.
type key struct {
	name     string
	form     *form
	required bool
	def      string
	doc      string
}

func (s *section) key(name string) *key {
	for i := range s.keys {
		if s.keys[i].name == name {
			return &s.keys[i]
		}
	}
	return nil
}

func (f *form) allows(k yamltree.Kind) bool {
	for _, allowed := range f.kinds {
		if k == allowed {
			return true
		}
	}
	return len(f.kinds) == 0
}

// mapping is the form of a section.
func mapping(s *section) form {
	return form{name: "a mapping", kinds: []yamltree.Kind{yamltree.Map}, section: s}
}
