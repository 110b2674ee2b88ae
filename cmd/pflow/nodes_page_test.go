package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
	"pflow/nodes"
)

// nodeTables describes the built-in node types, with what they take and write.
func nodeTables(*testing.T) string {
	var b strings.Builder
	for i, t := range nodes.Types(nodes.Deps{}) {
		if i > 0 {
			b.WriteString("\n")
		}
		nodeTable(&b, t)
	}
	return b.String()
}

func nodeTable(b *strings.Builder, t nodetype.Type) {
	i := t.Interface
	fmt.Fprintf(b, "### %s\n\n%s", i.Name, i.Description)
	var effects []string
	for _, e := range i.Effects {
		effects = append(effects, code(string(e)))
	}
	if len(effects) > 0 {
		fmt.Fprintf(b, " Effects: %s.", strings.Join(effects, ", "))
	}
	if i.Cases != "" {
		fmt.Fprintf(b, " Actions: those that %s names.", code(i.Cases))
	}
	b.WriteString("\n\n| | type | |\n|---|---|---|\n")
	for _, p := range append(slices.Clone(i.Inputs), i.OnlyParams()...) {
		b.WriteString(row(code(p.Key), portType(p), plainText(p.Description)+portNotes(p)))
	}
	for _, p := range i.Outputs {
		b.WriteString(row("→ "+code(p.Key), portType(p), plainText(p.Description)))
	}
	if i.OpenOutputs {
		b.WriteString(row("→ …", "any", "What else it writes is known when it has run."))
	}
	fmt.Fprintf(b, "\nparams %s", code(value.JSON(t.Example.Params)))
	if len(t.Example.Outputs) > 0 {
		fmt.Fprintf(b, " give %s", code(value.JSON(t.Example.Outputs)))
	}
	b.WriteString("\n")
	if n := len(i.Forms); n > 0 {
		forms := "forms"
		if n == 1 {
			forms = "form"
		}
		fmt.Fprintf(b, "\n%d %s, such as: %s params %s\n", n, forms, i.Forms[0].Shown(), code(value.JSON(i.Forms[0].With)))
	}
}

// plainText keeps stars from being read as emphasis.
func plainText(s string) string { return strings.ReplaceAll(s, "*", `\*`) }

func portType(p ir.Port) string {
	if p.Enum == nil {
		return string(p.Type)
	}
	var of []string
	for _, v := range p.Enum {
		of = append(of, code(value.JSON(v)))
	}
	return strings.Join(of, ", ")
}

func portNotes(p ir.Port) string {
	switch {
	case p.Required:
		return " (required)"
	case p.Default != nil:
		return " (default: " + code(value.JSON(p.Default)) + ")"
	}
	return ""
}

// TestKeyTables holds the tables of keys of docs/workflow-reference.md and docs/nodes.md to what reads the documents:
// every key has its row, and no other.
func TestKeyTables(t *testing.T) {
	for file, want := range map[string]map[string][]string{
		"workflow-reference.md": keysRead(t, "../../ir", "field"),
		"nodes.md":              keysRead(t, "../../internal/catalogue", "Fields"),
	} {
		data, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "nodes.md" { // what run may be is no mapping of the reader's
			want["run"] = []string{"flow", "http", "mcp", "shell"}
		}
		got := map[string][]string{}
		for _, table := range regexp.MustCompile(`<!-- keys: (\w+) -->\n((?:\|.*\n)+)`).FindAllStringSubmatch(string(data), -1) {
			for _, key := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(table[2], -1) {
				got[table[1]] = append(got[table[1]], key[1])
			}
			slices.Sort(got[table[1]])
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s does not have the keys that are read (-page +code):\n%s", file, diff)
		}
	}
}

// keysRead finds what the readers of documents in a package call a mapping, and its keys: the calls of object and Mapping
// with a literal of the type named.
func keysRead(t *testing.T, dir, literal string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, file := range files {
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(source, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			list, ok := call.Args[len(call.Args)-1].(*ast.CompositeLit)
			name, isText := call.Args[len(call.Args)-2].(*ast.BasicLit)
			if !ok || !isText || !typeEndsWith(list.Type, literal) {
				return true
			}
			var keys []string
			for _, e := range list.Elts {
				first := ast.Expr(nil)
				switch e := e.(type) {
				case *ast.CompositeLit:
					first = e.Elts[0]
				case *ast.KeyValueExpr:
					first = e.Key
				}
				if lit, ok := first.(*ast.BasicLit); ok {
					key, _ := strconv.Unquote(lit.Value)
					keys = append(keys, key)
				}
			}
			slices.Sort(keys)
			what, _ := strconv.Unquote(name.Value)
			out[mappingName(what)] = keys
			return true
		})
	}
	if len(out) == 0 {
		t.Fatalf("%s reads no mapping", dir)
	}
	return out
}

// mappingName is the name of a mapping's table: a port is read as "{key, type, …}".
func mappingName(what string) string {
	switch {
	case strings.HasPrefix(what, "{key"):
		return "port"
	case strings.HasPrefix(what, "{says"):
		return "form"
	case strings.HasPrefix(what, "an example"):
		return "example"
	case strings.HasPrefix(what, "forms of"):
		return "forms"
	case strings.HasPrefix(what, "a node"):
		return "node"
	}
	return what
}

func typeEndsWith(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == name
	case *ast.SelectorExpr:
		return e.Sel.Name == name
	case *ast.ArrayType:
		return typeEndsWith(e.Elt, name)
	}
	return false
}
