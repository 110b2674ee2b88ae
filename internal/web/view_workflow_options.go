package web

import (
	"net/http"
	"strings"
)

// workflowOptions answers what can be typed in a workflow: the components, and of one that is saved its inputs and nodes.
func (s *Server) workflowOptions(w http.ResponseWriter, r *http.Request) {
	out := &options{}
	var got struct{ Nodes []nodeRow }
	if err := s.Call(r.Context(), "listNodes", Params{}, &got); err != nil {
		writeError(w, err)
		return
	}
	for _, n := range got.Nodes {
		out.add(n.Name, strings.Join(n.Effects, ", "), n.Description, "class", "value", "ir.nodes.type", "nodes.type")
	}
	var shown struct {
		IR struct {
			Inputs map[string]struct{ Type, Description string }
			Nodes  []struct{ ID, Type, Purpose string }
		}
	}
	name := r.URL.Query().Get("workflow")
	if name != "" && s.Call(r.Context(), "showWorkflow", Params{"name": name}, &shown) == nil { // one that cannot be read offers nothing
		for in, of := range shown.IR.Inputs {
			out.add(in, "input, "+of.Type, of.Description, "variable", "template")
		}
		for _, n := range shown.IR.Nodes {
			out.add(n.ID, "node, "+n.Type, n.Purpose, "interface", "template")
			out.add(n.ID, "node, "+n.Type, n.Purpose, "interface", "value", "ir.edges.from", "ir.edges.to", "edges.from", "edges.to")
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"options": out})
}
