package engine

import (
	"container/heap"
)

// dagState is what a run of a dag has decided so far.
type dagState struct {
	undecided []int  // incoming edges of a node that are neither taken nor dead
	taken     []bool // an incoming edge of the node is taken
	waiting   intHeap
	books     []*books   // by node, where they are kept
	records   [][]record // by node: they are listed in the order of the document, whatever finished first
}

// startDAG starts at the nodes that begin; any other node without incoming edges is dead.
func (r *Run) startDAG(f *frame) {
	d := f.flow.dag
	f.dag = &dagState{undecided: append([]int(nil), d.incoming...), taken: make([]bool, len(f.flow.nodes)), records: make([][]record, len(f.flow.nodes))}
	if f.keeps != (keeping{}) {
		f.dag.books = make([]*books, len(f.flow.nodes))
	}
	begins := make([]bool, len(d.incoming))
	for _, i := range d.starts {
		begins[i] = true
		heap.Push(&f.dag.waiting, i)
	}
	var dead []int
	for i, n := range d.incoming {
		if n == 0 && !begins[i] {
			dead = append(dead, i)
		}
	}
	r.killEdges(f, dead)
	r.launch(f)
}

// decideEdges takes the edges of the action that a node finished with; its others are dead. An action without an edge
// ends its branch.
func (r *Run) decideEdges(f *frame, from int, action string) {
	var dead []int
	for _, e := range f.flow.dag.edges[from] {
		if f.decide(e.to, e.action == action) {
			dead = append(dead, e.to)
		}
	}
	r.killEdges(f, dead)
	r.launch(f)
}

// decide settles one edge to a node and reports whether the node is dead now.
func (f *frame) decide(to int, taken bool) (dead bool) {
	s := f.dag
	s.undecided[to]--
	s.taken[to] = s.taken[to] || taken
	if s.undecided[to] > 0 {
		return false
	}
	if s.taken[to] {
		heap.Push(&s.waiting, to)
		return false
	}
	return true
}

// killEdges marks every edge of dead nodes dead, and so on.
func (r *Run) killEdges(f *frame, dead []int) {
	for len(dead) > 0 {
		n := dead[len(dead)-1]
		dead = dead[:len(dead)-1]
		r.tellSkipped(f, n)
		for _, e := range f.flow.dag.edges[n] {
			if f.decide(e.to, false) {
				dead = append(dead, e.to)
			}
		}
	}
}

// launch starts nodes that are ready, in the order of the document, as many as may run at once.
func (r *Run) launch(f *frame) {
	for !f.stopping && len(f.dag.waiting) > 0 && f.live-f.parked < f.flow.dag.concurrency {
		r.enqueue(f, heap.Pop(&f.dag.waiting).(int))
	}
	f.action = DefaultAction
}

// intHeap is a heap of node indices: the lowest stands first in the document.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
