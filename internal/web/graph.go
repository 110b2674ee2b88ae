package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Graph is what <pflow-graph> draws of a flow or of a workflow; the template graph shows it, also as text.
type Graph struct {
	ID    string      `json:"-"`     // of the element, for an editor that draws it anew
	Label string      `json:"label"` // what it is a graph of
	Nodes []GraphNode `json:"nodes"`
	Edges []GraphEdge `json:"edges"`
}

// GraphNode is a node. Its step in runs has its ID.
type GraphNode struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Kind  string `json:"kind"` // step, call (it runs a flow or a workflow), map, repeat, branch, model, approval, end
	Note  string `json:"note"` // its component, and what it repeats
	State string `json:"state,omitempty"`
	Count string `json:"count,omitempty"` // of its visits, or of what is inside it: "3 times", "40 of 5000"
	Href  string `json:"href,omitempty"`
}

// GraphEdge is an edge. Two nodes may have several.
type GraphEdge struct {
	ID     string `json:"id"`
	From   string `json:"from"`
	To     string `json:"to"`
	Label  string `json:"label"`            // the condition, and the action where it is no default
	Action string `json:"action"`           // of the node that it leaves; "*": any that no other edge has
	Caught bool   `json:"caught,omitempty"` // it is taken where the node fails
	Taken  bool   `json:"taken,omitempty"`
}

// graphEnd is the node of a graph that stands for the end of a flow.
const graphEnd = "end"

// States of steps, as pages show them.
const (
	stateDone    = "done"
	stateRunning = "running"
	stateFailed  = "failed"
	stateSkipped = "skipped"
	stateWaiting = "waiting"
	stateKept    = "kept"
	stateOpen    = "interrupted" // it began, and nobody works on it
)

// GraphOfFlow makes the graph of what `pflow flow show --json` prints.
func GraphOfFlow(document json.RawMessage) (*Graph, error) {
	var d struct {
		Name  string `json:"name"`
		Nodes []struct {
			ID   string   `json:"id"`
			Op   string   `json:"op"`
			Runs []string `json:"runs"`
		} `json:"nodes"`
		Edges []struct {
			From, Action, To, Condition string
			Caught                      bool
		} `json:"edges"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("the flow cannot be read: %v", err)
	}
	g := &Graph{Label: d.Name, Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	for _, n := range d.Nodes {
		node := GraphNode{ID: n.ID, Label: n.ID, Kind: "step", Note: n.Op}
		switch {
		case n.Op == "map":
			node.Kind, node.Note = "map", "each: "+strings.Join(n.Runs, ", ")
		case len(n.Runs) > 0:
			node.Kind, node.Note = "call", strings.Join(n.Runs, ", ")
		case n.Op == "llm" || n.Op == "agent":
			node.Kind = "model"
		}
		g.Nodes = append(g.Nodes, node)
	}
	for _, e := range d.Edges {
		label := e.Action
		switch {
		case e.Condition != "":
			label += ": " + shortText(e.Condition, 60)
		case label == "*":
			label = "else"
		case label == "default":
			label = ""
		}
		g.edge(GraphEdge{From: e.From, To: e.To, Label: label, Caught: e.Caught, Action: e.Action})
	}
	return g, nil
}

// GraphOfWorkflow makes the graph of a workflow's document (its IR).
func GraphOfWorkflow(document json.RawMessage) (*Graph, error) {
	var d struct {
		Nodes []struct {
			ID, Type, Approval string
			Params             map[string]any
			Batch, Repeat      map[string]any
		} `json:"nodes"`
		Edges []struct{ From, To, Action string } `json:"edges"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("the workflow cannot be read: %v", err)
	}
	g := &Graph{Label: "workflow", Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	for _, n := range d.Nodes {
		node := GraphNode{ID: n.ID, Label: n.ID, Kind: "step", Note: n.Type}
		switch n.Type {
		case "llm", "agent":
			node.Kind = "model"
		case "switch":
			node.Kind = "branch"
		case "workflow":
			node.Kind = "call"
			if name, ok := n.Params["workflow"].(string); ok {
				node.Note += " " + shortText(name, 40)
			}
		}
		if n.Repeat != nil {
			node.Kind, node.Note = "repeat", node.Note+", until "+shortText(asText(n.Repeat["until"]), 40)
		}
		if n.Batch != nil {
			node.Kind, node.Note = "map", node.Note+", for each of "+itemsText(n.Batch["items"])
		}
		if n.Approval == "required" {
			node.Note += ", waits for approval"
			if node.Kind == "step" {
				node.Kind = "approval"
			}
		}
		g.Nodes = append(g.Nodes, node)
	}
	for _, e := range d.Edges {
		edge := GraphEdge{From: e.From, To: e.To, Label: e.Action, Action: e.Action, Caught: e.Action == "error"}
		if edge.Action == "" || edge.Action == "default" {
			edge.Label, edge.Action = "", "default"
		}
		g.edge(edge)
	}
	return g, nil
}

func itemsText(v any) string {
	if list, ok := v.([]any); ok {
		return counted(len(list), "item")
	}
	return shortText(asText(v), 40)
}

// edge adds an edge, and a node where it leads to that is not declared.
func (g *Graph) edge(e GraphEdge) {
	e.ID = fmt.Sprintf("e%d", len(g.Edges))
	if !slices.ContainsFunc(g.Nodes, func(n GraphNode) bool { return n.ID == e.To }) && e.To == graphEnd {
		g.Nodes = append(g.Nodes, GraphNode{ID: graphEnd, Label: graphEnd, Kind: "end"})
	}
	g.Edges = append(g.Edges, e)
}

// Visited is what a run says of a node: how its last visit ended, and the actions of all.
type Visited struct {
	State   string // as pages show it: done, running, failed, skipped, waiting, kept
	Count   string
	Actions []string
}

// Light lays the states of a run over the graph.
func (g *Graph) Light(of map[string]Visited) {
	ended := false
	for i := range g.Nodes {
		n := &g.Nodes[i]
		v := of[n.ID]
		n.State, n.Count = v.State, v.Count
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		actions := of[e.From].Actions
		e.Taken = slices.Contains(actions, e.Action) || e.Action == "*" && len(actions) > 0 && !g.all(e.From, actions)
		ended = ended || e.Taken && e.To == graphEnd
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == "end" && ended {
			n.State = stateDone
		}
	}
}

// all reports whether each of these actions has an edge of its own from a node.
func (g *Graph) all(from string, actions []string) bool {
	for _, action := range actions {
		if !slices.ContainsFunc(g.Edges, func(e GraphEdge) bool { return e.From == from && e.Action == action }) {
			return false
		}
	}
	return true
}

// Link makes links of the nodes that have a page.
func (g *Graph) Link(page func(n *GraphNode) string) {
	for i := range g.Nodes {
		g.Nodes[i].Href = page(&g.Nodes[i])
	}
}

// label is what a node is called.
func (g *Graph) label(id string) string {
	for i := range g.Nodes {
		if g.Nodes[i].ID == id {
			return g.Nodes[i].Label
		}
	}
	return id
}

// Texts are the edges as text, one each, for readers and where there are no scripts.
func (g *Graph) Texts() []string {
	var out []string
	for _, e := range g.Edges {
		text := g.label(e.From) + " → " + g.label(e.To)
		switch {
		case e.Caught:
			text += ", where it fails"
		case e.Label != "":
			text += ", with " + e.Label
		}
		if e.Taken {
			text += " (taken)"
		}
		out = append(out, text)
	}
	return out
}

// shortText is a text in one line of at most so many characters.
func shortText(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
