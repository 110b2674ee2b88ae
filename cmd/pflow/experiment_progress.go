package main

import (
	"fmt"
	"time"

	"pflow/internal/experiment"
)

// experimentProgress shows how far an experiment is, in one line of a terminal.
type experimentProgress struct {
	a    *app
	live bool
	last time.Time
}

func (a *app) followExperiment() *experimentProgress {
	return &experimentProgress{a: a, live: a.screen.codes && !a.batch && !a.quiet}
}

// show is told of every row, one at a time.
func (p *experimentProgress) show(now experiment.Progress) {
	const often = 100 * time.Millisecond
	if !p.live || now.Rows < now.Total && time.Since(p.last) < often {
		return
	}
	p.last = time.Now()
	line := fmt.Sprintf("%d of %d", now.Rows, now.Total)
	if now.Left > 0 {
		line += fmt.Sprintf(", %s left", now.Left.Round(time.Second))
	}
	if now.Spent.Calls > 0 {
		line += fmt.Sprintf(", %d calls, %s", now.Spent.Calls, dollars(now.Spent.CostUSD))
	}
	if now.Failed > 0 {
		line += fmt.Sprintf(", %d without an answer", now.Failed)
	}
	p.a.screen.show([]any{line})
}

func (p *experimentProgress) stop() {
	if p.live {
		p.a.screen.show()
	}
}
