package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/printable"
	"pflow/internal/settings"
	"pflow/internal/split"
)

func (a *app) experimentLiveCommand() *cobra.Command {
	var since, start string
	var stop bool
	c := &cobra.Command{
		Use:   "live",
		Short: "Show which of the planner flows that share your requests people get on with",
		Long: `Show how the flows do among which settings.yaml (planner: {split: {planner: 90, mine: 10}}) or --split splits the requests. A request
scores 1 if its plan was approved as it was and the first run of that went well, and else 0; beside it stand what people did, what was mended
or found again later, and how long planning took, what it cost and how often it failed. The intervals hold at every look, so that you
may look as often as you like, and stop when you like.

--stop stops the flow that loses, once that is decided: it gets no more requests until --start. With stop: losing in settings.yaml that happens by
itself. Nothing is asked, and nothing leaves your home.`,
		Example: "  pflow experiment live\n  pflow experiment live --json\n  pflow experiment live --stop",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			from, err := readSince(since, time.Now())
			switch {
			case err != nil:
				return err
			case stop && start != "":
				return usage("--stop and --start: give one of them")
			case (stop || start != "") && since != "":
				return usage("--since only shows; leave it out to stop or start a flow, which goes by all that counts")
			}
			return a.live(from, stop, start)
		},
	}
	o, f := a.optionsOf(c), c.Flags()
	f.StringVar(&since, "since", "", "only requests that came since this `TIME`; the intervals then hold for one look")
	f.BoolVar(&stop, "stop", false, "stop the flow that loses, if that is decided")
	f.StringVar(&start, "start", "", "let this `FLOW`, which was stopped, have requests again, and begin to count anew")
	f.StringVar(&o.splitText, "split", "", "show these flows instead of those of settings.yaml: `A=90,B=10`")
	return c
}

// live shows the live split, and stops or starts an arm.
func (a *app) live(since time.Time, stop bool, start string) error {
	arms, from, _, err := a.splitOf()
	if err != nil {
		return err
	}
	if err := a.needsHome(); err != nil {
		return err
	}
	if err := a.findArms(arms, from); err != nil {
		a.warn("%s", err)
	}
	l, now := split.LedgerOf(a.homeDir()), time.Now()
	if err := l.Follow(a.splitHistory(), now); err != nil {
		return fail(exitFailed, "what came of the requests cannot be noted: %s", fileError(err))
	}
	s, err := l.Read()
	if err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	configured := arms != nil
	if !configured {
		arms = s.Last()
	}
	if arms == nil && !a.asJSON {
		return a.noSplit()
	}
	changed := start != ""
	if changed {
		if err := a.startArm(l, s, arms, start, now); err != nil {
			return err
		}
	} else if stop {
		if changed, err = a.stopLosing(l, s, arms, now); err != nil {
			return fail(exitFailed, "no arm is stopped: %s", fileError(err))
		}
		if !changed && !a.quiet {
			fmt.Fprintln(a.stderr, "no flow is stopped: none is known to lose")
		}
	}
	if changed {
		if s, err = l.Read(); err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
	}
	r, err := s.Compare(a.splitHistory(), arms, since)
	switch {
	case err != nil:
		return fail(exitFailed, "%s", fileError(err))
	case a.asJSON:
		return a.printJSON(r)
	}
	if !configured && !a.quiet {
		fmt.Fprintln(a.stderr, "requests are not split now; these are the flows among which they were last")
	}
	return a.printLive(r)
}

// startArm lets an arm have requests again.
func (a *app) startArm(l *split.Ledger, s *split.State, arms split.Split, flow string, now time.Time) error {
	var names []string
	for _, stop := range s.Stopped(arms) {
		names = append(names, stop.Flow)
	}
	if !slices.Contains(names, flow) {
		if len(names) == 0 {
			return usage("--start %s: no flow of the split is stopped", flow)
		}
		return usage("--start %s: it is not stopped%s; stopped is %s", flow, didYouMean(flow, names), strings.Join(names, ", "))
	}
	if err := l.Start(arms, flow, now); err != nil {
		return fail(exitFailed, "%s is not started: %s", flow, fileError(err))
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "%s gets requests again; what is counted begins anew\n", flow)
	}
	return nil
}

// noSplit says how to begin, where no request was ever split.
func (a *app) noSplit() error {
	_, err := fmt.Fprintf(a.stdout, `requests are not split among flows. To begin:
  write into %s: planner: {split: {%s: 90, mine: 10}}
  where mine is a planner flow of yours (pflow flow eject makes one), or for one request: pflow --split %[2]s=90,mine=10 "…"
`, orElse(a.home().Path(settings.File), settings.File), offlineFlow)
	return err
}

// printLive prints the report: the verdict first.
func (a *app) printLive(r *split.Live) error {
	if _, err := fmt.Fprintln(a.stdout, printable.Line(r.Verdict)); err != nil {
		return err
	}
	for _, line := range r.Says {
		fmt.Fprintln(a.stdout, "  "+printable.Line(line))
	}
	for _, c := range r.Comparisons {
		for _, g := range c.Guards {
			if g.Units > 0 {
				fmt.Fprintf(a.stdout, "  guardrail %s of %s: %s\n", g.Name, printable.Line(c.Flow), guardWords(g))
			}
		}
	}
	fmt.Fprintln(a.stdout)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	row := func(name string, of func(split.ArmState) string) {
		fmt.Fprint(w, name)
		for _, arm := range r.Arms {
			fmt.Fprint(w, "\t"+of(arm))
		}
		fmt.Fprintln(w)
	}
	number := func(of func(split.ArmState) int) func(split.ArmState) string {
		return func(s split.ArmState) string { return strconv.Itoa(of(s)) }
	}
	row("FLOW", func(s split.ArmState) string { return printable.Line(s.Flow) })
	row("gets", func(s split.ArmState) string {
		if s.Stopped != nil {
			return "nothing since " + s.Stopped.At.Local().Format("2006-01-02 15:04")
		}
		return fmt.Sprintf("%.4g%%", 100*s.Share)
	})
	row("requests", number(func(s split.ArmState) int { return s.Requests }))
	row("  nobody was asked", number(func(s split.ArmState) int { return s.Requests - s.Asked }))
	row("  open", number(func(s split.ArmState) int { return s.Open }))
	row("  with an outcome", number(func(s split.ArmState) int { return s.Scored }))
	for _, o := range split.Outcomes {
		if !slices.ContainsFunc(r.Arms, func(s split.ArmState) bool { return s.Outcomes[o] > 0 }) {
			continue
		}
		row("    "+outcomeWords[o], number(func(s split.ArmState) int { return s.Outcomes[o] }))
	}
	row("score", func(s split.ArmState) string {
		if s.Score == nil {
			return "-"
		}
		return fmt.Sprintf("%.3f", *s.Score)
	})
	row("mended later", number(func(s split.ArmState) int { return s.Fixed }))
	row("found again", number(func(s split.ArmState) int { return s.Reused }))
	row("planning failed", func(s split.ArmState) string { return fmt.Sprintf("%d of %d", s.Failures, s.Planned) })
	row("time of planning", func(s split.ArmState) string { return ofPlanned(s, duration(s.MS)) })
	row("cost of planning", func(s split.ArmState) string { return ofPlanned(s, price(s.USD)) })
	if err := w.Flush(); err != nil {
		return err
	}
	if a.quiet {
		return nil
	}
	if r.Since != nil {
		fmt.Fprintf(a.stdout, "\ncounted since %s", r.Since.Local().Format("2006-01-02 15:04"))
		if r.Before > 0 {
			fmt.Fprintf(a.stdout, "; %s before that %s not", count(r.Before, "request"), map[bool]string{true: "does", false: "do"}[r.Before == 1])
		}
		fmt.Fprintln(a.stdout)
	}
	if r.Narrowed {
		fmt.Fprintln(a.stdout, "with --since the intervals hold for one look at a time that was chosen before, and stop nothing")
	}
	return nil
}

// outcomeWords are the outcomes as the table has them.
var outcomeWords = map[split.Outcome]string{
	split.Worked: "taken as planned, ran well", split.RunFailed: "taken as planned, failed", split.Edited: "edited first",
	split.Declined: "declined", split.Abandoned: "left unanswered", split.NoPlan: "no plan", split.Lost: "lost: runs removed before",
}

func ofPlanned(s split.ArmState, text string) string {
	if s.Planned == 0 {
		return "-"
	}
	return text
}

// guardWords is a guardrail in words.
func guardWords(g split.Guarded) string {
	if g.Excess == nil {
		return fmt.Sprintf("%s (one of the two has no request, at most %s more; %s)", g.State, g.Limit, count(g.Units, "request"))
	}
	seen := fmt.Sprintf("%+.0f%%", math.Round(100**g.Excess)+0) // no -0
	if g.Name == "failures" {
		seen = fmt.Sprintf("%+.1f points", math.Round(1000**g.Excess)/10+0)
	}
	return fmt.Sprintf("%s (seen %s, at most %s more; %s)", g.State, seen, g.Limit, count(g.Units, "request"))
}
