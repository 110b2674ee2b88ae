package schedule

import (
	"container/heap"
	"time"
)

// entry is when a schedule fires next.
type entry struct {
	name    string
	due, at time.Time
}

// timetable has the next time of each schedule, the nearest first.
type timetable struct {
	heap  []entry
	index map[string]int
}

func (t *timetable) Len() int           { return len(t.heap) }
func (t *timetable) Less(i, j int) bool { return t.heap[i].at.Before(t.heap[j].at) }

func (t *timetable) Swap(i, j int) {
	t.heap[i], t.heap[j] = t.heap[j], t.heap[i]
	t.index[t.heap[i].name], t.index[t.heap[j].name] = i, j
}

// Push implements heap.Interface.
func (t *timetable) Push(x any) {
	e := x.(entry)
	t.index[e.name] = len(t.heap)
	t.heap = append(t.heap, e)
}

// Pop implements heap.Interface.
func (t *timetable) Pop() any {
	last := len(t.heap) - 1
	e := t.heap[last]
	t.heap = t.heap[:last]
	delete(t.index, e.name)
	return e
}

func (t *timetable) add(e entry) {
	if t.index == nil {
		t.index = map[string]int{}
	}
	t.remove(e.name)
	heap.Push(t, e)
}

func (t *timetable) remove(name string) {
	if k, ok := t.index[name]; ok {
		heap.Remove(t, k)
	}
}

func (t *timetable) first() (entry, bool) {
	if len(t.heap) == 0 {
		return entry{}, false
	}
	return t.heap[0], true
}
