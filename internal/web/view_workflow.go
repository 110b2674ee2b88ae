package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// workflowShown is a saved workflow, or a version of one.
type workflowShown struct {
	workflowRow
	File        string
	Examples    []string
	Origin      map[string]any
	IR          json.RawMessage
	Valid       bool
	Text        string
	Language    string
	Revision    string
	Notation    string
	Effects     []string
	Diagnostics []finding
	UsedBy      []struct{ Kind, Name, When string } `json:"used_by"`
	Tests       *struct{ File, Text string }
	OnFailure   *noticeShown `json:"on_failure"`
	OnSuccess   *noticeShown `json:"on_success"`
	Gone        []string     // the workflows of these that are saved no more

	Ref     string // as it was asked for
	Inputs  []inputShown
	Outputs []outputShown
}

// noticeShown is the workflow that tells of runs.
type noticeShown struct {
	Workflow string
	Version  int
}

// inputShown is a declared input.
type inputShown struct {
	Name        string `json:"-"`
	Type        string
	Required    bool
	Default     json.RawMessage
	Description string
	Secret      bool
	FromEnv     string `json:"from_env"`
	FromStdin   bool   `json:"from_stdin"`
}

// Text is its default as forms have it: a text as it is, anything else as JSON.
func (in inputShown) Text() string {
	var text string
	switch {
	case len(in.Default) == 0 || string(in.Default) == "null":
		return ""
	case json.Unmarshal(in.Default, &text) == nil:
		return text
	}
	var v any
	if json.Unmarshal(in.Default, &v) == nil && (in.Type == "array" || in.Type == "object") {
		return jsonText(v, "  ")
	}
	return string(in.Default)
}

// HasDefault reports whether it has one.
func (in inputShown) HasDefault() bool { return len(in.Default) > 0 && string(in.Default) != "null" }

type outputShown struct {
	Name                      string `json:"-"`
	Source, Type, Description string
}

// OfVersion reports whether it is an earlier version, which stays as it is.
func (w *workflowShown) OfVersion() bool { return strings.Contains(w.Ref, "@") }

// workflow shows the saved workflow of a path.
func (s *Server) workflow(r *http.Request) (*workflowShown, error) {
	w := &workflowShown{Ref: r.PathValue("name")}
	if err := s.Call(r.Context(), "showWorkflow", Params{"name": w.Ref}, w); err != nil {
		return nil, err
	}
	var doc struct{ Inputs, Outputs ordered }
	if err := json.Unmarshal(w.IR, &doc); err != nil {
		return nil, err
	}
	for _, p := range doc.Inputs {
		in := inputShown{Name: p.Name}
		if err := json.Unmarshal(p.Value, &in); err != nil {
			return nil, err
		}
		w.Inputs = append(w.Inputs, in)
	}
	for _, p := range doc.Outputs {
		out := outputShown{Name: p.Name}
		if json.Unmarshal(p.Value, &out) != nil { // a template alone
			if err := json.Unmarshal(p.Value, &out.Source); err != nil {
				return nil, err
			}
		}
		w.Outputs = append(w.Outputs, out)
	}
	return w, nil
}

// versionRow is a version of a workflow.
type versionRow struct {
	workflowRow
	File string
	Same []int // the other versions with the same steps; its runs are those of all of them
}

// Ref is how the version is named.
func (v versionRow) Ref() string { return fmt.Sprintf("%s@%d", v.Name, v.Version) }

func (s *Server) versions(r *http.Request, name string) ([]versionRow, error) {
	var got struct{ Versions []versionRow }
	err := s.Call(r.Context(), "workflowHistory", Params{"name": name}, &got)
	return got.Versions, err
}

// lastRuns is how many runs the page of a workflow lists.
const lastRuns = 10

func (s *Server) showWorkflow(r *http.Request) (view, error) {
	w, err := s.workflow(r)
	var unknown *Error
	if errors.As(err, &unknown) && unknown.Status == http.StatusNotFound {
		if v, none := s.compareVersions(r); none == nil { // it was deleted
			v.Status = http.StatusNotFound
			return v, nil
		}
	}
	if err != nil {
		return view{}, err
	}
	data := struct {
		*workflowShown
		Graph     *Graph
		Versions  []versionRow
		Last      []runRow
		Scheduled []scheduleRow
	}{workflowShown: w}
	if data.Graph, err = GraphOfWorkflow(w.IR); err != nil {
		return view{}, err
	}
	data.Graph.Label = w.Ref
	if data.Versions, err = s.versions(r, w.Name); err != nil {
		return view{}, err
	}
	got, err := s.runs(r.Context(), Params{"workflow": w.Name, "limit": lastRuns})
	if err != nil {
		return view{}, err
	}
	data.Last = got.Runs
	all, err := s.schedules(r)
	if err != nil {
		return view{}, err
	}
	data.Scheduled = all.of(w.Name)
	return s.withRuns(r, view{Template: "workflow_show", Title: w.Ref, Section: "library", Data: data})
}

// withRuns has a page change with the newest runs.
func (s *Server) withRuns(r *http.Request, v view) (view, error) {
	stands, err := s.standing(r.Context())
	v.Events = "/api/v1/runs/events?seen=" + stands
	return v, err
}

// workflowDiff is how a workflow differs from another.
type workflowDiff struct {
	Old, New struct {
		Workflow string
		Version  int
	}
	Changes []change
	Lines   string
}

// ByLines are the lines that differ.
func (d *workflowDiff) ByLines() []diffLine { return linesOfDiff(d.Lines) }

func (s *Server) compareVersions(r *http.Request) (view, error) {
	name := r.PathValue("name")
	data := struct {
		Name     string
		Versions []versionRow
		From, To string
		Diff     *workflowDiff
		Gone     bool
	}{Name: name, From: r.URL.Query().Get("from"), To: r.URL.Query().Get("to")}
	var err error
	if data.Versions, err = s.versions(r, name); err != nil {
		return view{}, err
	}
	var failed *Error
	err = s.Call(r.Context(), "showWorkflow", Params{"name": name}, nil)
	data.Gone = errors.As(err, &failed) && failed.Status == http.StatusNotFound
	if data.To == "" && len(data.Versions) > 0 {
		data.To = data.Versions[0].Ref()
	}
	if at := slices.IndexFunc(data.Versions, func(v versionRow) bool { return v.Ref() == data.To }); data.From == "" && at >= 0 && at+1 < len(data.Versions) {
		data.From = data.Versions[at+1].Ref()
	}
	if data.From != "" && data.To != "" {
		data.Diff = &workflowDiff{}
		if err := s.Call(r.Context(), "diffWorkflows", Params{"name": data.To, "from": data.From}, data.Diff); err != nil {
			return view{}, err
		}
	}
	return view{Template: "workflow_versions", Title: name + ": versions", Section: "library", Data: data}, nil
}
