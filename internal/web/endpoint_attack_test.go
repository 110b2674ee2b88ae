package web

import (
	"slices"
	"strings"
	"testing"
)

// TestValuesAreNoFlags: whatever a call is given stays a value: of a flag that the endpoint names, or an argument behind "--".
func TestValuesAreNoFlags(t *testing.T) {
	all := Endpoints()
	commands := 0
	for i := range all {
		e := &all[i]
		for _, evil := range []string{"--home=/evil", "-o", "--record=/evil", "--", "-", "@/evil", "../../evil", "a\x00b", "a\nb", "name=value"} {
			given := Params{}
			for _, p := range e.Params {
				switch p.Type {
				case "integer":
					given[p.Name] = 1
				case "boolean":
					given[p.Name] = true
				case "strings":
					given[p.Name] = []any{evil}
				case "object":
					given[p.Name] = map[string]any{strings.NewReplacer("=", "", "\n", "", "\x00", "").Replace(evil): evil}
				default:
					given[p.Name] = evil
				}
			}
			for _, p := range e.Params { // those that refuse it are left out, and the others stay
				if p.check(given[p.Name]) != nil {
					if delete(given, p.Name); p.Required {
						given[p.Name] = "x"
					}
					if len(p.Enum) > 0 && p.Required {
						given[p.Name] = p.Enum[0]
					}
				}
			}
			c, err := e.command(given)
			if err != nil {
				continue
			}
			commands++
			end := slices.Index(c.Args, "--")
			if end < 0 {
				end = len(c.Args)
			}
			for k, arg := range c.Args {
				written := slices.ContainsFunc(e.Args, func(part string) bool {
					before, _, hasHole := strings.Cut(part, "{")
					return part == arg || strings.TrimRight(before, "?@") == arg || hasHole && strings.HasPrefix(part, "--") && strings.Contains(before, "=") && strings.HasPrefix(arg, before)
				})
				if k < end && strings.HasPrefix(arg, "-") && !written {
					t.Errorf("%s given %q: pflow %q: %q is no part of its command", e.Name, evil, c.Args, arg)
				}
			}
			for _, f := range c.Files {
				flag := c.Args[f.Arg]
				written := flag == "" || slices.ContainsFunc(e.Args, func(part string) bool { return strings.HasPrefix(part, flag+"@{") })
				if strings.ContainsAny(f.Name, "/\\") || !written {
					t.Errorf("%s given %q: a file %q at %d of %q", e.Name, evil, f.Name, f.Arg, c.Args)
				}
			}
		}
	}
	if commands < len(all) {
		t.Errorf("%d commands of %d endpoints: the values were refused before", commands, len(all))
	}
}
