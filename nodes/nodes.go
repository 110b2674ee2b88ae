// Package nodes holds the ops that flows are made of and the node types that workflows are made of.
package nodes

import (
	"context"
	"encoding/json"
	"github.com/expr-lang/expr"
	"pflow/engine"
	"pflow/ir"
)

type Deps struct{} // what ops reach the outside through; these reach nothing

// All lists the ops.
func All(Deps) []engine.Op {
	return []engine.Op{
		pure("retrieve", "Ranks candidates by the words of a request.", retrieve),
		pure("extract", "Finds what a text names: paths, numbers, quoted texts, …", func(p prep) any { return entities(p.Text) }),
		pure("compose", "Makes the workflow that a request asks for.", compose),
		pure("validate", "Lists what is wrong with a workflow.", func(p prep) any { return p.Workflow.Validate(p.Catalogue) }),
		pure("map-params", "Takes the values of declared inputs from a request.", mapParams),
		{Name: "eval", Summary: "Computes an expression over prep and params.", New: eval},
	}
}

func eval(s *engine.Setup) engine.Exec {
	source, _ := s.With["expr"].(string)
	return func(_ context.Context, in engine.Input) (out engine.Output, err error) {
		out.Result, err = expr.Eval(source, map[string]any{"prep": in.Prep, "params": in.Params})
		return out, err
	}
}

type prep struct { // what the pure ops take from their nodes' prep, each some of it
	Request, Text, Purpose            string
	Candidates, Interfaces, Catalogue []ir.Interface
	Entities                          []entity
	Workflow                          ir.Workflow
	Inputs                            []ir.Port
}

func pure(name, summary string, do func(prep) any) engine.Op {
	exec := func(_ context.Context, in engine.Input) (out engine.Output, err error) {
		p, err := Convert[prep](in.Prep)
		if err == nil {
			out.Result, err = Convert[any](do(p))
		}
		return out, err
	}
	return engine.Op{Name: name, Summary: summary, New: func(*engine.Setup) engine.Exec { return exec }}
}

// Convert gives a value another Go form by way of its JSON; expressions know map[string]any, []any and scalars.
func Convert[T any](from any) (to T, err error) {
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, &to)
	}
	return to, err
}
