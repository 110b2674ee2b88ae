package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestPage: the address that is printed opens the page, once opened it needs no token, and what is asked of the API is what commands give.
func TestPage(t *testing.T) {
	p := startPage(t, t.TempDir())
	if got := p.get("/runs"); got.Status != http.StatusOK || !strings.Contains(got.Body, "<h1>Runs</h1>") {
		t.Errorf("/runs: %d\n%s", got.Status, got.Body)
	}
	status, got := p.api("GET", "/api/v1/runs", nil)
	if status != http.StatusOK || got["schema"] != runsSchema {
		t.Errorf("listRuns: %d %v", status, got)
	}
	if got := p.do("GET", p.url+"/", nil, nil); got.Status != http.StatusOK || strings.Contains(got.Body, "token="+p.token()) {
		t.Errorf("the page: %d\n%s", got.Status, got.Body)
	}
	if code := p.end(); code != exitDone {
		t.Errorf("status %d: %s", code, p.lines)
	}
}
