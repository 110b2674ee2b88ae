package engine

import (
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

const anyAction = "*"

// route settles where each action of each node leads, and reports whether the graph can be checked further.
func (c *compiler) route() bool {
	before := c.s.errors
	for i := range c.flow.nodes {
		c.node = c.flow.nodes[i].id
		c.nodeActions(i)
		c.nodeRoutes(i)
	}
	c.node = ""
	return c.s.errors == before && !c.openGraph
}

// nodeActions finds out which actions a node can leave with.
func (c *compiler) nodeActions(i int) {
	n, facts := &c.flow.nodes[i], &c.facts[i]
	src := facts.src
	switch {
	case src.Action != nil && len(src.Actions) > 0:
		facts.known = false
		c.report(whole(src.Action.V), "impossible-action", none, "a node has either actions or action; remove one of the two")
	case src.Action != nil:
		facts.known, facts.dynamic = !src.Partial, true
	case len(src.Actions) > 0:
		facts.known = !src.Partial
		c.listedActions(facts)
	case facts.known && n.mode == modeFlow:
		inner := n.units[0].flow
		if inner.ends == nil {
			facts.known = false
			c.report(whole(src.Op.V), "unrouted-action", none,
				"the flow %q can end with any action, because its '*' leads to end; name this node's actions with actions or action", inner.Name)
		}
		facts.returns = withFallback(n, inner.ends)
	case facts.known && n.mode == modeOp:
		facts.returns = withFallback(n, n.units[0].op.returns())
	default:
		facts.returns = []string{DefaultAction}
	}
	if n.catch != "" {
		facts.returns = append(facts.returns, n.catch)
	}
	slices.Sort(facts.returns)
	facts.returns = slices.Compact(facts.returns)
}

// listedActions checks the order of actions.
func (c *compiler) listedActions(facts *nodeFacts) {
	actions := facts.src.Actions
	for k, a := range actions {
		facts.returns = append(facts.returns, a.Action.Text)
		if !facts.known {
			continue
		}
		last := k == len(actions)-1
		switch {
		case last && a.Cond != nil:
			c.report(whole(a.V), "no-default-route", none, "the last of actions is taken when no other holds: remove its condition, or add an action without one")
		case !last && a.Cond == nil:
			facts.known = false
			c.report(whole(actions[k+1].V), "impossible-action", none, "this action is never taken: %q before it has no condition; move that to the end", a.Action.Text)
		}
	}
}

// withFallback adds the action of a node whose fallback gave the result.
func withFallback(n *node, actions []string) []string {
	actions = slices.Clone(actions)
	if n.fallback != nil {
		actions = append(actions, DefaultAction)
	}
	return actions
}

// nodeRoutes settles next and compares it with what the node can return.
func (c *compiler) nodeRoutes(i int) {
	n, facts := &c.flow.nodes[i], &c.facts[i]
	src := facts.src
	n.next, n.catchAll = make(map[string]int, len(src.Next)), noRoute
	for _, r := range src.Next {
		to := c.target(r.To.V, r.To.Text)
		if r.Action.Text == anyAction {
			n.catchAll = to
		} else {
			n.next[r.Action.Text] = to
		}
	}
	if !facts.known {
		c.openGraph = c.openGraph || src.Partial || src.NextV == nil
		return
	}
	var missing []string
	for _, a := range facts.returns {
		if _, ok := n.next[a]; !ok {
			missing = append(missing, a)
		}
	}
	for _, r := range src.Next {
		action := r.Action.Text
		switch {
		case facts.dynamic:
		case action == anyAction:
			c.report(whole(r.Action.V), "bad-catch-all", choice{"", missing}, "'*' goes with action: EXPR alone; name each action of this node instead")
			missing = nil // they are what it stands for
		case !slices.Contains(facts.returns, action):
			could := choice{action, missing}
			if len(missing) == 0 {
				could.names = facts.returns
			}
			c.report(whole(r.Action.V), "impossible-action", could, "this node never returns the action %s; its own are named in actions, and that of an error in catch", quoted(action))
			if meant := diag.Nearest(action, missing); meant != "" {
				missing = slices.DeleteFunc(slices.Clone(missing), func(a string) bool { return a == meant })
			}
		}
	}
	at := src.NextV
	if at == nil {
		at = src.ID.V
	}
	if facts.dynamic && n.catchAll == noRoute {
		c.report(whole(at), "bad-catch-all", none, "the action is data here, so next needs '*': NODE for the actions that it does not name")
	}
	switch {
	case len(missing) == 0:
	case src.NextV == nil && len(facts.returns) == 1:
		c.report(whole(at), "unrouted-action", none, "this node leads nowhere: give it next: NODE, or next: end to end the flow")
	default:
		c.report(whole(at), "unrouted-action", none, "this node can return %s, which next does not route; add %s: NODE, or %s: end",
			strings.Join(missing, " and "), missing[0], missing[0])
	}
}

// target gives the index of the node that an edge leads to.
func (c *compiler) target(at *yamltree.Value, name string) int {
	if name == End {
		return toEnd
	}
	if i, ok := c.index[name]; ok {
		return i
	}
	c.report(whole(at), "unknown-node", choice{name, c.targets}, "there is no node %s to go to", quoted(name))
	return toEnd
}

// edges lists where a node can lead, sorted.
func (n *node) edges() []int {
	var out []int
	for _, to := range n.next {
		out = append(out, to)
	}
	if n.catchAll != noRoute {
		out = append(out, n.catchAll)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// endActions lists the actions that lead to end, sorted; nil if they are data, an empty list if there are none.
func (c *compiler) endActions() []string {
	ends := []string{}
	for i := range c.flow.nodes {
		n := &c.flow.nodes[i]
		if n.catchAll == toEnd && c.facts[i].dynamic {
			return nil
		}
		for action, to := range n.next {
			if to == toEnd {
				ends = append(ends, action)
			}
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}
