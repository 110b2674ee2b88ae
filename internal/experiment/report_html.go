package experiment

import (
	_ "embed"
	"html/template"
	"strings"
)

//go:embed report.html.tmpl
var pageSource string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"svg":     func(s string) template.HTML { return template.HTML(s) }, // made by plot, which escapes every text
	"counted": counted,
	"series":  series,
	"upper":   upperFirst,
	"lower":   strings.ToLower,
	"add":     func(a, b int) int { return a + b },
	"failure": func(s string) string {
		if s == "" {
			return "failed"
		}
		return s
	},
}).Parse(pageSource))

// view is what the page shows of a report.
type view struct {
	*Report
	Means, FactorTable, OutcomeTable grid
	Intervals, Cost, LatencyPlot     string
	Views                            []comparisonView
	EffectText                       string
	Colours                          []int
}

type comparisonView struct {
	Comparison
	Index       int // of its colour
	Differences grid
	Bootstraps  grid
	Tests       string
	Slopes      string
	Lists       []caseList
}

type caseList struct {
	Kind  string // Fixed or Broken
	Total int
	Shown []CaseDifference
}

// Parted is for the page.
func (c CaseDifference) Parted() string { return c.parted() }

// HTML is the report as one page that needs nothing else: no script, no picture, no style of another place.
func (r *Report) HTML() (string, error) {
	v := view{
		Report: r, Means: r.means(), OutcomeTable: r.outcomes(), FactorTable: r.factorTable(),
		Intervals: r.intervalPlot(), Cost: r.costPlot(), LatencyPlot: r.latencyPlot(), EffectText: r.Primary.size(r.Effect), Colours: []int{0, 1, 2, 3, 4, 5, 6, 7},
	}
	for i, c := range r.Comparisons {
		v.Views = append(v.Views, comparisonView{
			Comparison: c, Index: i + 1, Differences: r.differences(c), Bootstraps: r.bootstraps(c), Tests: c.tests(r.Primary, len(r.Comparisons)), Slopes: r.slopePlot(c),
			Lists: []caseList{{"Fixed", len(c.Fixed) + c.MoreFixed, c.Fixed}, {"Broken", len(c.Broken) + c.MoreBroken, c.Broken}},
		})
	}
	var b strings.Builder
	err := page.Execute(&b, v)
	return b.String(), err
}
