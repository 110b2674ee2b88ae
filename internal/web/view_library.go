package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

func (s *Server) libraryRoutes() {
	s.page("GET /library", s.listLibrary)
	s.page("GET /library/_new", s.newWorkflow)
	s.act("POST /library/_new", s.createWorkflow)
	s.mux.HandleFunc("GET /library/_options", s.workflowOptions)
	s.page("GET /library/_nodes", s.listNodes)
	s.page("GET /library/_nodes/{node}", s.showNode)
	s.page("GET /library/{name}", s.showWorkflow)
	parts := map[string]func(r *http.Request) (view, error){"edit": s.editWorkflow, "run": s.runForm, "versions": s.compareVersions, "tests": s.showTests, "notify": s.notifyForm}
	s.page("GET /library/{name}/{part}", func(r *http.Request) (view, error) {
		f := parts[r.PathValue("part")]
		if f == nil {
			return view{}, &Error{Status: http.StatusNotFound, Message: "there is no such page"}
		}
		return f(r)
	})
	s.act("POST /library/{name}/edit", s.saveWorkflow)
	s.act("POST /library/{name}/rename", s.renameWorkflow)
	s.act("POST /library/{name}/delete", s.deleteWorkflow)
	s.act("POST /library/{name}/notify", s.setNotices)
	s.act("POST /library/{name}/dry-run", s.dryRunWorkflow)
	s.act("POST /library/{name}/run", s.runWorkflow)
	s.act("POST /library/{name}/test", s.testWorkflow)
	s.act("POST /library/{name}/tests", s.writeTest)
	s.scheduleRoutes()
}

// libraryPage is how many workflows a page lists.
const libraryPage = 50

// finding is a finding about a document.
type finding struct {
	Severity   string `json:"severity"`
	Message    string `json:"message"`
	Path       string `json:"path"`
	Node       string `json:"node"`
	Suggestion string `json:"suggestion"`
	Place      struct {
		File         string
		Line, Column int
	} `json:"place"`
}

// outcomeOfRuns is what came of the runs of a version.
type outcomeOfRuns struct {
	Done, Failed int
	Last         *struct {
		At      time.Time `json:"at"`
		RunID   string    `json:"run_id"`
		Failed  bool      `json:"failed"`
		Message string    `json:"message"`
		Node    string    `json:"node"`
	}
}

// State is how the last run ended, as badges have it; "" if there was none.
func (o outcomeOfRuns) State() string {
	switch {
	case o.Last == nil:
		return ""
	case o.Last.Failed:
		return stateFailed
	}
	return stateDone
}

// workflowRow is a workflow in lists.
type workflowRow struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Keywords    []string      `json:"keywords"`
	Version     int           `json:"version"`
	UpdatedAt   string        `json:"updated_at"`
	Runs        outcomeOfRuns `json:"runs"`
	Schedules   []scheduleRow `json:"-"`
}

// Updated is when it was saved; zero if that is not known.
func (w workflowRow) Updated() time.Time {
	t, _ := time.Parse(time.RFC3339, w.UpdatedAt)
	return t
}

func (s *Server) listLibrary(r *http.Request) (view, error) {
	q := r.URL.Query()
	given := Params{"limit": libraryPage}
	if q.Get("match") != "" {
		given["match"] = q.Get("match")
	}
	if q.Get("after") != "" {
		given["after"] = q.Get("after")
	}
	data := struct {
		Workflows   []workflowRow `json:"workflows"`
		Total       int           `json:"total"`
		Next        string        `json:"next"`
		Skipped     []finding     `json:"skipped"`
		Match       string
		After, More string
	}{Match: q.Get("match"), After: q.Get("after")}
	if err := s.Call(r.Context(), "listWorkflows", given, &data); err != nil {
		return view{}, err
	}
	schedules, err := s.schedules(r)
	if err != nil {
		return view{}, err
	}
	for i := range data.Workflows {
		data.Workflows[i].Schedules = schedules.of(data.Workflows[i].Name)
	}
	if data.Next != "" {
		more := url.Values{"after": {data.Next}}
		if data.Match != "" {
			more.Set("match", data.Match)
		}
		data.More = "/library?" + more.Encode()
	}
	return view{Template: "library_list", Title: "Library", Section: "library", Data: data}, nil
}

// nodeRow is a component in lists.
type nodeRow struct {
	Name, Description, Origin string
	Effects                   []string
	PlanOnly                  bool `json:"plan_only"`
}

func (s *Server) listNodes(r *http.Request) (view, error) {
	data := struct {
		Nodes []nodeRow `json:"nodes"`
		Words string
	}{Words: r.URL.Query().Get("words")}
	name, given := "listNodes", Params{}
	if data.Words != "" {
		name, given = "searchNodes", Params{"words": data.Words}
	}
	if err := s.Call(r.Context(), name, given, &data); err != nil {
		return view{}, err
	}
	return view{Template: "library_nodes", Title: "Components", Section: "library", Data: data}, nil
}

// nodePort is an input, output or param of a component.
type nodePort struct {
	Key, Type, Description string
	Required               bool
	Default                any
	Enum                   []any
}

func (s *Server) showNode(r *http.Request) (view, error) {
	var data struct {
		nodeRow
		Inputs, Outputs, Params []nodePort
		OpenParams              bool `json:"open_params"`
		OpenOutputs             bool `json:"open_outputs"`
		Actions                 []string
		Example                 map[string]any
	}
	if err := s.Call(r.Context(), "showNode", Params{"name": r.PathValue("node")}, &data); err != nil {
		return view{}, err
	}
	return view{Template: "library_node", Title: data.Name, Section: "library", Data: data}, nil
}

// ordered is an object of JSON whose keys keep their order.
type ordered []struct {
	Name  string
	Value json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *ordered) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err // null, or what is no object
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return err
		}
		name, _ := key.(string)
		*o = append(*o, struct {
			Name  string
			Value json.RawMessage
		}{name, v})
	}
	return nil
}
