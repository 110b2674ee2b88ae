package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Setup is what an op sees of its node while the flow is loaded: the options, already checked against the op's
// fields, and the means to report what else is wrong with them.
type Setup struct {
	c      *compiler
	op     *Op
	at     *yamltree.Value // the op's name
	withAt *yamltree.Value
	with   map[string]any
	given  *yamltree.Value // the mapping prep
	prep   cond.Record
	result value.Type
}

// Text gives a string option, "" if it is not given.
func (s *Setup) Text(option string) string {
	text, _ := s.with[option].(string)
	return text
}

// Value gives an option as it was written, nil if it is not given.
func (s *Setup) Value(option string) any { return s.with[option] }

// Duration reads a string option such as 1s or 250ms; zero if it is not given.
func (s *Setup) Duration(option string) time.Duration {
	text, given := s.with[option].(string)
	if !given {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		s.Report(option, 0, "bad-param", "%s is no duration; write one like 250ms, 1s or 2m", quoted(text))
		return 0
	}
	return d
}

// Prep gives the names of the node's prep and their static types.
func (s *Setup) Prep() cond.Record { return s.prep }

// Returns says what type the result has, where the op's own Result leaves it open.
func (s *Setup) Returns(t value.Type) { s.result = t }

// Report adds an error at a byte offset of an option's text, or at the op's name if the option is not given.
func (s *Setup) Report(option string, offset int, kind, format string, args ...any) {
	at := s.place(option)
	if at == s.at || at.Kind != yamltree.String {
		s.c.report(whole(at), kind, none, format, args...)
		return
	}
	s.c.report(inside(at, offset), kind, none, format, args...)
}

// Suggest is Report with what there is to choose from.
func (s *Setup) Suggest(option, kind, name string, names []string, format string, args ...any) {
	s.c.report(whole(s.place(option)), kind, choice{name, names}, format, args...)
}

// ReportPrep adds an error at a name of prep, with what there is to choose from.
func (s *Setup) ReportPrep(name, kind string, names []string, format string, args ...any) {
	at := s.at
	if e := s.given.Entry(name); e != nil {
		at = e.Name
	}
	s.c.report(whole(at), kind, choice{name, names}, format, args...)
}

// Inside says where a line and column of an option's text stand in the document.
func (s *Setup) Inside(option string) func(line, col int) diag.Place {
	v := s.place(option)
	return func(line, col int) diag.Place {
		offset := 0
		for ; line > 1; line-- {
			offset += strings.IndexByte(v.Text[offset:], '\n') + 1
		}
		return v.At(offset + col - 1)
	}
}

func (s *Setup) place(option string) *yamltree.Value {
	if v := s.withAt.Get(option); v != nil {
		return v
	}
	return s.at
}

// Expression compiles an option as an expression that sees prep, params, attempt and run, or as a mapping or a list of
// such values; nil if it has findings.
func (s *Setup) Expression(option string, lang cond.Lang) *cond.Program {
	v := s.withAt.Get(option)
	if v == nil {
		return nil
	}
	src, found := syntax.Value(v, lang)
	for _, f := range found {
		f.Node = s.c.node
		s.c.s.add(f)
	}
	if src == nil {
		return nil
	}
	env := s.c.seesPrep(s.prep, vars{"attempt": value.Integer})
	var reads []read // of the store, which it does not see
	return s.c.value(src, env, &reads)
}

// Find looks up a prompt or a schema beside the flow, its bases, the home and the embedded ones. What is found becomes
// part of the flow's hash.
func (s *Setup) Find(kind DocumentKind, name string) (Document, error) {
	doc, err := s.c.s.loader.Resources.Find(kind, name, s.c.chain)
	if err == nil {
		used := &s.c.flow.source.Documents
		if !slices.ContainsFunc(*used, func(d Document) bool { return d.Path == doc.Path }) {
			*used = append(*used, doc)
		}
		sum := sha256.Sum256(doc.Data)
		s.c.parts = append(s.c.parts, string(kind)+" "+name+" "+hex.EncodeToString(sum[:]))
	}
	return doc, err
}

// Names lists the documents of a kind that Find could find.
func (s *Setup) Names(kind DocumentKind) []string {
	return s.c.s.loader.Resources.Names(kind, s.c.chain)
}

// Add adds a finding of another document, such as a prompt.
func (s *Setup) Add(f diag.Finding) { s.c.s.add(f) }
