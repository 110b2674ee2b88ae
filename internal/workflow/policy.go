package workflow

import (
	"slices"
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
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
	return key == folderKey || key == "path" || key == "paths" || strings.HasSuffix(key, "_path") || strings.HasSuffix(key, "_paths")
}

// pathRefused is why a path that a step is known to touch is not to be touched, or "".
func (c *compiler) pathRefused(typ string, ps *params, known ir.Values) string {
	params := map[string]any{}
	for i := range ps.list {
		q := &ps.list[i]
		switch v, open := q.value.Partial(known); {
		case len(open) == 0:
			params[q.key] = v
		case q.key == folderKey:
			return "" // relative paths are known with it, when the step is about to run
		}
	}
	if err := c.permitted(typ, params); err != nil {
		return err.Error()
	}
	return ""
}

// folderKey is the param from whose folder the other paths of a component count, where it has one.
const folderKey = "cwd"

// permitted is why the paths in params are not to be touched. Node types ask, too: they know more paths than params name.
func (c *compiler) permitted(typ string, params map[string]any) error {
	permits := c.env.permits()
	if permits == nil {
		return nil
	}
	call := nodetype.Call{Dir: c.env.Dir, Env: c.getenv()}
	inside := call
	if dir, ok := params[folderKey].(string); ok && dir != "" {
		inside.Dir = call.Locate(dir)
	}
	for _, key := range value.SortedKeys(params) {
		if !isPath(key) || slices.Contains(c.env.Types[typ].Elsewhere, key) {
			continue
		}
		from := inside
		if key == folderKey {
			from = call
		}
		paths, ok := params[key].([]any)
		if !ok {
			paths = []any{params[key]}
		}
		for _, p := range paths {
			text, ok := p.(string)
			if !ok || text == "" || strings.ContainsRune(text, 0) {
				continue // the component says what is wrong with it
			}
			if err := permits(from.Locate(text), false); err != nil {
				e := *fault.Of(err)
				e.Message = key + ": " + e.Message
				return &e
			}
		}
	}
	return nil
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
