package main

import (
	"strings"
	"testing"

	"pflow/internal/web"
)

// callTables are the calls of the API, for docs/api.md.
func callTables(*testing.T) string {
	var b strings.Builder
	for _, area := range web.Areas() {
		if len(area.Endpoints) == 0 {
			continue
		}
		b.WriteString("### " + area.Name + "\n\n" + row("call", "command", "") + "|---|---|---|\n")
		for i := range area.Endpoints {
			e := &area.Endpoints[i]
			about := e.Summary
			if e.Job {
				about += " (*job*)"
			}
			if e.Schema != "" {
				about += " → [" + e.Schema + "](schemas/" + e.Schema + ".json)"
			}
			b.WriteString(row(code(e.Method+" "+e.Path), code(e.CommandLine()), about))
		}
		b.WriteString("\n" + parameterTable(area.Endpoints))
	}
	b.WriteString("### Beside commands\n\n" + row("call", "") + "|---|---|\n")
	for _, c := range web.OwnCalls() {
		b.WriteString(row(code(c.Method+" "+c.Path), c.Summary+": "+c.About))
	}
	return b.String()
}

// parameterTable are the parameters of an area that say what they are, each once.
func parameterTable(endpoints []web.Endpoint) string {
	var b strings.Builder
	said := map[string]bool{}
	for i := range endpoints {
		for _, p := range endpoints[i].Params {
			about := p.Description
			if len(p.Enum) > 0 {
				about = strings.TrimPrefix(about+"; one of "+strings.Join(p.Enum, ", "), "; ")
			}
			line := row(code(p.Name), p.In, p.Type, about)
			if about == "" || said[line] {
				continue
			}
			if said[line] = true; b.Len() == 0 {
				b.WriteString(row("parameter", "in", "", "") + "|---|---|---|---|\n")
			}
			b.WriteString(line)
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}
