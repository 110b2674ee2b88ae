package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/ir"
)

// loadWorkflowOp loads one saved workflow.
func loadWorkflowOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "load-workflow",
		Summary: "Loads a saved workflow by its name and checks that it still is valid.",
		Prep: []engine.Field{
			{Name: "name", Type: value.Any, Required: true, Doc: "the name; null or \"\" loads nothing"},
		},
		Result:     value.Object,
		ResultDoc:  "{record: {name, description, keywords, version, ir}, null if there is none or it is no longer valid, problem: why}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: load-workflow-example
version: 1
description: Load a workflow that may not be there.
state:
  name:    {type: string, default: fix-issue}
  record:  {type: any, default: null}
  problem: {type: string, default: ""}
nodes:
  load:
    op: load-workflow
    prep: {name: store.name}
    post: {record: result.record, problem: result.problem}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				name, _ := in.Prep["name"].(string)
				record, problem, err := shelf.load(name)
				return engine.Output{Result: map[string]any{"record": record, "problem": problem}}, err
			}
		},
	}
}

// load gives the record of a saved workflow as a value, or says why there is none to use.
func (s *candidates) load(name string) (record any, problem string, err error) {
	if name == "" {
		return nil, "no workflow is named", nil
	}
	at := s.place(name)
	if at < 0 {
		problem = "there is no saved workflow " + quote(name)
		if near := diag.Nearest(name, s.names()); near != "" {
			problem += "; did you mean " + quote(near) + "?"
		}
		return nil, problem, nil
	}
	r := s.Records[at]
	if found := ir.Validate(r.Workflow(), s.Catalogue, ir.Options{}); found.HasErrors() {
		return nil, "the saved workflow " + r.Name + " is no longer valid: " + found[0].Message, nil
	}
	record, err = recordValue(r)
	return record, "", err
}

func (s *candidates) names() []string {
	out := make([]string, len(s.Records))
	for i, r := range s.Records {
		out[i] = r.Name
	}
	return out
}
