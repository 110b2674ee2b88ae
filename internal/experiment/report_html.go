package experiment

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
)

// The page: its markup, its looks, and the script that shows the cases.
var (
	//go:embed report.html.tmpl
	pageSource string
	//go:embed report.css
	pageStyle string
	//go:embed report.js
	pageScript string
)

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"svg":     func(s string) template.HTML { return template.HTML(s) }, // made by plot, which escapes every text
	"counted": counted,
	"series":  series,
	"upper":   upperFirst,
	"lower":   strings.ToLower,
}).Parse(pageSource))

// view is what the page shows of a report.
type view struct {
	*Report
	Style, StyleHash, ScriptHash     any
	Means, FactorTable, OutcomeTable grid
	Intervals, Cost, LatencyPlot     string
	Views                            []comparisonView
	EffectText                       string
	LeftOut                          string
}

type comparisonView struct {
	Comparison
	Index       int // of its colour
	Differences grid
	Ratios      grid
	Tests       string
	Advice      string
	Said        string
	Slopes      string
	Links       []pageLink
}

// pageLink is a link to cases of the page's table.
type pageLink struct {
	Href template.URL
	Text string
}

func (c *Comparison) links() []pageLink {
	var out []pageLink
	link := func(n int, kind, diff string) {
		if n > 0 {
			out = append(out, pageLink{template.URL("#" + url.Values{"diff": {diff}, "of": {c.Variant}}.Encode()), fmt.Sprintf("%d %s", n, kind)})
		}
	}
	link(len(c.Fixed)+c.MoreFixed, "fixed", "fixed")
	link(len(c.Broken)+c.MoreBroken, "broken", "broken")
	return out
}

// pinned is the source of a script or a style in a Content-Security-Policy: nothing else runs.
func pinned(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// HTML is the report as one page that needs nothing else: no picture, no style, no script of another place. Its own script
// shows the cases; the details of cells are packed, and what would make the page too large is left out, with the command
// that shows it.
func (r *Report) HTML() (string, error) { return r.html(mostBlocks) }

func (r *Report) html(most int) (string, error) {
	v := view{
		Report: r, Means: r.means(), OutcomeTable: r.outcomes(), FactorTable: r.factorTable(),
		Intervals: r.intervalPlot(), Cost: r.costPlot(), LatencyPlot: r.latencyPlot(), EffectText: r.Primary.size(r.Effect),
		Style: template.HTML("<style>" + pageStyle + "</style>"), StyleHash: pinned(pageStyle), ScriptHash: pinned(pageScript),
	}
	for i, c := range r.Comparisons {
		v.Views = append(v.Views, comparisonView{
			Comparison: c, Index: i + 1, Differences: r.differences(c), Ratios: r.ratios(c), Tests: c.tests(r.Primary, len(r.Comparisons)), Slopes: r.slopePlot(c), Links: c.links(),
			Advice: r.advice(&c), Said: c.said(),
		})
	}
	blocks, of, err := r.blocks(most)
	if err != nil {
		return "", err
	}
	if out := len(of) - len(slices.DeleteFunc(slices.Clone(of), func(b int) bool { return b < 0 })); out > 0 {
		v.LeftOut = fmt.Sprintf("Routes, prompts and replies of %s are left out, since the page would be larger than %d MB with them; cases on which variants differ, and those that fail, come first. A cell says which command shows them.",
			counted(out, "case"), most>>20)
	}
	data, err := dataScript(r.pageData(of))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := page.Execute(&b, v); err != nil {
		return "", err
	}
	b.WriteString(data)
	text := r.Masks.Text(b.String())
	b.Reset()
	b.WriteString(text)
	for _, block := range blocks {
		b.WriteString(block)
	}
	b.WriteString("<script>" + pageScript + "</script>\n</body>\n</html>\n")
	return b.String(), nil
}
