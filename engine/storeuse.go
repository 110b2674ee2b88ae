package engine

// checkStoreUse reports keys that some path reads before anything wrote them. It is a forward analysis of which keys may
// still be unwritten when a node begins: those that may be when one of its predecessors ends. Writes of a node do not
// count on its catch edge, because then none of them happen. A node that reads a key and goes on has found it written,
// so one missing write is one finding. The analysis runs for 64 keys at a time, a bit for each.
func (c *compiler) checkStoreUse() {
	for rest := c.unwritten(); len(rest) > 0; rest = rest[min(64, len(rest)):] {
		c.checkKeys(rest[:min(64, len(rest))])
	}
}

// unwritten lists the keys that are read somewhere and have no value when the flow starts, in the order of the reads.
func (c *compiler) unwritten() []string {
	var keys []string
	seen := map[string]bool{}
	for i := range c.facts {
		for _, reads := range [][]read{c.facts[i].reads, c.facts[i].late} {
			for _, r := range reads {
				if key := c.flow.keys[r.key]; !seen[r.key] && !key.required && !key.hasValue {
					seen[r.key] = true
					keys = append(keys, r.key)
				}
			}
		}
	}
	return keys
}

func (c *compiler) checkKeys(keys []string) {
	bit := make(map[string]uint64, len(keys))
	for i, key := range keys {
		bit[key] = 1 << i
	}
	nodes := c.flow.nodes
	// in: maybe unwritten when the node begins. writes and settled are what a node writes, and what is certainly
	// written once it has left by another edge than catch.
	in, writes, settled := make([]uint64, len(nodes)), make([]uint64, len(nodes)), make([]uint64, len(nodes))
	for i := range nodes {
		f := &c.facts[i]
		for _, key := range f.writes {
			writes[i] |= bit[key]
		}
		settled[i] = writes[i]
		for _, r := range f.reads {
			settled[i] |= bit[r.key]
		}
		for _, r := range f.late {
			settled[i] |= bit[r.key]
		}
	}
	in[c.flow.start] = ^uint64(0) >> (64 - len(keys))
	queued := make([]bool, len(nodes))
	todo := []int{c.flow.start}
	flow := func(to int, maybe uint64) {
		if to < 0 || in[to]|maybe == in[to] {
			return
		}
		in[to] |= maybe
		if !queued[to] {
			queued[to] = true
			todo = append(todo, to)
		}
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		queued[i] = false
		n := &nodes[i]
		for action, to := range n.next {
			if n.catch != "" && action == n.catch {
				flow(to, in[i])
			} else {
				flow(to, in[i]&^settled[i])
			}
		}
		flow(n.catchAll, in[i]&^settled[i])
	}
	for i := range nodes {
		c.node = nodes[i].id
		told := c.checkReads(c.facts[i].reads, bit, in[i])
		c.checkReads(c.facts[i].late, bit, in[i]&^writes[i]&^told)
	}
	c.node = ""
}

// checkReads reports the first read of each key that may be unwritten, and gives those keys.
func (c *compiler) checkReads(reads []read, bit map[string]uint64, maybe uint64) (told uint64) {
	for _, r := range reads {
		if b := bit[r.key]; maybe&b&^told != 0 {
			told |= b
			c.report(inside(r.at, r.off), "read-before-write", none,
				"on some path nothing has written %q yet; give it a default in state, make it required, or write it before", r.key)
		}
	}
	return told
}
