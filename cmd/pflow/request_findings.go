package main

import (
	"fmt"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/planner"
	"pflow/internal/printable"
)

// requestFindings lists what is wrong with a plan at places of the request, as with one in CLI notation.
func requestFindings(request string, p *planner.Result) diag.List {
	lines := strings.Split(request, "\n")
	var out diag.List
	for _, v := range p.Diagnostics {
		m, _ := v.(map[string]any)
		at, ok := m["place"].(map[string]any)
		if !ok {
			continue
		}
		text := func(k string) string { s, _ := m[k].(string); return s }
		f := diag.Finding{Severity: diag.Severity(text("severity")), Kind: text("code"), Message: text("message"), Suggestion: text("suggestion")}
		f.Place.File = "request"
		f.Place.Line, _ = at["line"].(int)
		f.Place.Col, _ = at["column"].(int)
		if n := f.Place.Line; n >= 1 && n <= len(lines) {
			f.Snippet = printable.Text(lines[n-1])
		}
		others, _ := m["alternatives"].([]any)
		for _, a := range others {
			f.Alternatives = append(f.Alternatives, fmt.Sprint(a))
		}
		out = append(out, f)
	}
	return out
}
