package cond

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Lang names an expression language.
type Lang string

// The two languages. Expr is the default everywhere; CEL is written under a `cel:` key.
const (
	Expr Lang = "expr"
	CEL  Lang = "cel"
)

// MaxSource is the longest expression that is compiled, in bytes. It bounds the time and the stack of both parsers.
const MaxSource = 64 << 10

// Record declares the members of one closed record and their types.
type Record map[string]value.Type

// Env declares what an expression can see. A name that is absent cannot be seen; an Env must not change once it was
// given to a Compiler, which keeps what it derives from it under the pointer.
type Env struct {
	Records map[string]Record     // store, params, prep, vars, run: closed, and no values themselves
	Vars    map[string]value.Type // result, item, index, error, attempt, action
	// Keyed are members of records that are closed records themselves, as "run.visits": their members are of one type and
	// read by names that are written out. The names are settled by whoever compiles, from Reads: Record is "run.visits".
	Keyed map[string]value.Type
	Funcs []*Func  // that the flow declares
	Later []string // the functions that are declared after the one that the expression is the body of, itself first
}

// The kinds of problems.
const (
	BadExpression    = "bad-expression"
	UnknownStateKey  = "unknown-state-key"
	ConditionNotBool = "condition-not-bool"
)

// Problem is one thing wrong with an expression. Offset counts bytes from the start of the source.
type Problem struct {
	Kind         string
	Offset       int
	Message      string // one line
	Suggestion   string // a name that was probably meant
	Alternatives []string
}

// Read is one place where an expression reads a member of a record. Offset is that of the member's name, in bytes.
type Read struct {
	Record, Member string
	Offset         int
}

// Compiler compiles expressions. It keeps the environments of both languages by Env pointer and builds CEL's, which is
// the dear one, when the first CEL expression comes. It is for one goroutine at a time.
type Compiler struct {
	exprs map[*Env]*exprEnv
	cel   *celBase
	cels  map[*Env]*celEnv
	texts map[string]any // see text
}

// NewCompiler gives an empty Compiler.
func NewCompiler() *Compiler {
	return &Compiler{exprs: map[*Env]*exprEnv{}, cels: map[*Env]*celEnv{}, texts: map[string]any{}}
}

// Compile settles every name and type of src. With want Any there is no demand on the result; with Boolean its static
// type must be boolean or any (else condition-not-bool), with another type that type or any (else bad-expression). A
// result of static type any is checked when it is computed, by Program.Test or by whoever takes the value. Problems are
// sorted by offset; the Program is nil if there are any.
func (c *Compiler) Compile(lang Lang, src string, env *Env, want value.Type) (*Program, []Problem) {
	if env == nil {
		env = &Env{}
	}
	p := &Program{lang: lang, src: src}
	problems := checkSource(src)
	if problems == nil {
		switch lang {
		case Expr:
			problems = c.compileExpr(p, env)
		case CEL:
			problems = c.compileCEL(p, env)
		default:
			problems = []Problem{{Kind: BadExpression, Message: fmt.Sprintf("there is no expression language %q", lang), Alternatives: []string{string(Expr), string(CEL)}}}
		}
	}
	if problems == nil {
		problems = p.demand(want)
	}
	if problems != nil {
		slices.SortStableFunc(problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Offset, b.Offset), strings.Compare(a.Message, b.Message))
		})
		return nil, slices.CompactFunc(problems, func(a, b Problem) bool { return a.Offset == b.Offset && a.Message == b.Message })
	}
	slices.SortStableFunc(p.reads, func(a, b Read) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), strings.Compare(a.Record, b.Record), strings.Compare(a.Member, b.Member))
	})
	p.reads = slices.Compact(p.reads)
	c.share(p)
	return p, nil
}

// share makes the names in a program the ones that the programs before it hold. The programs of a flow name the same few
// records and members, and what many nodes share is at hand, while what each has of its own comes from memory.
func (c *Compiler) share(p *Program) {
	if r, ok := plainRead(p.src, p.reads); ok {
		p.record, p.only = c.text(r.Record).(string), c.text(r.Member).(string)
	}
	if p.expr == nil {
		return
	}
	for i, constant := range p.expr.Constants {
		if s, ok := constant.(string); ok {
			p.expr.Constants[i] = c.text(s)
		}
	}
}

// text gives the one copy of a text that the programs of this Compiler share.
func (c *Compiler) text(s string) any {
	one, ok := c.texts[s]
	if !ok {
		one = s
		c.texts[s] = one
	}
	return one
}

func checkSource(src string) []Problem {
	problem := func(at int, format string, args ...any) []Problem {
		return []Problem{{Kind: BadExpression, Offset: at, Message: fmt.Sprintf(format, args...)}}
	}
	switch {
	case strings.TrimSpace(src) == "":
		return problem(0, "the expression is empty")
	case len(src) > MaxSource:
		return problem(0, "the expression is %d bytes long; at most %d are allowed: move data into params or the store", len(src), MaxSource)
	case !utf8.ValidString(src):
		at := 0
		for at < len(src) {
			if r, n := utf8.DecodeRuneInString(src[at:]); r == utf8.RuneError && n <= 1 {
				break
			} else {
				at += n
			}
		}
		return problem(at, "the expression is not valid UTF-8")
	}
	return nil
}

// demand holds the static type against what the place of the expression needs.
func (p *Program) demand(want value.Type) []Problem {
	got := p.typ
	if want == value.Any || want == "" || got == want || (got == value.Any && !p.null) || (want == value.Number && got == value.Integer) {
		return nil
	}
	name := string(got)
	if p.null {
		name = "null"
	}
	if want == value.Boolean {
		return []Problem{{Kind: ConditionNotBool, Message: fmt.Sprintf("a condition must be true or false, but this is %s", withArticle(name))}}
	}
	return []Problem{{Kind: BadExpression, Message: fmt.Sprintf("this must be %s, but it is %s", withArticle(string(want)), withArticle(name))}}
}

// withArticle is a type's name as a message has it.
func withArticle(name string) string {
	switch {
	case name == "null" || name == "any":
		return name
	case strings.ContainsRune("aeiou", rune(name[0])):
		return "an " + name
	}
	return "a " + name
}

// members lists what a record declares, sorted.
func (e *Env) members(record string) []string { return value.SortedKeys(e.Records[record]) }

// visible lists what an expression can see, records first, for a message.
func (e *Env) visible() []string {
	return append(value.SortedKeys(e.Records), value.SortedKeys(e.Vars)...)
}

// unknownMember is the problem of a member that its record does not declare.
func (e *Env) unknownMember(record, member string, offset int) Problem {
	names := e.members(record)
	p := Problem{Kind: BadExpression, Offset: offset, Suggestion: diag.Nearest(member, names), Alternatives: names}
	switch {
	case record == "store":
		p.Kind = UnknownStateKey
		p.Message = fmt.Sprintf("state declares no key %q", member)
	case len(names) == 0:
		p.Message = fmt.Sprintf("%s has no member %q: it is empty here", record, member)
	default:
		p.Message = fmt.Sprintf("%s has no member %q", record, member)
	}
	return p
}

// recordAsValue is the problem of a record that stands where a value must.
func (e *Env) recordAsValue(record string, offset int) Problem {
	example := record + ".NAME"
	if _, keyed := e.Keyed[record]; keyed {
		example = record + `["NAME"]`
	}
	return Problem{Kind: BadExpression, Offset: offset, Alternatives: e.members(record),
		Message: fmt.Sprintf("%s is a record and no value itself; read a member by its name, as in %s", record, example)}
}

// keyed reports whether a member of a record is a closed record itself.
func (e *Env) keyed(record, member string) bool {
	_, ok := e.Keyed[record+"."+member]
	return ok
}

// unknownName is the problem of a name that nothing here bears. Names that other places can see get a hint.
func (e *Env) unknownName(name string, offset int, functions []string) Problem {
	seen := e.visible()
	p := Problem{Kind: BadExpression, Offset: offset, Alternatives: seen}
	list := "nothing"
	if len(seen) > 0 {
		list = strings.Join(seen, ", ")
	}
	switch {
	case everVisible[name]:
		p.Message = fmt.Sprintf("%s cannot be seen here; this expression sees %s", name, list)
	case slices.Contains(functions, name):
		p.Message = fmt.Sprintf("%s is a function: call it, as in %s(…)", name, name)
		p.Alternatives = nil
	default:
		p.Message = fmt.Sprintf("unknown name %q; this expression sees %s", name, list)
		p.Suggestion = diag.Nearest(name, seen)
		for _, record := range value.SortedKeys(e.Records) {
			if _, ok := e.Records[record][name]; ok && p.Suggestion == "" {
				p.Suggestion = record + "." + name
			}
		}
	}
	return p
}

// everVisible are the names that some expression of a flow can see.
var everVisible = map[string]bool{
	"store": true, "params": true, "prep": true, "vars": true, "result": true, "item": true, "index": true,
	"error": true, "attempt": true, "action": true, "run": true,
}

// byteOffset turns an offset in characters into one in bytes.
func byteOffset(src string, runes int) int {
	for i := range src {
		if runes <= 0 {
			return i
		}
		runes--
	}
	return len(src)
}
