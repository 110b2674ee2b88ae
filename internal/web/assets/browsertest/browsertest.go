// Package browsertest looks at pages in a headless Chromium: what they tell of on the console, what axe-core finds, how they
// look.
package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// skip is the one way to do without a browser: set it where none can be installed.
const skip = "PFLOW_SKIP_BROWSER"

// patience is when something that is waited for will not come: no measure of how fast it should.
const patience = 90 * time.Second

// Browser is a tab of a browser with an empty profile.
type Browser struct {
	Context context.Context

	t    testing.TB
	mu   sync.Mutex
	said []string
}

// Start starts a browser with further flags, which ends with the test. A test in short mode is skipped.
func Start(t testing.TB, flags ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	if os.Getenv(skip) != "" {
		t.Skip(skip + " is set")
	}
	if testing.Short() {
		t.Skip("short: no browser")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("there is no chromium on PATH: make browser installs it; %s=1 does without", skip)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // a browser that hangs
	t.Cleanup(cancel)
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir())}
	for _, flag := range []string{"headless", "hide-scrollbars", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, stop := chromedp.NewExecAllocator(ctx, append(options, flags...)...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &Browser{Context: ctx, t: t}
	b.Do() // events of the start would be missed otherwise
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	b.Do(
		call(runtime.Enable, cdp.Empty{}),
		call(log.Enable, cdp.Empty{}),
		call(audits.Enable, cdp.Empty{}),
	)
	return b
}

func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// hear keeps what is wrong with a page: lines on its console, exceptions, violations of its policy.
func (b *Browser) hear(event any) {
	said := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, a := range e.Args {
			words = append(words, strings.Trim(string(a.Value), `"`)+a.Description)
		}
		said = fmt.Sprintf("console.%s: %s", e.Type, strings.Join(words, " "))
	case *runtime.EventExceptionThrown:
		said = "exception: " + e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			said += " " + x.Description
		}
	case *log.EventEntryAdded:
		if strings.Contains(e.Entry.Text, "'beforeunload'") {
			return // a test may leave a page that nobody touched: it is not asked then
		}
		said = fmt.Sprintf("%s (%s): %s %s", e.Entry.Level, e.Entry.Source, e.Entry.Text, e.Entry.URL)
	case *audits.EventIssueAdded:
		if e.Issue.Details != nil && e.Issue.Details.ContentSecurityPolicyIssueDetails != nil {
			details, _ := json.Marshal(e.Issue.Details.ContentSecurityPolicyIssueDetails) // for people
			said = "policy: " + string(details)
		}
	}
	if said != "" {
		b.mu.Lock()
		b.said = append(b.said, said)
		b.mu.Unlock()
	}
}

// Said gives what was wrong since it was last asked, and forgets it.
func (b *Browser) Said() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := b.said
	b.said = nil
	return said
}

// Quiet fails the test if anything was wrong with the page.
func (b *Browser) Quiet() {
	b.t.Helper()
	for _, said := range b.Said() {
		b.t.Errorf("the browser says: %s", said)
	}
}

// Do carries actions out.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.Context, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// JS gives the value of a script; a promise is waited for.
func JS[T any](b *Browser, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.Context, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// Wait waits until a script gives something true.
func (b *Browser) Wait(script string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Context, patience)
	defer cancel()
	wait := `new Promise(done => { const look = () => (` + script + `) ? done(true) : requestAnimationFrame(look); look(); })`
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise)); err != nil {
		b.t.Fatalf("it never came to %s: %v; the browser says: %q", script, err, b.Said())
	}
}

// Arrive waits until a script gives something true on a page that comes after this one.
func (b *Browser) Arrive(script string) {
	b.t.Helper()
	for b.Context.Err() == nil {
		if there, err := chromedp.Run(b.Context, chromedp.Evaluate[bool]("!!("+script+")")); err == nil && there { // it has no value while it is left
			return
		}
	}
	b.t.Fatalf("it never came to %s: the browser says: %q", script, b.Said())
}

// Whole holds the page to what every page is held to: it is no wider than its window, axe-core finds nothing, nothing went wrong. name is
// that of its picture.
func (b *Browser) Whole(name string) {
	b.t.Helper()
	b.Narrow()
	b.Accessible()
	b.Screenshot(name)
	b.Quiet()
}

// Look chooses the size of the window and the dark or light look.
func (b *Browser) Look(scheme string, width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height), call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	}))
}

// Narrow fails the test if the document is wider than its window.
func (b *Browser) Narrow() {
	b.t.Helper()
	const script = `(() => {
		const wide = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= wide) return [];
		const inside = e => { for (let p = e.parentElement; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== "visible") return true; return false; };
		return [document.documentElement.scrollWidth + " of " + wide].concat([...document.body.querySelectorAll("*")]
			.filter(e => e.getBoundingClientRect().right > wide + 1 && !inside(e)).slice(0, 8).map(e => e.cloneNode(false).outerHTML));
	})()`
	for tries := 100; ; tries-- { // a window that was just resized is laid out once more
		wide := JS[[]string](b, script)
		if len(wide) == 0 {
			return
		}
		if tries == 0 {
			b.t.Errorf("the page is wider than its window:\n%s", strings.Join(wide, "\n"))
			return
		}
		b.Do(chromedp.Sleep(20 * time.Millisecond))
	}
}

// Heap is what the page's scripts hold, in bytes, once what nothing needs is let go.
func (b *Browser) Heap() int64 {
	b.t.Helper()
	b.Do(call(heapprofiler.CollectGarbage, cdp.Empty{}))
	used, err := chromedp.Run(b.Context, chromedp.Action[int64](func(ctx context.Context, t *chromedp.Target) (int64, error) {
		usage, err := cdp.Call(ctx, t, runtime.GetHeapUsage, cdp.Empty{})
		return int64(usage.UsedSize), err
	}))
	if err != nil {
		b.t.Fatal(err)
	}
	return used
}

// Screenshot keeps a picture of the whole page in the folder PFLOW_SCREENSHOTS, if that is set.
func (b *Browser) Screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("PFLOW_SCREENSHOTS")
	if dir == "" {
		return
	}
	// As high as the document, so that what has a part of the window as its height is seen as it is.
	width, high := JS[int64](b, "innerWidth"), JS[int64](b, "innerHeight")
	tall := JS[int64](b, "document.documentElement.scrollHeight")
	b.Do(chromedp.EmulateViewport(width, max(high, tall)))
	drawn := "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
	JS[bool](b, drawn)
	defer func() {
		b.Do(chromedp.EmulateViewport(width, high))
		JS[bool](b, drawn)
	}()
	picture, err := chromedp.Run(b.Context, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
