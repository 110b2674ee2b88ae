package engine

import (
	"strings"

	"pflow/engine/cond"
	"pflow/internal/value"
)

// What an expression can see depends on its place. An environment is dear to make and most nodes see the same, so the
// compiler keeps each one.

// maxSeen bounds the names of all environments of a flow: each costs some 250 bytes. 1,000 nodes with preps of their own
// may have 250 state keys.
const maxSeen = 500_000

// vars are the single names that an expression sees, beside records.
type vars map[string]value.Type

// seesStore is the environment of prep: store, params, run, and what is given.
func (c *compiler) seesStore(more vars) *cond.Env {
	return c.env(map[string]cond.Record{"store": c.store, "params": c.params, "run": runMembers}, nil, more)
}

// seesPrep is the environment of what runs beside an attempt: prep, params, run, and what is given.
func (c *compiler) seesPrep(prep cond.Record, more vars) *cond.Env {
	return c.env(map[string]cond.Record{"params": c.params, "prep": prep, "run": runMembers}, prep, more)
}

// seesResult is the environment of post and actions: store, prep, params, run, the node's vars, and what is given.
func (c *compiler) seesResult(prep, computed cond.Record, more vars) *cond.Env {
	records := map[string]cond.Record{"store": c.store, "params": c.params, "prep": prep, "run": runMembers}
	if computed != nil {
		records["vars"] = computed
	}
	return c.env(records, prep, more)
}

// env gives nil, for an environment that is not known, where there are too many. It keeps environments under what they differ in: which records they have, what prep
// and vars hold, and the variables.
func (c *compiler) env(records map[string]cond.Record, prep cond.Record, more vars) *cond.Env {
	var key strings.Builder
	for _, name := range value.SortedKeys(records) {
		key.WriteString(name + " ")
	}
	for _, types := range []map[string]value.Type{prep, records["vars"], more} {
		key.WriteString("\n")
		for _, name := range value.SortedKeys(types) {
			key.WriteString(name + " " + string(types[name]) + ",")
		}
	}
	env, made := c.envs[key.String()]
	if made {
		return env
	}
	names := len(c.funcs)
	for _, r := range records {
		names += len(r)
	}
	if c.crowd(names) {
		return nil
	}
	env = &cond.Env{Records: records, Vars: more, Keyed: runKeyed, Funcs: c.funcs}
	c.envs[key.String()] = env
	return env
}

// crowd counts the names of an environment that is about to be made, and reports whether there are too many.
func (c *compiler) crowd(names int) bool {
	if c.seen += names; c.seen > maxSeen {
		if !c.crowded {
			c.crowded = true
			c.report(whole(c.src.Tree.Get("nodes")), "bad-yaml", none, "the flow has too many nodes with preps of their own for its %d state keys, %d params and %d functions; split it into several flows", len(c.src.State), len(c.params), len(c.funcs))
		}
	}
	return c.crowded
}
