package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/printable"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// runDiffSchema names the shape of `pflow runs diff --json`.
const runDiffSchema = "pflow.run-diff/v1"

// runDifference is one thing in which two runs differ. A side that is not there is null.
type runDifference struct {
	Step string `json:"step"` // "" of the run itself
	What string `json:"what"` // status, why, edge, because, attempts, params.KEY, outputs.KEY; what of the run
	A    any    `json:"a"`
	B    any    `json:"b"`
}

func (a *app) runsDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Show where two runs part",
		Long: `Show where two runs part: the first step that differs, in the order of the first run, and all that differs there and after it: which
steps ran, what they got and gave, the edges they took. Times are not compared. The exit status is 0 also where they differ.`,
		Example: "  pflow runs diff 1a2b3c4d last",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage("name two runs; see %s --help", c.CommandPath())
			}
			return tooMany(c, args, 2)
		},
		ValidArgsFunction: a.completeRuns(),
		RunE: func(_ *cobra.Command, args []string) error {
			var both [2]*shownRun
			for i, given := range args {
				row, err := a.findRun(given)
				if err == nil {
					both[i], err = a.showRun(row)
				}
				if err != nil {
					return err
				}
			}
			return a.printRunDiff(both[0], both[1])
		},
	}
}

// runDiff lists what differs between two runs: first of the runs themselves, then by step.
func runDiff(x, y *shownRun) []runDifference {
	out := []runDifference{}
	add := func(step, what string, p, q any) {
		if !value.Equal(untimed(p), untimed(q)) {
			out = append(out, runDifference{step, what, p, q})
		}
	}
	add("", "kind", string(x.Run.Kind), string(y.Run.Kind))
	add("", "name", x.Run.Name, y.Run.Name)
	add("", "request", x.Run.Request, y.Run.Request)
	flat := func(s *shownRun) (list []*runs.Step, by map[string]*runs.Step) {
		by = map[string]*runs.Step{}
		var walk func([]*runs.Step)
		walk = func(steps []*runs.Step) {
			for _, in := range steps {
				walk(in.Steps) // what is inside a step ended before it: it is where they part
				list, by[in.Name] = append(list, in), in
			}
		}
		walk(s.Steps)
		return list, by
	}
	ours, _ := flat(x)
	theirs, their := flat(y)
	known := map[string]bool{}
	for _, s := range ours {
		known[s.Name] = true
		other := their[s.Name]
		if other == nil {
			other = &runs.Step{Status: "absent"}
		}
		add(s.Name, "status", s.Status, other.Status)
		if ran(s) != ran(other) {
			add(s.Name, "why", s.Why, other.Why)
			continue
		}
		byKey(s.Params, other.Params, func(key string, p, q any) { add(s.Name, "params"+key, p, q) })
		add(s.Name, "attempts", len(s.Attempts), len(other.Attempts))
		byKey(s.Outputs, other.Outputs, func(key string, p, q any) { add(s.Name, "outputs"+key, p, q) })
		add(s.Name, "edge", action(s), action(other))
		add(s.Name, "because", cmp.Or(s.Because, s.Why), cmp.Or(other.Because, other.Why))
	}
	for _, s := range theirs {
		if !known[s.Name] {
			add(s.Name, "status", "absent", s.Status)
		}
	}
	add("", "status", string(x.Run.Status), string(y.Run.Status))
	return out
}

// untimed is a value without what says when something was, and how long it took.
func untimed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, of := range v {
			if at, _ := of.(string); key == "at" && isMoment(at) {
				continue
			}
			if took, _ := of.(map[string]any); key == "timing" && took["latency_ms"] != nil {
				continue
			}
			out[key] = untimed(of)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = untimed(v[i])
		}
		return out
	}
	return v
}

func isMoment(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// ran tells a step that ran from one that was skipped or not reached.
func ran(s *runs.Step) bool {
	return s.Status != runs.StepSkipped && s.Status != runs.StepNotReached && s.Status != "absent"
}

func action(s *runs.Step) string {
	if s.Action == nil {
		return ""
	}
	return *s.Action
}

// byKey compares two values key by key where both are objects.
func byKey(p, q any, compare func(key string, p, q any)) {
	x, ok1 := p.(map[string]any)
	y, ok2 := q.(map[string]any)
	if !ok1 || !ok2 {
		compare("", p, q)
		return
	}
	keys := map[string]bool{}
	x, y = untimed(x).(map[string]any), untimed(y).(map[string]any)
	for k := range x {
		keys[k] = true
	}
	for k := range y {
		keys[k] = true
	}
	for _, k := range value.SortedKeys(keys) {
		compare("."+k, x[k], y[k])
	}
}

// partsAt is the first step that differs, "" if none does.
func partsAt(list []runDifference) string {
	for _, d := range list {
		if d.Step != "" {
			return d.Step
		}
	}
	return ""
}

func (a *app) printRunDiff(x, y *shownRun) error {
	list := runDiff(x, y)
	first := partsAt(list)
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": runDiffSchema, "a": x.Run, "b": y.Run, "parts_at": first, "differences": list})
	}
	var w runText
	fmt.Fprintf(&w, "a: %s (%s %s)\nb: %s (%s %s)\n", x.Run.ID, x.Run.Status, printable.Line(x.Run.What()), y.Run.ID, y.Run.Status, printable.Line(y.Run.What()))
	if len(list) == 0 {
		w.WriteString("they did the same\n")
	}
	last := "?"
	for _, d := range list {
		if d.Step != last {
			switch last = d.Step; {
			case d.Step == "":
				w.WriteString("the run\n")
			case d.Step == first:
				fmt.Fprintf(&w, "%s: here they part\n", printable.Line(d.Step))
			default:
				fmt.Fprintf(&w, "%s\n", printable.Line(d.Step))
			}
		}
		fmt.Fprintf(&w, "  %s\n    a: %s\n    b: %s\n", printable.Line(d.What), w.value(d.A), w.value(d.B))
	}
	_, err := a.stdout.Write([]byte(strings.TrimRight(w.String(), "\n") + "\n"))
	return err
}
