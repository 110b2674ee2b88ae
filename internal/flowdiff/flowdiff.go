// Package flowdiff says how two flows differ in what they mean: after extends and --set, inner flows, prompts and schemas
// included. Comments, layout, the order of keys that mean nothing by their order, names, and descriptions make no
// difference; nor do blanks in an expression, `next: X` for {default: X}, 60s for 1m, or a default that is written at a node.
// Workflows says it of two workflows.
package flowdiff

import (
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"pflow/engine"
	"pflow/internal/value"
)

// Change is one difference. Old or New is absent where it was added or removed. Diff is the unified diff of a text of
// several lines.
type Change struct {
	Flow   string `json:"flow"` // what a flow: option calls the flow that it is in; "" for the outermost
	Kind   string `json:"kind"` // node, op, edge, condition, expression, option, retry, limit, param, state, function, catch, start, order, prompt, schema
	Path   string `json:"path"` // in the flow's document; of a prompt or a schema its name
	Change string `json:"change"`
	Old    any    `json:"old,omitempty"`
	New    any    `json:"new,omitempty"`
	Diff   string `json:"diff,omitempty"`
}

// What Change.Change says.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// Compare lists how new differs from old: first the outermost flow, then the flows it runs that both have, by name.
func Compare(old, new *engine.Flow) []Change {
	c := &comparison{changes: []Change{}, seen: map[string]bool{}}
	c.flow("", old.Definition(), new.Definition())
	return c.changes
}

type comparison struct {
	changes []Change
	seen    map[string]bool // inner flows by name, and texts that were shown
}

func (c *comparison) flow(name string, old, new *engine.Definition) {
	c.parts(name, partsOf(old.Tree), partsOf(new.Tree))
	c.texts(name, old.Documents, new.Documents)
	before := inner(old)
	for _, called := range slices.Sorted(maps.Keys(before)) {
		if after := inner(new)[called]; after != nil && !c.seen["flow "+called] {
			c.seen["flow "+called] = true
			c.flow(called, before[called].Definition(), after.Definition())
		}
	}
}

// inner gives the flows that a flow runs; shipped:NAME is compared with NAME.
func inner(d *engine.Definition) map[string]*engine.Flow {
	out := map[string]*engine.Flow{}
	for name, f := range d.Inner {
		out[strings.TrimPrefix(name, engine.Shipped)] = f
	}
	return out
}

// parts compares documents by what stands at each path, in the order of the old one, what is new last. Of a node that one
// of them lacks it tells no more.
func (c *comparison) parts(flow string, old, new []part) {
	before, after := byPath(old), byPath(new)
	whole := map[string]bool{} // nodes that were added or removed
	tell := func(p part, other map[string]part, change string) {
		switch {
		case whole[p.node], p.kind == "order":
			return
		case p.node != "":
			if _, has := other[nodePath(p.node)]; !has {
				whole[p.node] = true
			}
		}
		ch := Change{Flow: flow, Kind: p.kind, Path: p.path, Change: change}
		if change == Added {
			ch.New = p.value
		} else {
			ch.Old = p.value
		}
		c.changes = append(c.changes, ch)
	}
	for _, p := range old {
		q, has := after[p.path]
		switch {
		case !has:
			tell(p, after, Removed)
		case p.kind == "order" && sameOrder(p.value.([]any), q.value.([]any)):
		case value.JSON(p.same) != value.JSON(q.same):
			c.changes = append(c.changes, Change{Flow: flow, Kind: p.kind, Path: p.path, Change: Changed, Old: p.value, New: q.value, Diff: linesOf(p.value, q.value)})
		}
	}
	for _, p := range new {
		if _, has := before[p.path]; !has {
			tell(p, before, Added)
		}
	}
}

// sameOrder tells whether the names that both have stand in one order.
func sameOrder(old, new []any) bool {
	shared := func(names, others []any) (out []any) {
		for _, n := range names {
			if slices.Contains(others, n) {
				out = append(out, n)
			}
		}
		return out
	}
	return slices.Equal(shared(old, new), shared(new, old))
}

func byPath(list []part) map[string]part {
	out := make(map[string]part, len(list))
	for _, p := range list {
		out[p.path] = p
	}
	return out
}

// texts compares prompts and schemas by name. A text that several flows use is told once.
func (c *comparison) texts(flow string, old, new []engine.Document) {
	before, after := byName(old), byName(new)
	for _, key := range slices.Sorted(maps.Keys(before)) {
		d := before[key]
		e, has := after[key]
		switch a, b := textOf(d), textOf(e); {
		case !has:
			c.changes = append(c.changes, Change{Flow: flow, Kind: string(d.Kind), Path: d.Name, Change: Removed})
		case a != b && !c.seen[key]:
			c.seen[key] = true
			c.changes = append(c.changes, Change{Flow: flow, Kind: string(d.Kind), Path: d.Name, Change: Changed, Diff: unified(a, b)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, has := before[key]; !has {
			c.changes = append(c.changes, Change{Flow: flow, Kind: string(after[key].Kind), Path: after[key].Name, Change: Added})
		}
	}
}

func byName(list []engine.Document) map[string]engine.Document {
	out := map[string]engine.Document{}
	for _, d := range list {
		out[string(d.Kind)+" "+d.Name] = d
	}
	return out
}

// textOf gives a text as it counts: without a byte order mark, carriage returns, and blanks at the end.
func textOf(d engine.Document) string {
	text := strings.ReplaceAll(strings.TrimPrefix(string(d.Data), "\ufeff"), "\r\n", "\n")
	return strings.TrimRight(text, " \t\n") + "\n"
}

// linesOf gives the unified diff of two texts where one has several lines, else "".
func linesOf(old, new any) string {
	a, isText := old.(string)
	b, areTexts := new.(string)
	if !isText || !areTexts || !strings.Contains(strings.TrimSpace(a)+strings.TrimSpace(b), "\n") {
		return ""
	}
	return unified(strings.TrimRight(a, "\n")+"\n", strings.TrimRight(b, "\n")+"\n")
}

// unified gives a unified diff from its first @@ on.
func unified(old, new string) string {
	text := string(diff.Diff("a", []byte(old), "b", []byte(new)))
	if at := strings.Index(text, "\n@@"); at >= 0 {
		return text[at+1:]
	}
	return text
}
