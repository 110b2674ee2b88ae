package ir

import (
	"fmt"
	"strings"

	"pflow/internal/value"
)

// Signature is what a workflow does, without the names that it gives to nodes and inputs.
type Signature struct {
	Steps  string   // its nodes and edges: two workflows with the same do the same with the values of their inputs
	Whole  string   // and what it gives, and of what types its inputs are
	Inputs []string // in the order in which they are first used, which stands for their names
}

// Signature writes what a workflow does.
func (w *Workflow) Signature() Signature {
	var inputs []string
	place := map[string]int{}
	rename := func(text string) string {
		p, problems := Compile(text)
		if len(problems) > 0 {
			return text
		}
		var pairs []string
		p.Walk(func(_ string, e *Expr) {
			named := e.Text
			for _, alt := range e.Alts {
				if alt.Ref == nil {
					continue
				}
				own, whole := alt.Ref.Root, alt.Ref.String()
				if k := w.Node(own); k >= 0 {
					named = strings.Replace(named, whole, strings.Replace(whole, own, fmt.Sprintf("node %d", k), 1), 1)
				} else if _, declared := w.Input(own); declared {
					if _, known := place[own]; !known {
						place[own] = len(inputs)
						inputs = append(inputs, own)
					}
					named = strings.Replace(named, whole, strings.Replace(whole, own, fmt.Sprintf("input %d", place[own]), 1), 1)
				}
			}
			pairs = append(pairs, e.Text, named)
		})
		if len(pairs) == 0 {
			return text
		}
		return strings.NewReplacer(pairs...).Replace(text)
	}
	var tree func(v any) any
	tree = func(v any) any {
		switch v := v.(type) {
		case string:
			return rename(v)
		case map[string]any:
			out := map[string]any{}
			for _, k := range value.SortedKeys(v) {
				out[k] = tree(v[k])
			}
			return out
		case []any:
			out := make([]any, len(v))
			for k, item := range v {
				out[k] = tree(item)
			}
			return out
		}
		return v
	}
	var b strings.Builder
	plain, _ := w.Plain()
	doc, _ := plain.(map[string]any)
	nodes, _ := doc["nodes"].([]any)
	for _, n := range nodes {
		of, _ := n.(map[string]any)
		delete(of, "id")
		delete(of, "purpose")
		fmt.Fprintln(&b, value.JSON(tree(of)))
	}
	for _, e := range w.Edges {
		fmt.Fprintf(&b, "%d %s %d\n", w.Node(e.From), e.Action, w.Node(e.To))
	}
	steps := b.String()
	for _, o := range w.Outputs {
		fmt.Fprintln(&b, rename(o.Source))
	}
	for _, name := range inputs {
		in, _ := w.Input(name)
		fmt.Fprintln(&b, in.Type, in.FromStdin, in.Secret)
	}
	return Signature{steps, b.String(), inputs}
}
