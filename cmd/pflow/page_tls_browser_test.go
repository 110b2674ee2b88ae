//go:build !race

package main

import (
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"pflow/internal/web/assets/browsertest"
)

// TestPageTLSBrowser: over TLS, which browsers speak HTTP/2 over, somebody asks, approves, and watches the run; and scripts get no cookie.
func TestPageTLSBrowser(t *testing.T) {
	cert := writeCertificate(t, t.TempDir(), time.Now().Add(time.Hour), "localhost")
	p := atPage(t, map[string]string{"notes.txt": "remember\n"}, cert.flag())
	w := &wholeWay{t, browsertest.Start(t, chromedp.Flag("ignore-certificate-errors-spki-list", cert.pin())), p, "tls", 1440}
	w.b.Do(chromedp.Navigate(p.open))
	w.b.Arrive(`document.readyState === "complete" && document.querySelector("#request")`)
	if got := browsertest.JS[string](w.b, `performance.getEntriesByType("navigation")[0].nextHopProtocol + " " + location.href + document.cookie`); got != "h2 "+p.url+"/" {
		t.Errorf("the page is there as %q", got)
	}
	w.ask("copy notes.txt to kept.txt")
	w.approve("kept.txt", "remember\n")

	// What goes on is seen without the page being loaded again.
	file, goes := waitingWorkflow(t)
	p.pflow("workflow", "save", file, "--name", "waiting", "--yes", "--quiet")
	if status, job := p.api("POST", "/api/v1/workflows/waiting/runs", nil); status != 202 {
		t.Fatalf("%d: %v", status, job)
	}
	until(t, "the run begins", func() bool { return p.runsOf()[0].Status == "running" })
	w.b.Do(chromedp.Navigate(p.url + "/runs/" + p.runsOf()[0].ID))
	w.b.Wait(`document.querySelector('pflow-graph [data-step="first"][data-state="running"]')`)
	browsertest.JS[bool](w.b, `window.stays = true`)
	if err := os.WriteFile(goes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.b.Wait(`window.stays && !document.querySelector("main[data-events]") && document.querySelector('.page-head .badge[data-state="done"]')`)
	w.b.Quiet()
}
