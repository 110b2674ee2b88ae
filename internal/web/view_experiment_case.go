package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// shownCase is a case under the variants that are looked at.
type shownCase struct {
	Experiment string     `json:"experiment"`
	ID         string     `json:"id"`
	Group      string     `json:"group"`
	Request    string     `json:"request"`
	Rest       any        `json:"case"`
	Cells      []caseCell `json:"cells"`

	Variant, Beside string
	Variants        []string
}

type caseCell struct {
	Variant string    `json:"variant"`
	Passes  int       `json:"passes"`
	Runs    []caseRun `json:"runs"`
}

type caseRun struct {
	Repeat  int                `json:"repeat"`
	Pass    bool               `json:"pass"`
	Outcome string             `json:"outcome"`
	InWords string             `json:"in_words"`
	Failed  []string           `json:"failed"`
	Took    map[string]float64 `json:"took"`
	Route   []caseStep         `json:"route"`
	Plan    any                `json:"plan"`
}

type caseStep struct {
	Node      string `json:"node"`
	Visit     int    `json:"visit"`
	Action    string `json:"action"`
	Because   string `json:"because"`
	Result    string `json:"result"`
	Exchanges []struct {
		Model  string `json:"model"`
		Prompt string `json:"prompt"`
		Reply  string `json:"reply"`
		Error  string `json:"error"`
	} `json:"exchanges"`

	Parts bool // here the route parts from that beside it
}

// Number counts the runs of a case from 1.
func (r caseRun) Number() int { return r.Repeat + 1 }

// Measures are what a run took, in words.
func (r caseRun) Measures() string {
	var out []string
	for _, m := range metrics {
		if v, ok := r.Took[m]; ok && v != 0 && !rate(m) && m != "latency_net_ms" {
			switch m {
			case "calls", "tokens":
				out = append(out, fmt.Sprintf("%.0f %s", v, m))
			default:
				out = append(out, amount(m, v))
			}
		}
	}
	return strings.Join(out, ", ")
}

// Href is the address of the case with another pair of variants.
func (c *shownCase) Href(variant, beside string) string {
	q := url.Values{"variant": {variant}}
	if beside != "" {
		q.Set("beside", beside)
	}
	return "/experiments/" + c.Experiment + "/cases/" + url.PathEscape(c.ID) + "?" + q.Encode()
}

func (s *Server) showExperimentCase(r *http.Request) (view, error) {
	var c shownCase
	id, q := r.PathValue("id"), r.URL.Query()
	if err := s.Call(r.Context(), "showExperimentCase", Params{"id": id, "case": r.PathValue("case")}, &c); err != nil {
		return view{}, err
	}
	for _, cell := range c.Cells {
		c.Variants = append(c.Variants, cell.Variant)
	}
	c.Variant, c.Beside = c.pick(q.Get("variant"), q.Get("beside"))
	shown := slices.DeleteFunc(slices.Clone(c.Cells), func(cell caseCell) bool { return cell.Variant != c.Variant && cell.Variant != c.Beside })
	if len(shown) == 2 {
		markParting(&shown[0], &shown[1])
	}
	c.Cells = shown
	return view{Template: "experiments_case", Title: c.ID + " of " + c.Experiment, Section: "experiments", Data: &c}, nil
}

// pick is the pair of variants that is shown: the baseline beside another, unless the address says two.
func (c *shownCase) pick(variant, beside string) (string, string) {
	has := func(name string) bool { return slices.Contains(c.Variants, name) }
	if !has(variant) {
		variant = c.Variants[len(c.Variants)-1]
		if len(c.Variants) > 1 {
			variant = c.Variants[1]
		}
	}
	if !has(beside) || beside == variant {
		beside = ""
		for _, v := range c.Variants {
			if v != variant {
				beside = v
				break
			}
		}
	}
	return variant, beside
}

// markParting marks the steps of the first runs at which two routes part: the first node that took another action, or else the
// first step that only one has.
func markParting(a, b *caseCell) {
	if len(a.Runs) == 0 || len(b.Runs) == 0 {
		return
	}
	left, right := a.Runs[0].Route, b.Runs[0].Route
	for i := range left {
		for k := range right {
			if left[i].Node == right[k].Node && left[i].Visit == right[k].Visit && left[i].Action != right[k].Action {
				left[i].Parts, right[k].Parts = true, true
				return
			}
		}
	}
	for i := range max(len(left), len(right)) {
		if i < len(left) && i < len(right) && left[i].Node == right[i].Node {
			continue
		}
		if i < len(left) {
			left[i].Parts = true
		}
		if i < len(right) {
			right[i].Parts = true
		}
		return
	}
}
