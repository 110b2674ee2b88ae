package main

import (
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
	c.say("", "%s", count(len(names), "schedule"))
	now := time.Now()
	for _, name := range names {
		one, err := a.schedules().Get(name)
		if err != nil {
			c.Status = "error"
			c.say("", "%v", err)
			continue
		}
		st, err := a.schedules().State(one)
		if err != nil {
			c.Status = "error"
			c.say("", "%v", err)
			continue
		}
		i := a.scheduleItem(one, st, now)
		wrong := func(do, format string, args ...any) {
			if c.Status == "ok" {
				c.Status = "warning"
			}
			c.say("; "+do, name+" "+format, args...)
		}
		switch {
		case i.Waiting != "":
			wrong(a.scheduleHint(i.Schedule), "does not run: %s", i.Waiting)
		case i.Status == "paused":
			c.say("; go on with: pflow schedule resume "+name, "%s is paused", name)
		case i.Status == "over":
			c.say("; remove it with: pflow schedule remove "+name, "%s has no next time", name)
		}
		if i.Untold != "" {
			wrong(i.untoldHint, "runs, and nothing tells of it: %s", i.Untold)
		}
	}
	if len(names) > 0 && a.schedules().Server() == "" {
		c.say("", "no pflow serve carries them out now")
	}
	return c
}
