package drive

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
)

// attempt is an attempt of an op that was asked for and has no outcome.
type attempt struct {
	command engine.Command
	state   attemptState
	cancel  workflow.CancelFunc // while it is under way
	stopped bool
}

type attemptState uint8

const (
	queuing attemptState = iota // until the history was cut
	running                     // as an activity
	lost                        // with its worker: a decision is wanted
	asking                      // for a line
)

// name names the attempt for people, as resume does on one machine.
func (a *attempt) name() string {
	step, visit, _ := a.command.Step()
	return engine.Attempt{Step: step, Visit: visit, Index: a.command.Index()}.Name()
}

// exec begins an attempt, unless the history is about to be cut: then the run that goes on begins it.
func (d *driver) exec(c engine.Command) {
	a := &attempt{command: c}
	d.attempts[c.ID] = a
	d.beginAttempt(a)
}

func (d *driver) beginAttempt(a *attempt) {
	switch {
	case a.command.Op().Asks == "line":
		a.state = asking
	case d.cutting || d.full():
		d.cutting, a.state = true, queuing
	default:
		d.schedule(a, nil)
	}
}

// longest bounds an activity whose op has no bound of its own: an op's timeout is kept by the attempt itself.
const longest = 10 * 365 * 24 * time.Hour

// schedule hands an attempt to a worker.
func (d *driver) schedule(a *attempt, documents []byte) {
	a.state = running
	ctx, cancel := workflow.WithCancel(d.ctx)
	a.cancel = cancel
	heartbeat := d.start.Heartbeat
	if heartbeat == 0 {
		heartbeat = DefaultHeartbeat
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           d.start.Queues[a.command.Op().Place],
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    heartbeat,
		WaitForCancellation: true,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1}, // the engine retries
		Summary:             a.name(),
	})
	call := Attempt{Hash: d.start.Hash, Documents: documents, Run: workflow.GetInfo(d.ctx).WorkflowExecution.ID, Call: a.command.Call(d.run)}
	future := workflow.ExecuteActivity(ctx, AttemptType, call)
	workflow.Go(d.ctx, func(ctx workflow.Context) {
		var answer Answer
		err := future.Get(ctx, &answer)
		d.happens.Send(ctx, func() { d.answered(a, &answer, err) })
	})
}

// answered takes what came of an activity.
func (d *driver) answered(a *attempt, answer *Answer, err error) {
	id := a.command.ID
	if err == nil && answer.Documents {
		if a.stopped {
			d.finish(id, stopped())
			return
		}
		d.schedule(a, d.start.Documents)
		return
	}
	if err != nil {
		d.failed(a, err)
		return
	}
	ev, err := journal.ParseEvent(answer.Event)
	if err != nil {
		panic(fmt.Sprintf("the answer of %s cannot be read: %v", a.name(), err))
	}
	for _, w := range answer.Warnings {
		d.warn(w)
	}
	d.finish(id, ev)
}

// failed takes an activity that did not come back with an outcome.
func (d *driver) failed(a *attempt, err error) {
	var timeout *temporal.TimeoutError
	var application *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	switch {
	case errors.As(err, &cancelled): // before a worker had it
		d.finish(a.command.ID, stopped())
	case errors.As(err, &timeout), errors.As(err, &application) && application.Type() == stoppedType:
		switch {
		case a.stopped:
			d.finish(a.command.ID, stopped())
		case a.command.Op().Idempotent || d.start.Again:
			d.beginAttempt(a)
		default:
			a.state = lost
		}
	case application != nil:
		d.finish(a.command.ID, engine.Event{Err: fault.New(fault.Failure, "%s", application.Message())})
	default:
		d.finish(a.command.ID, engine.Event{Err: fault.New(fault.Failure, "%v", err)})
	}
}

// finish ends an attempt with its outcome.
func (d *driver) finish(id int, ev engine.Event) {
	delete(d.attempts, id)
	d.finished++
	d.outcome(id, ev)
}

// stopAttempt asks an attempt to end: one under way answers, any other ends at once.
func (d *driver) stopAttempt(a *attempt) {
	a.stopped = true
	if a.state == running {
		a.cancel()
		return
	}
	id := a.command.ID
	d.happens.SendAsync(func() {
		if d.attempts[id] == a {
			d.finish(id, stopped())
		}
	})
}

func (d *driver) warn(text string) {
	for _, w := range d.warnings {
		if w == text {
			return
		}
	}
	d.warnings = append(d.warnings, text)
}

// decide says what becomes of attempts that were lost.
func (d *driver) decide(what Decide) {
	for _, id := range d.ids() {
		a := d.attempts[id]
		if a == nil || a.state != lost || what.Step != "" && what.Step != a.name() {
			continue
		}
		if what.Again {
			d.beginAttempt(a)
			continue
		}
		d.finish(id, engine.Event{Err: fault.New(fault.Failure, "the worker was lost while it was under way, and it was decided not to run it again")})
	}
}

// answer gives a line to the first step that asks for one.
func (d *driver) answer(line Line) {
	for _, id := range d.ids() {
		if a := d.attempts[id]; a != nil && a.state == asking && (line.Step == "" || line.Step == a.name() || line.Step == strconv.Itoa(id)) {
			d.finish(id, engine.Event{Result: line.Line})
			return
		}
	}
}
