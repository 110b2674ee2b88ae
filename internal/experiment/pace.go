package experiment

import (
	"fmt"
	"sync"
	"time"

	"pflow/internal/fault"
)

// Progress is how far a run has come.
type Progress struct {
	Rows, Total int
	Failed      int // rows of this run without an answer
	Spent       Budget
	Elapsed     time.Duration // of this run
	Left        time.Duration // at the pace of this run; 0 if that is not known yet
}

// pace keeps count of a run, and of its budget.
type pace struct {
	budget Budget
	began  time.Time
	first  int // rows before this run

	mu       sync.Mutex
	progress Progress
	taken    spending
}

func newPace(budget Budget, before spending, rows, total int) *pace {
	return &pace{budget: budget, began: time.Now(), first: rows, progress: Progress{Rows: rows, Total: total}, taken: before}
}

// spending is what rows took.
type spending struct {
	Budget
	unpriced bool // a row called models whose price is not known: CostUSD is without it
}

// add takes what a row took; cost is nil for one that is unpriced.
func (s *spending) add(calls, tokens float64, cost *float64) {
	s.Calls += int(calls)
	s.Tokens += int(tokens)
	if cost != nil {
		s.CostUSD += *cost
	} else {
		s.unpriced = s.unpriced || calls > 0
	}
}

// row takes a row that was kept.
func (p *pace) row(r Row) Progress {
	p.mu.Lock()
	p.progress.Rows++
	if r.ErrorKind != "" {
		p.progress.Failed++
	}
	p.mu.Unlock()
	return p.now()
}

// spent counts what a plan took, as soon as it is made: the budget must not wait for its row to be written.
func (p *pace) spent(r Row) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var cost *float64
	if v, priced := r.Values[CostUSD]; priced {
		cost = &v
	}
	p.taken.add(r.Values[Calls], r.Values[Tokens], cost)
}

func (p *pace) now() Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.progress
	out.Spent = p.taken.Budget
	out.Elapsed = time.Since(p.began)
	if made := out.Rows - p.first; made > 0 {
		out.Left = time.Duration(float64(out.Elapsed) / float64(made) * float64(out.Total-out.Rows))
	}
	return out
}

// unpriced says why the budget cannot be kept, or nil: a cost that is not known counts for nothing against a limit.
func (p *pace) unpriced() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.budget.CostUSD == 0 || !p.taken.unpriced {
		return nil
	}
	return fault.New(fault.Unpriced, "the budget cost_usd %g cannot be kept: a model that was called is unpriced; give its prices in models.yaml and begin anew, or go on with a budget of calls or tokens and cost_usd 0", p.budget.CostUSD)
}

// reached names the bound of the budget that is reached, or "".
func (p *pace) reached() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, s := p.budget, p.taken
	switch {
	case b.CostUSD > 0 && s.CostUSD >= b.CostUSD:
		return fmt.Sprintf("cost_usd %g", b.CostUSD)
	case b.Calls > 0 && s.Calls >= b.Calls:
		return fmt.Sprintf("calls %d", b.Calls)
	case b.Tokens > 0 && s.Tokens >= b.Tokens:
		return fmt.Sprintf("tokens %d", b.Tokens)
	}
	return ""
}

// used is what was taken of the budget.
func (p *pace) used() spending {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
