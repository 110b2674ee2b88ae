// Package ir holds workflows, the documents that users keep and run, and the interfaces of what they are made of.
package ir

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

// An Interface says what a component takes and gives, its Params being optional; a Workflow is an IR document, its Nodes
// written in the order of its Edges {from, to}, their Params holding templates: ${input}, ${node.output}.
type (
	Interface struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Inputs      []Port `json:"inputs"`
		Params      []Port `json:"params"`
		Outputs     []Port `json:"outputs"`
	}
	Port struct {
		Key         string `json:"key,omitempty"`
		Type        string `json:"type"`
		Required    bool   `json:"required"`
		Description string `json:"description"`
	}
	Workflow struct {
		Version string              `json:"ir_version"`
		Nodes   []Node              `json:"nodes"`
		Edges   []map[string]string `json:"edges"`
		Inputs  map[string]Port     `json:"inputs"`
	}
	Node struct {
		ID      string         `json:"id"`
		Type    string         `json:"type"`
		Params  map[string]any `json:"params"`
		Purpose string         `json:"purpose"`
	}
)

// Validate checks types, inputs, templates and the order of the nodes; an error begins with its code.
func (w *Workflow) Validate(catalogue []Interface) []string {
	out, scope := []string{}, map[string]any{}
	for name := range w.Inputs {
		scope[name] = ""
	}
	for _, n := range w.Nodes {
		i := slices.IndexFunc(catalogue, func(c Interface) bool { return c.Name == n.Type })
		if i < 0 {
			return append(out, "unknown-node-type: "+n.Type)
		}
		for _, p := range catalogue[i].Inputs {
			if n.Params[p.Key] == nil {
				out = append(out, "missing-input: "+n.ID+": "+p.Key)
			}
		}
		if _, err := Resolve(n.Params, scope); err != nil {
			out = append(out, "unresolved-template: "+n.ID+": "+err.Error())
		}
		if slices.ContainsFunc(w.Edges, func(e map[string]string) bool { return e["to"] == n.ID && scope[e["from"]] == nil }) {
			out = append(out, "dangling-edge: from no earlier node to "+n.ID)
		}
		for _, p := range catalogue[i].Outputs {
			scope[n.ID+"."+p.Key] = ""
		}
		scope[n.ID] = ""
	}
	return out
}

// Resolve replaces the templates in params by the text of what they name in scope. What comes out of a value is never
// expanded again; what cannot be resolved stays, with an error.
func Resolve(params, scope map[string]any) (out map[string]any, err error) {
	lookup := func(name string) string {
		if v, ok := scope[name]; ok {
			return fmt.Sprint(v)
		}
		err = fmt.Errorf("nothing is known of ${%s}", name)
		return "${" + name + "}"
	}
	out = maps.Clone(params)
	for key, param := range params {
		if text, ok := param.(string); ok {
			out[key] = os.Expand(text, lookup)
		}
	}
	return out, err
}
