package main

import (
	"fmt"
	"strings"
	"time"
)

// checkSchedules lists the schedules that do not run, or of whose runs nothing tells that should, and why.
func (a *app) checkSchedules() checkup {
	c := checkup{Name: "schedules", Status: "ok"}
	if a.homeDir() == "" {
		c.Message = "there is no home that would keep them"
		return c
	}
	names := a.schedules().Names()
	lines := []string{count(len(names), "schedule")}
	now := time.Now()
	for _, name := range names {
		one, err := a.schedules().Get(name)
		if err != nil {
			c.Status, lines = "error", append(lines, err.Error())
			continue
		}
		st, err := a.schedules().State(one)
		if err != nil {
			c.Status, lines = "error", append(lines, err.Error())
			continue
		}
		i := a.scheduleItem(one, st, now)
		wrong := func(format string, args ...any) {
			if c.Status == "ok" {
				c.Status = "warning"
			}
			lines = append(lines, name+" "+fmt.Sprintf(format, args...))
		}
		switch {
		case i.Waiting != "":
			wrong("does not run: %s; %s", i.Waiting, a.scheduleHint(i.Schedule))
		case i.Status == "paused":
			lines = append(lines, name+" is paused; go on with: pflow schedule resume "+name)
		case i.Status == "over":
			lines = append(lines, name+" has no next time; remove it with: pflow schedule remove "+name)
		}
		if i.Untold != "" {
			wrong("runs, and nothing tells of it: %s; %s", i.Untold, i.untoldHint)
		}
	}
	if len(names) > 0 && a.schedules().Server() == "" {
		lines = append(lines, "no pflow serve carries them out now")
	}
	c.Message = strings.Join(lines, "\n")
	return c
}
