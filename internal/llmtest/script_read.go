package llmtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Load reads a script from a YAML file.
func Load(file string) (Script, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Script{}, err
	}
	s, found := Parse(file, data)
	return s, found.Err()
}

// Parse reads a script from YAML. Findings have the kinds unknown-key, wrong-kind, bad-value, and those of YAML.
func Parse(file string, data []byte) (Script, diag.List) {
	tree, found := yamltree.Parse(file, data)
	if found.HasErrors() {
		return Script{}, found
	}
	r := &reader{}
	var s Script
	r.keys(tree, "a script", map[string]func(*yamltree.Value){
		"reject": func(v *yamltree.Value) {
			for _, item := range r.list(v, "reject") {
				s.Reject = append(s.Reject, r.oneOf(item, "reject", Features()))
			}
		},
		"replies": func(v *yamltree.Value) {
			for _, item := range r.list(v, "replies") {
				s.Replies = append(s.Replies, r.reply(item))
			}
		},
	})
	if !r.found.HasErrors() {
		if _, err := compile(s); err != nil {
			r.fail(tree, "bad-value", "%v", err)
		}
	}
	return s, r.found.Sort()
}

type reader struct{ found diag.List }

func (r *reader) fail(v *yamltree.Value, kind, format string, args ...any) {
	r.found = append(r.found, v.Error(kind, fmt.Sprintf(format, args...)))
}

func (r *reader) keys(v *yamltree.Value, what string, read map[string]func(*yamltree.Value)) {
	if v.Kind != yamltree.Map {
		r.fail(v, "wrong-kind", "%s is a mapping, not %s", what, v.Kind)
		return
	}
	for _, e := range v.Entries {
		if f := read[e.Key]; f != nil {
			f(e.Value)
			continue
		}
		names := value.SortedKeys(read)
		f := e.Name.Error("unknown-key", fmt.Sprintf("%s has no key %q; it has: %s", what, e.Key, strings.Join(names, ", ")))
		f.Suggestion = diag.Nearest(e.Key, names)
		r.found = append(r.found, f)
	}
}

func (r *reader) list(v *yamltree.Value, what string) []*yamltree.Value {
	if v.Kind != yamltree.Seq {
		r.fail(v, "wrong-kind", "%s is a list, not %s", what, v.Kind)
	}
	return v.Items
}

func (r *reader) text(v *yamltree.Value, what string) string {
	if v.Kind == yamltree.Seq || v.Kind == yamltree.Map || v.Kind == yamltree.Null {
		r.fail(v, "wrong-kind", "%s is text, not %s", what, v.Kind)
	}
	return v.Text
}

func (r *reader) number(v *yamltree.Value, what string) int {
	n, ok := v.Scalar.(int)
	if !ok || n < 0 {
		r.fail(v, "bad-value", "%s is a whole number from 0 on", what)
	}
	return n
}

func (r *reader) oneOf(v *yamltree.Value, what string, names []string) string {
	s := r.text(v, what)
	if !slices.Contains(names, s) {
		f := v.Error("bad-value", fmt.Sprintf("%s: there is no %q; there are: %s", what, s, strings.Join(names, ", ")))
		f.Suggestion = diag.Nearest(s, names)
		r.found = append(r.found, f)
	}
	return s
}

func (r *reader) reply(v *yamltree.Value) Reply {
	var p Reply
	r.keys(v, "a reply", map[string]func(*yamltree.Value){
		"match":  func(v *yamltree.Value) { p.Match = r.text(v, "match") },
		"last":   func(v *yamltree.Value) { p.Last = r.text(v, "last") },
		"model":  func(v *yamltree.Value) { p.Model = r.text(v, "model") },
		"schema": func(v *yamltree.Value) { p.Schema = r.text(v, "schema") },
		"times": func(v *yamltree.Value) {
			if v.Scalar == "any" {
				p.Times = Any
			} else if p.Times = r.number(v, "times (or the word any)"); p.Times == 0 {
				r.fail(v, "bad-value", "times is a whole number from 1 on, or the word any")
			}
		},
		"text":   func(v *yamltree.Value) { p.Text = r.text(v, "text") },
		"json":   func(v *yamltree.Value) { p.JSON = v.Plain() },
		"finish": func(v *yamltree.Value) { p.Finish = r.text(v, "finish") },
		"fault":  func(v *yamltree.Value) { p.Fault = r.oneOf(v, "fault", Faults()) },
		"status": func(v *yamltree.Value) {
			if p.Status = r.number(v, "status"); p.Status < 200 || p.Status > 599 {
				r.fail(v, "bad-value", "status is a status of HTTP, from 200 to 599")
			}
		},
		"delay": func(v *yamltree.Value) {
			d, err := time.ParseDuration(r.text(v, "delay"))
			if err != nil || d < 0 {
				r.fail(v, "bad-value", "delay is a duration such as 20ms")
			}
			p.Delay = d
		},
		"headers": func(v *yamltree.Value) {
			p.Headers = map[string]string{}
			if v.Kind != yamltree.Map {
				r.fail(v, "wrong-kind", "headers is a mapping, not %s", v.Kind)
			}
			for _, e := range v.Entries {
				p.Headers[e.Key] = r.text(e.Value, "the header "+e.Key)
			}
		},
		"tool_calls": func(v *yamltree.Value) {
			for _, item := range r.list(v, "tool_calls") {
				var c ToolCall
				r.keys(item, "a tool call", map[string]func(*yamltree.Value){
					"name":      func(v *yamltree.Value) { c.Name = r.text(v, "name") },
					"arguments": func(v *yamltree.Value) { c.Arguments = v.Plain() },
				})
				p.ToolCalls = append(p.ToolCalls, c)
			}
		},
		"usage": func(v *yamltree.Value) {
			p.Usage = &Usage{}
			r.keys(v, "usage", map[string]func(*yamltree.Value){
				"prompt":     func(v *yamltree.Value) { p.Usage.Prompt = r.number(v, "prompt") },
				"cached":     func(v *yamltree.Value) { p.Usage.Cached = r.number(v, "cached") },
				"completion": func(v *yamltree.Value) { p.Usage.Completion = r.number(v, "completion") },
				"reasoning":  func(v *yamltree.Value) { p.Usage.Reasoning = r.number(v, "reasoning") },
			})
		},
	})
	return p
}
