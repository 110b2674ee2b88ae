package main

import (
	"cmp"
	"fmt"
	"strings"

	"pflow/internal/printable"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// runText is what is printed of a run.
type runText struct {
	strings.Builder
	whole bool // values are not cut
	most  int  // characters of a value; 0: mostOfValue
}

// What is printed of a value, and how many items or steps of one kind.
const (
	mostOfValue = 120
	mostInside  = 20
)

// step prints a step with what is inside it.
func (w *runText) step(s *runs.Step, indent string) {
	fmt.Fprintf(w, "%s%s", indent, printable.Line(s.Label))
	if s.Type != "" && s.Type != s.Label {
		fmt.Fprintf(w, " (%s)", printable.Line(s.Type))
	}
	fmt.Fprintf(w, ": %s", strings.ReplaceAll(s.Status, "_", " "))
	if s.StartedAt != nil && s.Status != runs.StepOpen && s.Status != runs.StepWaiting {
		fmt.Fprintf(w, " in %s", duration(s.DurationMS))
	}
	if s.Action != nil && *s.Action != "default" {
		fmt.Fprintf(w, " -> %s", printable.Line(*s.Action))
	}
	if s.Why != "" {
		fmt.Fprintf(w, ": %s", printable.Line(s.Why))
	}
	w.WriteString("\n")
	in := indent + "    "
	w.because(in, s.Because, s.Not, s.Saw)
	w.values(in, "params", s.Params)
	for _, at := range s.Attempts {
		took := duration(at.DurationMS)
		switch {
		case at.Error != nil:
			fmt.Fprintf(w, "%sattempt %d: failed in %s: %s [%s]\n", in, at.Attempt, took, w.cut(at.Error.Message), at.Error.Kind)
		case at.Waits != "":
			fmt.Fprintf(w, "%sattempt %d: waits for the approval of %s\n", in, at.Attempt, printable.Line(at.Waits))
		case at.Kept != "":
			fmt.Fprintf(w, "%skept from %s\n", in, printable.Line(at.Kept))
		case at.Open:
			fmt.Fprintf(w, "%sattempt %d: began and has no outcome\n", in, at.Attempt)
		case len(s.Attempts) > 1:
			fmt.Fprintf(w, "%sattempt %d: done in %s\n", in, at.Attempt, took)
		}
	}
	if s.Status != "failed" {
		w.values(in, "outputs", s.Outputs)
	}
	for i, inside := range s.Steps {
		if i == mostInside && !w.whole && len(s.Steps) > mostInside+1 {
			fmt.Fprintf(w, "%sand %d more; --step %s shows them\n", in, len(s.Steps)-i, printable.Line(s.Name))
			break
		}
		w.step(inside, in)
	}
	if left := leftOut(s.Inside, len(s.Steps)); left != "" && len(s.Steps) <= mostInside {
		fmt.Fprintf(w, "%s%s; --step %s shows more\n", in, left, printable.Line(s.Name))
	}
}

// values prints params or outputs, one a line.
func (w *runText) values(indent, name string, v any) {
	object, ok := v.(map[string]any)
	switch {
	case v == nil || ok && len(object) == 0:
		return
	case !ok:
		fmt.Fprintf(w, "%s%s: %s\n", indent, name, w.value(v))
		return
	}
	fmt.Fprintf(w, "%s%s:\n", indent, name)
	for _, k := range value.SortedKeys(object) {
		fmt.Fprintf(w, "%s  %s = %s\n", indent, printable.Line(k), w.value(object[k]))
	}
}

// value is a value on one line: a text that needs no quotes without them.
func (w *runText) value(v any) string {
	if text, ok := v.(string); ok && text != "" && strings.TrimSpace(text) == text && !strings.ContainsAny(text, "\n\r\t\"") {
		return w.cut(text)
	}
	return w.cut(value.JSON(v))
}

func (w *runText) cut(text string) string {
	if !w.whole {
		most := cmp.Or(w.most, mostOfValue)
		if r := []rune(text); len(r) > most {
			text = fmt.Sprintf("%s… (%d characters)", string(r[:most]), len(r))
		}
	}
	return printable.Line(text)
}
