package nodes

import (
	"fmt"

	"pflow/internal/coverage"
	"pflow/internal/diag"
	"pflow/ir"
)

// speakers are the names of a workflow that may stand for words of a request.
func speakers(w *ir.Workflow) []string {
	var out []string
	for i := range w.Nodes {
		if w.Nodes[i].ID != "" {
			out = append(out, "node:"+w.Nodes[i].ID)
		}
	}
	for _, in := range w.Inputs {
		out = append(out, "input:"+in.Name)
	}
	return out
}

// partsOf reads what a model said of the parts of a request; what is no part is one without text.
func partsOf(v any) []coverage.Part {
	list, _ := v.([]any)
	var out []coverage.Part
	for _, item := range list {
		m, _ := item.(map[string]any)
		var p coverage.Part
		p.Text, _ = m["text"].(string)
		p.By, _ = m["by"].(string)
		out = append(out, p)
	}
	return out
}

// uncovered are the findings on what a model said stands for a request. Their paths are in the reply that the parts came in.
func uncovered(problems []coverage.Problem) diag.List {
	var out diag.List
	for _, p := range problems {
		path := "parts"
		if p.Part >= 0 {
			path = fmt.Sprintf("parts[%d]", p.Part)
		}
		out = append(out, diag.Finding{Severity: diag.Error, Kind: ir.UncoveredRequest, Path: path, Message: p.Message, Suggestion: p.Suggestion, Alternatives: p.Alternatives})
	}
	return out
}
