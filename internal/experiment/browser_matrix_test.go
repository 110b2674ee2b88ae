//go:build !race

package experiment_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/experiment"
	"pflow/internal/mask"
	"pflow/internal/web/assets/browsertest"
)

// opened writes a page and opens it; fragment is what follows the name.
func opened(t *testing.T, b *browsertest.Browser, html, fragment string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	write(t, file, html)
	b.Do(chromedp.EmulateViewport(1300, 900), chromedp.Navigate("file://"+file+fragment))
}

// TestPageFilters: the cases by difference, outcome, group, variant and text, with what each choice would show; all of it in
// the fragment, from which the same view opens again; and a cell by keys alone.
func TestPageFilters(t *testing.T) {
	b := browsertest.Start(t)
	s := experiment.MadeStore(t, 154, 3, 2)
	r := report(t, s)
	html, err := r.Format("html", 0)
	if err != nil {
		t.Fatal(err)
	}
	opened(t, b, html, "")
	// What is shown is held to the matrix of the report.
	count := func(holds func(experiment.MatrixRow) bool) (n int) {
		for _, row := range r.Matrix {
			if holds(row) {
				n++
			}
		}
		return n
	}
	any := func(test func(c, baseline experiment.Cell) bool) func(experiment.MatrixRow) bool {
		return func(m experiment.MatrixRow) bool {
			for _, c := range m.Cells {
				if test(c, m.Cells[0]) {
					return true
				}
			}
			return false
		}
	}
	counts := map[string]int{
		"differ":   count(any(func(c, b experiment.Cell) bool { return c.Passes != b.Passes })),
		"fixed":    count(any(func(c, b experiment.Cell) bool { return c.Passes > b.Passes })),
		"broken":   count(any(func(c, b experiment.Cell) bool { return c.Passes < b.Passes })),
		"fails":    count(func(m experiment.MatrixRow) bool { return m.Cells[0].Passes+m.Cells[1].Passes+m.Cells[2].Passes == 0 }),
		"passes":   count(func(m experiment.MatrixRow) bool { return m.Cells[0].Passes+m.Cells[1].Passes+m.Cells[2].Passes == 6 }),
		"unsteady": count(any(func(c, _ experiment.Cell) bool { return c.Passes == 1 })),
		"all":      154,
	}
	status := `document.querySelector("#shown").textContent`
	for kind, want := range counts {
		if want == 0 {
			t.Fatalf("no case is %s", kind)
		}
		b.Do(chromedp.Click(`[name=diff][value=` + kind + `]`))
		if got := browsertest.JS[int](b, `Number(document.querySelector("[name=diff][value=`+kind+`]").parentElement.querySelector(".count").textContent)`); got != want {
			t.Errorf("%s counts %d, want %d", kind, got, want)
		}
		if got := browsertest.JS[int](b, `parseInt(`+status+`)`); got != want {
			t.Errorf("%s shows %d, want %d", kind, got, want)
		}
		if got := browsertest.JS[int](b, `document.querySelectorAll("#matrix tbody tr").length`); got != min(want, 100) {
			t.Errorf("%s draws %d rows of %d", kind, got, want)
		}
	}
	// Several at once: they add up, and the counts beside the others say what is left.
	ofOne := count(func(m experiment.MatrixRow) bool {
		return m.Group == "g7" && m.Cells[2].Passes < m.Cells[2].Runs && m.Cells[2].Passes < m.Cells[0].Passes
	})
	b.Do(chromedp.Click(`[name=diff][value=broken]`))
	set := func(id, v string) {
		browsertest.JS[bool](b, `(() => { const e = document.getElementById("`+id+`"); e.value = "`+v+`"; e.dispatchEvent(new Event(e.id === "q" ? "input" : "change")); return true })()`)
	}
	set("of", "v2")
	set("group", "g7")
	if got := browsertest.JS[int](b, `parseInt(`+status+`)`); got != ofOne {
		t.Errorf("broken by v2 in g7: %d, want %d", got, ofOne)
	}
	set("group", "")
	broken := ""
	for _, m := range r.Matrix {
		if m.Cells[2].Passes < m.Cells[0].Passes {
			broken = m.ID
		}
	}
	set("q", strings.ToUpper(broken)+" the Quarter")
	if got := browsertest.JS[string](b, status); got != "1 of 154 cases" {
		t.Errorf("by text: %s", got)
	}
	if got := browsertest.JS[string](b, `location.hash`); got != "#q="+strings.ToUpper(broken)+"+the+Quarter&of=v2&diff=broken" {
		t.Errorf("fragment %s", got)
	}
	// The link opens to the same view, also with a cell.
	opened(t, b, html, "#of=v1&diff=fixed&outcome=plan,nonsense&case=c0001&variant=v0&beside=v1&repeat=1")
	b.Do(chromedp.WaitVisible("#cell .sides.two"))
	if got := browsertest.JS[string](b, `document.querySelector("#cell-head").textContent + " " + document.querySelector("#cell-repeat").value + " " + document.querySelector("#of").value + " " + document.querySelector("[name=diff]:checked").value`); got != "c0001 1 v1 fixed" {
		t.Errorf("opened by its link: %s", got)
	}
	if got := browsertest.JS[string](b, `document.querySelector("#cell").textContent`); !contains(got, "read the 1th report", "nodes: want read-file, llm, got read-file", "They part at generate: partly, and validate beside it.", "component-39", "because nothing in the library is near", "case 1 is said so", "report-1.txt", "✗ fails 0 of 2 runs pass", "✓ passes 2 of 2 runs pass") {
		t.Errorf("the cell:\n%s", got)
	}
	// By keys: close, walk right and down, open, the next case, close.
	press := func(keys string) {
		t.Helper()
		b.Do(chromedp.KeyEvent(keys))
	}
	focus := `(document.activeElement.dataset.case ?? document.activeElement.id) + "/" + (document.activeElement.dataset.variant ?? "")`
	press("\u001b")
	b.Wait(`!document.querySelector("#cell").open && ` + focus + ` === "1/0"`)
	press("\u0303") // right
	press("\u0301") // down
	first := browsertest.JS[string](b, `document.querySelectorAll("#matrix tbody tr")[1].querySelectorAll(".cell")[1].dataset.case`)
	b.Wait(focus + ` === "` + first + `/1"`)
	press("\r")
	b.Do(chromedp.WaitVisible("#cell .sides"))
	if got := browsertest.JS[string](b, `cases[`+first+`].id + new URLSearchParams(location.hash.slice(1)).get("variant")`); got != browsertest.JS[string](b, `state.case`)+"v1" {
		t.Errorf("opened %s", got)
	}
	// A verdict leads to the cases it rests on.
	opened(t, b, html, "")
	b.Do(chromedp.Click(`.verdicts li:nth-child(2) a`))
	b.Wait(`state.diff === "fixed" && state.of === "v2"`)
	fixed := count(func(m experiment.MatrixRow) bool { return m.Cells[2].Passes > m.Cells[0].Passes })
	if got := browsertest.JS[int](b, `parseInt(`+status+`)`); got != fixed {
		t.Errorf("the link of the verdict shows %d cases, want %d", got, fixed)
	}
}

// TestPageLeftOut: what would make the page too large is left out, first of cases of which there is little to see, and the
// page says what shows it.
func TestPageLeftOut(t *testing.T) {
	b := browsertest.Start(t)
	r := report(t, experiment.MadeStore(t, 400, 2, 1))
	whole, err := r.HTMLWithin(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	if contains(whole, "left out, since") {
		t.Error("something is left out of a page without a bound")
	}
	blocks := 0
	for _, b := range regexp.MustCompile(`<script type="text/plain"[^>]*>[^<]*`).FindAllString(whole, -1) {
		blocks += len(b)
	}
	html, err := r.HTMLWithin(blocks / 2)
	if err != nil {
		t.Fatal(err)
	}
	opened(t, b, html, "")
	left := browsertest.JS[string](b, `cases.findLast(c => c.block < 0).id`)
	opened(t, b, html, "#case="+left+"&variant=v1")
	b.Do(chromedp.WaitVisible("#cell .sides"))
	if got := browsertest.JS[string](b, `document.querySelector("#cell").textContent`); !contains(got, "read the ", "left out of this page", "pflow experiment show made "+left+" --variant v1") {
		t.Errorf("a case that is left out:\n%s", got)
	}
	if got := browsertest.JS[int](b, `cases.filter(c => c.block < 0).length`); got == 0 || got == 400 || !strings.Contains(html, "left out, since the page would be larger") {
		t.Errorf("%d cases left out", got)
	}
	if browsertest.JS[bool](b, `Math.max(...cases.filter(c => c.block < 0).map(c => c.cells.every(x => x.passes === x.runs) ? 1 : 0)) === 0`) {
		t.Error("what fails was left out before what passes")
	}
	if got := browsertest.JS[bool](b, `cases.some(c => c.block < 0 && new Set(c.cells.map(x => x.share)).size > 1) && cases.some(c => c.block >= 0 && c.cells.every(x => x.share === 1))`); got {
		t.Error("a case on which variants differ was left out before one that passes everywhere")
	}
}

// TestPageMasks: a secret is in no part of the page, also not where it is packed.
func TestPageMasks(t *testing.T) {
	b := browsertest.Start(t)
	r := report(t, experiment.MadeStore(t, 30, 2, 1))
	r.Masks = mask.New(mask.Secret{Value: "component-39", Mark: "(A_KEY)"}, mask.Secret{Value: "read the 4th report", Mark: "(B_KEY)"})
	html, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	opened(t, b, html, "#case=c0004&variant=v1")
	b.Do(chromedp.WaitVisible("#cell .sides"))
	browsertest.JS[bool](b, `block(0).then(b => { window.whole = JSON.stringify(b); return true })`)
	if got := browsertest.JS[string](b, `[document.documentElement.textContent, document.querySelector("#cell").textContent, window.whole].join("\n")`); contains(got, "component-39") || contains(got, "read the 4th report") || !contains(got, "(A_KEY)", "(B_KEY) of the quarter") {
		t.Error("a secret is in the page")
	}
}

// BenchmarkPage opens the page of 2,000 cases under five variants in a browser, and filters it.
func BenchmarkPage(t *testing.B) {
	b := browsertest.Start(t)
	r, err := experiment.NewReport(experiment.MadeStore(t, 2000, 5, 1))
	if err != nil {
		t.Fatal(err)
	}
	for t.Loop() {
		html, err := r.HTML()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "report.html")
		write(t, file, html)
		b.Do(chromedp.Navigate("file://" + file))
		t.ReportMetric(float64(len(html)), "bytes")
		t.ReportMetric(browsertest.JS[float64](b, `performance.getEntriesByType("navigation")[0].domComplete`), "load-ms")
		t.ReportMetric(browsertest.JS[float64](b, `(() => { const at = performance.now(); for (let i = 0; i < 10; i++) { state.diff = i % 2 ? "all" : "differ"; state.q = "report " + i; show(); document.body.offsetHeight } return (performance.now() - at) / 10 })()`), "filter-ms")
	}
}
