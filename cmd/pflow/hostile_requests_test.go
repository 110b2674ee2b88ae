//go:build !race

package main

import (
	"encoding/json"
	"os"
	"testing"

	"pflow/internal/planner"
)

// hostileRequests are further requests that nobody means, made of bytes as they come.
var hostileRequests = map[string]func(bytes int) string{
	"invalid-utf8": func(n int) string {
		return long(func(int) string { return "\xff\xfe a\xc3( \xe2\x28 " }, n)[:n/2] + "\xff\xc3("
	},
	"continuation-bytes": func(n int) string { return "copy x to y " + string(make([]byte, n-20)) + "\x80\x80" },
	"nested": func(n int) string {
		open, closed := make([]byte, n/2), make([]byte, n/2)
		for i := range open {
			open[i], closed[i] = "([{"[i%3], ")]}"[2-i%3]
		}
		return string(open) + string(closed)
	},
}

// TestHostileRequests: whatever is asked for, there is a plan, and twice the same. A sample of short ones is planned;
// PFLOW_HOSTILE=1 plans all kinds with 100 KB.
func TestHostileRequests(t *testing.T) {
	bytes, all := 2_000, os.Getenv("PFLOW_HOSTILE") != ""
	if all {
		bytes = planner.MaxRequest - 8
	}
	plan := offlinePlanner(t)
	check := func(name, request string) {
		t.Helper()
		text := [2]string{}
		for i := range text {
			p := plan(t.Context(), request)
			p.DurationMS = 0
			if e, ok := p.Error.(map[string]any); ok {
				cause, _ := e["cause"].(map[string]any)
				delete(cause, "time")
			}
			switch p.Status {
			case planner.Ready, planner.NeedsInput, planner.Infeasible, planner.Failed:
			default:
				t.Errorf("%s: status %s: %v", name, p.Status, p.Error)
			}
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			text[i] = string(data)
		}
		if text[0] != text[1] {
			t.Errorf("%s: planned twice, it gives two plans:\n%.2000s\n%.2000s", name, text[0], text[1])
		}
	}
	for i, kind := range longRequests {
		if all || i%3 == 0 {
			check(kind.name, long(kind.unit, bytes))
		}
	}
	for name, request := range hostileRequests {
		check(name, request(bytes))
	}
}
