package workflow

import (
	"fmt"
	"maps"

	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// outputs reads what a workflow gives off its last store.
type outputs struct {
	c    *shared
	list []output
	last []string // without declared outputs: the nodes, in the order in which they can run
	// Without declared outputs, by node: what few ask for. A workflow of one node is that node, and gives all.
	details map[string][]string
	reads   capture
}

type output struct {
	ir.Output
	source *ir.Param
}

func (c *compiler) outputs() *outputs {
	o := &outputs{c: c.shared, reads: capture{}}
	if len(c.w.Outputs) == 0 {
		o.details = map[string][]string{}
		for _, at := range order(c.w) {
			n := &c.w.Nodes[at]
			o.last = append(o.last, n.ID)
			if i := c.env.Catalogue.Get(n.Type); i != nil && n.Batch == nil && len(c.w.Nodes) > 1 {
				for _, p := range i.Outputs {
					if p.Detail {
						o.details[n.ID] = append(o.details[n.ID], p.Key)
					}
				}
			}
		}
		return o
	}
	for _, out := range c.w.Outputs {
		p, _ := ir.Compile(out.Source)
		c.read(o.reads, p, nil, false)
		o.list = append(o.list, output{out, p})
	}
	c.piped(o.reads)
	return o
}

// told gives the outputs of a run. Whoever declares none is not told the details of the last node, which a workflow that calls
// this one can read.
func (o *outputs) told(store map[string]any, warn func(string)) map[string]any {
	out, _ := o.values(store, warn).(map[string]any)
	if id := o.ranLast(store); len(o.details[id]) > 0 {
		out = maps.Clone(out)
		for _, key := range o.details[id] {
			delete(out, key)
		}
	}
	return out
}

// ranLast is the node whose outputs are given where none are declared; empty if there is none.
func (o *outputs) ranLast(store map[string]any) string {
	for i := len(o.last) - 1; i >= 0; i-- {
		got, ran := store[o.last[i]].(map[string]any)
		if _, failed := got[ir.ErrorKey].(map[string]any); ran && !(failed && len(got) == 1) {
			return o.last[i]
		}
	}
	return ""
}

// values gives the outputs. One whose source is dead or failed is null; warn, if not nil, is told.
func (o *outputs) values(store map[string]any, warn func(string)) any {
	out := map[string]any{}
	if len(o.list) == 0 {
		got, ran := store[o.ranLast(store)].(map[string]any)
		if !ran {
			return out
		}
		for _, key := range value.SortedKeys(got) {
			if err := o.c.gone(got[key]); err != nil {
				got = maps.Clone(got)
				got[key] = nil
				if warn != nil {
					warn(fmt.Sprintf("the output %s is null: %s", key, fault.Of(err).Message))
				}
			}
		}
		return got
	}
	known := o.reads.known(store, nil)
	for i := range o.list {
		d := &o.list[i]
		v, err := d.source.Resolve(known)
		if err == nil {
			v, err = ir.Coerce(d.Type, v)
		}
		if err == nil {
			err = o.c.gone(v)
		}
		if err != nil && warn != nil {
			warn(fmt.Sprintf("the output %s is null: %s", d.Name, o.because(d, store, err)))
		}
		if err != nil {
			v = nil
		}
		out[d.Name] = v
	}
	return out
}

// because says why an output has no value.
func (o *outputs) because(d *output, store map[string]any, err error) string {
	text := fault.Of(err).Message
	d.source.Walk(func(_ string, e *ir.Expr) {
		for _, alt := range e.Alts {
			if alt.Ref == nil {
				continue
			}
			f := o.reads[alt.Ref.Root]
			if f.kind != fromNode && f.kind != fromFlat {
				continue
			}
			got, ran := store[f.name].(map[string]any)
			if failed, ok := got[ir.ErrorKey].(map[string]any); ok && len(got) == 1 {
				text = fmt.Sprintf("the node %s failed: %s", f.name, ir.Text(failed["message"]))
			} else if !ran {
				text = fmt.Sprintf("the node %s did not run", f.name)
			}
		}
	})
	return text
}

// order lists the nodes in an order in which they can run: of those that could come next the first of the document.
func order(w *ir.Workflow) []int {
	index := make(map[string]int, len(w.Nodes))
	for i := range w.Nodes {
		index[w.Nodes[i].ID] = i
	}
	waits := make([]int, len(w.Nodes))
	next := make([][]int, len(w.Nodes))
	for _, e := range w.Edges {
		from, to := index[e.From], index[e.To]
		next[from] = append(next[from], to)
		waits[to]++
	}
	var ready smallest
	for i, n := range waits {
		if n == 0 {
			ready.push(i)
		}
	}
	var out []int
	for len(ready) > 0 {
		n := ready.pop()
		out = append(out, n)
		for _, to := range next[n] {
			if waits[to]--; waits[to] == 0 {
				ready.push(to)
			}
		}
	}
	return out
}
