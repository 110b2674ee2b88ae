package nodes

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/value"
	"pflow/ir"
)

// settleTyped adds to steps that were typed what a plan has beside them. Values that another run would have others of become
// inputs: numbers, dates, URLs, paths, ids and names of repositories; wording stays where it is. A required input that a
// step is not given takes the output of that name of the step before. The outputs are those of the last step.
func settleTyped(ctx context.Context, n *ir.Notation, w *ir.Workflow, c *ir.Catalogue, now time.Time) error {
	connect(w, c)
	taken := map[string]bool{ir.StdinRoot: true}
	for _, node := range w.Nodes {
		taken[node.ID] = true
		if of := c.Get(node.Type); of != nil {
			for _, key := range of.OutputKeys() {
				taken[key] = true // an input of such a name would hide it
			}
		}
	}
	implied := w.EffectiveInputs(c)
	w.Inputs = append([]ir.Input{}, implied...)
	for _, in := range implied {
		taken[in.Name] = true
	}
	type asked struct{ key, value string }
	shared := map[asked]string{}
	for k := range n.Params {
		p := &n.Params[k]
		at := w.Node(p.Node)
		if at < 0 {
			continue
		}
		node := &w.Nodes[at]
		of := c.Get(node.Type)
		if of == nil {
			continue
		}
		port, known := of.Param(p.Key)
		if !known {
			continue
		}
		v, another, err := otherEachTime(ctx, port, node.Params[p.Key], now)
		if err != nil {
			return err
		}
		if !another {
			continue
		}
		same := asked{p.Key, value.JSON(v)}
		name, ok := shared[same]
		if !ok {
			name = freeName(p.Key, node.ID, taken)
			shared[same] = name
			w.Inputs = append(w.Inputs, ir.Input{Name: name, Type: port.Type, Required: true, Description: port.Description})
			n.Values[name] = v
		}
		node.Params[p.Key] = "${" + name + "}"
		p.Input = name
	}
	if len(w.Nodes) > 0 {
		last := w.Nodes[len(w.Nodes)-1]
		if of := c.Get(last.Type); of != nil && last.Batch == nil && last.Repeat == nil {
			for _, out := range of.Outputs {
				if !out.Detail {
					w.Outputs = append(w.Outputs, ir.Output{Name: out.Key, Type: out.Type, Source: "${" + last.ID + "." + out.Key + "}", Description: out.Description})
				}
			}
		}
	}
	return nil
}

// connect writes out that a step takes what the step before gives under the name of its input.
func connect(w *ir.Workflow, c *ir.Catalogue) {
	for _, e := range w.Edges {
		from, to := w.Node(e.From), w.Node(e.To)
		if from < 0 || to < 0 || e.Action != ir.ActionDefault || w.Nodes[from].Batch != nil {
			continue
		}
		gives, takes := c.Get(w.Nodes[from].Type), c.Get(w.Nodes[to].Type)
		if gives == nil || takes == nil {
			continue
		}
		for _, in := range takes.Inputs {
			if _, given := w.Nodes[to].Params[in.Key]; given || !in.Required {
				continue
			}
			if _, ok := gives.Output(in.Key); ok {
				w.Nodes[to].Params[in.Key] = "${" + w.Nodes[from].ID + "." + in.Key + "}"
			}
		}
	}
}

// otherEachTime decides whether a value is one that the next run will have another of, and gives it.
func otherEachTime(ctx context.Context, port *ir.Port, v any, now time.Time) (any, bool, error) {
	if port.Raw || len(port.Enum) > 0 {
		return nil, false, nil
	}
	switch v := v.(type) {
	case json.Number:
		got, err := value.ParseNumber(string(v))
		return got, err == nil, nil
	case string:
		if v == "" || v != ir.Escape(v) || strings.Contains(v, "$") {
			return nil, false, nil
		}
		entities, err := extract.Entities(ctx, v, now)
		if err != nil || len(entities) != 1 || entities[0].Kind == "quoted" {
			return nil, false, err
		}
		return v, entities[0].Start == 0 && entities[0].End == len(v), nil
	}
	return nil, false, nil
}

// freeName is the name of an input for a param: the param's, with the step's first word before it where that is taken.
func freeName(key, id string, taken map[string]bool) string {
	name := strings.ReplaceAll(key, "-", "_")
	if taken[name] {
		first, _, _ := strings.Cut(strings.ReplaceAll(id, "-", "_"), "_")
		name = first + "_" + name
	}
	base := name
	for n := 2; taken[name]; n++ {
		name = base + "_" + value.JSON(n)
	}
	taken[name] = true
	return name
}

// withoutValues is the text with the names of inputs for their values.
func withoutValues(n *ir.Notation, text string) string {
	if n.Description != "" {
		return n.Description
	}
	var b strings.Builder
	at := 0
	for _, p := range n.Params {
		if p.Input != "" && p.Value >= at {
			b.WriteString(text[at:p.Value] + "{" + p.Input + "}")
			at = p.End
		}
	}
	b.WriteString(text[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}
