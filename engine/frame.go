package engine

import (
	"slices"
	"strconv"
	"time"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// frame is one run of one flow: the whole run's, or an inner flow's.
type frame struct {
	flow   *Flow
	parent *unit // nil for the whole run
	prefix string
	info   int32 // index in Run.frames

	store    map[string]any
	visits   []int32
	steps    int
	meters   map[string]float64
	deadline int // the wait for limits.timeout, or 0

	live     int // nodes that are queued or under way
	parked   int // of them, those that wait for approval
	active   []*nodeRun
	stopping bool
	done     bool
	caught   bool // store.last_error is set
	action   string
	err      *failure
	records  []record
	books    *books
	keeps    keeping
	dag      *dagState
}

// frameInfo is what the name of a step is made of.
type frameInfo struct {
	flow   *Flow
	prefix string
}

// lastError is the store key that holds what catch took.
const lastError = "last_error"

// newFrame starts a flow with a first store. The frame is there even when the input does not fit.
func (r *Run) newFrame(parent *unit, flow *Flow, prefix string, input map[string]any) (*frame, *fault.Error) {
	f := &frame{flow: flow, parent: parent, prefix: prefix, info: int32(len(r.frames)), visits: make([]int32, len(flow.nodes))}
	if parent != nil {
		f.keeps = parent.nr.f.keeps
	}
	f.keeps = flow.run.keeps(f.keeps)
	r.frames = append(r.frames, frameInfo{flow, prefix})
	store, err := flow.firstStore(input)
	if err != nil {
		return f, err
	}
	f.store = store
	f.records = make([]record, 0, min(len(flow.nodes), 1000)) // a flow without a loop needs no more
	if flow.loop {
		store[RoundKey], store[PreviousKey] = 0, nil
	}
	if d := flow.limits.timeout; d > 0 {
		f.deadline = r.wait(d, true, timer{frame: f})
	}
	if flow.dag != nil {
		r.startDAG(f)
	} else {
		r.enqueue(f, flow.start)
	}
	return f, nil
}

// firstStore makes the store a flow begins with: defaults, then the input, checked against the declared types.
func (flow *Flow) firstStore(input map[string]any) (map[string]any, *fault.Error) {
	if flow.keys == nil {
		return value.Merge(input, nil), nil
	}
	store := make(map[string]any, len(flow.keys)+1)
	store[lastError] = nil
	for name, key := range flow.keys {
		if key.hasValue {
			store[name] = key.def
		}
	}
	for _, name := range value.SortedKeys(input) {
		key, ok := flow.keys[name]
		if !ok || name == lastError {
			return nil, fault.New(fault.InvalidRequest, "flow %q has no state key %q; it has %s",
				flow.Name, name, diag.Names(flow.Inputs(), 20))
		}
		v, err := value.Normalize(input[name])
		if err == nil {
			v, err = key.fit(v)
		}
		if err != nil {
			return nil, fault.New(fault.Type, "state key %q of flow %q: %v", name, flow.Name, err)
		}
		store[name] = v
	}
	for _, name := range value.SortedKeys(flow.keys) {
		if _, given := store[name]; flow.keys[name].required && !given {
			return nil, fault.New(fault.InvalidRequest, "flow %q needs the state key %q (%s)", flow.Name, name, flow.keys[name].typ)
		}
	}
	return store, nil
}

// Inputs lists the declared state keys, sorted: what may be given when the flow starts.
func (flow *Flow) Inputs() []string {
	var names []string
	for _, k := range value.SortedKeys(flow.keys) {
		if k != lastError {
			names = append(names, k)
		}
	}
	return names
}

func (k *stateKey) fit(v any) (any, error) {
	if v == nil && k.nullable {
		return nil, nil
	}
	return value.Fits(k.typ, v)
}

func (r *Run) enqueue(f *frame, node int) {
	f.live++
	r.ready = append(r.ready, place{f, node})
}

// fail keeps the first error of a frame.
func (f *frame) fail(err *failure) {
	if f.err == nil {
		f.err = err
	}
}

// stopFrame ends a frame early: everything under way in it is asked to stop. settleFrame sees it off.
func (r *Run) stopFrame(f *frame, why *failure) {
	f.fail(why)
	if f.stopping || f.done {
		return
	}
	f.stopping = true
	for _, nr := range slices.Clone(f.active) { // a node that settles leaves f.active
		r.stopUnits(nr, nil)
		r.settleNode(nr)
	}
}

// settleFrame ends a frame in which nothing is left to run, and hands its store or its error to what waits for it.
func (r *Run) settleFrame(f *frame) {
	if f.stopping {
		f.live = len(f.active) // what was queued does not start
	}
	if f.done || f.live > 0 {
		r.parkFrame(f)
		return
	}
	f.done = true
	if f.dag != nil {
		f.records = slices.Concat(f.dag.records...)
		f.closeDAG()
	}
	if f.deadline != 0 {
		r.stopWait(f.deadline)
	}
	if f.parent == nil {
		r.done = true
		r.outcome = failureOrAction{f.action, f.err}
		r.emit(Command{Kind: CommandDone})
		return
	}
	r.childDone(f.parent, f)
}

// addMeters counts what an op used for its frame and every enclosing one.
func (f *frame) addMeters(used map[string]float64) {
	if len(used) == 0 {
		return
	}
	for {
		if f.meters == nil {
			f.meters = make(map[string]float64, len(used))
		}
		for name, n := range used {
			f.meters[name] += n
		}
		if f.parent == nil {
			return
		}
		f = f.parent.nr.f
	}
}

// limited reports whether a meter has a limit in the frame or an enclosing one.
func (f *frame) limited(meter string) bool {
	for {
		if _, ok := f.flow.limits.meters[meter]; ok {
			return true
		}
		if f.parent == nil {
			return false
		}
		f = f.parent.nr.f
	}
}

// spent is the error of a limit that an op would add to and that is reached already, in its frame or an enclosing one.
func (f *frame) spent(op *Op) *fault.Error {
	if len(op.Meters) == 0 {
		return nil
	}
	for {
		for _, name := range op.Meters {
			if most, ok := f.flow.limits.meters[name]; ok && f.meters[name] >= most {
				return fault.New(fault.Limit, "the limit %s (%v) of flow %q is reached: %v used", name, most, f.flow.Name, f.meters[name])
			}
		}
		if f.parent == nil {
			return nil
		}
		f = f.parent.nr.f
	}
}

// record is one step that ended. It holds no pointers: a long run's records cost the garbage collector nothing.
type record struct {
	frame, node, action int32 // action -1: the node failed
	visit, attempts     int32
	started, took       time.Duration
}

// stepName is the step's name in the whole run.
func (r *Run) stepName(frame, node, visit int32) string {
	info := r.frames[frame]
	if info.flow.loop {
		return info.prefix + "#" + strconv.Itoa(int(visit))
	}
	return info.prefix + info.flow.nodes[node].id
}

// visit is what a step says of its visit: a round has it in its name.
func (flow *Flow) visit(n int32) int {
	if flow.loop {
		return 1
	}
	return int(n)
}

// stepName is the name of its node in the whole run.
func (u *unit) stepName() string {
	if u.nr.f.flow.loop {
		return u.nr.f.prefix + "#" + strconv.Itoa(int(u.nr.visit))
	}
	return u.nr.f.prefix + u.nr.node.id
}

// innerPrefix is what the names of the steps inside a unit begin with: outer/, outer[3]/, outer.branch/, and from the
// second visit on outer#2/. Rounds are no level of their own: outer, outer[3].
func (u *unit) innerPrefix() string {
	nr := u.nr
	name := u.stepName()
	if nr.visit > 1 && !nr.f.flow.loop {
		name += "#" + strconv.Itoa(int(nr.visit))
	}
	switch nr.node.mode {
	case modeMap:
		name += "[" + strconv.Itoa(u.index) + "]"
	case modeParallel:
		name += "." + u.spec.name
	}
	if u.spec.flow.loop {
		return name
	}
	return name + "/"
}
