package split

import (
	"fmt"
	"math"
	"slices"

	"pflow/internal/stats"
)

// say puts the verdict into a line, and what speaks for it into some more.
func (l *Live) say() {
	var scored, requests int
	for _, a := range l.Arms {
		scored, requests = scored+a.Scored, requests+a.Requests
	}
	var lines []string
	decided := slices.ContainsFunc(l.Comparisons, func(c Compared) bool { return c.Loses != "" }) // a guardrail needs no outcome
	for i := range l.Comparisons {
		lines = append(lines, l.Comparisons[i].verdict(l.stopped(l.Comparisons[i].Loses)))
	}
	switch {
	case requests == 0:
		l.Verdict = "nothing was split yet: the next request is the first"
		return
	case scored == 0 && !decided:
		l.Verdict = fmt.Sprintf("no verdict: of %s none has an outcome yet", counted(requests, "request"))
	case len(lines) > 0:
		l.Verdict = lines[0]
		l.Says = append(l.Says, lines[1:]...)
	}
	for i := range l.Comparisons {
		l.Says = append(l.Says, l.Comparisons[i].reasons()...)
	}
}

// stopped is when an arm was stopped, nil if it was not.
func (l *Live) stopped(flow string) *Stop {
	for i := range l.Arms {
		if l.Arms[i].Flow == flow {
			return l.Arms[i].Stopped
		}
	}
	return nil
}

// verdict is a comparison in a line.
func (c *Compared) verdict(stopped *Stop) string {
	end := ""
	if c.Loses != "" && stopped != nil {
		end = fmt.Sprintf("; %s gets no more requests since %s", c.Loses, stopped.At.Local().Format("2006-01-02 15:04"))
	}
	switch {
	case c.Better == c.Flow:
		return fmt.Sprintf("%s is better than %s: people take its plans more often%s%s", c.Flow, c.Against, c.broken(), end)
	case c.Better == c.Against:
		return fmt.Sprintf("%s is worse than %s: people take its plans less often%s", c.Flow, c.Against, end)
	case c.Loses == c.Flow:
		return fmt.Sprintf("%s takes too much against %s: %s%s", c.Flow, c.Against, c.Why, end)
	}
	return fmt.Sprintf("no verdict yet on %s against %s", c.Flow, c.Against)
}

// broken tells of guardrails of an arm whose score is better.
func (c *Compared) broken() string {
	for _, g := range c.Guards {
		if g.State == stats.Broken {
			return ", but its guardrail " + g.Name + " is broken"
		}
	}
	return ""
}

// reasons are what speaks for a verdict.
func (c *Compared) reasons() []string {
	s := c.Score
	line := fmt.Sprintf("%s against %s: ", c.Flow, c.Against)
	var waits []string
	if c.Until != nil {
		waits = []string{fmt.Sprintf("%d more have an outcome, and count once an earlier request, which is open, has one: at the latest on %s",
			c.Waiting, c.Until.Local().Format("2006-01-02 at 15:04"))}
	}
	switch {
	case s.A == 0 || s.B == 0:
		return append([]string{line + fmt.Sprintf("%s of %s and %s of %s count; a difference needs both", counted(s.B, "request"), c.Flow, counted(s.A, "request"), c.Against)}, waits...)
	case !s.Interval.Known:
		line += fmt.Sprintf("taken as planned and run well %s against %s (%d and %d requests): %s", percent(s.MeanB), percent(s.MeanA), s.B, s.A, s.Note)
	default:
		line += fmt.Sprintf("taken as planned and run well %s against %s (%d and %d requests), %s; %.4g%% sure at every look: %s", percent(s.MeanB), percent(s.MeanA), s.B, s.A,
			points(s.Difference), 100*(1-c.Level), between(s.Interval))
	}
	out := append([]string{line}, waits...)
	if c.Better == "" {
		need := fmt.Sprintf("a difference of 10 points would show after about %d requests with an outcome", c.Worth)
		if c.Seen > 0 && math.Abs(s.Difference) >= .005 && s.Interval.Known {
			need += fmt.Sprintf(", the one seen, if it is real, after about %d", c.Seen)
		}
		out = append(out, fmt.Sprintf("so far %d; %s", s.Units, need))
	}
	return out
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// points is a difference of shares in words.
func points(d float64) string {
	p := 100 * d
	switch {
	case math.Abs(p) < .05:
		return "no different"
	case p < 0:
		return fmt.Sprintf("worse by %.1f points", -p)
	}
	return fmt.Sprintf("better by %.1f points", p)
}

// between is an interval of a difference in words.
func between(i stats.Interval) string {
	switch {
	case i.Low >= 0:
		return fmt.Sprintf("better by %.1f to %.1f points", 100*i.Low, 100*i.High)
	case i.High <= 0:
		return fmt.Sprintf("worse by %.1f to %.1f points", -100*i.High, -100*i.Low)
	}
	return fmt.Sprintf("between worse by %.1f and better by %.1f points", -100*i.Low, 100*i.High)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
