package engine

import (
	"regexp"
	"strings"

	"pflow/engine/cond"
)

// decision is how an edge was chosen, for whoever observes the run: a run that nobody observes keeps none.
type decision struct {
	not []string
	saw map[string]any
}

// valuePaths finds what a condition reads of the values that are no records, by the path that it reads it by. A text that looks
// like one does no harm: what it names is shown, too.
var valuePaths = regexp.MustCompile(`\b(?:result|attempt|action)\b(?:\??\.[A-Za-z_]\w*\b)*`)

// add notes a condition that was asked, and what it read.
func (d *decision) add(s *cond.Scope, c *actionCase, held bool) {
	if !held {
		d.not = append(d.not, c.source)
	}
	if d.saw == nil {
		d.saw = map[string]any{}
	}
	if p, ok := c.test.(*cond.Program); ok {
		for _, r := range p.Reads() {
			if record, ok := s.Get(r.Record).(map[string]any); ok {
				d.saw[r.Record+"."+r.Member] = record[r.Member]
			} else if outer, member, keyed := strings.Cut(r.Record, "."); keyed {
				d.saw[r.Record+"."+r.Member] = at(s.Get(outer), member, r.Member)
			}
		}
	}
	for _, path := range valuePaths.FindAllString(c.source, -1) {
		keys := strings.Split(strings.ReplaceAll(path, "?", ""), ".")
		d.saw[strings.Join(keys, ".")] = at(s.Get(keys[0]), keys[1:]...)
	}
}

// at follows keys; nil where there is nothing.
func at(v any, keys ...string) any {
	for _, k := range keys {
		object, _ := v.(map[string]any)
		v = object[k]
	}
	return v
}
