package cond

import (
	"github.com/expr-lang/expr/vm"
	"github.com/google/cel-go/cel"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Program is a compiled expression: immutable, and safe for concurrent use as long as every goroutine has its own Scope.
type Program struct {
	lang  Lang
	src   string
	typ   value.Type
	null  bool // the expression is the constant null, whose static type is any
	reads []Read
	path  bool  // the expression is a path of members: its value is normal already
	plain *Read // the expression is this member and nothing else
	dag   bool  // its result may hold one value in many places, so that walking it needs a bound
	expr  *vm.Program
	cel   cel.Program
}

// Type is the static type; Any if it depends on values or may be null.
func (p *Program) Type() value.Type { return p.typ }

// Reads lists every member of a record that the expression reads, by offset. A member read in two places is in it twice.
func (p *Program) Reads() []Read { return p.reads }

// Eval computes the value, normalised. The error is a *fault.Error: kind type if an operation does not fit its values,
// missing_key for a member that is not there, invalid_request if the evaluation passes its bound on work, or whatever
// the expression's own fail() said.
func (p *Program) Eval(s *Scope) (any, error) {
	if p.plain != nil {
		if record, ok := s.env[p.plain.Record].(map[string]any); ok {
			if v, ok := record[p.plain.Member]; ok {
				return v, nil
			}
		}
	}
	var out any
	var err error
	if p.expr != nil {
		out, err = p.evalExpr(s)
	} else {
		out, err = p.evalCEL(s)
	}
	if err != nil || p.path {
		return out, err
	}
	if p.dag && !small(out) {
		return nil, tooMuchWork()
	}
	v, err := value.Normalize(out)
	if err != nil {
		return nil, fault.Of(err)
	}
	return v, nil
}

// Test computes a condition. A value that is not boolean is a fault of kind type.
func (p *Program) Test(s *Scope) (bool, error) {
	v, err := p.Eval(s)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fault.New(fault.Type, "the condition gave %s; it must give true or false", describe(v))
	}
	return b, nil
}

// plainRead tells an expression that is one member of a record, such as store.request: most of prep is. Its value is
// taken without running a program. The values of records are normal already.
func plainRead(src string, reads []Read) *Read {
	if len(reads) == 1 && src == reads[0].Record+"."+reads[0].Member {
		return &reads[0]
	}
	return nil
}
