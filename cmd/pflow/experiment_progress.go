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
	said int // the twentieth of all rows that was told last, with --verbose
}

func (a *app) followExperiment() *experimentProgress {
	return &experimentProgress{a: a, live: a.screen.codes && !a.batch && !a.quiet}
}

// begin tells which experiment it is, and how far.
func (p *experimentProgress) begin(id string, rows, total int) {
	if p.a.onExperiment != nil {
		p.a.onExperiment(id)
	}
	if p.a.verbose {
		fmt.Fprintf(p.a.stderr, "experiment %s: %d of %s\n", id, rows, count(total, "plan"))
		p.said = rows * 20 / max(1, total)
	}
}

// tell has a line for each twentieth of the rows, for whoever follows without a terminal.
func (p *experimentProgress) tell(now experiment.Progress) {
	if part := now.Rows * 20 / max(1, now.Total); p.a.verbose && part > p.said {
		p.said = part
		fmt.Fprintln(p.a.stderr, p.line(now))
	}
}

// show is told of every row, one at a time.
func (p *experimentProgress) show(now experiment.Progress) {
	const often = 100 * time.Millisecond
	p.tell(now)
	if !p.live || now.Rows < now.Total && time.Since(p.last) < often {
		return
	}
	p.last = time.Now()
	p.a.screen.show([]any{p.line(now)})
}

func (p *experimentProgress) line(now experiment.Progress) string {
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
	return line
}

func (p *experimentProgress) stop() {
	if p.live {
		p.a.screen.show()
	}
}
