//go:build !race

package experiment_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/experiment"
	"pflow/internal/llm"
	"pflow/internal/web/assets/browsertest"
	"pflow/nodes"
)

// TestPage looks at a report as a browser shows it: whole, drawn, readable in both looks and on a small screen, with
// nothing of another place, and with hostile text as text.
func TestPage(t *testing.T) {
	b := browsertest.Start(t)
	dir := t.TempDir()
	write(t, dir+"/asking.yaml", asking)
	s := specOf(t, 24, "allow_equal: true\nvariants: [{name: one, flow: planner-offline}, {name: two, flow: "+dir+"/asking.yaml}, {name: three, flow: planner-offline}]\n")
	write(t, s.CasesFile, `{"id": "<script>window.hacked = 1</script>", "request": "copy \"<img src=x onerror='window.hacked = true'>.txt\" to b.txt", "expect": {"nodes": ["copy-file"]}}`+"\n"+
		`{"id": "odd", "request": "copy oil.txt to sea.txt", "expect": {"abstain": true}}`+"\n"+
		`{"id": "plain", "request": "copy a.txt to b.txt", "expect": {"nodes": ["copy-file"]}}`+"\n")
	o := surroundings(t, nodes.Deps{Model: func(ctx context.Context, r llm.Request) (*llm.Reply, error) {
		r = experiment.Ask(ctx, r)
		r.OnExchange(llm.Exchange{Model: "t/one", Messages: r.Messages, Reply: "</pre><script>window.hacked = 3</script>"})
		return &llm.Reply{Text: "{}", Value: map[string]any{"params": []any{}}, Usage: llm.Usage{Calls: 1, PromptTokens: 9}}, nil
	}})
	x, store := started(t, s, o)
	if _, err := x.Run(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	html, err := report(t, store).Format("html", 0)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "report.html")
	write(t, file, html)
	b.Look("light", 1200, 900)
	b.Do(chromedp.Navigate("file://" + file))
	if got := browsertest.JS[string](b, `document.title`); got != "copies" {
		t.Errorf("title %q", got)
	}
	for script, want := range map[string]int{
		`performance.getEntriesByType("resource").length`:                                      0,
		`document.querySelectorAll("script:not([type])").length`:                               1, // its own
		`document.querySelectorAll("script[src], img, iframe, link").length`:                   0,
		`document.querySelectorAll(".comparison").length`:                                      2,
		`document.querySelectorAll("svg").length`:                                              5, // intervals, cost, latency and two of pairs
		`document.querySelectorAll(".verdicts .verdict").length`:                               2,
		`document.querySelectorAll("#matrix tbody tr").length`:                                 3,
		`document.querySelectorAll("#matrix tbody .cell").length`:                              9,
		`document.querySelectorAll("#matrix tbody script").length`:                             0,
		`document.querySelectorAll("th:not([scope])").length`:                                  0,
		`[...document.querySelectorAll("input, select")].filter(e => !e.labels.length).length`: 0,
	} {
		if got := browsertest.JS[int](b, script); got != want {
			t.Errorf("%s is %d, want %d", script, got, want)
		}
	}
	hacked := func() {
		t.Helper()
		if browsertest.JS[bool](b, `window.hacked !== undefined`) {
			t.Error("text of a case was run as a script")
		}
	}
	hacked()
	// Every drawing has its marks inside, and no text of it is cut off.
	if out := browsertest.JS[[]string](b, `[...document.querySelectorAll("svg")].flatMap(svg => {
		const box = svg.getBoundingClientRect();
		const bad = [];
		if (box.width < 200 || box.height < 50) bad.push(svg.ariaLabel + ": " + box.width + " by " + box.height);
		for (const mark of svg.querySelectorAll("text, circle, line, polyline")) {
			const b = mark.getBoundingClientRect();
			if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1)
				bad.push(svg.ariaLabel + ": " + mark.outerHTML);
		}
		if (/NaN|Inf/.test(svg.outerHTML)) bad.push(svg.ariaLabel + ": NaN");
		return bad;
	})`); len(out) > 0 {
		t.Errorf("outside of their drawings:\n%v", out)
	}
	// A cell opens, and shows prompt and reply at the node where the runs parted.
	b.Do(chromedp.Click("#matrix tbody tr:first-child .cell[data-variant='1']"), chromedp.WaitVisible("#cell .sides"))
	if got := browsertest.JS[string](b, `document.querySelector("#cell").textContent`); !contains(got, "user:", "</pre><script>window.hacked = 3</script>", "<script>window.hacked = 1</script>", `"<img src=x onerror='window.hacked = true'>.txt"`, "The flows part: ", "they part here") {
		t.Errorf("the cell shows no prompt and reply:\n%s", got)
	}
	if got := browsertest.JS[int](b, `document.querySelectorAll("#cell script, #cell img").length`); got != 0 {
		t.Errorf("%d elements of the texts of a case", got)
	}
	hacked()
	contrast := `(() => {
		const rgb = c => c.match(/\d+/g).slice(0, 3).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 });
		const light = c => { const [r, g, b] = rgb(c); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
		const style = e => getComputedStyle(e);
		let worst = 21;
		for (const e of document.querySelectorAll("p, td, th, h2, li, .verdict, .soft, pre, button, select, label, summary, .about, .cell b, .tag, mark")) {
			let back = e; while (back && style(back).backgroundColor === "rgba(0, 0, 0, 0)") back = back.parentElement;
			const a = light(style(e).color), b = light(style(back || document.body).backgroundColor);
			worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
		}
		return worst;
	})()`
	light := browsertest.JS[string](b, `getComputedStyle(document.body).backgroundColor`)
	if c := browsertest.JS[float64](b, contrast); c < 4.5 {
		t.Errorf("light: contrast %.2f, want 4.5 (WCAG 2.1, 1.4.3)", c)
	}
	b.Look("dark", 1200, 900)
	if dark := browsertest.JS[string](b, `getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark and light are both %s", dark)
	}
	if c := browsertest.JS[float64](b, contrast); c < 4.5 {
		t.Errorf("dark: contrast %.2f, want 4.5 (WCAG 2.1, 1.4.3)", c)
	}
	b.Look("dark", 400, 800)
	for _, script := range []string{`document.documentElement.scrollWidth`, `document.querySelector("#cell .body").scrollWidth`} {
		if got := browsertest.JS[int](b, script); got > 400 {
			t.Errorf("on a screen of 400 %s is %d", script, got)
		}
	}
}
