//go:build !race

package experiment_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"pflow/internal/experiment"
	"pflow/internal/llm"
	"pflow/nodes"
)

// skipBrowser is the one way to do without a browser: set it where none can be installed.
const skipBrowser = "PFLOW_SKIP_BROWSER"

// browser starts a headless Chromium with an empty profile.
func browser(t testing.TB) context.Context {
	t.Helper()
	if os.Getenv(skipBrowser) != "" {
		t.Skip(skipBrowser + " is set")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("there is no chromium on PATH: make browser installs it; %s=1 does without", skipBrowser)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // a browser that hangs
	t.Cleanup(cancel)
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir())}
	for _, flag := range []string{"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	return ctx
}

// js gives the value of a script.
func js[T any](t testing.TB, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return v
}

// colours asks the page for its dark or light look.
func colours(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// TestPage looks at a report as a browser shows it: whole, drawn, readable in both looks and on a small screen, with
// nothing of another place, and with hostile text as text.
func TestPage(t *testing.T) {
	ctx := browser(t)
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
	if err := chromedp.Do(ctx, colours("light"), chromedp.EmulateViewport(1200, 900), chromedp.Navigate("file://"+file)); err != nil {
		t.Fatal(err)
	}
	if got := js[string](t, ctx, `document.title`); got != "copies" {
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
		if got := js[int](t, ctx, script); got != want {
			t.Errorf("%s is %d, want %d", script, got, want)
		}
	}
	hacked := func() {
		t.Helper()
		if js[bool](t, ctx, `window.hacked !== undefined`) {
			t.Error("text of a case was run as a script")
		}
	}
	hacked()
	// Every drawing has its marks inside, and no text of it is cut off.
	if out := js[[]string](t, ctx, `[...document.querySelectorAll("svg")].flatMap(svg => {
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
	if err := chromedp.Do(ctx, chromedp.Click("#matrix tbody tr:first-child .cell[data-variant='1']"), chromedp.WaitVisible("#cell .sides")); err != nil {
		t.Fatal(err)
	}
	if got := js[string](t, ctx, `document.querySelector("#cell").textContent`); !contains(got, "user:", "</pre><script>window.hacked = 3</script>", "<script>window.hacked = 1</script>", `"<img src=x onerror='window.hacked = true'>.txt"`, "The flows part: ", "they part here") {
		t.Errorf("the cell shows no prompt and reply:\n%s", got)
	}
	if got := js[int](t, ctx, `document.querySelectorAll("#cell script, #cell img").length`); got != 0 {
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
	light := js[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)
	if c := js[float64](t, ctx, contrast); c < 4.5 {
		t.Errorf("light: contrast %.2f, want 4.5 (WCAG 2.1, 1.4.3)", c)
	}
	if err := chromedp.Do(ctx, colours("dark")); err != nil {
		t.Fatal(err)
	}
	if dark := js[string](t, ctx, `getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark and light are both %s", dark)
	}
	if c := js[float64](t, ctx, contrast); c < 4.5 {
		t.Errorf("dark: contrast %.2f, want 4.5 (WCAG 2.1, 1.4.3)", c)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(400, 800)); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{`document.documentElement.scrollWidth`, `document.querySelector("#cell .body").scrollWidth`} {
		if got := js[int](t, ctx, script); got > 400 {
			t.Errorf("on a screen of 400 %s is %d", script, got)
		}
	}
}
