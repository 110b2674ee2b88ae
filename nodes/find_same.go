package nodes

import (
	"context"
	"maps"
	"strings"

	"pflow/engine"
	"pflow/internal/library"
	"pflow/internal/value"
	"pflow/ir"
)

// findSameOp finds the saved workflow that does what another one does.
func findSameOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "find-same",
		Summary: "Finds the saved workflow that is the same as a given one but for its names, and says in its names what is known of its inputs.",
		Prep: []engine.Field{
			{Name: "workflow", Type: value.Any, Required: true, Doc: "the IR"},
			{Name: "values", Type: value.Object, Doc: "{input: value}: of its inputs"},
			{Name: "missing", Type: value.Array, Doc: "[{name, type, description}]: of its inputs"},
			{Name: "coverage", Type: value.Any, Doc: "{parts, open}: by its inputs and nodes"},
		},
		With: []engine.Field{
			{Name: "skip_failed", Type: value.Boolean, Default: false, Doc: "pass over one that, as it is now, never ran well and whose last run failed with an error of a permanent kind"},
		},
		Result:     value.Object,
		ResultDoc:  "{found: {name, description, keywords, version, ir} or null, values, missing and coverage: by its names, failed: that its last run failed, and why}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: find-same-example
version: 1
description: Is this workflow saved already?
state:
  workflow: {type: any, default: {ir_version: 0.1.0, nodes: [{id: read, type: read-file, params: {file_path: a.txt}}]}}
  found:    {type: any, default: null}
nodes:
  find:
    op: find-same
    prep: [workflow]
    post: {found: result.found}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			skip := s.Value("skip_failed") == true
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				w, found := ir.DecodeValue(in.Prep["workflow"])
				if found.HasErrors() {
					return engine.Output{}, found.Err()
				}
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				given, _ := in.Prep["values"].(map[string]any)
				out := map[string]any{"found": nil, "values": given, "missing": in.Prep["missing"], "coverage": in.Prep["coverage"], "failed": ""}
				signature := w.Signature()
				whole := func(t *library.Traits) string { return t.Whole }
				for _, n := range shelf.byWhole.first(shelf.Records, whole, library.SignatureSum(signature.Whole), len(shelf.Records)) {
					r := shelf.Records[n]
					if skip && neverWell(r) != "" {
						continue
					}
					own := r.Workflow().Signature()
					if own.Whole != signature.Whole || ir.Validate(r.Workflow(), shelf.Catalogue, ir.Options{}).HasErrors() {
						continue
					}
					values, names := map[string]any{}, map[string]string{}
					for k, name := range signature.Inputs {
						names["input:"+name] = own.Inputs[k]
						if v, ok := given[name]; ok {
							values[own.Inputs[k]] = v
						}
					}
					for k := range w.Nodes {
						names["node:"+w.Nodes[k].ID] = r.Workflow().Nodes[k].ID
					}
					out["missing"], out["coverage"] = missingOf(r.Workflow(), in.Prep["missing"], names), coverageOf(in.Prep["coverage"], names)
					if out["found"], err = recordValue(r); err != nil {
						return engine.Output{}, err
					}
					out["values"], out["failed"] = values, lastFailed(r)
					break
				}
				return engine.Output{Result: out}, nil
			}
		},
	}
}

// missingOf are inputs that have no value, as another workflow names and describes them.
func missingOf(w *ir.Workflow, missing any, names map[string]string) any {
	list, ok := missing.([]any)
	if !ok {
		return missing
	}
	out := make([]any, len(list))
	for i, item := range list {
		m, _ := item.(map[string]any)
		out[i] = item
		name, _ := m["name"].(string)
		if input, ok := w.Input(names["input:"+name]); ok {
			renamed := maps.Clone(m)
			renamed["name"] = input.Name
			if input.Description != "" {
				renamed["description"] = input.Description
			}
			out[i] = renamed
		}
	}
	return out
}

// coverageOf is what stands for the parts of a request, in the names of another workflow.
func coverageOf(coverage any, names map[string]string) any {
	all, _ := coverage.(map[string]any)
	parts, ok := all["parts"].([]any)
	if !ok {
		return coverage
	}
	renamed := make([]any, len(parts))
	for i, item := range parts {
		part, _ := item.(map[string]any)
		renamed[i] = item
		by, _ := part["by"].(string)
		if name, ok := names[by]; ok {
			kind, _, _ := strings.Cut(by, ":")
			own := maps.Clone(part)
			own["by"] = kind + ":" + name
			renamed[i] = own
		}
	}
	out := maps.Clone(all)
	out["parts"] = renamed
	return out
}
