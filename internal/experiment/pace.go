package experiment

import (
	"fmt"
	"sync"
	"time"
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
}

func newPace(budget, spent Budget, rows, total int) *pace {
	return &pace{budget: budget, began: time.Now(), first: rows, progress: Progress{Rows: rows, Total: total, Spent: spent}}
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
	p.progress.Spent.add(r.Values[Calls], r.Values[Tokens], r.Values[CostUSD])
}

func (p *pace) now() Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.progress
	out.Elapsed = time.Since(p.began)
	if made := out.Rows - p.first; made > 0 {
		out.Left = time.Duration(float64(out.Elapsed) / float64(made) * float64(out.Total-out.Rows))
	}
	return out
}

// reached names the bound of the budget that is reached, or "".
func (p *pace) reached() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, s := p.budget, p.progress.Spent
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
