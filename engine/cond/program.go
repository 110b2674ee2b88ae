package cond

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/vm"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// Program is a compiled expression: immutable, and safe for concurrent use as long as every goroutine has its own Scope.
type Program struct {
	// What every evaluation looks at, side by side.
	record, only string // the expression is this member of this record and nothing else; record "": it is more
	expr         *vm.Program
	cel          cel.Program
	path         bool // its value is normal already: the expression is a path of members, or built of such values
	dag          bool // its result may hold one value in many places, so that walking it needs a bound

	null  bool // the expression is the constant null, whose static type is any
	lang  Lang
	src   string
	typ   value.Type
	reads []Read
	info  *ast.SourceInfo             // where CEL's operations stand
	at    func(offset int) diag.Place // the place of a byte of the source in its document
	parts []*Program                  // of an object or a list, see Object and List
	names []string                    // of the parts of an object
	depth int                         // how deep the functions that it calls call each other
}

// At says where the bytes of the source stand in its document, so that what fails while the program runs has a place
// there. Without it places count within the source. It is called before the program is used.
func (p *Program) At(place func(offset int) diag.Place) { p.at = place }

// Raise gives an error that came of the program's value the place of the program.
func (p *Program) Raise(err error) *fault.Error { return p.raise(err, 0) }

// raise gives an error the place of the operation at a byte of the source.
func (p *Program) raise(err error, offset int) *fault.Error {
	out := *fault.Of(err)
	out.Place = p.place(offset)
	return &out
}

// place is that of a byte of the source.
func (p *Program) place(offset int) diag.Place {
	if p.at != nil {
		return p.at(offset)
	}
	before := p.src[:offset]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return diag.Place{Line: strings.Count(before, "\n") + 1, Col: utf8.RuneCountInString(line) + 1}
}

// Type is the static type; Any if it depends on values or may be null.
func (p *Program) Type() value.Type { return p.typ }

// Reads lists every member of a record that the expression reads, by offset. A member read in two places is in it twice.
func (p *Program) Reads() []Read { return p.reads }

// Eval computes the value, normalised. The error is a *fault.Error: kind type if an operation does not fit its values,
// missing_key for a member that is not there, invalid_request if the evaluation passes its bound on work, or whatever
// the expression's own fail() said. Its Place is that of the operation that failed, see At.
func (p *Program) Eval(s *Scope) (any, error) {
	if v, ok := p.member(s); ok {
		return v, nil
	}
	s.left = s.steps
	return p.value(s)
}

// value computes the value, normalised, within what is left of the Scope's bound on work.
func (p *Program) value(s *Scope) (any, error) {
	out, err := p.run(s)
	if err != nil || p.path {
		return out, err
	}
	if p.dag && !small(out) {
		return nil, p.Raise(tooMuchWork())
	}
	v, err := value.Normalize(out)
	if err != nil {
		return nil, p.Raise(err)
	}
	return v, nil
}

// run computes the value as its language has it.
func (p *Program) run(s *Scope) (any, error) {
	switch {
	case p.expr != nil:
		return p.evalExpr(s)
	case p.cel != nil:
		return p.evalCEL(s)
	}
	return p.build(s)
}

// Test computes a condition. A value that is not boolean is a fault of kind type.
func (p *Program) Test(s *Scope) (bool, error) {
	v, err := p.Eval(s)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, p.Raise(fault.New(fault.Type, "the condition gave %s; it must give true or false", describe(v)))
	}
	return b, nil
}

// member gives the value of a program that is one member of a record.
func (p *Program) member(s *Scope) (any, bool) {
	if p.record == "" {
		return nil, false
	}
	record, _ := s.env[p.record].(map[string]any)
	v, ok := record[p.only]
	return v, ok
}

// plainRead tells an expression that is one member of a record, such as store.request: most of prep is. Its value is
// taken without running a program. The values of records are normal already.
func plainRead(src string, reads []Read) (Read, bool) {
	if len(reads) == 1 && src == reads[0].Record+"."+reads[0].Member {
		return reads[0], true
	}
	return Read{}, false
}
