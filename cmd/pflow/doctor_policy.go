package main

import (
	"fmt"
	"strings"

	"pflow/internal/printable"
	"pflow/internal/settings"
	"pflow/internal/shelf"
)

// mostHidden bounds the names that are listed of what one rule hides.
const mostHidden = 20

// policy says of each rule of the settings what it hides. s holds all components, whatever the settings say of them.
func policy(by *settings.Settings, s *shelf.Shelf) []checkup {
	hidden := map[string][]string{}
	var order []string
	reaches := "" // a component that goes where rules over paths do not bind it
	for _, i := range s.Refusable(by) {
		why := by.Refuses(i)
		if why == "" {
			if unbound[i.Name] && reaches == "" {
				reaches = i.Name
			}
			continue
		}
		if hidden[why] == nil {
			order = append(order, why)
		}
		hidden[why] = append(hidden[why], i.Name)
	}
	var out []checkup
	for _, why := range order {
		names := hidden[why]
		more := ""
		if len(names) > mostHidden {
			more = fmt.Sprintf(" and %d more", len(names)-mostHidden)
			names = names[:mostHidden]
		}
		out = append(out, looked("policy", "ok", why+" hides "+printable.Line(strings.Join(names, ", "))+more))
	}
	for _, rules := range [][]settings.Rule{by.Allow, by.Deny} {
		for _, r := range rules {
			if r.Path == "" {
				continue
			}
			c := looked("policy", "ok", fmt.Sprintf("%s %s binds every step that is given a path", r.Place, r))
			if reaches != "" {
				c.Status = "warning"
				c.Message += fmt.Sprintf(", but not what a program does that %s starts: deny that, too, where it must hold", reaches)
			}
			out = append(out, c)
		}
	}
	return out
}

// unbound are the node types that start programs which open what they like.
var unbound = map[string]bool{"shell": true, "agent": true}
