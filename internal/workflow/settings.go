package workflow

import (
	"time"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/internal/fault"
	"pflow/ir"
)

// settings settles the numbers and durations of a node. Those that templates give are read when its turn comes: the item
// of a batch is not in reach, and a secret would be kept.
func (c *compiler) settings(at int, d *engine.DAGNode) {
	n := &c.w.Nodes[at]
	l := lateSettings{c: c.shared, reads: capture{}}
	number := func(path string, s ir.Count, set func(*engine.Settings, int)) {
		lateSetting(c, at, &l, path, s, ir.ReadCount, set)
	}
	span := func(path string, s ir.Span, zero bool, set func(*engine.Settings, time.Duration)) {
		lateSetting(c, at, &l, path, s, func(v any) (time.Duration, error) { return ir.ReadSpan(v, zero) }, set)
	}
	path, retry := "retry", n.Retry
	if n.Batch != nil && n.Batch.Retry != nil {
		path, retry = "batch.retry", n.Batch.Retry
	}
	if retry != nil {
		number(path+".attempts", retry.Attempts, func(to *engine.Settings, n int) { to.Attempts = n })
		span(path+".wait", retry.Wait, true, func(to *engine.Settings, d time.Duration) { to.Wait = d })
		d.Exponential = retry.Exponential
	}
	span("timeout", n.Timeout, false, func(to *engine.Settings, d time.Duration) { to.Timeout = d })
	if n.Batch != nil {
		number("batch.concurrency", n.Batch.Concurrency, func(to *engine.Settings, n int) { to.Concurrency = n })
	}
	if n.Repeat != nil {
		number("repeat.max", n.Repeat.Max, func(to *engine.Settings, n int) { to.Rounds = n })
		span("repeat.wait", n.Repeat.Wait, true, func(to *engine.Settings, d time.Duration) { to.Pause = d })
	}
	d.Settings = l.fixed
	if len(l.list) > 0 {
		d.Late = l.read
	}
}

// lateSettings are the settings of a node that templates give.
type lateSettings struct {
	c     *shared
	fixed engine.Settings
	reads capture
	list  []func(ir.Scope, *engine.Settings) error
}

// lateSetting sets a setting that stands in the document, and notes one that a template gives.
func lateSetting[T int | time.Duration](c *compiler, at int, l *lateSettings, path string, s ir.Setting[T], read func(any) (T, error), set func(*engine.Settings, T)) {
	if s.Template == "" {
		set(&l.fixed, s.Value)
		return
	}
	p, _ := ir.Compile(s.Template) // the validator reported what is malformed
	reads := capture{}
	c.read(reads, p, &c.w.Nodes[at], false)
	c.noSecrets(at, path, reads)
	for root, from := range reads {
		l.reads.add(root, from)
	}
	l.list = append(l.list, func(scope ir.Scope, to *engine.Settings) error {
		v, err := p.Resolve(scope)
		if err == nil {
			err = l.c.gone(v)
		}
		var got T
		if err == nil {
			got, err = read(v)
		}
		if err != nil {
			e := fault.Of(err)
			return &fault.Error{Kind: e.Kind, Message: e.Message, Cause: err, Path: path}
		}
		set(to, got)
		return nil
	})
}

// read gives the settings as they are once the store has what the templates read.
func (l lateSettings) read(s *cond.Scope) (engine.Settings, error) {
	out := l.fixed
	scope := l.reads.known(s.Get("store").(map[string]any), s)
	for _, one := range l.list {
		if err := one(scope, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}
