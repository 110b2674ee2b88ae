package experiment

import (
	"pflow/engine/cond"
	"pflow/internal/value"
)

// predicates compiles those of cases and keeps them: cases often share one, and CEL is dear to compile. It is used by one
// goroutine.
type predicates struct {
	compiler *cond.Compiler
	kept     map[[2]string]*cond.Program
}

func newPredicates() *predicates {
	return &predicates{cond.NewCompiler(), map[[2]string]*cond.Program{}}
}

func (p *predicates) compile(lang cond.Lang, source string) (*cond.Program, []cond.Problem) {
	key := [2]string{string(lang), source}
	if known := p.kept[key]; known != nil {
		return known, nil
	}
	program, problems := p.compiler.Compile(lang, source, planEnv, value.Boolean)
	const most = 1000
	if len(p.kept) >= most {
		clear(p.kept)
	}
	if program != nil {
		p.kept[key] = program
	}
	return program, problems
}

// holds tests a predicate; why says what kept it from being tested.
func (p Predicate) holds(result any) (ok bool, why string) {
	s := cond.NewScope(fixedTime)
	s.Set("result", result)
	ok, err := p.program.Test(s)
	if err != nil {
		return false, err.Error()
	}
	return ok, ""
}
