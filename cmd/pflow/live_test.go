package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/ir"
)

// TestLiveGraph: a step stands below what it follows and no further in, unless it is one of several; where they join it goes back.
func TestLiveGraph(t *testing.T) {
	for _, c := range []struct{ name, edges, want string }{
		{"chain", "a b, b c, c d", "a|b|c|d"},
		{"diamond", "a b, a c, b d, c d", "a|  b|  c|d"},
		{"branches of several steps", "a b, a c, b d, c d, d e", "a|  b|  c|d|e"},
		{"choice", "a b left, a c right, b d, c d", "a|  b|  c|d"},
		{"what mends a failure", "a b error, a c, c d", "a|  b|c|d"},
		{"two that begin", "a c, b c, c d", "a|b|c|d"},
		{"within", "a b, a d, b c x", "a|  b|    c|  d"},
		{"a later one first", "c a, a b", "a|b|c|d"},
	} {
		w := &ir.Workflow{}
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			if strings.Contains(c.want, id) {
				w.Nodes = append(w.Nodes, ir.Node{ID: id, Type: "shell"})
			}
		}
		for _, e := range strings.Split(c.edges, ", ") {
			f := append(strings.Fields(e), ir.ActionDefault)
			w.Edges = append(w.Edges, ir.Edge{From: f[0], To: f[1], Action: f[2]})
		}
		v := newLiveView("running x")
		v.graph(w)
		var got []string
		for _, s := range v.rows {
			got = append(got, strings.Repeat("  ", s.indent)+s.label)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestLiveNames: steps inside items, rounds, visits, branches and calls are found by their names.
func TestLiveNames(t *testing.T) {
	for _, c := range []struct {
		step, name  string
		inside      bool
		round       int
		asks        bool
		placedBelow string
	}{
		{"get", "get", false, 0, false, ""},
		{"get[3]/fetch", "get", true, 0, false, ""},
		{"outer/inner", "outer/inner", false, 0, false, "outer"},
		{"outer#2/inner", "outer/inner", false, 0, false, "outer"},
		{"fan.left/inner", "fan.left/inner", false, 0, false, "fan"},
		{"poll#12", "poll", false, 12, false, ""},
		{"poll#2/inner", "poll/inner", false, 0, false, "poll"},
		{"outer/deploy:approval", "outer/deploy", false, 0, true, "outer"},
		{"each[1]#3", "each", true, 0, false, ""},
	} {
		name, inside, round, asks := named(c.step)
		if name != c.name || inside != c.inside || round != c.round || asks != c.asks {
			t.Errorf("%s: %s, %v, %d, %v", c.step, name, inside, round, asks)
		}
		v := newLiveView("x")
		for _, id := range []string{"get", "each", "outer", "poll", "fan", "last"} {
			v.add(len(v.rows), id, id, "")
		}
		s := v.step(name, c.step, "op")
		var above string
		for i, row := range v.rows {
			if row == s && i > 0 && c.placedBelow != "" {
				above = v.rows[i-1].name
			}
		}
		if above != c.placedBelow || (s.indent == 1) != (c.placedBelow != "") || c.placedBelow == "outer" && strings.Contains(s.label, "/") {
			t.Errorf("%s stands below %q, %d in, as %q", c.step, above, s.indent, s.label)
		}
	}
}

// TestLiveAgain: what a step that begins anew, in another round or visit, showed of before is gone; an attempt says which it is.
func TestLiveAgain(t *testing.T) {
	v := newLiveView("running x")
	tell := func(k engine.ProgressKind, p engine.Progress) string {
		p.Kind, p.Step, p.Attempts = k, "call", 3
		if k == engine.ProgressBegan {
			p.Units = -1
		}
		v.told(p)
		return v.rows[0].tell(80, v.at)
	}
	var got []string
	for _, p := range []engine.Progress{
		{Kind: engine.ProgressBegan}, {Kind: engine.ProgressAttempt, Attempt: 1}, {Kind: engine.ProgressRetry, Attempt: 1, Failed: "timeout"}, {Kind: engine.ProgressAttempt, Attempt: 2, At: 2 * time.Second},
		{Kind: engine.ProgressEnded, Attempt: 2, Action: "default", At: 3 * time.Second}, {Kind: engine.ProgressBegan, At: 4 * time.Second}, {Kind: engine.ProgressEnded, At: 5 * time.Second, Kept: true},
	} {
		got = append(got, tell(p.Kind, p))
	}
	want := []string{"0 s", "0 s", "attempt 1/3 failed, another follows, 0 s", "attempt 2/3, 2 s", "done in 3.0s, 2 attempts", "0 s", "kept"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkLive draws the view of a run of 500 steps of which one speaks, and takes in what a step tells.
func BenchmarkLive(b *testing.B) {
	v := newLiveView("running x")
	w := &ir.Workflow{}
	for i := range 500 {
		w.Nodes = append(w.Nodes, ir.Node{ID: fmt.Sprintf("step-%d", i), Type: "shell"})
	}
	v.graph(w)
	v.told(engine.Progress{Kind: engine.ProgressBegan, Step: "step-250", Units: -1})
	say := v.speaker("step-250", true)
	s := &screen{out: io.Discard, terminal: true, codes: true, colour: true, width: func() int { return 120 }, height: func() int { return 50 }}
	b.Run("draw", func(b *testing.B) {
		for b.Loop() {
			say("another word 日本語 ")
			s.show(v.lines(time.Second, 120, 50)...)
		}
	})
	b.Run("told", func(b *testing.B) {
		for b.Loop() {
			v.told(engine.Progress{Kind: engine.ProgressUnit, Step: "step-250", Index: "7"})
		}
	})
}
