package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// startPath is where the document names the node that begins, or one of several.
func (w *Workflow) startPath(i int) string {
	if len(w.Start) == 1 {
		return "start_node"
	}
	return index("start_node", i)
}

// starts reports nodes that begin and are named twice, or can be reached from another one that begins: they would not
// begin, but wait.
func (v *validator) starts() {
	if len(v.w.Start) < 2 {
		return
	}
	before := v.beginsBefore()
	first := map[string]bool{}
	for i, id := range v.w.Start {
		n, ok := v.g.ids[id]
		if !ok {
			continue
		}
		from, later := before[n]
		switch {
		case first[id]:
			v.error(BadStart, v.w.startPath(i), n, "%q is named twice; name each node that begins once", id)
		case later && from != n:
			v.error(BadStart, v.w.startPath(i), n, "%q does not begin, it runs after %q, which begins too; take it out of start_node", id, v.w.Nodes[from].ID)
		}
		first[id] = true
	}
}

// beginning names the nodes that begin, for a message.
func (v *validator) beginning() string {
	const most = 6
	var ids []string
	for _, n := range v.g.starts[:min(len(v.g.starts), most)] {
		ids = append(ids, strconv.Quote(v.w.Nodes[n].ID))
	}
	text := strings.Join(ids, ", ")
	if more := len(v.g.starts) - most; more > 0 {
		text += fmt.Sprintf(" or one of %d more", more)
	}
	return text
}

// beginsBefore tells for each node that an edge leads to from one that begins which one that is.
func (v *validator) beginsBefore() map[int]int {
	from := map[int]int{}
	for _, start := range v.g.starts {
		for stack := []int{start}; len(stack) > 0; {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, e := range v.g.out[n] {
				if _, seen := from[v.g.to[e]]; !seen {
					from[v.g.to[e]] = start
					stack = append(stack, v.g.to[e])
				}
			}
		}
	}
	return from
}
