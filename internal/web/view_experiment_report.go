package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// experimentReport is what its rows say.
type experimentReport struct {
	Primary     string             `json:"primary"`
	Baseline    string             `json:"baseline"`
	Effect      float64            `json:"effect"`
	Errors      int                `json:"errors"`
	Groups      int                `json:"groups"`
	Repeats     int                `json:"repeats"`
	Metrics     []string           `json:"metrics"`
	Warnings    []string           `json:"warnings"`
	Notes       []string           `json:"notes"`
	Variants    []reportedVariant  `json:"variants"`
	Comparisons []reportComparison `json:"comparisons"`
	Factors     []reportedFactor   `json:"factors"`
}

type reportedVariant struct {
	Name   string             `json:"name"`
	Model  string             `json:"model"`
	Rows   int                `json:"rows"`
	Errors int                `json:"errors"`
	Said   string             `json:"said"`
	Means  map[string]float64 `json:"means"`
	Score  *estimate          `json:"score"`
}

type estimate struct {
	Mean     float64  `json:"mean"`
	Interval interval `json:"interval"`
}

type interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Known bool    `json:"known"`
}

type reportComparison struct {
	Variant string   `json:"variant"`
	Diff    []string `json:"diff"`
	Verdict string   `json:"verdict"`
	Reason  string   `json:"reason"`
	Further int      `json:"further"`
	Advice  string   `json:"advice"`
	Said    string   `json:"said"`
	P       float64  `json:"p"`
	Metrics []struct {
		Metric   string  `json:"metric"`
		Cases    int     `json:"cases"`
		Baseline float64 `json:"baseline"`
		Variant  float64 `json:"variant"`
		TTest    struct {
			Mean     float64  `json:"mean"`
			P        float64  `json:"p"`
			Interval interval `json:"interval"`
		} `json:"t_test"`
	} `json:"metrics"`
	Guardrails []struct {
		Metric string `json:"metric"`
		State  string `json:"state"`
		Reason string `json:"reason"`
	} `json:"guardrails"`
	Fixed      []json.RawMessage `json:"fixed"`
	Broken     []json.RawMessage `json:"broken"`
	MoreFixed  int               `json:"more_fixed"`
	MoreBroken int               `json:"more_broken"`
}

// State is that of a badge.
func (c reportComparison) State() string { return strings.ToLower(c.Verdict) }

// Sides are how many cases it fixed, and how many it broke.
func (c reportComparison) Sides() [2]int {
	return [2]int{len(c.Fixed) + c.MoreFixed, len(c.Broken) + c.MoreBroken}
}

type reportedFactor struct {
	Node   string `json:"node"`
	Level  string `json:"level"`
	Versus string `json:"versus"`
	TTest  struct {
		Mean     float64  `json:"mean"`
		P        float64  `json:"p"`
		Interval interval `json:"interval"`
	} `json:"t_test"`
}

// measured is a difference of a metric, in words and as a plot.
type measured struct {
	Name, Baseline, Variant, Change, Interval, P string
	Primary                                      bool
	Plot                                         intervalPlot
}

// Numbers are the differences of a comparison, one for each metric.
func (r *experimentReport) Numbers(c reportComparison) []measured {
	var out []measured
	for _, d := range c.Metrics {
		m := measured{Name: d.Metric, Baseline: level(d.Metric, d.Baseline), Variant: level(d.Metric, d.Variant), Change: changeOf(d.Metric, d.TTest.Mean), Interval: "not known", P: "", Primary: d.Metric == r.Primary}
		ends := []float64{d.TTest.Mean}
		if iv := d.TTest.Interval; iv.Known {
			m.Interval = changeOf(d.Metric, iv.Low) + " to " + changeOf(d.Metric, iv.High)
			m.P = fmt.Sprintf("%.4f", d.TTest.P)
			ends = append(ends, iv.Low, iv.High)
		}
		if m.Primary {
			ends = append(ends, r.effect(), -r.effect())
			m.Plot = newIntervalPlot(reach(ends...), d.TTest.Mean, d.TTest.Interval, r.effect())
		} else {
			m.Plot = newIntervalPlot(reach(ends...), d.TTest.Mean, d.TTest.Interval, 0)
		}
		m.Plot.Label = m.Name + " " + m.Change + ", 95% interval " + m.Interval
		out = append(out, m)
	}
	return out
}

// effect is the smallest difference that matters, to the side that is better.
func (r *experimentReport) effect() float64 {
	if rate(r.Primary) {
		return r.Effect
	}
	return -r.Effect
}

// decided is a comparison and the difference that decides it.
type decided struct {
	*reportComparison
	Change, Interval string // "" where no case tells
	Plot             *intervalPlot
}

// Overview is what came of all comparisons, the primary metric of each on one scale.
func (r *experimentReport) Overview() []decided {
	ends := []float64{r.effect()}
	out := make([]decided, len(r.Comparisons))
	each := func(f func(i int, mean float64, iv interval)) {
		for i := range r.Comparisons {
			out[i].reportComparison = &r.Comparisons[i]
			for _, d := range r.Comparisons[i].Metrics {
				if d.Metric == r.Primary {
					f(i, d.TTest.Mean, d.TTest.Interval)
				}
			}
		}
	}
	each(func(_ int, mean float64, iv interval) {
		if ends = append(ends, mean); iv.Known {
			ends = append(ends, iv.Low, iv.High)
		}
	})
	each(func(i int, mean float64, iv interval) {
		plot, d := newIntervalPlot(reach(ends...), mean, iv, r.effect()), &out[i]
		d.Change, d.Interval, d.Plot = changeOf(r.Primary, mean), "not known", &plot
		if iv.Known {
			d.Interval = changeOf(r.Primary, iv.Low) + " to " + changeOf(r.Primary, iv.High)
		}
		plot.Label = d.Variant + ": " + d.Change + ", 95% interval " + d.Interval
	})
	return out
}

// Mean is a value of a variant in words, "" where it has none.
func (r *experimentReport) Mean(v reportedVariant, metric string) string {
	mean, ok := v.Means[metric]
	if !ok {
		return ""
	}
	return level(metric, mean)
}

// FactorChange is the effect of a level in words.
func (r *experimentReport) FactorChange(f reportedFactor) string {
	return changeOf(r.Primary, f.TTest.Mean) + " (" + changeOf(r.Primary, f.TTest.Interval.Low) + " to " + changeOf(r.Primary, f.TTest.Interval.High) + ")"
}

// reportOf is the report of an experiment. That of one that is whole stays as it is, and is worked out once.
func (s *Server) reportOf(r *http.Request, x *shownExperiment) (*experimentReport, error) {
	key := fmt.Sprintf("%s %d %d %s", x.ID, x.Rows, x.Total, x.Begun)
	if x.Missing() == 0 {
		if got, ok := s.reports.get(key); ok {
			return got, nil
		}
	}
	out := &experimentReport{}
	if err := s.Call(r.Context(), "reportExperiment", Params{"id": x.ID}, out); err != nil {
		return nil, err
	}
	if x.Missing() == 0 {
		s.reports.put(key, out)
	}
	return out, nil
}

// reportCache keeps the reports of a few experiments that are whole.
type reportCache struct {
	mu   sync.Mutex
	keys []string // the oldest first
	of   map[string]*experimentReport
}

func (c *reportCache) get(key string) (*experimentReport, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.of[key]
	return r, ok
}

// mostReports are kept; each has no matrix, and is small.
const mostReports = 32

func (c *reportCache) put(key string, r *experimentReport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]*experimentReport{}
	}
	if _, ok := c.of[key]; !ok {
		c.keys = append(c.keys, key)
	}
	if c.of[key] = r; len(c.keys) > mostReports {
		delete(c.of, c.keys[0])
		c.keys = c.keys[1:]
	}
}

// reportFormat is a format of downloads: what links to it say, and the ending and the type of its files.
type reportFormat struct{ Name, Label, Ending, Type string }

var reportFormats = []reportFormat{
	{"html", "HTML, with all replies", "html", "text/html; charset=utf-8"}, {"markdown", "Markdown", "md", "text/markdown; charset=utf-8"}, {"json", "JSON", "json", "application/json"},
	{"junit", "JUnit XML", "xml", "application/xml"}, {"text", "Text", "txt", "text/plain; charset=utf-8"},
}

// downloadReport gives a report as a file. The one of HTML has a script of its own: it is never shown from here, so that it can
// reach nothing of this page.
func (s *Server) downloadReport(w http.ResponseWriter, r *http.Request) {
	format := r.PathValue("format")
	at := slices.IndexFunc(reportFormats, func(f reportFormat) bool { return f.Name == format })
	if at < 0 {
		s.render(w, r, errorView(r, &Error{Status: http.StatusNotFound, Message: fmt.Sprintf("there is no report as %q", format)}))
		return
	}
	as := reportFormats[at]
	result, err := s.carry(r.Context(), s.endpoint("reportExperiment"), Params{"id": r.PathValue("id"), "format": format, "all": true}, nil)
	if err == nil && len(result.Stdout) == 0 {
		err = result.failure()
	}
	if err != nil {
		s.render(w, r, errorView(r, err))
		return
	}
	h := w.Header()
	h.Set("Content-Type", as.Type)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", `attachment; filename="`+r.PathValue("id")+"."+as.Ending+`"`)
	_, _ = w.Write(result.Stdout) // whoever asked may have gone
}
