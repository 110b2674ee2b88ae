package main

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/split"
)

// effectivePlanner is the flow that plans, or those among which requests are split.
func (a *app) effectivePlanner() (flow, source string) {
	arms, from, losing, err := a.splitOf()
	if err != nil || arms == nil {
		flow, source, _ = a.plannerName()
		return flow, source
	}
	stopped, total := a.stopped(arms), 0.
	for _, arm := range arms {
		if !slices.ContainsFunc(stopped, func(s split.Stop) bool { return s.Flow == arm.Flow }) {
			total += arm.Weight
		}
	}
	var words []string
	for _, arm := range arms {
		if i := slices.IndexFunc(stopped, func(s split.Stop) bool { return s.Flow == arm.Flow }); i >= 0 {
			words = append(words, fmt.Sprintf("%s stopped", arm.Flow))
			continue
		}
		words = append(words, fmt.Sprintf("%s %.4g%%", arm.Flow, 100*arm.Weight/total))
	}
	flow = strings.Join(words, ", ")
	if losing {
		flow += "; what loses is stopped"
	}
	return flow, from
}

// stopped are the arms of a split that get no more requests, as far as the ledger can be read.
func (a *app) stopped(arms split.Split) []split.Stop {
	if a.homeDir() == "" {
		return nil
	}
	s, err := split.LedgerOf(a.homeDir()).Read()
	if err != nil {
		return nil // checkSplit says why
	}
	return s.Stopped(arms)
}

// checkSplit makes sure that each arm of a split can plan.
func (a *app) checkSplit(arms split.Split, from string) checkup {
	c := checkup{Name: "planner", Status: "ok"}
	wrong := func(why string) {
		c.Status = "error"
		c.say("", "%s", why)
	}
	for _, arm := range arms {
		if _, _, err := a.armFlow(arm.Flow, from); err != nil {
			wrong(strings.TrimSpace(err.Error()))
		}
	}
	if a.homeDir() == "" {
		wrong(from + ": a split needs a home")
	} else if _, err := split.LedgerOf(a.homeDir()).Read(); err != nil {
		wrong(fileError(err))
	}
	if c.Status == "ok" {
		c.say("; pflow experiment live shows how they do", "requests are split among %s", count(len(arms), "flow"))
	}
	for _, stop := range a.stopped(arms) {
		c.say(fmt.Sprintf("; pflow experiment live --start %s undoes it", shellQuote(stop.Flow)), "%s gets no more requests since %s: %s",
			stop.Flow, stop.At.Local().Format("2006-01-02 15:04"), stop.Why)
	}
	return c
}
