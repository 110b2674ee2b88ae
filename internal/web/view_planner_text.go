package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/flowdiff"
	"pflow/internal/outcome"
)

// textPage is the page of a flow or a prompt that is edited.
type textPage struct {
	Kind, Name, Place, File, Hash string
	Own, Shipped, Same            bool
	UsedBy                        []string `json:"used_by"`
	Text                          string   // what is edited; it may be one that was sent

	Action, Check, Options string // addresses
	Flow                   string // the flow that a variant is of
	Row                    *flowRow
	Prompt                 *promptRow
	Sibling                string // of a prompt its schema, and the other way round
	Graph                  *Graph
	Changes                []change   // to what is shipped
	Lines                  []diffLine // of a prompt
	Refused                bool       // the text was sent and not saved
	Wrong                  string     // why, where it is not one of the findings
	Findings               []placedFinding
	Meanwhile              []diffLine // how what lies there differs from what was sent
	Saved                  bool
	Broken                 string // why there is no graph
	Replay                 replayChoice
	Plans                  []string
}

// Language is what the editor knows.
func (p *textPage) Language() string {
	switch p.Kind {
	case "flow":
		return "yaml"
	case "schema":
		return "json"
	}
	return "prompt"
}

func (s *Server) showPlannerFlow(r *http.Request) (view, error) {
	p, err := s.flowPage(r)
	if err != nil {
		return view{}, err
	}
	return s.textView(r, p)
}

func (s *Server) flowPage(r *http.Request) (*textPage, error) {
	name := r.PathValue("name")
	p := &textPage{}
	if err := s.Call(r.Context(), "showFlowText", Params{"name": name}, p); err != nil {
		return nil, err
	}
	path := "/planner/flows/" + url.PathEscape(name)
	p.Action, p.Check, p.Options = path, editorOf(path)+"/check", editorOf(path)+"/options"
	return p, nil
}

// editorOf is where the editor of a page asks: scripts send JSON, as to the API.
func editorOf(page string) string { return "/api/v1/editor" + strings.TrimPrefix(page, "/planner") }

func (s *Server) showPlannerPrompt(r *http.Request) (view, error) {
	p, err := s.promptPage(r)
	if err != nil {
		return view{}, err
	}
	return s.textView(r, p)
}

func (s *Server) promptPage(r *http.Request) (*textPage, error) {
	file := r.PathValue("file")
	if !strings.Contains(file, ".") {
		file += ".tmpl"
	}
	p := &textPage{}
	if err := s.Call(r.Context(), "showPrompt", Params{"file": file}, p); err != nil {
		return nil, err
	}
	path := "/planner/prompts/" + url.PathEscape(file)
	p.Action, p.Check, p.Options = path, editorOf(path)+"/check", editorOf(path)+"/options"
	return p, nil
}

// Against is the planner that the one of this text, Flow, is compared with: the shipped one of its name where texts of it are changed, or
// else the one of now; "" for none.
func (p *textPage) Against() string {
	switch {
	case p.Flow == "":
	case p.Own && p.Shipped && !p.Same && p.Kind != "flow":
		return "shipped:" + p.Flow
	case p.Row == nil || !p.Row.Planner:
	case p.Shipped && (p.Own || p.Row.Differences != nil && *p.Row.Differences > 0):
		return "shipped:" + p.Name
	case len(p.Plans) > 0 && p.Plans[0] != p.Name:
		return p.Plans[0]
	}
	return ""
}

// textView adds what stands beside the text: the graph, the differences to what is shipped, and what can be replayed.
func (s *Server) textView(r *http.Request, p *textPage) (view, error) {
	flows, err := s.flows(r)
	if err != nil {
		return view{}, err
	}
	p.Plans, p.Saved = flows.Plans.Flows, r.URL.Query().Has("saved")
	if p.Kind == "flow" {
		p.Row = flows.of(p.Name)
		if s.addGraph(r.Context(), p, flows); p.Broken != "" && p.Findings == nil {
			p.Findings, _ = s.findingsOf(r.Context(), p) // where they cannot be had either, the page says why there is no graph
		}
		if p.Row != nil && p.Row.Differences != nil && *p.Row.Differences > 0 {
			var d struct{ Changes []change }
			if err := s.Call(r.Context(), "diffFlow", Params{"name": p.Name}, &d); err == nil {
				p.Changes = d.Changes
			}
		}
	} else if err := s.addPrompt(r, p, flows); err != nil {
		return view{}, err
	}
	if p.Flow = p.plannerOf(flows); p.Row != nil && p.Row.Planner {
		p.Flow = p.Name
	}
	if p.Replay, err = s.replayChoice(r, flows); err != nil {
		return view{}, err
	}
	p.Replay.Form = "edit"
	status := 0
	if p.Refused {
		status = http.StatusUnprocessableEntity
	}
	return view{Template: "planner_text", Title: p.Name, Section: "planner", Data: p, Status: status}, nil
}

// addGraph adds the graph of the text as it is; one with errors has none.
func (s *Server) addGraph(ctx context.Context, p *textPage, flows *flowList) {
	var doc json.RawMessage
	err := s.Call(ctx, "showFlowDraft", Params{"name": p.Name, "text": p.Text}, &doc)
	if err == nil {
		p.Graph, err = GraphOfFlow(doc)
	}
	if err != nil {
		p.Broken, p.Graph = err.Error(), &Graph{Label: p.Name, Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	}
	p.Graph.ID = "flow-graph"
	p.Graph.Link(func(n *GraphNode) string {
		if runs := strings.TrimPrefix(n.Note, "each: "); flows.of(runs) != nil {
			return "/planner/flows/" + url.PathEscape(runs)
		}
		return ""
	})
}

func (s *Server) addPrompt(r *http.Request, p *textPage, flows *flowList) error {
	prompts, err := s.prompts(r)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(prompts, func(q promptRow) bool { return q.Name == p.Name }); at >= 0 && p.Kind == "prompt" {
		p.Prompt = &prompts[at]
		if schema := prompts[at].Schema; schema != "" {
			p.Sibling = schema + ".schema.json"
		}
	} else if p.Kind == "schema" {
		for _, q := range prompts {
			if q.Schema == p.Name {
				p.Sibling = q.Name + ".tmpl"
			}
		}
	}
	if p.Own && p.Shipped && !p.Same {
		var was struct{ Text string }
		file := strings.TrimPrefix(p.Place, "prompts/")
		if err := s.Call(r.Context(), "showShippedPrompt", Params{"file": file}, &was); err == nil {
			p.Lines = linesOfDiff(flowdiff.Lines(was.Text, p.Text))
		}
	}
	return nil
}

// plannerOf is the planner that a text is part of: itself, or one that uses it, that of now first; "" if there is none.
func (p *textPage) plannerOf(flows *flowList) string {
	for _, name := range append(slices.Clone(p.Plans), p.UsedBy...) {
		if f := flows.of(name); f != nil && f.Planner && slices.Contains(p.UsedBy, name) {
			return name
		}
	}
	return ""
}

func (s *Server) savePlannerFlow(r *http.Request) (string, *view, error) {
	p, err := s.flowPage(r)
	if err != nil {
		return "", nil, err
	}
	return s.saveText(r, p, "saveFlow", Params{"name": p.Name})
}

func (s *Server) savePlannerPrompt(r *http.Request) (string, *view, error) {
	p, err := s.promptPage(r)
	if err != nil {
		return "", nil, err
	}
	return s.saveText(r, p, "savePrompt", Params{"file": strings.TrimPrefix(p.Place, "prompts/")})
}

// saveText saves what an editor sends over what it began with. What is wrong with it, or was saved there meanwhile, is told, and the text
// stays in the editor.
func (s *Server) saveText(r *http.Request, p *textPage, call string, given Params) (string, *view, error) {
	given["text"] = textOf(r, "text")
	if hash := r.PostFormValue("if"); hash != "" {
		given["if"] = hash
	}
	err := s.Call(r.Context(), call, given, nil)
	if err == nil {
		return p.Action + "?saved=1", nil, nil
	}
	var e *Error
	if !errors.As(err, &e) || e.Status >= http.StatusInternalServerError {
		return "", nil, err
	}
	if e.Exit == outcome.Declined {
		p.Meanwhile = linesOfDiff(flowdiff.Lines(p.Text, textOf(r, "text")))
	}
	p.Text, p.Refused, p.Wrong = textOf(r, "text"), true, e.Error()
	if e.Exit != outcome.Declined {
		p.Findings, _ = s.findingsOf(r.Context(), p) // where they cannot be had, the page says why it was not saved
		if slices.ContainsFunc(p.Findings, func(d placedFinding) bool { return d.Severity == "error" }) {
			p.Wrong = ""
		}
	}
	again, err := s.textView(r, p)
	return "", &again, err
}

// findingsOf gives what is wrong with the text of the page.
func (s *Server) findingsOf(ctx context.Context, p *textPage) ([]placedFinding, error) {
	if p.Kind == "flow" {
		return s.findText(ctx, "checkFlow", Params{"name": p.Name, "text": p.Text})
	}
	return s.findText(ctx, "checkPrompt", Params{"file": strings.TrimPrefix(p.Place, "prompts/"), "text": p.Text})
}

// IfHash is what must lie in the home for the text to be saved.
func (p *textPage) IfHash() string {
	if !p.Own {
		return "none"
	}
	return p.Hash
}
