package main

import (
	"net/http"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"pflow/internal/otlptest"
)

type collectorKey struct{}

// watchCollectors fails a script whose collector was sent what is not as the protocol has it.
func watchCollectors(e *testscript.Env) {
	running := &[]*otlptest.Collector{}
	e.Values[collectorKey{}] = running
	e.Defer(func() {
		var wrong error
		for _, c := range *running {
			c.Close()
			if err := c.Wrong(); err != nil {
				wrong = err
			}
		}
		if wrong != nil {
			e.T().Log(wrong)
			e.T().FailNow()
		}
	})
}

// startCollector starts a collector (internal/otlptest) and sets COLLECTOR to its address. With refuses it takes nothing.
func startCollector(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 || len(args) == 1 && args[0] != "refuses" {
		ts.Fatalf("usage: collector [refuses]")
	}
	c := otlptest.Start()
	if len(args) == 1 {
		c.Answer(func(w http.ResponseWriter, _ int) bool {
			w.WriteHeader(http.StatusBadRequest)
			return true
		})
	}
	running := ts.Value(collectorKey{}).(*[]*otlptest.Collector)
	*running = append(*running, c)
	ts.Setenv("COLLECTOR", c.URL)
}

// collectorGot writes the spans that the newest collector was sent as a tree into a file, and all that was sent into FILE.json.
func collectorGot(ts *testscript.TestScript, neg bool, args []string) {
	running := *ts.Value(collectorKey{}).(*[]*otlptest.Collector)
	if neg || len(args) != 1 || len(running) == 0 {
		ts.Fatalf("usage, after collector: collector-got FILE")
	}
	c := running[len(running)-1]
	ts.Check(c.Wrong())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), masked([]byte(strings.ReplaceAll(c.Tree(), c.URL, "COLLECTOR"))), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs(args[0])+".json", []byte(c.Bodies()), 0o644))
}
