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

// add notes a condition that was asked, and what it read. What a var that it read was made of is noted, too: there the
// thresholds stand.
func (d *decision) add(s *cond.Scope, c *actionCase, vars []Binding, held bool) {
	if !held {
		d.not = append(d.not, c.source)
	}
	if d.saw == nil {
		d.saw = map[string]any{}
	}
	if p, ok := c.test.(*cond.Program); ok {
		d.reads(s, p, vars, false)
	}
	for _, path := range valuePaths.FindAllString(c.source, -1) {
		keys := strings.Split(strings.ReplaceAll(path, "?", ""), ".")
		d.saw[strings.Join(keys, ".")] = at(s.Get(keys[0]), keys[1:]...)
	}
}

// reads notes what a program read. A var reads only those that stand before it; of what it read only what is as it was then:
// the store may have been written since.
func (d *decision) reads(s *cond.Scope, p *cond.Program, vars []Binding, inVar bool) {
	for _, r := range p.Reads() {
		if inVar && r.Record != "params" && r.Record != "vars" && r.Record != "prep" {
			continue
		}
		path := r.Record + "." + r.Member
		if _, known := d.saw[path]; known {
			continue
		}
		if record, ok := s.Get(r.Record).(map[string]any); ok {
			d.saw[path] = record[r.Member]
		} else if outer, member, keyed := strings.Cut(r.Record, "."); keyed {
			d.saw[path] = at(s.Get(outer), member, r.Member)
		}
		if r.Record != "vars" {
			continue
		}
		for i := range vars {
			if made, ok := vars[i].Expr.(*cond.Program); ok && vars[i].Name == r.Member {
				d.reads(s, made, vars[:i], true)
			}
		}
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
