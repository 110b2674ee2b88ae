package syntax

// Section is one table of the language, for documentation.
type Section struct {
	Name  string
	Doc   string
	Keys  []Key
	Names string // what other keys are called, "" if there are none
	Other string // what stands under them
}

// Key is one key of a section. Kind completes "must be …"; Default is "" if there is none.
type Key struct {
	Name     string
	Kind     string
	Required bool
	Default  string
	Doc      string
}

// Keys lists the tables by which Decode checks, in the order in which documentation shows them.
func Keys() []Section {
	var out []Section
	for _, s := range sections() {
		t := Section{Name: s.name, Doc: s.doc}
		for _, k := range s.keys {
			t.Keys = append(t.Keys, Key{k.name, k.form.name, k.required, k.def, k.doc})
		}
		if s.other != nil {
			t.Names, t.Other = s.names.rule, s.other.name
		}
		out = append(out, t)
	}
	return out
}
