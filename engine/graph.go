package engine

import (
	"fmt"
	"strings"
)

// Mermaid draws the flow as a Mermaid flowchart: nodes with their ops, edges with their actions and conditions.
func (f *Flow) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, fn := range f.funcs {
		fmt.Fprintf(&b, "  %%%% function %s\n", fn)
	}
	fmt.Fprintf(&b, "  start((start)) --> %s\n", mermaidID(f.Start()))
	for _, n := range f.Describe() {
		fmt.Fprintf(&b, "  %s[%s]\n", mermaidID(n.ID), mermaidText(n.label()))
	}
	for _, e := range f.Edges() {
		arrow := "-->"
		if e.Caught {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  %s %s|%s| %s\n", mermaidID(e.From), arrow, mermaidText(e.label()), mermaidID(e.To))
	}
	fmt.Fprintf(&b, "  %s((end))\n", mermaidID(End))
	return b.String()
}

// mermaidID keeps ids apart from Mermaid's own words, such as end.
func mermaidID(id string) string { return "n_" + strings.ReplaceAll(id, "-", "_") }

// mermaidText quotes a label; what Mermaid would read as markup becomes entities.
func mermaidText(s string) string {
	r := strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\n", "<br/>", "#", "&#35;")
	return `"` + r.Replace(s) + `"`
}

// DOT draws the flow in Graphviz's language.
func (f *Flow) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", dotText(f.Name))
	for _, fn := range f.funcs {
		fmt.Fprintf(&b, "  // function %s\n", fn)
	}
	fmt.Fprintf(&b, "  node [shape=box];\n  \"*start\" [shape=circle, label=start];\n  \"*end\" [shape=doublecircle, label=end];\n")
	fmt.Fprintf(&b, "  \"*start\" -> %s;\n", dotText(f.Start()))
	for _, n := range f.Describe() {
		fmt.Fprintf(&b, "  %s [label=%s];\n", dotText(n.ID), dotText(n.label()))
	}
	for _, e := range f.Edges() {
		style := ""
		if e.Caught {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", dotText(e.From), dotText(dotTarget(e.To)), dotText(e.label()), style)
	}
	b.WriteString("}\n")
	return b.String()
}

// dotTarget keeps the end apart from nodes: an id holds no star.
func dotTarget(id string) string {
	if id == End {
		return "*end"
	}
	return id
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func (n NodeInfo) label() string {
	label := n.ID + "\n" + n.Op
	if len(n.Runs) > 0 {
		label += ": " + strings.Join(n.Runs, ", ")
	}
	if len(n.Vars) > 0 {
		label += "\nvars: " + strings.Join(n.Vars, ", ")
	}
	return label
}

func (e Edge) label() string {
	if e.Condition == "" {
		return e.Action
	}
	return e.Action + "\n" + e.Condition
}
