package drive

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"

	"go.temporal.io/sdk/workflow"

	"pflow/engine"
	"pflow/engine/journal"
)

// A history must not grow without end, so a long run goes on with a new one: the events so far are its past, as a journal is
// of a run that was killed. Before that, attempts under way end and none begins, so that none is carried out twice; and what was
// signalled is taken.

// full reports whether the history is long enough to be cut. With each some attempt comes to its end.
func (d *driver) full() bool {
	if d.finished == 0 {
		return false
	}
	most := d.start.CutAfter
	if most == 0 {
		most = DefaultCut
	}
	info := workflow.GetInfo(d.ctx)
	return info.GetCurrentHistoryLength() >= most || info.GetContinueAsNewSuggested()
}

// goesOn reports whether the run is to go on with a new history now.
func (d *driver) goesOn() bool {
	if !d.cutting || d.cancelled || d.selector.HasPending() {
		return false
	}
	for _, a := range d.attempts {
		if a.state == running {
			return false
		}
	}
	return true
}

// onward gives the error by which Temporal begins the new history.
func (d *driver) onward() error {
	next := *d.start
	next.Given = nil
	p := &Past{Events: packEvents(d.events), Warnings: d.warnings, Approved: d.approved, Cuts: d.cuts + 1}
	for _, id := range d.ids() {
		if d.attempts[id].state == lost {
			p.Lost = append(p.Lost, id)
		}
	}
	next.Past = p
	return workflow.NewContinueAsNewError(d.ctx, WorkflowType, next)
}

// resume steps through the past, and carries out what was open at its end.
func (d *driver) resume() error {
	p := d.start.Past
	texts, err := unpackEvents(p.Events)
	if err != nil {
		return fmt.Errorf("the past of the run cannot be read: %w", err)
	}
	d.began, d.cuts = true, p.Cuts
	open := engine.NewOpen(d.run)
	for i, text := range texts {
		ev, err := journal.ParseEvent(text)
		if err != nil {
			return err
		}
		if i == 0 {
			d.zero = ev.Time
		}
		if err := open.Step(&ev); err != nil {
			return err
		}
	}
	d.events = texts
	now := workflow.Now(d.ctx).Sub(d.zero)
	for _, w := range open.Waits {
		d.wait(w.ID, w.Due-now)
	}
	for _, e := range open.Execs() {
		switch {
		case inWorkflow(e.Op()):
			d.instant = append(d.instant, queued{e.Command, e.Stopped})
		case slices.Contains(p.Lost, e.ID):
			d.attempts[e.ID] = &attempt{command: e.Command, state: lost}
		default:
			d.exec(e.Command)
			if e.Stopped {
				d.stop(e.ID)
			}
		}
	}
	d.burst()
	return nil
}

// past is p, or an empty one.
func past(p *Past) *Past {
	if p == nil {
		return &Past{}
	}
	return p
}

func packEvents(texts [][]byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(bytes.Join(texts, []byte("\n"))) // to memory: no error
	w.Close()
	return b.Bytes()
}

func unpackEvents(packed []byte) ([][]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return bytes.Split(text, []byte("\n")), nil
}
