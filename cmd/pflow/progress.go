package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/process"
	"pflow/internal/workflow"
)

// progress shows what is under way, from the moment it takes long enough to be read: on a terminal the live view of a run, on one
// without control codes a line for each step that begins.
type progress struct {
	screen *screen
	view   *liveView
	stays  bool // what was shown of the steps stays when it ends
	live   bool
	shown  bool
	start  time.Time
	once   sync.Once
	done   chan struct{}
	ended  chan struct{}
	said   string // the last step that a terminal without control codes was told of
}

// When something is shown: at once would only flicker.
const (
	progressAfter = 300 * time.Millisecond
	plainAfter    = 2 * time.Second // a terminal without control codes, on which each line stays
	progressEvery = 100 * time.Millisecond
)

// follow begins to show that something is under way, if somebody looks. What it gives is ended by stop.
func (a *app) follow(what string) *progress { return a.followSteps(newLiveView(what), false) }

// followFlow is follow for a run of a flow, whose steps are shown as they begin.
func (a *app) followFlow(name string) *progress {
	return a.followSteps(newLiveView("running "+name), true)
}

// followPlan is follow for the making of a plan: the plan is what stays.
func (a *app) followPlan() *progress {
	v := newLiveView("planning")
	v.most = mostPlanLines
	return a.followSteps(v, false)
}

// followRun is follow for a run of a workflow, whose steps are shown from the beginning.
func (a *app) followRun(what string, p *workflow.Program) *progress {
	v := newLiveView(what)
	v.typeOf = p.StepType
	v.graph(p.Workflow)
	return a.followSteps(v, true)
}

func (a *app) followSteps(v *liveView, stays bool) *progress {
	p := &progress{screen: a.screen, view: v, stays: stays, start: time.Now(), done: make(chan struct{}), ended: make(chan struct{})}
	v.plain = a.noColor
	if p.live = a.interactive() && !a.quiet && !a.verbose && !a.asJSON; !p.live {
		close(p.ended)
		return p
	}
	fault.Go(p.run, func(err error) { a.warn("no progress is shown: %v", err) })
	return p
}

type progressKey struct{}

// within hands the progress to what is done in a context: what models write and what commands print is shown with its step.
func (p *progress) within(ctx context.Context) context.Context {
	if !p.live {
		return ctx
	}
	ctx = context.WithValue(ctx, progressKey{}, p)
	return process.Telling(ctx, func(ctx context.Context) func([]byte) {
		said := p.view.speaker(engine.StepOf(ctx), false)
		return func(printed []byte) { said(string(printed)) }
	})
}

// onText gives who is told of each piece of a model's reply; nil: nobody looks.
func onText(ctx context.Context) func(piece string) {
	if p, ok := ctx.Value(progressKey{}).(*progress); ok {
		return p.view.speaker(engine.StepOf(ctx), true)
	}
	return nil
}

// told is told how far a run has come; nil: nobody looks.
func (p *progress) told() func(engine.Progress) {
	if !p.live {
		return nil
	}
	return p.view.told
}

// stop ends it. Where steps were shown, how they ended stays.
func (p *progress) stop() {
	p.once.Do(func() {
		close(p.done)
		<-p.ended
		if p.shown && p.stays {
			p.screen.leave(p.view.summary(time.Since(p.start), p.screen.width())...)
		} else if p.shown {
			p.screen.show()
		}
	})
}

func (p *progress) run() {
	defer close(p.ended)
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			p.draw(time.Since(p.start))
		}
	}
}

func (p *progress) draw(past time.Duration) {
	switch {
	case p.screen.codes && past >= progressAfter:
		p.shown = p.screen.show(p.view.lines(past, p.screen.width(), p.screen.height())...) || p.shown
	case !p.screen.codes && past >= plainAfter:
		if now := p.view.now(); now != p.said {
			p.said = now
			fmt.Fprintf(p.screen, "%s: %s\n", p.view.what, now)
		}
	}
}
