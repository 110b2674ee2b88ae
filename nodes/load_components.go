package nodes

import (
	"context"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/compose"
	"pflow/internal/value"
	"pflow/ir"
)

// loadComponentsOp loads the interfaces of components.
func loadComponentsOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "load-components",
		Summary: "Loads the full interfaces of components by their names; names that the catalogue does not have are told.",
		Prep: []engine.Field{
			{Name: "node_ids", Type: value.Array, Required: true, Doc: "names of node types"},
			{Name: "workflow_names", Type: value.Array, Doc: "names of saved workflows; a name may stand in either list"},
			{Name: "request", Type: value.String, Doc: "what is asked for: decides the order, and what is kept where not all fits the budget"},
		},
		With: []engine.Field{
			{Name: "tokens", Type: value.Integer, Default: 8000, Doc: "the budget of the context"},
			{Name: "schema", Type: value.String, Doc: "the name of the schema document of a reply with a workflow; it is made out for the components"},
			{Name: "warn", Type: value.Boolean, Default: false, Doc: "warn of names that the catalogue does not have"},
		},
		Result: value.Object,
		ResultDoc: "{node_ids, workflow_names: those that there are, best first, unknown: [names], interfaces, context: the interfaces as text for a prompt, " +
			"names: names and descriptions as text, schema: that of the option schema, in which the nodes of a workflow are of these components; null without the option}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: load-components-example
version: 1
description: Load interfaces, one of which there is not.
state:
  unknown: {type: array, default: []}
nodes:
  load:
    op: load-components
    prep: {node_ids: '["no-such-node"]'}
    post: {unknown: result.unknown}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			tokens, warn := option(s, "tokens", 8000), s.Value("warn") == true
			var form *replyForm
			if s.Value("schema") != nil {
				if form = loadReplyForm(s, "schema"); form == nil {
					return nil
				}
			}
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				request, _ := in.Prep["request"].(string)
				chosen, unknown := shelf.choose(append(texts(in.Prep["node_ids"]), texts(in.Prep["workflow_names"])...))
				if warn && len(unknown) > 0 && d.Log != nil {
					d.Log("warning", "dropped, since the catalogue does not have it: "+strings.Join(texts(unknown[:min(10, len(unknown))]), ", "))
				}
				if request != "" {
					read, err := d.readings.Read(ctx, request, in.Now)
					if err != nil {
						return engine.Output{}, err
					}
					if err := shelf.sortByFit(ctx, chosen, compose.Masked(read)); err != nil {
						return engine.Output{}, err
					}
				}
				nodeIDs, workflows, interfaces := []any{}, []any{}, []any{}
				for _, c := range chosen {
					if c.Workflow {
						workflows = append(workflows, c.Name)
					} else {
						nodeIDs = append(nodeIDs, c.Name)
					}
					interfaces = append(interfaces, shelf.interfaceValue(c))
				}
				var schema any
				if form != nil {
					if schema, err = form.of(chosen); err != nil {
						return engine.Output{}, err
					}
				}
				o := catalogue.ContextOptions{Tokens: tokens, Request: request}
				return engine.Output{Result: map[string]any{
					"node_ids": nodeIDs, "workflow_names": workflows, "unknown": unknown, "interfaces": interfaces,
					"context": catalogue.Planning(chosen, o).Text, "names": catalogue.Discovery(chosen, o).Text,
					"schema": schema,
				}}, nil
			}
		},
	}
}

// choose looks names up, each once.
func (s *candidates) choose(names []string) (chosen []*ir.Interface, unknown []any) {
	unknown = []any{}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		if c := s.Catalogue.Get(name); c != nil {
			chosen = append(chosen, c)
		} else {
			unknown = append(unknown, name)
		}
	}
	return chosen, unknown
}

// sortByFit puts the components that fit a request best first; those that fit equally well keep their order.
func (s *candidates) sortByFit(ctx context.Context, list []*ir.Interface, request string) error {
	fit := map[string]float64{}
	types, err := s.typeIndex().Rank(ctx, request)
	if err != nil {
		return err
	}
	for _, r := range types {
		fit[r.Name] = r.Confidence
	}
	var places []int
	for _, c := range list {
		if c.Workflow {
			if n := s.place(c.Name); n >= 0 {
				places = append(places, n)
			}
		}
	}
	if len(places) > 0 {
		index, err := s.workflowIndex()
		if err != nil {
			return err
		}
		_, workflows, err := index.ByWords(ctx, request, 0, places)
		if err != nil {
			return err
		}
		for _, r := range workflows {
			fit[r.Name] = r.Confidence
		}
	}
	slices.SortStableFunc(list, func(a, b *ir.Interface) int {
		switch {
		case fit[a.Name] > fit[b.Name]:
			return -1
		case fit[a.Name] < fit[b.Name]:
			return 1
		}
		return 0
	})
	return nil
}
