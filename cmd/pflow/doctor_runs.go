package main

import (
	"pflow/internal/runs"
)

// doctorRuns is how many runs doctor names of those that wait, and of those that can be resumed.
const doctorRuns = 10

// checkRuns lists the runs that wait for an approval, and those that can be resumed.
func (a *app) checkRuns() checkup {
	c := checkup{Name: "runs", Status: "ok"}
	if a.homeDir() == "" {
		c.Message = "there is no home that would keep them"
		return c
	}
	rows, err := a.history().List(runs.Query{Status: []runs.Status{runs.Waiting, runs.Interrupted, runs.Cancelled}})
	if err != nil {
		c.Status, c.Message = "error", fileError(err)
		return c
	}
	var waiting, open []runs.Row
	for _, r := range rows {
		if !r.Resumable {
			continue
		}
		if r.Status == runs.Waiting {
			waiting = append(waiting, r)
		} else {
			open = append(open, r)
		}
	}
	name := func(rows []runs.Row, what string) {
		if len(rows) == 0 {
			return
		}
		c.say("", "%d %s:", len(rows), what)
		for _, r := range rows[:min(len(rows), doctorRuns)] {
			c.say("; go on with: "+a.resumeHint(r.ID), "%s: %s %s", r.ID, r.Status, shortened(oneLine(r.What()), 60))
		}
		if len(rows) > doctorRuns {
			c.say("; pflow runs list --status waiting,interrupted,cancelled shows them", "and %d more", len(rows)-doctorRuns)
		}
	}
	name(waiting, "waits for approval")
	name(open, "can go on")
	if c.Message == "" {
		c.Message = "none waits, none was left unfinished"
	}
	return c
}
