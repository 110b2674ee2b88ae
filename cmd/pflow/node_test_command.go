package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
	"pflow/nodes"
)

// nodeReport is one example of `node test --json`.
type nodeReport struct {
	Node   string   `json:"node"`
	Name   string   `json:"name"`
	Pass   bool     `json:"pass"`
	Left   string   `json:"left,omitempty"` // why it was not run
	Faults []string `json:"faults"`
}

// nodeExample is an example of a node, or of a form of it.
type nodeExample struct {
	node *ir.Interface
	name string
	catalogue.Example
}

func (a *app) nodeTestCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "test FILE|NAME...",
		Short: "Run the examples of declared nodes, and of forms",
		Long: `Run the examples of declared nodes, and those of forms, each in an empty folder that is removed afterwards. An example gives params
and perhaps files, and says which outputs and files come of it. FILE is a file of declarations; NAME a node that is declared in your
home or shipped as a declaration. What may destroy something runs with --yes=destructive alone. Exit status 1 if an example fails.`,
		Example:           "  pflow node test words.yaml\n  pflow node test count-words --json",
		Args:              some("a file of declared nodes, or the name of one"),
		ValidArgsFunction: a.completeNodes,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			reports := []nodeReport{}
			for _, arg := range args {
				examples, on, err := a.nodeExamples(c.Context(), arg)
				if err != nil {
					return err
				}
				for _, e := range examples {
					r, err := a.runExample(on.Within(c.Context()), e, f.says(yesDestructive))
					if err != nil {
						return err
					}
					a.showNodeReport(r)
					reports = append(reports, r)
				}
			}
			return a.sumUp(reports)
		},
	}
	f.approval(c, "--yes=destructive also runs what may destroy something")
	a.nodeFlags(c)
	return c
}

func (a *app) sumUp(reports []nodeReport) error {
	passed, failed, left := 0, 0, 0
	for _, r := range reports {
		switch {
		case r.Left != "":
			left++
		case r.Pass:
			passed++
		default:
			failed++
		}
	}
	if a.asJSON {
		if err := a.printJSON(map[string]any{"schema": "pflow.nodetest/v1", "passed": passed, "failed": failed, "left": left, "examples": reports}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.stdout, "%d passed, %d failed", passed, failed)
		if left > 0 {
			fmt.Fprintf(a.stdout, ", %d not run", left)
		}
		fmt.Fprintln(a.stdout)
	}
	switch {
	case failed > 0:
		return fail(exitFailed, "%s failed", count(failed, "example"))
	case left > 0:
		return fail(exitDeclined, "%s may destroy something; run also those with --yes=destructive", count(left, "example"))
	}
	return nil
}

func (a *app) showNodeReport(r nodeReport) {
	switch {
	case a.asJSON || r.Pass && a.quiet:
	case r.Left != "":
		fmt.Fprintf(a.stdout, "left %s: %s: %s\n", r.Node, r.Name, r.Left)
	case r.Pass:
		fmt.Fprintf(a.stdout, "ok   %s: %s\n", r.Node, r.Name)
	default:
		fmt.Fprintf(a.stdout, "FAIL %s: %s\n", r.Node, r.Name)
		for _, f := range r.Faults {
			fmt.Fprintf(a.stdout, "     %s\n", f)
		}
	}
}

// nodeExamples are the examples that an argument names, and what they run on: a file is tested on what every pflow has, as if
// nothing else were declared.
func (a *app) nodeExamples(ctx context.Context, arg string) ([]nodeExample, *shelf.Shelf, error) {
	var out []nodeExample
	if !engine.IsPath(arg) {
		i, err := a.findNode(ctx, arg)
		if err != nil {
			return nil, nil, err
		}
		on, err := a.shelfOf(ctx)
		if err != nil {
			return nil, nil, err
		}
		if d := on.Declared[arg]; d != nil {
			out = examplesOf(i, d.Examples, i.Forms)
		} else {
			out = examplesOf(i, nil, i.Forms)
		}
		if len(out) == 0 {
			return nil, nil, usage("%s has no examples; a declared node says them under examples, a form with example and gives", arg)
		}
		return out, on, nil
	}
	pack, found, err := catalogue.ReadFile(arg)
	if err != nil {
		return nil, nil, usage("%s", fileError(err))
	}
	on, more, err := shelf.Gather(shelf.Sources{Builtin: a.builtin(), Shipped: nodes.Packs().Declared, Files: []string{arg}, FilesBy: "node test"})
	if err != nil {
		return nil, nil, usage("%v", err)
	}
	if len(more) > 0 || len(found) > 0 {
		a.showFindings(more)
		return nil, nil, usage("%s is not as it should be; mend it first", arg)
	}
	for _, d := range pack.Declared {
		out = append(out, examplesOf(on.Catalogue.Get(d.Interface.Name), d.Examples, d.Interface.Forms)...)
	}
	for _, e := range pack.Extensions {
		out = append(out, examplesOf(on.Catalogue.Get(e.Of), nil, e.Forms)...)
	}
	if len(out) == 0 {
		return nil, nil, usage("%s has no examples; a declared node says them under examples: [{params: {…}, outputs: {…}}]", arg)
	}
	return out, on, nil
}

// examplesOf lists the examples of a node and of forms of it that say what comes of them.
func examplesOf(i *ir.Interface, own []catalogue.Example, forms []ir.Form) []nodeExample {
	var out []nodeExample
	for n, e := range own {
		name := e.Says
		if name == "" {
			name = fmt.Sprintf("example %d", n+1)
		}
		out = append(out, nodeExample{i, name, e})
	}
	for n := range forms {
		if f := &forms[n]; f.Gives != nil {
			out = append(out, nodeExample{i, f.Shown(), catalogue.Example{Params: f.Fill(f.Example), Outputs: f.Gives}})
		}
	}
	return out
}

// runExample runs an example in a folder of its own.
func (a *app) runExample(ctx context.Context, e nodeExample, destructive bool) (nodeReport, error) {
	r := nodeReport{Node: e.node.Name, Name: e.name, Faults: []string{}}
	fault := func(format string, args ...any) { r.Faults = append(r.Faults, fmt.Sprintf(format, args...)) }
	dir, err := os.MkdirTemp("", "pflow-example-")
	if err != nil {
		return r, fail(exitFailed, "%s", fileError(err))
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range value.SortedKeys(e.Files) {
		if err := placeExample(dir, name, e.Files[name]); err != nil {
			fault("files: %v", err)
			return r, nil
		}
	}
	params := map[string]any{}
	for k, v := range e.Params {
		if port, known := e.node.Param(k); known && port.Raw {
			params[k] = v
		} else {
			params[k] = literal(v)
		}
	}
	program, store, err := a.exampleProgram(ctx, dir, e.node, params)
	if err != nil {
		fault("%s", strings.TrimSpace(err.Error()))
		return r, nil
	}
	foreseen := program.DryRun(store)
	if d := foreseen.Destructive(); len(d) > 0 && !destructive {
		r.Left = d[0].Why
		return r, nil
	}
	program.Grant(foreseen, true)
	got, err := program.Run(ctx, store, workflow.Options{Approve: func(context.Context, workflow.Approval) bool { return true }})
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	switch {
	case err != nil:
		fault("it did not run: %v", err)
	case got.Error != nil:
		fault("it fails: %s", got.Error.Message)
	case got.Status != workflow.Done:
		fault("it ends as %s", got.Status)
	}
	if len(r.Faults) > 0 {
		return r, nil
	}
	for _, key := range value.SortedKeys(e.Outputs) {
		want, err := value.Normalize(e.Outputs[key])
		if v, there := got.Outputs[key]; err != nil || !there || !value.Equal(v, want) {
			fault("outputs.%s: want %s, got %s", key, value.JSON(e.Outputs[key]), value.JSON(v))
		}
	}
	for _, name := range value.SortedKeys(e.After) {
		data, err := os.ReadFile(filepath.Join(dir, name)) // #nosec G304
		if err != nil {
			fault("after: %s: %v", name, reason(err))
		} else if string(data) != e.After[name] {
			fault("after: %s: want %s, got %s", name, value.JSON(e.After[name]), value.JSON(string(data)))
		}
	}
	r.Pass = len(r.Faults) == 0
	return r, nil
}

// exampleProgram compiles a workflow of one node that works in a folder.
func (a *app) exampleProgram(ctx context.Context, dir string, i *ir.Interface, params map[string]any) (*workflow.Program, map[string]any, error) {
	w := &ir.Workflow{Version: "0.1.0", Nodes: []ir.Node{{ID: nodeID(i.Name), Type: i.Name, Params: params}}, Edges: []ir.Edge{}, Inputs: []ir.Input{}}
	on, err := a.shelfOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, found := workflow.Check(w.Encode(), on.Catalogue, a.nodeTypes(), ir.Options{}); found.HasErrors() {
		return nil, nil, found.Err()
	}
	program, found := workflow.Compile(workflow.Source{Name: i.Name, Workflow: w}, workflow.Env{Catalogue: on.Catalogue, Types: a.nodeTypes(), Declared: on.Declared,
		Dir: dir, Getenv: a.getenv, Keys: a.host().KeyVariables(), Load: a.host().Called(on, dir), Flow: a.host().Flows(engine.NewRecording(a.folders()))})
	if err := found.Err(); err != nil {
		return nil, nil, err
	}
	store, _, err := program.Bind(workflow.Given{})
	return program, store, err
}

// placeExample writes a file of an example, which stays inside its folder.
func placeExample(dir, name, text string) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%s: want a path inside the folder of the example", name)
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
