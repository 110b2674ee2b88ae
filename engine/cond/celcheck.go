package cond

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// celProblems reads what CEL's parser or checker found.
func celProblems(src string, issues *cel.Issues) []Problem {
	var out []Problem
	for _, e := range issues.Errors() {
		at := 0
		if line, col := e.Location.Line(), e.Location.Column(); line > 0 {
			at = placeOffset(src, line, col)
		}
		out = append(out, Problem{Kind: BadExpression, Offset: at, Message: celPlain(e.Message)})
		if strings.HasPrefix(e.Message, "Syntax error") {
			break // what follows the first is mostly its echo
		}
	}
	return out
}

// placeOffset turns a line, from 1, and a column in characters, from 0, into an offset in bytes.
func placeOffset(src string, line, col int) int {
	at := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(src[at:], '\n')
		if n < 0 {
			return len(src)
		}
		at += n + 1
	}
	return at + byteOffset(src[at:], col)
}

// openBranches makes the branches of c ? a : b any where they have two types, which CEL refuses and expr allows. It
// reports whether that is all that is wrong.
func (r *celResolver) openBranches(issues *cel.Issues) bool {
	ids := map[int64]bool{}
	for _, e := range issues.Errors() {
		m := noOverload.FindStringSubmatch(e.Message)
		if m == nil || m[1] != operators.Conditional {
			return false
		}
		if cond := splitTypes(m[3])[0]; cond != "bool" && cond != "dyn" {
			return false
		}
		ids[e.ExprID] = true
	}
	opened := false
	ast.PostOrderVisit(r.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || !ids[e.ID()] {
			return
		}
		args := e.AsCall().Args()
		for i := 1; i < 3; i++ {
			if args[i].Kind() == ast.CallKind && args[i].AsCall().FunctionName() == "dyn" {
				continue
			}
			args[i] = r.fac.NewCall(r.id(args[i]), "dyn", args[i])
			opened = true
		}
		r.call(e, operators.Conditional, args...)
	}))
	return opened
}

var operatorNames = map[string]string{
	"@add": "+", "@sub": "-", "@mul": "*", "@div": "/", "@mod": "%", "@lt": "<", "@le": "<=", "@gt": ">", "@ge": ">=",
	"@among": "in", "@eq": "==", "@ne": "!=", "_&&_": "&&", "_||_": "||",
}

var noOverload = regexp.MustCompile(`^found no matching overload for '([^']+)' applied to '(?:(.+)\.)?\((.*)\)'`)

// celPlain puts a message of CEL's into the words of the flow language, on one line.
func celPlain(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	if m := noOverload.FindStringSubmatch(message); m != nil {
		return celOverload(m[1], m[2], splitTypes(m[3]))
	}
	if m := wrongType.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("want %s, got %s", celTypeName(m[1]), celTypeName(m[2]))
	}
	for _, w := range celWording {
		message = w.from.ReplaceAllString(message, w.to)
	}
	return message
}

var wrongType = regexp.MustCompile(`^expected type '(.+)' but found '(.+)'$`)

var celWording = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^Syntax error: `), ``},
	{regexp.MustCompile(`^ERROR: \S+ `), ``},
	{regexp.MustCompile(` expecting (\{.*\}|IDENTIFIER)$`), ``},
	{regexp.MustCompile(`^mismatched input '<EOF>'$|^no viable alternative at input '<EOF>'$`), `unexpected end of the expression`},
	{regexp.MustCompile(`^(mismatched|extraneous) input (.*)$`), `unexpected $2`},
	{regexp.MustCompile(`^token recognition error at: `), `unexpected `},
	{regexp.MustCompile(`^no viable alternative at input `), `unexpected `},
	{regexp.MustCompile(`^undeclared reference to '([^']*)' \(in container ''\)$`), `unknown name "$1"`},
	{regexp.MustCompile(`^unexpected '\s*(.*?)\s*'$`), `unexpected $1`},
	{regexp.MustCompile(`unexpected '(.*)'$`), `unexpected "$1"`},
	{regexp.MustCompile(`^invalid int literal$`), `the number does not fit in 64 bits`},
	{regexp.MustCompile(`^no such overload.*$`), `the operation does not fit its values`},
	{regexp.MustCompile(`@result`), `the macro's result`},
}

// celOverload says that an operation does not fit the types of its operands.
func celOverload(name, target string, args []string) string {
	for i, arg := range args {
		args[i] = celTypeName(arg)
	}
	op := operatorNames[name]
	switch {
	case name == "@member" || name == "@ask" || name == "@has":
		switch {
		case args[0] == "array":
			return "a list is indexed by an integer, not by " + args[1]
		case args[0] == "object":
			return "a member of an object is named by a string, not by " + args[1]
		}
		return withArticle(args[0]) + " has no members"
	case op != "" && len(args) == 2:
		return fmt.Sprintf("cannot compute %s %s %s%s", args[0], op, args[1], textAdvice(op, args[0], args[1]))
	case name == "@neg":
		return "cannot apply - to " + args[0]
	case name == "!_":
		return "cannot apply ! to " + args[0]
	case name == "_?_:_" && args[0] != "boolean" && args[0] != "any":
		return "a condition must be boolean, got " + args[0]
	case name == "_?_:_":
		return fmt.Sprintf("both branches of ? : must have one type, got %s and %s; dyn(x) opens one", args[1], args[2])
	case name == "@iter":
		return "this takes a list or an object, got " + args[0]
	case name == "@replace":
		name, target, args = "replace", args[0], args[1:]
	case name == "@join" || name == "@distinct":
		name, target, args = ownName(name), args[0], args[1:]
	case name == "@int" || name == "@double":
		name = ownName(name)
	case name == "@text":
		name = "string"
	case name == "@greatest" || name == "@least":
		name = "math." + ownName(name)
	case name == "@value":
		return "value() reads an optional, not " + args[0]
	case name == "@range":
		name = "lists.range"
	}
	if target != "" {
		return fmt.Sprintf("%s.%s does not take (%s)", celTypeName(target), name, strings.Join(args, ", "))
	}
	return fmt.Sprintf("%s does not take (%s)", name, strings.Join(args, ", "))
}

// splitTypes parts "int, map(string, dyn)" at its outer commas.
func splitTypes(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

// celTypeName is the flow language's name of a type of CEL's.
func celTypeName(name string) string {
	base, _, _ := strings.Cut(name, "(")
	switch base {
	case "bool":
		return "boolean"
	case "int", "uint":
		return "integer"
	case "double":
		return "number"
	case "list":
		return "array"
	case "map":
		return "object"
	case "null", "null_type":
		return "null"
	case "dyn", "any":
		return "any"
	case "optional_type":
		return "optional"
	}
	return name
}

// celMismatches finds comparisons of what can never be equal, which @eq takes so that an integer may meet a number. expr's
// checker refuses the same ones.
func celMismatches(src string, tree *ast.AST) []Problem {
	var out []Problem
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		call := e.AsCall()
		name := call.FunctionName()
		if name != "@eq" && name != "@ne" {
			return
		}
		a, b := comparable(tree.GetType(call.Args()[0].ID())), comparable(tree.GetType(call.Args()[1].ID()))
		if a == "" || b == "" || a == b || numeric(a) && numeric(b) {
			return
		}
		at := 0
		if o, ok := tree.SourceInfo().GetOffsetRange(e.ID()); ok {
			at = byteOffset(src, int(o.Start))
		}
		message := fmt.Sprintf("cannot compute %s %s %s", a, operatorNames[name], b)
		if a == "optional" || b == "optional" {
			message = "an optional is no value to compare; read it with .orValue(…)"
		}
		out = append(out, Problem{Kind: BadExpression, Offset: at, Message: message})
	}))
	return out
}

func numeric(name string) bool { return name == "integer" || name == "number" }

// comparable is the name of a type that only equals its own, or "".
func comparable(t *types.Type) string {
	switch {
	case t == nil:
		return ""
	case isOptional(t):
		return "optional"
	}
	switch t.Kind() {
	case types.BoolKind, types.IntKind, types.DoubleKind, types.StringKind, types.ListKind, types.MapKind:
		return celTypeName(t.String())
	}
	return ""
}

func isOptional(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type"
}
