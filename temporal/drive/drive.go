package drive

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// Runs is the workflow.
type Runs struct {
	Programs *Programs
}

// Run runs what the documents of a start say to its end.
func (r *Runs) Run(ctx workflow.Context, s Start) (*Ended, error) {
	if s.Step != engine.StepVersion {
		// the task fails and is tried again, until a worker takes it that can step the run
		panic(fmt.Sprintf("the run was begun with version %d of Step, and this worker has version %d: start a worker of the release that began it", s.Step, engine.StepVersion))
	}
	program, err := r.Programs.Get(s.Hash, s.Documents)
	if err != nil {
		panic(err.Error())
	}
	outlives, _ := workflow.NewDisconnectedContext(ctx)
	d := &driver{
		ctx: outlives, start: &s, program: program, run: engine.NewRun(program.Flow(), nil),
		happens: workflow.NewBufferedChannel(outlives, 1<<20),
		waits:   map[int]workflow.CancelFunc{}, attempts: map[int]*attempt{}, status: "running",
	}
	d.warnings = append(d.warnings, past(s.Past).Warnings...)
	d.approved = slices.Clone(past(s.Past).Approved)
	if err := workflow.SetQueryHandler(ctx, StateQuery, d.state); err != nil {
		return nil, err
	}
	d.listen()
	workflow.Go(outlives, func(own workflow.Context) {
		ctx.Done().Receive(own, nil) // once: a closed channel stays ready in a Selector
		d.happens.Send(own, func() { d.cancel() })
	})
	if err := d.begin(); err != nil {
		return nil, err
	}
	for !d.run.Done() {
		if d.goesOn() {
			return nil, d.onward()
		}
		d.selector.Select(d.ctx)
		d.burst()
	}
	return d.end(ctx)
}

// driver carries out the commands of a run in workflow code. What happens elsewhere comes through channels to
// the workflow's own coroutine: nothing else touches the driver.
type driver struct {
	ctx     workflow.Context // ends with the workflow, not with its cancellation
	start   *Start
	program Program
	run     *engine.Run
	zero    time.Time // when the run began

	happens  workflow.Channel // of func()
	selector workflow.Selector
	events   [][]byte // all so far, as journal.AppendEvent has them

	instant  []queued
	waits    map[int]workflow.CancelFunc
	attempts map[int]*attempt // under way, asked for, or lost
	approved []string         // steps that were approved before they asked

	warnings  []string
	refused   string // what was wrong with the inputs that were given last
	missing   []Wait
	given     map[string]any
	sent      map[string]any // inputs that were missing, since it was looked at them last
	began     bool
	cancelled bool
	finished  int  // attempts, with this history
	cutting   bool // no attempt begins: the history is to be cut
	cuts      int
	status    string
}

// begin binds the inputs, waiting for those that are missing, and begins or goes on with the run.
func (d *driver) begin() error {
	if d.start.Past != nil {
		return d.resume()
	}
	given, err := value.ParseWritten(d.start.Given)
	if err != nil {
		return err
	}
	d.given, _ = given.(map[string]any)
	for try := d.given; !d.start.Bound; try = value.Merge(d.given, d.sent) {
		bound := d.bind(try)
		switch {
		case bound.Refused == "":
			d.given, d.missing, d.refused = try, bound.Missing, ""
		case d.missing == nil: // of what it began with
			return temporal.NewNonRetryableApplicationError(bound.Refused, "pflow.input", nil)
		default:
			d.refused = bound.Refused
		}
		if d.refused == "" && len(d.missing) == 0 {
			store, err := value.ParseWritten(bound.Store)
			if err != nil {
				return err
			}
			d.given, _ = store.(map[string]any)
			break
		}
		for d.sent = nil; d.sent == nil; {
			d.selector.Select(d.ctx)
			if d.cancelled {
				return temporal.NewCanceledError("the run was cancelled while it waited for inputs; nothing was run")
			}
		}
	}
	d.began = true
	info := workflow.GetInfo(d.ctx)
	seed := fnv.New64a()
	seed.Write([]byte(info.WorkflowExecution.RunID))
	d.zero = workflow.Now(d.ctx).UTC()
	d.carryOut(d.step(engine.Event{Kind: engine.EventStart, Time: d.zero, Seed: seed.Sum64() | 1, Input: d.given}))
	d.burst()
	return nil
}

// boundInputs is what bind found, as the history keeps it.
type boundInputs struct {
	Store   json.RawMessage `json:"store"`
	Missing []Wait          `json:"missing"`
	Refused string          `json:"refused"`
}

// bind makes the first store of what is given. It may read the environment of the worker, so the history keeps what it gave.
func (d *driver) bind(given map[string]any) (out boundInputs) {
	_ = workflow.SideEffect(d.ctx, func(workflow.Context) any {
		store, missing, err := d.program.Bind(given)
		if err != nil {
			return boundInputs{Refused: err.Error(), Store: json.RawMessage("null")}
		}
		return boundInputs{Store: value.AppendJSON(nil, store), Missing: missing}
	}).Get(&out)
	return out
}

// step takes the run one event on, as the history has the event, and gives what is to be carried out beside instant ops,
// which it queues.
func (d *driver) step(ev engine.Event) []engine.Command {
	if ev.Kind != engine.EventStart {
		ev.At = workflow.Now(d.ctx).Sub(d.zero)
	}
	return d.stepText(journal.AppendEvent(nil, ev))
}

func (d *driver) stepText(text []byte) []engine.Command {
	ev, err := journal.ParseEvent(text)
	if err != nil {
		panic(fmt.Sprintf("an event cannot be read back: %v", err))
	}
	d.events = append(d.events, text)
	commands, err := d.run.Step(&ev)
	if err != nil {
		panic(err.Error())
	}
	var rest []engine.Command
	for _, c := range commands {
		if c.Kind == engine.CommandExec && inWorkflow(c.Op()) {
			d.instant = append(d.instant, queued{Command: c})
			continue
		}
		if c.Kind == engine.CommandStop {
			if i := slices.IndexFunc(d.instant, func(q queued) bool { return q.ID == c.ID }); i >= 0 {
				d.instant[i].stopped = true
				continue
			}
		}
		rest = append(rest, c)
	}
	return rest
}

// inWorkflow tells the ops that run in workflow code: those that neither block nor reach outside, and what only asks whether
// something is approved.
func inWorkflow(op *engine.Op) bool { return op.Instant && !op.Tells || op.Asks == "approval" }

func (d *driver) carryOut(commands []engine.Command) {
	for _, c := range commands {
		switch c.Kind {
		case engine.CommandExec:
			d.exec(c)
		case engine.CommandWait:
			d.wait(c.ID, c.For)
		case engine.CommandStop:
			d.stop(c.ID)
		}
	}
}

// wait tells the run when a wait is over.
func (d *driver) wait(id int, rest time.Duration) {
	ctx, cancel := workflow.WithCancel(d.ctx)
	d.waits[id] = cancel
	timer := workflow.NewTimer(ctx, max(rest, 0))
	workflow.Go(ctx, func(ctx workflow.Context) {
		if timer.Get(ctx, nil) != nil {
			return // it was stopped
		}
		d.happens.Send(d.ctx, func() {
			if _, on := d.waits[id]; on {
				delete(d.waits, id)
				d.carryOut(d.step(engine.Event{Kind: engine.EventTimer, ID: id}))
			}
		})
	})
}

// stop ends a wait, or asks an attempt to end.
func (d *driver) stop(id int) {
	if cancel, ok := d.waits[id]; ok {
		delete(d.waits, id)
		cancel()
		return
	}
	if a := d.attempts[id]; a != nil {
		d.stopAttempt(a)
	}
}

// cancel ends the run early. What is under way is asked to end.
func (d *driver) cancel() {
	d.cancelled = true
	if d.began && !d.run.Done() {
		d.carryOut(d.step(engine.Event{Kind: engine.EventCancel}))
	}
}

// outcome takes the run on with what an attempt gave. Of a cancelled run it is that it was cancelled, as on one machine.
func (d *driver) outcome(id int, ev engine.Event) {
	ev.Kind, ev.ID = engine.EventOutcome, id
	if d.cancelled && (ev.Err != nil || ev.Waits != "") {
		message := "stopped"
		if ev.Err != nil {
			message = ev.Err.Message
		}
		ev.Waits, ev.Err = "", fault.New(fault.Cancelled, "%s", message)
	}
	d.carryOut(d.step(ev))
}

func stopped() engine.Event {
	return engine.Event{Kind: engine.EventOutcome, Err: fault.New(fault.Cancelled, "stopped")}
}

// maxSteps is how many steps a result tells of; a workflow's result is bounded, too.
const maxSteps = 2000

// end tells how the run ended: a run that failed or was cancelled is one that Temporal shows as such, with the result as details.
func (d *driver) end(ctx workflow.Context) (*Ended, error) {
	res := d.run.Result()
	res.RunID = workflow.GetInfo(d.ctx).WorkflowExecution.ID
	if n := len(res.Steps) - maxSteps; n > 0 {
		res.Steps = res.Steps[n:]
		res.Warnings = append(res.Warnings, fmt.Sprintf("the first %d steps are left out: show them with the history of the run", n))
	}
	d.status = string(res.Status)
	ended := &Ended{Status: res.Status, Result: json.RawMessage(resultJSON(d.program.Result(res, d.warnings)))}
	switch {
	case res.Status == engine.Cancelled:
		return nil, temporal.NewCanceledError(ended)
	case res.Error != nil:
		return nil, temporal.NewNonRetryableApplicationError(res.Error.Error(), string(res.Error.Kind), nil, ended)
	}
	return ended, nil
}

// resultJSON writes a result as the commands' --json does.
func resultJSON(result any) []byte {
	text, err := json.Marshal(result)
	if err != nil {
		panic(fmt.Sprintf("a result is no JSON: %v", err))
	}
	return text
}
