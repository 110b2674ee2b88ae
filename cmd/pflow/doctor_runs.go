package main

import (
	"fmt"
	"strings"

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
	var waiting, open []string
	for _, r := range rows {
		if !r.Resumable {
			continue
		}
		line := fmt.Sprintf("%s: %s %s", a.resumeHint(r.ID), r.Status, shortened(oneLine(r.What()), 60))
		if r.Status == runs.Waiting {
			waiting = append(waiting, line)
		} else {
			open = append(open, line)
		}
	}
	var lines []string
	name := func(list []string, what string) {
		if len(list) == 0 {
			return
		}
		lines = append(lines, fmt.Sprintf("%d %s:", len(list), what))
		if len(list) > doctorRuns {
			list = append(list[:doctorRuns:doctorRuns], fmt.Sprintf("and %d more; pflow runs list --status waiting,interrupted,cancelled shows them", len(list)-doctorRuns))
		}
		lines = append(lines, list...)
	}
	name(waiting, "waits for approval")
	name(open, "can go on")
	if c.Message = strings.Join(lines, "\n"); c.Message == "" {
		c.Message = "none waits, none was left unfinished"
	}
	return c
}
