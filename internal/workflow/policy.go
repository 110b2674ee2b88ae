package workflow

import (
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// permits is what nodes ask before they touch a path; nil where the settings have no rule over paths.
func (e *Env) permits() func(path string, below bool) error {
	if e.Paths == nil {
		return nil
	}
	return func(path string, below bool) error {
		why := e.Paths.Refuses(path, below)
		switch {
		case why == "":
			return nil
		case below && e.Paths.Refuses(path, false) == "":
			return fault.New(fault.Refused, "%s holds what is turned off by %s: name what lies beside it", strconv.Quote(path), why)
		}
		return fault.New(fault.Refused, "%s is turned off by %s", strconv.Quote(path), why)
	}
}

// isPath reports whether a param names files or folders. Node types call them so, as a test holds.
func isPath(key string) bool {
	return key == "cwd" || key == "path" || key == "paths" || strings.HasSuffix(key, "_path")
}

// pathRefused is why a path that a step is known to touch is not to be touched, or "".
func (c *compiler) pathRefused(ps *params, known ir.Values) string {
	call := nodetype.Call{Dir: c.env.Dir, Env: c.getenv()}
	permits := c.env.permits()
	for i := range ps.list {
		q := &ps.list[i]
		v, open := q.value.Partial(known)
		if !isPath(q.key) || len(open) > 0 {
			continue
		}
		paths, ok := v.([]any)
		if !ok {
			paths = []any{v}
		}
		for _, p := range paths {
			text, ok := p.(string)
			if !ok || text == "" || strings.ContainsRune(text, 0) {
				continue
			}
			if err := permits(call.Locate(text), false); err != nil {
				return q.key + ": " + err.Error()
			}
		}
	}
	return ""
}

// refuse keeps the first reason why a step is not to be run.
func (s *PlannedStep) refuse(why string) {
	if s.Refused == "" {
		s.Refused = why
	}
}

// Refused lists what the settings do not let a run do, each with the name of its step.
func (d *DryRun) Refused() []string {
	var out []string
	for _, s := range d.Steps {
		if s.Refused != "" {
			out = append(out, s.Node+" ("+s.Type+"): "+s.Refused)
		}
	}
	return out
}
