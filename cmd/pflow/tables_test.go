package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// TestTables holds the tables of docs/flow-reference.md, docs/nodes.md and docs/api.md to the code they are made from. Each stands
// between "<!-- table: NAME -->" and "<!-- end -->"; -update writes them.
func TestTables(t *testing.T) {
	for file, tables := range map[string]map[string]func(*testing.T) string{
		"flow-reference.md": {
			"keys": keyTables, "ops": opTables, "kinds": kindTable, "findings": findingTable, "functions": functionTable, "exits": exitTable,
		},
		"nodes.md": {"nodes": nodeTables},
		"api.md":   {"calls": callTables},
	} {
		t.Run(file, func(t *testing.T) { holdTables(t, "../../docs/"+file, tables) })
	}
}

func holdTables(t *testing.T, file string, tables map[string]func(*testing.T) string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	between := regexp.MustCompile(`(?s)<!-- table: (\w+) -->\n.*?<!-- end -->`)
	got := between.ReplaceAllStringFunc(page, func(s string) string {
		name := between.FindStringSubmatch(s)[1]
		make := tables[name]
		if make == nil {
			t.Errorf("there is no table %q, or it stands twice", name)
			return s
		}
		delete(tables, name)
		return "<!-- table: " + name + " -->\n" + make(t) + "<!-- end -->"
	})
	for name := range tables {
		t.Errorf("the table %q is missing", name)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(page, got); diff != "" {
		t.Errorf("the tables are not those of the code (-page +code); go test ./cmd/pflow -update writes them:\n%s", diff)
	}
}

// row is one row of a table in Markdown.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func keyTables(*testing.T) string {
	var b strings.Builder
	for _, s := range syntax.Keys() {
		if len(s.Keys) == 0 && s.Other == "" {
			continue // its keys are an op's
		}
		fmt.Fprintf(&b, "\n**%s**: %s\n\n| key | must be | default | |\n|---|---|---|---|\n", s.Name, s.Doc)
		for _, k := range s.Keys {
			def := k.Default
			if k.Required {
				def = "(required)"
			}
			b.WriteString(row(code(k.Name), k.Kind, def, k.Doc))
		}
		if s.Other != "" {
			b.WriteString(row("any: "+s.Names, s.Other, "", ""))
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func opTables(*testing.T) string {
	var b strings.Builder
	ops := (&app{}).host().Ops()
	for _, name := range ops.Names() {
		op := ops.Op(name)
		fmt.Fprintf(&b, "\n**%s**: %s Result: %s.", name, op.Summary, strings.TrimSuffix(op.ResultDoc, "."))
		if len(op.Actions) > 0 {
			fmt.Fprintf(&b, " Actions: %s.", strings.Join(op.Actions, ", "))
		}
		if len(op.Meters) > 0 {
			fmt.Fprintf(&b, " Meters: %s.", strings.Join(op.Meters, ", "))
		}
		if !op.Idempotent {
			b.WriteString(" Not idempotent.")
		}
		if op.OpenPrep {
			b.WriteString(" prep may hold any names.")
		}
		b.WriteString("\n")
		if len(op.Prep)+len(op.With) > 0 {
			b.WriteString("\n| name | type | |\n|---|---|---|\n")
			fields(&b, "prep.", op.Prep)
			fields(&b, "with.", op.With)
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func fields(b *strings.Builder, before string, list []engine.Field) {
	for _, f := range list {
		b.WriteString(row(code(before+f.Name), string(f.Type), f.Doc+fieldNotes(f)))
	}
}

func functionTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| function | | example | gives |\n|---|---|---|---|\n")
	for _, f := range cond.Functions() {
		b.WriteString(row(code(f.Signature), f.Doc, code(f.Example), code(f.Gives)))
	}
	return b.String()
}

// What the prompt for models says of the functions of expressions can be called as it says.
func TestPromptCallsFunctions(t *testing.T) {
	data, err := os.ReadFile("../../prompts/rules.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "Beside what expr has there are ")
	section, _, ok := strings.Cut(section, ".\n")
	calls := regexp.MustCompile(`[a-z_]+\([^)]*\)`).FindAllString(section, -1)
	if !ok || len(calls) < 10 {
		t.Fatalf("the prompt names no functions: %q", section)
	}
	env := &cond.Env{Vars: map[string]value.Type{"x": value.Number, "object": value.Object, "list": value.Array, "rows": value.Array}}
	for _, name := range []string{"text", "date", "from", "to"} {
		env.Vars[name] = value.String
	}
	for _, call := range calls {
		if _, problems := cond.NewCompiler().Compile(cond.Expr, call, env, value.Any); problems != nil {
			t.Errorf("%s: %v", call, problems)
		}
	}
}

// kindTable reads the kinds of errors from their declarations.
func kindTable(t *testing.T) string {
	src, err := parser.ParseFile(token.NewFileSet(), "../../internal/fault/fault.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{}
	for _, d := range src.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			group := "permanent"
			switch k := fault.Kind(text); {
			case k.Final():
				group = "final"
			case k.Temporary():
				group = "temporary"
			}
			groups[group] = append(groups[group], code(text))
		}
	}
	return "| | kinds |\n|---|---|\n" +
		row("temporary: trying again may help", strings.Join(groups["temporary"], " ")+", and any kind that is not named here") +
		row("permanent: the same attempt would fail the same way", strings.Join(groups["permanent"], " ")) +
		row("final: ends the run, whatever the flow says", strings.Join(groups["final"], " "))
}

// findingTable lists the kinds of findings.
func findingTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| kind | |\n|---|---|\n")
	for _, k := range engine.Kinds() {
		b.WriteString(row(code(k.Name), k.Doc))
	}
	return b.String()
}

// exitTable reads the exit statuses from their declarations.
func exitTable(t *testing.T) string {
	src, err := parser.ParseFile(token.NewFileSet(), "../../internal/outcome/outcome.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| status | |\n|---|---|\n")
	for _, d := range src.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			text := "done"
			if spec.Comment != nil {
				text = strings.TrimSpace(spec.Comment.Text())
			}
			b.WriteString(row(spec.Values[0].(*ast.BasicLit).Value, text))
		}
	}
	return b.String()
}

// greeting is the flow that the example of the op flow runs.
const greeting = `flow: greeting
version: 1
state:
  name:     {type: string, required: true}
  greeting: {type: string, default: ""}
nodes:
  greet: {op: eval, prep: {name: store.name}, with: {expr: '"hello " + prep.name'}, post: {greeting: result}, next: end}
`

// TestExamplesOfOps loads and runs the example of every op, as `flow ops OP` shows it.
func TestExamplesOfOps(t *testing.T) {
	a := newApp(strings.NewReader("Ada\n"), io.Discard, io.Discard, func(string) string { return "" })
	ops := a.host().Ops()
	res := a.folders()
	res.Flows = fstest.MapFS{"greeting.yaml": {Data: []byte(greeting)}}
	for _, name := range ops.Names() {
		t.Run(name, func(t *testing.T) {
			l := &engine.Loader{Ops: ops, Resources: res}
			flow, found := l.Load(engine.Document{Kind: engine.FlowDocument, Path: engine.Embedded + name, Data: []byte(ops.Op(name).Example)})
			if len(found) > 0 {
				t.Fatal(found.Text())
			}
			res, err := engine.Execute(t.Context(), flow, nil, engine.Options{})
			if err != nil || res.Status != engine.Done {
				t.Errorf("%v: %v", err, res.Error)
			}
		})
	}
}
