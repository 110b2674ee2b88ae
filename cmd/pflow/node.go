package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/internal/catalogue"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/printable"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

func (a *app) nodeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "node",
		Short:   "List, show, search and run what workflows are made of",
		Long:    `A node type is what a node of a workflow runs: built-in, or declared in a YAML file in the folder nodes of your home.`,
		Example: "  pflow node list\n  pflow node show shell\n  pflow node run read-file file_path=README.md",
	}
	c.AddCommand(a.nodeEjectCommand(), a.nodeListCommand(), a.nodeNewCommand(), a.nodeRemoveCommand(), a.nodeRunCommand(), a.nodeSearchCommand(), a.nodeShowCommand(), a.nodeTestCommand())
	return c
}

// nodeItem is one component of `node list --json`.
type nodeItem struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Effects     []string `json:"effects"`
	Origin      string   `json:"origin"`
	PlanOnly    bool     `json:"plan_only"`
}

// builtinOrigin is where the node types come from that are written in Go.
const builtinOrigin = "built-in"

func item(i *ir.Interface) nodeItem {
	out := nodeItem{Name: i.Name, Description: i.Description, Effects: []string{}, Origin: i.Origin, PlanOnly: i.PlanOnly}
	if out.Origin == "" {
		out.Origin = builtinOrigin
	}
	for _, e := range i.Effects {
		out.Effects = append(out.Effects, string(e))
	}
	return out
}

// nodeInterfaces lists the node types; saved workflows are listed by `workflow list`.
func (a *app) nodeInterfaces(ctx context.Context) ([]*ir.Interface, error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return nil, err
	}
	return shelf.Catalogue.NodeTypes(), nil
}

func (a *app) printNodes(schema string, list []*ir.Interface, none string) error {
	items := []nodeItem{}
	for _, i := range list {
		items = append(items, item(i))
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": schema, "nodes": items})
	}
	if len(items) == 0 && !a.quiet {
		fmt.Fprintln(a.stderr, none)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, i := range items {
		origin := ""
		if i.Origin != builtinOrigin {
			origin = " [" + printable.Line(i.Origin) + "]"
		}
		fmt.Fprintf(w, "%s\t%s%s\n", printable.Line(i.Name), oneLine(i.Description), origin)
	}
	return w.Flush()
}

func (a *app) nodeListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the node types",
		Example: "  pflow node list\n  pflow node list --json",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := a.nodeInterfaces(c.Context())
			if err != nil {
				return err
			}
			return a.printNodes("pflow.nodes/v1", list, "there are no nodes; --no-builtin leaves the built-in ones out, --nodes FILE adds declared ones")
		},
	}
	a.nodeFlags(c)
	return c
}

func (a *app) nodeSearchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "search WORDS...",
		Short:   "Find node types by what they do, the best first",
		Example: "  pflow node search copy a file\n  pflow node search http --json",
		Args:    some("the words to look for"),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := a.nodeInterfaces(c.Context())
			if err != nil {
				return err
			}
			query := strings.Join(args, " ")
			found := searchNodes(list, query)
			return a.printNodes("pflow.nodes/v1", found, fmt.Sprintf("no node type says anything of %q; pflow node list shows them all", query))
		},
	}
	a.nodeFlags(c)
	return c
}

// searchNodes finds components by what they do, the best first, at most 10.
func searchNodes(list []*ir.Interface, query string) []*ir.Interface {
	docs := make([]catalogue.Doc, len(list))
	for i := range list {
		docs[i] = catalogue.Document(list[i])
	}
	var found []*ir.Interface
	for _, i := range catalogue.BM25(query, docs) {
		if len(found) < 10 && shares(query, docs[i]) {
			found = append(found, list[i])
		}
	}
	return found
}

// shares reports whether any word of a query, or the beginning of one, stands in a document.
func shares(query string, d catalogue.Doc) bool {
	text := strings.ToLower(d.Name + " " + d.Text)
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if stem := strings.TrimRight(w, "s"); len(stem) > 2 && strings.Contains(text, stem) || strings.EqualFold(w, d.Name) {
			return true
		}
	}
	return false
}

// findNode gives the interface of a component.
func (a *app) findNode(ctx context.Context, name string) (*ir.Interface, error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return nil, err
	}
	if i := shelf.Catalogue.Get(name); i != nil {
		return i, nil
	}
	if why, skipped := shelf.Catalogue.Skipped(name); skipped {
		return nil, usage("the node %q %s", name, why)
	}
	return nil, absent(name, shelf.Catalogue.Names(), "pflow node list", "there is no node type %q", name)
}

func (a *app) completeNodes(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	a.use(c)
	shelf, err := a.shelfOf(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return shelf.Catalogue.Names(), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) nodeShowCommand() *cobra.Command {
	c := &cobra.Command{
		Use:               "show TYPE",
		Short:             "Show what a node type takes, gives and does",
		Example:           "  pflow node show write-file\n  pflow node show http --json",
		Args:              one("a node type"),
		ValidArgsFunction: a.completeNodes,
		RunE: func(c *cobra.Command, args []string) error {
			i, err := a.findNode(c.Context(), args[0])
			if err != nil {
				return err
			}
			if a.asJSON {
				d := workflow.Describe(i)
				d["schema"], d["origin"] = "pflow.node/v1", item(i).Origin
				return a.printJSON(d)
			}
			_, err = io.WriteString(a.stdout, catalogue.Planning([]*ir.Interface{i}, catalogue.ContextOptions{}).Text)
			return err
		},
	}
	a.nodeFlags(c)
	return c
}

func (a *app) nodeRunCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run TYPE [key=value...]",
		Short: "Run one node alone",
		Long: `Run one node alone, with the params that key=value or --key=value give; they are read as the types of its interface, and
nothing in them is a template. Its outputs go to standard output.`,
		Example:            "  pflow node run read-file file_path=README.md\n  pflow node run template 'template=Hello' --json",
		ValidArgsFunction:  a.completeNodes,
		DisableFlagParsing: true, // flags may be params of the node
		RunE: func(c *cobra.Command, args []string) error {
			in, err := f.read(a, c, args, "pflow node run: name a node type; pflow node list shows those there are")
			if err != nil || in == nil {
				return err
			}
			i, err := a.findNode(c.Context(), in.subject)
			if err != nil {
				return err
			}
			w, err := nodeWorkflow(i, in)
			if err != nil {
				return err
			}
			l, err := a.compileWorkflow(c.Context(), library.NewRecord(i.Name, w.Encode(), w), workflow.Source{Name: i.Name, Workflow: w})
			if err != nil {
				return err
			}
			in.inputs = nil
			return a.runLoaded(c.Context(), l, in, f)
		},
	}
	f.approval(c, "--yes=destructive allows what destroys")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the params and run nothing")
	a.nodeFlags(c)
	return c
}

// nodeWorkflow is the workflow of one node whose params a command line gives.
func nodeWorkflow(i *ir.Interface, in *invocation) (*ir.Workflow, error) {
	n := ir.Node{ID: nodeID(i.Name), Type: i.Name, Params: map[string]any{}}
	for _, pair := range in.inputs {
		port, known := i.Param(pair[0])
		if !known && !i.OpenParams {
			hint := didYouMean(pair[0], i.ParamKeys())
			if hint == "" {
				hint = "; it takes: " + diag.Names(i.ParamKeys(), 20)
			}
			return nil, usage("%s has no param %q%s", i.Name, pair[0], hint)
		}
		if !known {
			port = &ir.Port{Key: pair[0], Type: value.Any}
		}
		v, err := workflow.ParseInput(ir.Input{Name: port.Key, Type: port.Type}, pair[1])
		if err != nil {
			return nil, usage("%v", err)
		}
		if !port.Raw {
			v = literal(v)
		}
		n.Params[port.Key] = v
	}
	return &ir.Workflow{Version: "0.1.0", Nodes: []ir.Node{n}, Edges: []ir.Edge{}, Inputs: []ir.Input{}}, nil
}

// nodeID is the id of a node that runs a component alone.
func nodeID(component string) string { return strings.ReplaceAll(component, ".", "-") }

// literal writes a value so that nothing in it is a template.
func literal(v any) any {
	switch v := v.(type) {
	case string:
		return ir.Escape(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = literal(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = literal(item)
		}
		return out
	}
	return v
}
