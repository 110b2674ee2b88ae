package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// placedFinding is a finding as editors are given it.
type placedFinding struct {
	Severity   string        `json:"severity"`
	Message    string        `json:"message"`
	Place      *findingPlace `json:"place,omitempty"`
	Path       string        `json:"path,omitempty"`
	Suggestion string        `json:"suggestion,omitempty"`
}

type findingPlace struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// checkText answers an editor: what is wrong with the text it sends, and the graph of one that is right.
func (s *Server) checkText(call, param string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var sent struct {
			Text string `json:"text"`
		}
		if json.NewDecoder(r.Body).Decode(&sent) != nil {
			writeError(w, &Error{Status: http.StatusBadRequest, Message: "the body is no JSON object with a text"})
			return
		}
		name := r.PathValue(param)
		found, err := s.findText(r.Context(), call, Params{param: name, "text": sent.Text})
		if err != nil {
			writeError(w, err)
			return
		}
		answer := map[string]any{"diagnostics": append([]placedFinding{}, found...)}
		if param == "name" && !slices.ContainsFunc(found, func(d placedFinding) bool { return d.Severity == "error" && d.Place != nil }) {
			flows, err := s.flows(r)
			if err != nil {
				writeError(w, err)
				return
			}
			p := &textPage{Name: name, Text: sent.Text}
			if s.addGraph(r.Context(), p, flows); p.Broken == "" {
				answer["graph"] = p.Graph
			}
		}
		writeJSON(w, http.StatusOK, answer)
	}
}

// findText gives what is wrong with a text that is sent. What stands in other files has no place in this one, and says where it is.
func (s *Server) findText(ctx context.Context, call string, sent Params) (found []placedFinding, err error) {
	var got struct {
		Drafts []string
		Flows  []struct{ Diagnostics []placedFinding }
	}
	if err := s.Call(ctx, call, sent, &got); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range got.Flows {
		for _, d := range f.Diagnostics {
			if d.Place != nil && !slices.Contains(got.Drafts, d.Place.File) {
				d.Message, d.Place = fmt.Sprintf("in %s:%d:%d: %s", d.Place.File, d.Place.Line, d.Place.Column, d.Message), nil
			}
			key := fmt.Sprint(d.Severity, d.Message, d.Path, d.Place)
			if d.Place != nil {
				key = fmt.Sprint(d.Severity, d.Message, *d.Place)
			}
			if !seen[key] {
				seen[key] = true
				found = append(found, d)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b placedFinding) int { return orderOf(a) - orderOf(b) })
	return found, nil
}

// orderOf has what stands in the text come first.
func orderOf(d placedFinding) int {
	if d.Place == nil {
		return 1
	}
	return 0
}

// option is what an editor offers: see assets/src/editor.js.
type option struct {
	Label  string  `json:"label"`
	Detail string  `json:"detail,omitempty"`
	Info   string  `json:"info,omitempty"`
	Type   string  `json:"type,omitempty"`
	As     string  `json:"as,omitempty"`
	Under  *string `json:"under,omitempty"`
}

type options []option

func (o *options) add(label, detail, info, kind, as string, under ...string) {
	if len(under) == 0 {
		*o = append(*o, option{label, detail, info, kind, as, nil})
	}
	for _, at := range under {
		*o = append(*o, option{label, detail, info, kind, as, &at})
	}
}

// keyPlaces are where the keys of each section of the schema of flows stand.
var keyPlaces = map[string][]string{
	"flow": {""}, "node": {"nodes.*"}, "limits": {"limits"}, "retry": {"nodes.*.retry", "defaults.retry"}, "state-key": {"state.*"}, "function": {"functions.*"},
	"defaults": {"defaults"}, "item": {"nodes.*.with.item"}, "target": {"nodes.*.target"},
}

// flowOptions answers what can be typed in a flow: of the schema, the ops, and the flow as it is saved.
func (s *Server) flowOptions(w http.ResponseWriter, r *http.Request) {
	out := &options{}
	ctx := r.Context()
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct{ Description string }
		} `json:"$defs"`
	}
	if err := s.Call(ctx, "flowSchema", nil, &schema); err != nil {
		writeError(w, err)
		return
	}
	for section, places := range keyPlaces {
		for key, of := range schema.Defs[section].Properties {
			out.add(key, section, of.Description, "property", "key", places...)
		}
	}
	var ops struct {
		Ops []struct {
			Name, Summary, Result string
			Prep, With            []struct{ Name, Type, Description string }
			Actions               []string
		}
	}
	if err := s.Call(ctx, "listOps", nil, &ops); err != nil {
		writeError(w, err)
		return
	}
	for _, op := range ops.Ops {
		out.add(op.Name, "op", strings.TrimSpace(op.Summary+"\n"+op.Result), "class", "value", "nodes.*.op")
		for _, f := range op.With {
			out.add(f.Name, "option of "+op.Name+", "+f.Type, f.Description, "property", "key", "nodes.*.with")
		}
		for _, f := range op.Prep {
			out.add(f.Name, "read by "+op.Name+", "+f.Type, f.Description, "property", "key", "nodes.*.prep")
		}
		for _, action := range op.Actions {
			out.add(action, "action of "+op.Name, "", "enum", "key", "nodes.*.next")
		}
	}
	var flow struct {
		State []struct {
			Name, Type string
			Default    any
		}
		Params    map[string]any
		Functions []struct {
			Name, Body string
			Args       []string
		}
		Nodes []struct{ ID, Op string }
	}
	if s.Call(ctx, "showFlow", Params{"name": r.PathValue("name")}, &flow) == nil { // one with errors offers none
		for _, k := range flow.State {
			out.add(k.Name, "state, "+k.Type, "", "variable", "key", "nodes.*.post", "nodes.*.prep")
			out.add("store."+k.Name, "state, "+k.Type, "", "variable", "value")
		}
		for name, v := range flow.Params {
			out.add("params."+name, "param", "now "+asText(v), "constant", "value")
		}
		for _, f := range flow.Functions {
			out.add(f.Name, "function("+strings.Join(f.Args, ", ")+")", f.Body, "function", "value")
		}
		for _, n := range flow.Nodes {
			out.add(n.ID, "node, "+n.Op, "", "interface", "value", "nodes.*.next", "nodes.*.next.*", "start")
		}
		out.add("end", "ends the flow", "", "keyword", "value", "nodes.*.next", "nodes.*.next.*")
	}
	if flows, err := s.flows(r); err == nil {
		for _, f := range flows.Flows {
			out.add(f.Name, "flow", f.Description, "namespace", "value", "nodes.*.with.flow", "nodes.*.flow", "extends")
		}
	}
	if prompts, err := s.prompts(r); err == nil {
		for _, p := range prompts {
			out.add(p.Name, "prompt", p.Description, "text", "value", "nodes.*.with.prompt")
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"options": out})
}

// promptOptions answers what can be typed in a prompt: its variables, and the prompts that it can include.
func (s *Server) promptOptions(w http.ResponseWriter, r *http.Request) {
	out := &options{}
	prompts, err := s.prompts(r)
	if err != nil {
		writeError(w, err)
		return
	}
	name := strings.TrimSuffix(r.PathValue("file"), ".tmpl")
	for _, p := range prompts {
		if p.Name == name {
			for _, v := range p.Variables {
				out.add("."+v, "variable", "", "variable", "template")
			}
		} else {
			out.add(`template "`+p.Name+`" .`, "prompt", p.Description, "text", "template")
		}
	}
	for word, about := range map[string]string{"range": "for each item of a list", "if": "only where it is so", "else": "where it is not", "with": "where there is one, as .",
		"end": "ends range, if and with", "index": "the item of a list or object at a place", "len": "how many there are", "or": "the first that is not empty", "and": "the first that is empty, else the last", "not": "where it is not so"} {
		out.add(word, "template", about, "keyword", "template")
	}
	writeJSON(w, http.StatusOK, map[string]any{"options": out})
}
