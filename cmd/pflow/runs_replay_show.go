package main

import (
	"fmt"
	"strings"

	"pflow/internal/flowdiff"
	"pflow/internal/printable"
)

// printReplay shows both plans and what differs.
func (a *app) printReplay(x *runReplay) error {
	if a.asJSON {
		return a.printJSON(x)
	}
	var w runText
	fmt.Fprintf(&w, "request: %s\n", printable.Line(x.Request))
	side := func(name string, s *replaySide) {
		fmt.Fprintf(&w, "%-7s %s: %s", name, printable.Line(s.Flow.Flow), s.Plan.Status)
		if s.Plan.WorkflowName != nil {
			fmt.Fprintf(&w, " %s", printable.Line(fmt.Sprint(s.Plan.WorkflowName)))
		}
		if s.RunID != "" {
			fmt.Fprintf(&w, " (run %s)", s.RunID)
		}
		w.WriteString("\n")
	}
	side("before", &x.Before)
	side("after", &x.After)
	fmt.Fprintf(&w, "calls:  %s\n", x.callsText())
	for _, c := range x.Calls {
		if c.Answered == answeredRecorded {
			continue
		}
		fmt.Fprintf(&w, "  %s %s: %s\n", printable.Line(c.Prompt), printable.Line(c.Model), strings.ReplaceAll(c.Answered, "_", " "))
		if c.Error != "" {
			fmt.Fprintf(&w, "    error %s\n", printable.Line(c.Error))
		}
		if c.SentDiff != "" {
			fmt.Fprintf(&w, "    sent\n%s", indentedLines(c.SentDiff, "      "))
		}
		if c.ReplyAfter != nil && c.ReplyBefore != nil && *c.ReplyAfter != *c.ReplyBefore {
			fmt.Fprintf(&w, "    reply\n      - %s\n      + %s\n", oneLine(*c.ReplyBefore), oneLine(*c.ReplyAfter))
		}
	}
	changes := func(title string, list []flowdiff.Change) {
		if len(list) > 0 {
			fmt.Fprintf(&w, "%s:\n%s", title, indentedLines(flowdiff.Text(list), "  "))
		}
	}
	changes("the flow differs", x.FlowChanges)
	changes("the plan differs", x.PlanChanges)
	if x.PartsAt == "" {
		w.WriteString("the runs did the same\n")
	} else {
		fmt.Fprintf(&w, "the runs part at %s", printable.Line(x.PartsAt))
		if x.After.RunID != "" {
			fmt.Fprintf(&w, "; see: pflow runs diff %s %s", x.Before.RunID, x.After.RunID)
		}
		w.WriteString("\n")
	}
	_, err := a.stdout.Write([]byte(w.String()))
	return err
}

// callsText says how the calls were answered.
func (x *runReplay) callsText() string {
	least := ""
	if !x.Foreseen {
		least = ", and what comes after that cannot be foreseen"
	}
	switch {
	case x.Failed > 0:
		return fmt.Sprintf("%d as recorded, %d asked, %d got no answer: what the planner made without it stands below", x.Recorded, x.Asked, x.Failed)
	case x.DryRun && x.ToAsk > 0:
		return fmt.Sprintf("%d as recorded, %d would be asked (%s)%s", x.Recorded, x.ToAsk, printable.Line(strings.Join(x.Asking, ", ")), least)
	case x.DryRun:
		return fmt.Sprintf("%d as recorded, none would be asked", x.Recorded)
	case x.Spent.CostUSD != nil && x.Asked > 0:
		return fmt.Sprintf("%d as recorded, %d asked, for %s", x.Recorded, x.Asked, dollars(*x.Spent.CostUSD))
	}
	return fmt.Sprintf("%d as recorded, %d asked", x.Recorded, x.Asked)
}

func indentedLines(text, by string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(by + printable.Line(line) + "\n")
	}
	return b.String()
}
