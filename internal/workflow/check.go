package workflow

import (
	"strings"

	"pflow/internal/diag"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// Check decodes and validates a document: ir.Check, and with it what node types check of their own params. It is the
// validator for generating, saving, validating and running.
func Check(data []byte, c *ir.Catalogue, types map[string]nodetype.Type, o ir.Options) (*ir.Workflow, diag.List) {
	w, list := ir.Check(data, c, o)
	return w, append(list, checkTypes(w, types)...).Sort()
}

// checkTypes asks the node types. A finding of a template that the validator has reported is not told twice.
func checkTypes(w *ir.Workflow, types map[string]nodetype.Type) diag.List {
	var out diag.List
	for i := range w.Nodes {
		n := &w.Nodes[i]
		t, ok := types[n.Type]
		if !ok || t.Check == nil || malformed(t.Interface, n.Params) {
			continue
		}
		for _, problem := range t.Check(n.Params) {
			path := "nodes[" + ir.Text(i) + "].params"
			if problem.Path != "" {
				path += "." + strings.TrimPrefix(problem.Path, ".")
			}
			out = append(out, diag.Finding{Severity: diag.Error, Kind: ir.BadTemplate, Message: problem.Message, Path: path, Node: n.ID})
		}
	}
	return out
}

// malformed reports whether a template in the params cannot be read.
func malformed(i *ir.Interface, params map[string]any) bool {
	for _, k := range value.SortedKeys(params) {
		if p, ok := i.Param(k); ok && p.Raw {
			continue // no templates are read there
		}
		if _, problems := ir.Compile(params[k]); len(problems) > 0 {
			return true
		}
	}
	return false
}
