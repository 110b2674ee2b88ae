package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/compose"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// browseComponentsOp finds components of the catalogue for a request.
func browseComponentsOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "browse-components",
		Summary: "Ranks the components of the catalogue by the words of a request and loads the interfaces of the best.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "now", Type: value.Any, Doc: "the date that relative words count from; the run's own if not given"},
		},
		With: []engine.Field{
			{Name: "most", Type: value.Integer, Default: 30, Doc: "how many to choose"},
			{Name: "tokens", Type: value.Integer, Default: 4000, Doc: "the budget of the context"},
			{Name: "skip_failed", Type: value.Boolean, Default: false, Doc: "leave out saved workflows that, as they are now, never ran well and whose last run failed with an error of a permanent kind"},
			{Name: "interfaces", Type: value.Boolean, Default: true, Doc: "whether to load the interfaces; false leaves the list empty"},
		},
		Result: value.Object,
		ResultDoc: "{ranked: [{name, confidence, reason}] best first, node_ids, workflow_names: those chosen, interfaces: theirs, " +
			"context: names and descriptions as text, evidence: [{name, confidence, terms: [{word, weight}], example: {request, alike} or null}] " +
			"of the first five: the words that spoke for each, and the approved request that is most alike}",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: browse-components-example
version: 1
description: Find what a request needs.
state:
  request: {type: string, default: copy a file}
  chosen:  {type: array, default: []}
nodes:
  browse:
    op: browse-components
    prep: {request: store.request}
    with: {most: 5}
    post: {chosen: result.node_ids}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			most, tokens, load := option(s, "most", 30), option(s, "tokens", 4000), s.Value("interfaces") != false
			skip := s.Value("skip_failed") == true
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				request, _ := in.Prep["request"].(string)
				read, err := d.reading(ctx, request, in.Prep["now"], in.Now)
				if err != nil {
					return engine.Output{}, err
				}
				fits, err := shelf.rankComponents(ctx, compose.Masked(read), most)
				if err != nil {
					return engine.Output{}, err
				}
				evidence, err := shelf.fitEvidence(fits, compose.Masked(read))
				if err != nil {
					return engine.Output{}, err
				}
				var ranked []retrieve.Ranked
				for _, f := range fits {
					ranked = append(ranked, f.Ranked)
				}
				nodeIDs, workflows, interfaces := []any{}, []any{}, []any{}
				var chosen []*ir.Interface
				for _, f := range fits[:min(most, len(fits))] {
					if f.Confidence == 0 && shelf.Catalogue.Len() > most {
						break // a small catalogue is browsed as a whole: words are not all that tells what is of use
					}
					if skip && f.record != nil && neverWell(f.record) != "" {
						continue
					}
					c := shelf.component(f)
					if c.Workflow {
						workflows = append(workflows, c.Name)
					} else {
						nodeIDs = append(nodeIDs, c.Name)
					}
					if load {
						interfaces = append(interfaces, shelf.interfaceValue(c))
					}
					chosen = append(chosen, c)
				}
				return engine.Output{Result: map[string]any{
					"ranked": rankedValue(ranked, most), "node_ids": nodeIDs, "workflow_names": workflows, "interfaces": interfaces, "evidence": evidence,
					"context": catalogue.Discovery(chosen, catalogue.ContextOptions{Tokens: tokens, Request: request}).Text,
				}}, nil
			}
		},
	}
}

// option gives an integer option.
func option(s *engine.Setup, name string, otherwise int) int {
	if n, ok := s.Value(name).(int); ok {
		return n
	}
	return otherwise
}
