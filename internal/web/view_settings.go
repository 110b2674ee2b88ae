package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/outcome"
)

func (s *Server) settingsRoutes() {
	s.slowPage("GET /settings", view{Title: "Settings", Section: "settings"}, s.showSettings)
	s.page("GET /settings/jobs/{job}", s.showSettingsJob)
	s.form("POST /settings/models/check", func(r *http.Request) (string, error) {
		p := Params{}
		if m := strings.TrimSpace(r.PostFormValue("model")); m != "" {
			p["model"] = m
		}
		if r.PostFormValue("probe") == "true" {
			p["probe"] = true
		}
		return s.settingsJob("checkModel", p)
	})
	s.form("POST /settings/mcp/check", func(r *http.Request) (string, error) {
		p := Params{}
		if name := r.PostFormValue("name"); name != "" {
			p["names"] = []any{name}
		}
		return s.settingsJob("checkServers", p)
	})
	s.form("POST /settings/mcp", s.addServer)
	s.form("POST /settings/mcp/{name}/remove", func(r *http.Request) (string, error) {
		return "/settings#mcp", s.Call(r.Context(), "removeServer", Params{"name": r.PathValue("name")}, nil)
	})
}

// settingsJob begins what takes long, and gives the page that follows it.
func (s *Server) settingsJob(name string, p Params) (string, error) {
	j, err := s.Begin(name, p)
	if err != nil {
		return "", err
	}
	return "/settings/jobs/" + j.ID, nil
}

func (s *Server) addServer(r *http.Request) (string, error) {
	lines := func(name string) []any {
		var out []any
		for _, line := range strings.Split(r.PostFormValue(name), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
		return out
	}
	p := Params{"name": strings.TrimSpace(r.PostFormValue("name"))}
	for _, name := range []string{"command", "env", "headers"} {
		if list := lines(name); len(list) > 0 {
			p[name] = list
		}
	}
	if address := strings.TrimSpace(r.PostFormValue("url")); address != "" {
		p["url"] = address
	}
	return s.settingsJob("addServer", p)
}

// doctored is what doctor says.
type doctored struct {
	Version  string `json:"version"`
	Home     string `json:"home"`
	Settings []struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Source string `json:"source"`
	} `json:"settings"`
	Checks []check `json:"checks"`
	Files  []struct {
		Path  string `json:"path"`
		Holds string `json:"holds"`
		There bool   `json:"there"`
	} `json:"files"`
	Text string `json:"settings_text"`
}

type check struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Do      string `json:"do"` // at a terminal
}

// Where is the page on which something is done about it.
func (c check) Where() link {
	kind, name, _ := strings.Cut(c.Name, " ")
	switch kind {
	case "flow":
		return link{"/planner/flows/" + url.PathEscape(name), name}
	case "planner":
		return link{"/planner", "Planner"}
	case "runs":
		return link{"/runs", "Runs"}
	case "schedules":
		return link{"/schedules", "Schedules"}
	case "nodes":
		return link{"/library/_nodes", "Components"}
	case "workflows":
		return link{"/library", "Library"}
	case "settings", "secret", "policy":
		return link{"#file", "Files"}
	}
	return link{}
}

// Wrong are the checks that found something, errors first.
func (d *doctored) Wrong() []check {
	out := slices.DeleteFunc(slices.Clone(d.Checks), func(c check) bool { return c.Status == "ok" })
	slices.SortStableFunc(out, func(a, b check) int { return strings.Compare(a.Status, b.Status) })
	return out
}

// Well are the others.
func (d *doctored) Well() []check {
	return slices.DeleteFunc(slices.Clone(d.Checks), func(c check) bool { return c.Status != "ok" || c.Name == "terminal" })
}

type modelList struct {
	Default   *string    `json:"default"`
	Providers []provider `json:"providers"`
}

type provider struct {
	Name      string `json:"name"`
	BaseURL   string `json:"base_url"`
	Program   string `json:"program"`
	Installed bool   `json:"installed"`
	KeyEnv    string `json:"key_env"`
	KeySet    bool   `json:"key_set"`
	KeyNeeded bool   `json:"key_needed"`
	Models    []struct {
		Name    string `json:"name"`
		Context *int   `json:"context"`
		Prices  *struct {
			Input  float64 `json:"input_usd"`
			Output float64 `json:"output_usd"`
			Date   string  `json:"date"`
		} `json:"prices"`
	} `json:"models"`
}

// Ready reports whether it can be called, as far as that is known.
func (p provider) Ready() bool {
	if p.Program != "" {
		return p.Installed
	}
	return p.KeySet || !p.KeyNeeded
}

// Key is how its key stands.
func (p provider) Key() string {
	switch {
	case p.Program != "" && p.Installed:
		return "the program is there"
	case p.Program != "":
		return "the program " + p.Program + " is not on the PATH"
	case p.KeySet:
		return "the key is set"
	case p.KeyNeeded:
		return "no key: set " + p.KeyEnv
	}
	return "needs no key"
}

type mcpServer struct {
	Name      string   `json:"name"`
	Command   []string `json:"command"`
	URL       string   `json:"url"`
	Variables []string `json:"variables"`
	Known     bool     `json:"known"`
	Version   string   `json:"version"`
	Tools     []struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Effects     []string `json:"effects"`
	} `json:"tools"`
	LeftOut []string `json:"left_out"`
}

func (s *Server) showSettings(r *http.Request) (view, error) {
	var data struct {
		Doctor  doctored
		Models  modelList
		Servers struct {
			Servers []mcpServer `json:"servers"`
		}
		Schedules struct {
			Server    string `json:"server"`
			Schedules []struct {
				Name string `json:"name"`
			} `json:"schedules"`
		}
		Problems []*Error
	}
	for _, part := range []struct {
		call string
		into any
	}{{"doctor", &data.Doctor}, {"listModels", &data.Models}, {"listServers", &data.Servers}, {"listSchedules", &data.Schedules}} {
		if err := s.Call(r.Context(), part.call, nil, part.into); err != nil {
			data.Problems = append(data.Problems, asError(err)) // of one part: the others are shown
		}
	}
	return view{Template: "settings", Title: "Settings", Section: "settings", Data: &data}, nil
}

func (s *Server) showSettingsJob(r *http.Request) (view, error) {
	j, err := s.job(r)
	if err != nil {
		return view{}, err
	}
	titles := map[string]string{"checkModel": "Checking a model", "checkServers": "Checking MCP servers", "addServer": "Adding an MCP server"}
	title, known := titles[j.Endpoint]
	if !known {
		return view{}, &Error{Status: http.StatusNotFound, Message: "this is no job of the settings"}
	}
	res := j.Result()
	data := struct {
		Title    string
		Done, OK bool
		Messages []string
		Result   any
	}{Title: title, Done: res != nil, Messages: j.said(200)}
	v := view{Template: "settings_job", Title: title, Section: "settings", Data: &data}
	if res == nil {
		v.Events = j.Events()
		return v, nil
	}
	data.OK, data.Result = res.Exit == outcome.Done, res.document()
	return v, nil
}
