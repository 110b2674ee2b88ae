package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"pflow/internal/split"
)

// liveSplit is how flows do among which requests are split.
type liveSplit struct {
	Verdict     string           `json:"verdict"`
	Says        []string         `json:"says"`
	Level       float64          `json:"level"`
	Narrowed    bool             `json:"narrowed"`
	Arms        []liveArm        `json:"arms"`
	Comparisons []liveComparison `json:"comparisons"`
	Before      int              `json:"before"`

	Since   string
	Problem *Error
}

type liveArm struct {
	Flow    string  `json:"flow"`
	Share   float64 `json:"share"`
	Stopped *struct {
		At  time.Time `json:"at"`
		Why string    `json:"why"`
	} `json:"stopped"`
	Requests int            `json:"requests"`
	Asked    int            `json:"asked"`
	Scored   int            `json:"scored"`
	Open     int            `json:"open"`
	Score    *float64       `json:"score"`
	Outcomes map[string]int `json:"outcomes"`
	Fixed    int            `json:"fixed"`
	Reused   int            `json:"reused"`
	Planned  int            `json:"planned"`
	Failures int            `json:"failures"`
	MS       float64        `json:"ms"`
	USD      float64        `json:"usd"`
}

// ShareText is its share of the requests.
func (a liveArm) ShareText() string { return percent(a.Share) }

// ScoreText is its score in percent, "" without one.
func (a liveArm) ScoreText() string {
	if a.Score == nil {
		return ""
	}
	return percent(*a.Score)
}

// OutcomesText is what became of its plans.
func (a liveArm) OutcomesText() string {
	var out []string
	for _, o := range split.Outcomes {
		if n := a.Outcomes[string(o)]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(out, ", ")
}

type liveComparison struct {
	Flow    string `json:"flow"`
	Against string `json:"against"`
	Score   struct {
		Difference float64  `json:"difference"`
		Interval   interval `json:"interval"`
		Decided    bool     `json:"decided"`
		Note       string   `json:"note"`
	} `json:"score"`
	Loses   string     `json:"loses"`
	Why     string     `json:"why"`
	Waiting int        `json:"waiting"`
	Until   *time.Time `json:"until"`
	Guards  []struct {
		Name  string `json:"name"`
		Limit string `json:"limit"`
		State string `json:"state"`
	} `json:"guards"`
}

// Change is the difference of the scores in words.
func (c liveComparison) Change() string { return changeOf("pass", c.Score.Difference) }

// IntervalText is the interval that holds at every look.
func (c liveComparison) IntervalText() string {
	if !c.Score.Interval.Known {
		return "not known yet"
	}
	return changeOf("pass", c.Score.Interval.Low) + " to " + changeOf("pass", c.Score.Interval.High)
}

// Plot is the difference with its interval, from −100 to 100 points.
func (c liveComparison) Plot() intervalPlot {
	p := newIntervalPlot(1, c.Score.Difference, c.Score.Interval, 0)
	p.Label = c.Flow + " against " + c.Against + ": " + c.Change() + ", interval " + c.IntervalText() + "; from −100 to +100 points"
	return p
}

func (s *Server) liveSplit(r *http.Request) (view, error) {
	data := liveSplit{Since: strings.TrimSpace(r.URL.Query().Get("since"))}
	p := Params{}
	if data.Since != "" {
		p["since"] = data.Since
	}
	if err := s.Call(r.Context(), "showLive", p, &data); err != nil {
		data.Problem = asError(err).labelled(sinceLabel)
	}
	return view{Template: "experiments_live", Title: "Live split", Section: "experiments", Data: &data}, nil
}

func (s *Server) stopLive(r *http.Request) (string, error) {
	return "/experiments/_live", s.Call(r.Context(), "stopLive", nil, nil)
}

func (s *Server) startLive(r *http.Request) (string, error) {
	return "/experiments/_live", s.Call(r.Context(), "startLive", Params{"flow": r.PostFormValue("flow")}, nil)
}
