package engine

import (
	"slices"
	"time"

	"pflow/engine/cond"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// What expressions see as run: how far the run of their flow has come. It is made of events alone, so that it is the same
// on resume and in two equal runs; an inner flow's begins anew. A flow of which no expression reads it pays nothing.

// runMembers are its members and their types. visits and usage are closed, too: see runKeyed.
var runMembers = cond.Record{
	"node": value.String, "visits": value.Object, "steps": value.Integer, "usage": value.Object,
	"started": value.String, "errors": value.Array,
}

// runKeyed are the members whose own members are named by the flow: its nodes, and the meters of its ops.
var runKeyed = map[string]value.Type{"run.visits": value.Integer, "run.usage": value.Number}

// runUse is which parts of the record the expressions of a flow read. nil: none.
type runUse struct {
	visits  []visitsOf
	meters  []string
	started bool
	errors  bool
}

// visitsOf is a node whose visits are read.
type visitsOf struct {
	id   string
	node int
}

// meterRead is a use of a meter by an expression.
type meterRead struct {
	name, node string
	at         *yamltree.Value
	off        int
}

// noteRun settles what an expression reads of the record.
func (c *compiler) noteRun(p *cond.Program, at *yamltree.Value) {
	for _, r := range p.Reads() {
		if r.Record == "run" || runKeyed[r.Record] != "" {
			c.runReads++
		}
		switch r.Record {
		case "run":
			use := c.usesRun()
			use.started = use.started || r.Member == "started"
			use.errors = use.errors || r.Member == "errors"
		case "run.visits":
			i, ok := c.index[r.Member]
			if !ok {
				nodes := c.targets[:len(c.targets)-1]
				c.report(inside(at, r.Offset), "unknown-node", choice{r.Member, nodes}, "there is no node %s whose visits could be counted", quoted(r.Member))
				continue
			}
			use := c.usesRun()
			if v := (visitsOf{r.Member, i}); !slices.Contains(use.visits, v) {
				use.visits = append(use.visits, v)
			}
		case "run.usage":
			use := c.usesRun()
			c.meterReads = append(c.meterReads, meterRead{r.Member, c.node, at, r.Offset})
			if !slices.Contains(use.meters, r.Member) {
				use.meters = append(use.meters, r.Member)
			}
		}
	}
}

func (c *compiler) usesRun() *runUse {
	if c.flow.run == nil {
		c.flow.run = &runUse{}
	}
	return c.flow.run
}

// checkMeterReads checks that each meter that run.usage is asked for is one that some op of the flow, or of an inner flow,
// declares.
func (c *compiler) checkMeterReads() {
	known := c.s.metersOf(c.flow)
	for _, m := range c.meterReads {
		if !c.openMeters && !slices.Contains(known, m.name) {
			c.node = m.node
			c.report(inside(m.at, m.off), "unknown-meter", choice{m.name, known}, "no op of this flow has the meter %s", quoted(m.name))
		}
	}
	c.node = ""
}

// only is the use of a flow of which one node is left.
func (use *runUse) only(node int) *runUse {
	if use == nil {
		return nil
	}
	one := *use
	one.visits = slices.Clone(use.visits)
	for i, v := range one.visits {
		one.visits[i].node = -1
		if v.node == node {
			one.visits[i].node = 0
		}
	}
	return &one
}

// seeRun sets the record that the expressions of a visit see: of those that stand in a unit, the unit's.
func (r *Run) seeRun(nr *nodeRun, u *unit) {
	if nr.f.flow.run != nil {
		r.scope.Set("run", r.record(nr, u))
	}
}

// record is what run holds now.
func (r *Run) record(nr *nodeRun, u *unit) map[string]any {
	f, use := nr.f, nr.f.flow.run
	out := map[string]any{"node": nr.node.id, "steps": f.steps}
	if use.started {
		out["started"] = r.start.Format(time.RFC3339)
	}
	if len(use.visits) > 0 {
		visits := make(map[string]any, len(use.visits))
		for _, v := range use.visits {
			visits[v.id] = 0
			if v.node >= 0 {
				visits[v.id] = int(f.visits[v.node])
			}
		}
		out["visits"] = visits
	}
	var own *books
	if u != nil {
		own = u.books
	}
	if len(use.meters) > 0 {
		usage := make(map[string]any, len(use.meters))
		for _, m := range use.meters {
			usage[m] = f.books.used(m) + own.used(m)
		}
		out["usage"] = usage
	}
	if use.errors {
		out["errors"] = joinErrors(f.books.seen(), own.seen())
	}
	return out
}
