package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

func (s *Server) experimentRoutes() {
	s.slowPage("GET /experiments", view{Title: "Experiments", Section: "experiments"}, s.listExperiments)
	s.page("GET /experiments/_new", s.newExperiment)
	s.page("GET /experiments/_live", s.liveSplit)
	s.page("GET /experiments/{id}", s.showExperiment)
	s.page("GET /experiments/{id}/cases/{case}", s.showExperimentCase)
	s.mux.HandleFunc("GET /experiments/{id}/report/{format}", s.downloadReport)
	s.form("POST /experiments", s.beginExperiment)
	s.form("POST /experiments/{id}/resume", s.resumeExperiment)
	s.form("POST /experiments/{id}/stop", s.stopExperiment)
	s.form("POST /experiments/_cases", s.makeCases)
	s.form("POST /experiments/_live/stop", s.stopLive)
	s.form("POST /experiments/_live/start", s.startLive)
}

// listedExperiment is an experiment in the list.
type listedExperiment struct {
	ID          string      `json:"id"`
	Begun       time.Time   `json:"begun"`
	Name        string      `json:"name"`
	Primary     string      `json:"primary"`
	Cases       int         `json:"cases"`
	Repeats     int         `json:"repeats"`
	Rows        int         `json:"rows"`
	Missing     int         `json:"missing"`
	Errors      int         `json:"errors"`
	Variants    []string    `json:"variants"`
	Score       *estimate   `json:"score"`
	Comparisons []briefDiff `json:"comparisons"`

	Running bool
}

type briefDiff struct {
	Variant    string  `json:"variant"`
	Verdict    string  `json:"verdict"`
	Difference float64 `json:"difference"`
}

// State is that of a badge.
func (c briefDiff) State() string { return strings.ToLower(c.Verdict) }

// Change is the difference in words.
func (x *listedExperiment) Change(c briefDiff) string { return changeOf(x.Primary, c.Difference) }

// Scored is the score of a single variant in words.
func (x *listedExperiment) Scored() string {
	if x.Score == nil {
		return ""
	}
	return x.Primary + " " + amount(x.Primary, x.Score.Mean)
}

func (x *listedExperiment) Total() int { return x.Rows + x.Missing }

func (s *Server) listExperiments(r *http.Request) (view, error) {
	var got struct {
		Experiments []listedExperiment `json:"experiments"`
		Unreadable  []struct {
			ID  string `json:"id"`
			Why string `json:"why"`
		} `json:"unreadable"`
		More  bool `json:"more"`
		Limit int  `json:"-"`
	}
	got.Limit = numberOr(r.FormValue("limit"), 20)
	if err := s.Call(r.Context(), "listExperiments", Params{"limit": got.Limit}, &got); err != nil {
		return view{}, err
	}
	for i := range got.Experiments {
		x := &got.Experiments[i]
		_, x.Running = s.experimentJob(x.ID)
	}
	return view{Template: "experiments_list", Title: "Experiments", Section: "experiments", Data: &got}, nil
}

// askedExperiment are the settings of an experiment that is to begin, as the form has them.
type askedExperiment struct {
	A, B, Flow, Cases, Primary, Effect, Repeats, Model string
	AllowEqual                                         bool
}

func readAsked(form url.Values) askedExperiment {
	get := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return askedExperiment{A: get("a"), B: strings.TrimSpace(strings.Join(form["b"], "\n")), Flow: get("flow"), Cases: get("cases"), Primary: get("primary"), Effect: get("effect"),
		Repeats: get("repeats"), Model: get("model"), AllowEqual: get("allow_equal") == "true"}
}

// Others are the variants that are compared with the baseline.
func (a askedExperiment) Others() []string {
	var out []string
	for _, line := range strings.Split(a.B, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func (a askedExperiment) params() Params {
	p := Params{}
	for name, v := range map[string]string{"a": a.A, "flow": a.Flow, "cases": a.Cases, "primary": a.Primary, "effect": a.Effect, "model": a.Model} {
		if v != "" {
			p[name] = v
		}
	}
	if list := a.Others(); len(list) > 0 {
		var b []any
		for _, v := range list {
			b = append(b, v)
		}
		p["b"] = b
	}
	if n := numberOr(a.Repeats, 1); n != 1 {
		p["repeats"] = n
	}
	if a.AllowEqual {
		p["allow_equal"] = true
	}
	return p
}

// preparedExperiment is what an experiment would run.
type preparedExperiment struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Rows     int               `json:"rows"`
	Cases    int               `json:"cases"`
	Repeats  int               `json:"repeats"`
	Total    int               `json:"total"`
	Variants []preparedVariant `json:"variants"`
	Models   string            `json:"models"`
	Replies  string            `json:"replies"`
	Carried  bool              `json:"carried"`
}

// Missing is how many plans are to be made.
func (p *preparedExperiment) Missing() int { return p.Total - p.Rows }

type preparedVariant struct {
	shownVariant
	Diff []string `json:"diff"`
}

// experimentPower is what differences the cases would show.
type experimentPower struct {
	Effect  float64 `json:"effect"`
	Primary string  `json:"primary"`
	Rows    []struct {
		Discordance *float64 `json:"discordance"`
		Chances     []struct {
			Power      float64  `json:"power"`
			Difference *float64 `json:"difference"`
			Needed     *int     `json:"needed"`
		} `json:"chances"`
	} `json:"rows"`
}

// Says is what the power comes to, a line for each chance.
func (p *experimentPower) Says() []string {
	var out []string
	for _, row := range p.Rows {
		if len(row.Chances) == 0 {
			continue
		}
		c := row.Chances[0]
		line := ""
		if row.Discordance != nil {
			line = "If " + percent(*row.Discordance) + " of the cases differ, "
		}
		if c.Difference != nil {
			line += "these cases show a difference of " + amount(p.Primary, *c.Difference) + " with a chance of " + percent(c.Power)
		} else {
			line += "these cases show no difference with a chance of " + percent(c.Power)
		}
		if c.Needed != nil {
			line += "; " + amount(p.Primary, p.Effect) + " would take " + counted(*c.Needed, "case")
		}
		out = append(out, strings.ToUpper(line[:1])+line[1:]+".")
	}
	return out
}

func (s *Server) newExperiment(r *http.Request) (view, error) {
	if err := r.ParseForm(); err != nil {
		return view{}, &Error{Status: http.StatusBadRequest, Message: "the form cannot be read"}
	}
	data := struct {
		askedExperiment
		Metrics  []string
		Kept     []keptCases
		Checked  bool
		Prepared *preparedExperiment
		Power    *experimentPower
		Problem  *Error
	}{askedExperiment: readAsked(r.Form), Metrics: metrics, Checked: r.Form.Has("a") || r.Form.Has("b") || r.Form.Has("flow")}
	ctx := r.Context()
	var kept struct {
		Cases []keptCases `json:"cases"`
	}
	if err := s.Call(ctx, "listCases", nil, &kept); err != nil {
		return view{}, err
	}
	data.Kept = kept.Cases
	if data.Checked {
		data.Prepared = &preparedExperiment{}
		if err := s.Call(ctx, "prepareExperiment", data.params(), data.Prepared); err != nil {
			data.Prepared, data.Problem = nil, asError(err).labelled(askedLabels)
		} else {
			data.Power = s.powerOf(ctx, data.params())
		}
	}
	return view{Template: "experiments_new", Title: "New experiment", Section: "experiments", Data: &data}, nil
}

// powerOf is nil where it cannot be told: what is wrong was said before.
func (s *Server) powerOf(ctx context.Context, p Params) *experimentPower {
	out := &experimentPower{}
	if s.Call(ctx, "powerOfExperiment", p, out) != nil {
		return nil
	}
	return out
}

// askedLabels are what the form of an experiment calls what it is given.
var askedLabels = map[string]string{"a": "Baseline", "b": "Against it", "cases": "Cases", "primary": "What decides", "effect": "The smallest difference that matters",
	"repeats": "Runs of each case", "model": "Model, where a flow names none"}

// sinceLabel is what forms call the time since when requests count.
var sinceLabel = map[string]string{"since": "Only since"}

type keptCases struct {
	Name  string `json:"name"`
	Cases int    `json:"cases"`
}

func (s *Server) makeCases(r *http.Request) (string, error) {
	p := Params{"name": strings.TrimSpace(r.PostFormValue("name"))}
	if since := strings.TrimSpace(r.PostFormValue("since")); since != "" {
		p["since"] = since
	}
	if err := s.Call(r.Context(), "makeCases", p, nil); err != nil {
		return "", asError(err).labelled(sinceLabel)
	}
	return "/experiments/_new?" + url.Values{"cases": {"home:" + p["name"].(string)}}.Encode(), nil
}
