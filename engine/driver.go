package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Options are what a run may be given beside its input. The zero value runs without a journal.
type Options struct {
	RunID string
	Seed  uint64    // of the jitter; 0: random
	Day   time.Time // the day on which the run is taken to begin, for what it reads of the date; zero: the day it is
	// Began is the instant at which the run is taken to begin; zero: when it does.
	Began time.Time
	// Simulated runs by a clock that jumps, see Spend.
	Simulated bool
	Journal   Journal
	// Journalled keeps a run from beginning whose start the journal does not take; else it runs, and cannot be resumed.
	Journalled bool
	// History is the past of a run that was killed: its events are stepped through again before it goes on.
	History *History
	// Keep is asked for the outcome of each attempt that would be carried out, of ops that are not instant; nil: it is. An
	// error stops the run, which can be resumed, and is what Execute gives. It is called by one goroutine, in the order of the attempts.
	Keep func(Attempted) (*Event, error)
	// Progress is told how far the run has come, by one goroutine, as it comes that far. It must be quick.
	Progress func(Progress)
	// Observe is told of every step that ends, in the order in which they end.
	Observe func(Transition)
	// Came says in a word what came of a run that is done, for lists of runs, such as the status of a plan; nil: nothing more.
	Came func(*Result) string
}

// Journal keeps a run's events. Each call is one write that is out of the process when it returns, so that a killed
// process loses nothing. After an error the journal takes no more.
type Journal interface {
	// Begin keeps the start: the first record.
	Begin(start Event) error
	// Started says that an attempt begins.
	Started(a Attempt) error
	// Happened keeps an outcome, a timer or an approval.
	Happened(ev Event) error
	// Ended says how the run ended.
	Ended(Ending) error
}

// NotKept is the error of a run that did not begin since its journal does not take its start.
type NotKept struct{ Err error }

func (e *NotKept) Error() string {
	return fmt.Sprintf("nothing was run, since the run cannot be kept: %v", e.Err)
}

func (e *NotKept) Unwrap() error { return e.Err }

// Ending is how a run ended, or how far it came before it waited or was cancelled: what a list of runs tells of it.
type Ending struct {
	Status Status
	At     time.Duration // since the run began
	Steps  int           // that ended
	Usage  map[string]float64
	Error  *RunError // nil unless it failed or hit a limit
	Came   string    // Options.Came of a run that is done

	Decided string // what a person decided on what came, where somebody was asked, after the run
}

// Attempt is one attempt of an op that is under way.
type Attempt struct {
	ID         int
	Step       string // its name in the whole run
	Index      string // inside map the item's index, inside parallel the branch's name; "" elsewhere
	Visit      int
	Attempt    int
	At         time.Duration
	Idempotent bool
}

// Name names the attempt in a message, as steps inside it are: outer#2[3], outer.branch.
func (a Attempt) Name() string {
	name := a.Step
	if a.Visit > 1 {
		name += fmt.Sprintf("#%d", a.Visit)
	}
	switch _, err := strconv.Atoi(a.Index); {
	case a.Index == "":
		return name
	case err == nil:
		return name + "[" + a.Index + "]"
	}
	return name + "." + a.Index
}

// Execute runs a flow to its end, or until all that is left waits for approval. The error is nil unless the run could not
// begin or go on: a run that failed, waits, was cancelled or hit a limit is a Result that says so. When Execute returns, no goroutine of the run is left.
func Execute(ctx context.Context, flow *Flow, input map[string]any, o Options) (*Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d := &driver{
		ctx: ctx, stopRun: stop, o: o, run: NewRun(flow, o.Observe),
		outcomes: make(chan Event), execs: map[int]*exec{}, asking: map[int]*exec{},
	}
	d.run.progress = o.Progress
	if o.Simulated {
		d.sim = newSimulation()
	}
	err := fault.Guard(func() error {
		begin := func() error { return d.begin(input) }
		if o.History != nil {
			begin = func() error { return d.replay(o.History) }
		}
		if err := begin(); err != nil {
			return err
		}
		return d.loop()
	})
	if err != nil {
		d.abandon()
		d.traceDone(nil, err)
		return nil, err
	}
	res := d.run.Result()
	d.abandon() // of a run that waits, nothing is left but what asks for approval
	d.traceDone(res, d.refused)
	res.RunID, res.Took = o.RunID, d.now()
	d.keep(func() error {
		end := Ending{Status: res.Status, At: d.now(), Steps: len(res.Steps), Usage: res.Usage, Error: res.Error}
		if o.Came != nil && res.Status == Done {
			end.Came = o.Came(res)
		}
		return o.Journal.Ended(end)
	})
	if d.refused != nil {
		return nil, d.refused
	}
	if d.lost != nil {
		res.Lost = d.lost
		res.Warnings = append(res.Warnings, fmt.Sprintf("the run cannot be resumed: %v", d.lost))
	}
	return res, nil
}

// driver carries out the commands of a run in this process. One goroutine owns it; ops that may block have their own.
type driver struct {
	ctx     context.Context
	stopRun func()
	o       Options
	run     *Run
	zero    time.Time // the instant the run began, by this process's clock

	inline   []exec // instant ops to run, in order, from head on
	head     int
	execs    map[int]*exec // in goroutines
	asking   map[int]*exec // in goroutines, too: held attempts that are performed again, to ask again
	running  int           // goroutines
	outcomes chan Event
	waits    []pendingWait
	known    []Event       // outcomes that Keep gave
	past     time.Duration // of the last event
	sim      *simulation   // nil: by the clock of this process

	cancelled bool
	refused   error // by Keep
	lost      error // why the journal takes no more
}

// exec is an attempt of an op that was asked for and has not answered.
type exec struct {
	Command
	stopped bool
	cancel  context.CancelFunc // once it runs in a goroutine
}

// pendingWait is a wait and when it is over.
type pendingWait struct {
	id      int
	due     time.Duration
	running bool
}

func (d *driver) begin(input map[string]any) error {
	now := time.Now()
	d.zero = now
	seed := d.o.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	in, err := value.Normalize(input)
	if err != nil {
		return err
	}
	start := Event{Kind: EventStart, Time: beginning(now, d.o.Day), Seed: seed, Input: in.(map[string]any)}
	if !d.o.Began.IsZero() {
		start.Time = d.o.Began.UTC()
	}
	if d.keep(func() error { return d.o.Journal.Begin(start) }); d.lost != nil && d.o.Journalled {
		return &NotKept{d.lost}
	}
	d.follow(now, 0)
	return d.step(&start)
}

// now is the time since the run began; it never goes back.
func (d *driver) now() time.Duration {
	if d.sim == nil {
		d.past = max(d.past, time.Since(d.zero))
	}
	return d.past
}

// loop runs until the run has ended, or waits for approval and nobody is asked. Instant ops run here, in order; between
// them the loop looks up for what else happened.
func (d *driver) loop() error {
	var ev Event // filled in place: it is large, and most nodes take less time than copying it would
	for !d.run.Done() {
		switch {
		case d.urgent(&ev):
		case d.head < len(d.inline):
			if !d.runInline(&ev) {
				continue
			}
		case d.running == 0 && d.run.Waiting():
			return nil
		default:
			ev = d.block()
		}
		if len(d.asking) > 0 && ev.Kind == EventOutcome && d.asking[ev.ID] != nil && !d.answered(&ev) {
			continue
		}
		if err := d.take(&ev); err != nil {
			return err
		}
	}
	return nil
}

// answered makes an approve event of what a held attempt gave when it was performed again; false where it still waits.
func (d *driver) answered(ev *Event) bool {
	d.asking[ev.ID].cancel()
	delete(d.asking, ev.ID)
	d.running--
	if ev.Err != nil || ev.Waits != "" || d.ctx.Err() != nil || d.run.heldAt(ev.ID) < 0 {
		return false
	}
	*ev = Event{Kind: EventApprove, ID: ev.ID, Result: ev.Result, Action: ev.Action}
	return true
}

// urgent is what happened by itself, if anything did: the run was cancelled, an op answered, a wait is over.
func (d *driver) urgent(ev *Event) bool {
	if !d.cancelled && d.ctx.Err() != nil {
		*ev = Event{Kind: EventCancel}
		return true
	}
	if len(d.known) > 0 {
		*ev = d.known[0]
		d.known = d.known[1:]
		return true
	}
	if d.sim != nil { // the rest comes when its time has come
		return false
	}
	if d.running > 0 {
		select {
		case *ev = <-d.outcomes:
			return true
		default:
		}
	}
	if len(d.waits) > 0 {
		if w := d.nextWait(); d.waits[w].due <= d.now() {
			*ev = d.waitOver(w)
			return true
		}
	}
	return false
}

// block waits for the next thing to happen.
func (d *driver) block() Event {
	if d.sim != nil {
		return d.jump()
	}
	var alarm <-chan time.Time
	w := d.nextWait()
	if w >= 0 {
		t := time.NewTimer(d.waits[w].due - d.now())
		defer t.Stop()
		alarm = t.C
	}
	done := d.ctx.Done()
	if d.cancelled {
		done = nil
	}
	if alarm == nil && d.running == 0 && done == nil {
		panic("engine: a run has nothing under way and has not ended")
	}
	select {
	case ev := <-d.outcomes:
		return ev
	case <-alarm:
		return d.waitOver(w)
	case <-done:
		return Event{Kind: EventCancel}
	}
}

// take keeps an event in the journal and steps the run on.
func (d *driver) take(ev *Event) error {
	ev.At = d.now()
	switch ev.Kind {
	case EventOutcome:
		if e := d.execs[ev.ID]; e != nil {
			e.cancel()
			d.running--
			delete(d.execs, ev.ID)
		}
		if d.ctx.Err() != nil && !d.cancelled {
			if err := d.take(&Event{Kind: EventCancel}); err != nil {
				return err
			}
		}
		if d.cancelled && (ev.Err != nil || ev.Waits != "") {
			if ev.Err == nil {
				ev.Waits, ev.Err = "", fault.New(fault.Cancelled, "stopped")
			}
			ev.Err = fault.New(fault.Cancelled, "%s", ev.Err.Message)
			break // not kept: a resumed run tries it again
		}
		d.happened(ev)
	case EventTimer, EventApprove:
		d.happened(ev)
	case EventCancel:
		d.cancelled = true
	}
	return d.step(ev)
}

func (d *driver) happened(ev *Event) {
	if d.o.Journal != nil && d.lost == nil {
		d.lost = d.o.Journal.Happened(*ev)
	}
}

// step takes the run one event on and carries out its commands.
func (d *driver) step(ev *Event) error {
	cmds, err := d.run.Step(ev)
	if err != nil {
		return err
	}
	for i := range cmds {
		d.carryOut(&cmds[i], ev.At)
	}
	return nil
}

func (d *driver) carryOut(c *Command, at time.Duration) {
	switch c.Kind {
	case CommandExec:
		switch {
		case c.Op().Instant:
			d.inline = append(d.inline, exec{Command: *c})
		case !d.keeps(c):
			e := &exec{Command: *c}
			d.started(e)
			d.launch(e)
		}
	case CommandWait:
		d.waits = append(d.waits, pendingWait{c.ID, at + c.For, c.Running})
	case CommandStop:
		d.stop(c.ID)
	}
}

// keeps reports whether the outcome of an attempt is known, or it may not be carried out.
func (d *driver) keeps(c *Command) bool {
	if d.o.Keep == nil {
		return false
	}
	a := c.attempted(d.past)
	ev, err := d.o.Keep(a)
	switch {
	case err != nil:
		if d.refused == nil {
			d.refused = err
			d.stopRun()
		}
		d.known = append(d.known, stoppedEarly(c.ID))
	case ev == nil:
		return false
	default:
		ev.Kind, ev.ID = EventOutcome, c.ID
		d.keep(func() error { return d.o.Journal.Started(a.Attempt) })
		d.known = append(d.known, *ev)
	}
	return true
}

// stop ends a wait, or asks an exec to end: one that has not begun never will.
func (d *driver) stop(id int) {
	for i, w := range d.waits {
		if w.id == id {
			d.waits = append(d.waits[:i], d.waits[i+1:]...)
			return
		}
	}
	for i := d.head; i < len(d.inline); i++ {
		if d.inline[i].ID == id {
			d.inline[i].stopped = true
			return
		}
	}
	if e := d.execs[id]; e != nil {
		e.cancel()
		if d.sim != nil {
			d.sim.stopped[id] = d.past
		}
	}
	if e := d.asking[id]; e != nil {
		e.cancel()
	}
}

func (d *driver) nextWait() int {
	next := -1
	for i, w := range d.waits {
		if next < 0 || w.due < d.waits[next].due {
			next = i
		}
	}
	return next
}

func (d *driver) waitOver(i int) Event {
	id := d.waits[i].id
	d.waits = append(d.waits[:i], d.waits[i+1:]...)
	return Event{Kind: EventTimer, ID: id}
}

// runInline runs the first instant op of the queue in the driver's own goroutine. Should it still be under way when a wait
// is over, which may be a limit on this very op, it is interrupted and begins again in a goroutine of its own, while the
// driver goes on: such ops have no effects. Then there is no event yet.
func (d *driver) runInline(ev *Event) bool {
	e := &d.inline[d.head]
	defer d.dequeue()
	if e.stopped {
		*ev = stoppedEarly(e.ID)
		return true
	}
	d.started(e)
	if len(d.waits) == 0 || d.sim != nil { // instant ops take no time of a clock that jumps
		e.Perform(d.ctx, d.run, ev)
		return true
	}
	ctx, cancel := context.WithDeadline(d.ctx, d.zero.Add(d.waits[d.nextWait()].due))
	defer cancel()
	e.Perform(ctx, d.run, ev)
	if ev.Err != nil && ctx.Err() != nil && d.ctx.Err() == nil {
		again := *e
		d.launch(&again)
		return false
	}
	return true
}

// dequeue takes the first off the queue, whose room is used again once it is empty.
func (d *driver) dequeue() {
	d.inline[d.head] = exec{}
	d.head++
	if d.head == len(d.inline) {
		d.inline, d.head = d.inline[:0], 0
	}
}

// launch runs an op in a goroutine of its own.
func (d *driver) launch(e *exec) {
	d.execs[e.ID] = e
	d.perform(e)
}

// ask performs a held attempt again: it asks, or finds the approval that was given since.
func (d *driver) ask(e *exec) {
	d.asking[e.ID] = e
	d.perform(e)
}

func (d *driver) perform(e *exec) {
	ctx, cancel := context.WithCancel(context.WithValue(d.within(e), stepKey{}, located(e.unit)))
	if d.sim != nil {
		ctx = d.sim.begin(ctx, e.ID, d.past, e.For)
	}
	e.cancel = cancel
	d.running++
	fault.Go(func() {
		var ev Event
		e.Perform(ctx, d.run, &ev)
		d.outcomes <- ev
	}, func(err error) {
		var ev Event
		ev.outcome(e.ID, &Output{}, err)
		d.outcomes <- ev
	})
}

func (d *driver) started(e *exec) {
	if d.o.Journal != nil && d.lost == nil {
		d.lost = d.o.Journal.Started(e.attempted(d.past).Attempt)
	}
}

// keep writes to the journal, unless there is none or it failed before.
func (d *driver) keep(write func() error) {
	if d.o.Journal != nil && d.lost == nil {
		d.lost = write()
	}
}

func stoppedEarly(id int) Event {
	return Event{Kind: EventOutcome, ID: id, Err: fault.New(fault.Cancelled, "stopped")}
}

// abandon ends what is under way when the run cannot go on.
func (d *driver) abandon() {
	for _, under := range []map[int]*exec{d.execs, d.asking} {
		for _, e := range under {
			e.cancel()
		}
	}
	for ; d.running > 0; d.running-- {
		<-d.outcomes
	}
}
