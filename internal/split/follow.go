package split

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"pflow/engine/journal"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// History is what the outcomes are read from.
type History struct {
	Home string
	Runs interface {
		List(runs.Query) ([]runs.Row, error)
	}
	Kept func(plan string) (name string) // the saved workflow that a planning led to, "" if none; asked only where nothing else says it
}

// Begin notes that a request was assigned to an arm, whose flow has a hash. arms are those that it could have gone to, with their weights.
func (l *Ledger) Begin(key []byte, request, run string, arms Split, arm, hash string, asked Asked, now time.Time) error {
	return l.append(entry{E: entryPlan, At: now.UTC(), Run: run, Arms: arms, Unit: Unit(key, request), Arm: arm, Hash: hash, Asked: asked})
}

// Stop notes that an arm gets no more requests.
func (l *Ledger) Stop(arms Split, flow, why string, now time.Time) error {
	return l.append(entry{E: entryStopped, At: now.UTC(), Arms: arms, Arm: flow, Why: why})
}

// Start lets an arm have requests again. What was counted counts no more, or it would be stopped again at once.
func (l *Ledger) Start(arms Split, flow string, now time.Time) error {
	return l.append(entry{E: entryStarted, At: now.UTC(), Arms: arms, Arm: flow})
}

// Follow adds to the ledger what the history tells by now: how plannings ended, and what came of the units that are settled.
// leaving are runs that are about to be removed: what is known of them is noted before.
func (l *Ledger) Follow(h History, now time.Time, leaving ...runs.Row) error {
	s, err := l.Read()
	if err != nil {
		return err
	}
	var open []*unit
	var from time.Time
	gone, named := map[string]bool{}, map[string]bool{}
	for _, r := range leaving {
		gone[r.ID] = true
		if r.Parent != "" {
			gone[r.Parent] = true
		}
		if r.Kind == journal.OfWorkflow && r.Name != "" {
			named[r.Name] = true
		}
	}
	for _, t := range s.trials {
		for _, u := range t.units {
			leaves := slices.ContainsFunc(u.runs, func(id string) bool { return gone[id] }) ||
				u.scored != nil && (u.scored.First != "" && gone[u.scored.First] || u.scored.Name != "" && named[u.scored.Name])
			if u.waits() || leaves {
				open = append(open, u)
				if from.IsZero() || u.at.Before(from) {
					from = u.at
				}
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	slices.SortStableFunc(open, func(a, b *unit) int { return a.at.Compare(b.at) })
	past, err := h.since(from)
	if err != nil {
		return err
	}
	for _, r := range leaving {
		past.leaving[r.ID] = true
	}
	var out []entry
	for _, u := range open {
		note := func(e entry) {
			e.At, e.Run = now.UTC(), u.runs[0]
			out = append(out, e)
		}
		if u.ended == nil {
			if u.ended = past.ended(u, now); u.ended != nil {
				note(entry{E: entryEnded, Ended: u.ended})
			}
		}
		if u.scored == nil {
			if u.scored = past.outcome(u, now); u.scored != nil {
				note(entry{E: entryScored, Scored: u.scored})
			}
		}
		if later := past.later(u); later != u.later {
			note(entry{E: entryLater, Later: &later})
		}
	}
	return l.append(out...)
}

// waits reports whether more is to be known of a unit that the history will tell. After Horizon nothing is.
func (u *unit) waits() bool { return u.ended == nil || u.scored == nil && u.asked.judged() }

// past are the runs of a time.
type past struct {
	History
	of       map[string]runs.Row
	children map[string][]runs.Row // in the order in which they began
	named    map[string][]runs.Row // runs of workflows, as well
	leaving  map[string]bool       // runs that are about to be removed: what is known of them now is all that ever will be
}

func (h History) since(from time.Time) (*past, error) {
	rows, err := h.Runs.List(runs.Query{Since: from.Add(-time.Minute)})
	if err != nil {
		return nil, err
	}
	p := &past{History: h, of: map[string]runs.Row{}, children: map[string][]runs.Row{}, named: map[string][]runs.Row{}, leaving: map[string]bool{}}
	for _, r := range slices.Backward(rows) {
		p.of[r.ID] = r
		if r.Kind != journal.OfWorkflow {
			continue
		}
		p.named[r.Name] = append(p.named[r.Name], r)
		if r.Parent != "" {
			p.children[r.Parent] = append(p.children[r.Parent], r)
		}
	}
	return p, nil
}

// over reports whether a planning has come to something, and planned whether there is a plan.
func over(r runs.Row) (over, planned bool) {
	switch r.Status {
	case runs.Ready, runs.NeedsInput, runs.Declined, runs.Done:
		return true, true
	case runs.Failed, runs.Limited, runs.Invalid, runs.Infeasible:
		return true, false
	}
	return false, false // it goes on, or can
}

// ended is how the first planning of a unit ended; nil while it goes on. Whoever breaks one off because it takes too long has no plan from it: to
// leave that out would favour an arm that is slow.
func (p *past) ended(u *unit, now time.Time) *Ended {
	r, ok := p.of[u.runs[0]]
	late := now.Sub(u.at) >= Horizon
	switch done, _ := over(r); {
	case ok && done:
		return &Ended{Failed: r.Status == runs.Failed || r.Status == runs.Limited || r.Status == runs.Invalid, MS: r.DurationMS, USD: r.CostUSD}
	case ok && (late || r.Status == runs.Cancelled || r.Status == runs.Interrupted):
		return &Ended{Failed: true, MS: r.DurationMS, USD: r.CostUSD}
	case late:
		return &Ended{Lost: true}
	}
	return nil
}

// outcome is what people did with the plan of a unit, as far as it is settled: the first of its plannings that has an answer decides.
// It is nil for what is open, and for a unit about which nobody was to be asked. After Horizon it is never nil: what is not known by then
// is judged by what is, so that no unit is open for ever and those behind it count.
func (p *past) outcome(u *unit, now time.Time) *Scored {
	if !u.asked.judged() {
		return nil
	}
	end := u.at.Add(Horizon)
	late := !now.Before(end)
	known, plan := "", false
	for _, id := range u.runs {
		r, ok := p.of[id]
		if !ok || !r.Started.Before(end) {
			continue
		}
		done, planned := over(r)
		known, plan = id, plan || planned
		first := p.first(id, end)
		switch {
		case !done:
			continue
		case !planned:
			return &Scored{Outcome: NoPlan, Run: id}
		case r.Decided == runs.ByDeclining:
			return &Scored{Outcome: Declined, Run: id}
		case r.Decided == runs.ByEditing:
			return p.edited(id, first)
		case r.Decided == runs.ByApproving || first != nil:
			late := late || p.leaving[id] || first != nil && p.leaving[first.ID]
			return p.approved(id, u.at, end, first, late)
		}
	}
	switch {
	case !late:
		return nil
	case known == "":
		return &Scored{Outcome: Lost}
	case !plan:
		return &Scored{Outcome: NoPlan, Run: known}
	}
	return &Scored{Outcome: Abandoned}
}

func (p *past) edited(plan string, first *runs.Row) *Scored {
	s := &Scored{Outcome: Edited, Run: plan}
	if first != nil {
		s.First, s.Name = first.ID, first.Name
	} else {
		s.Name = p.Kept(plan)
	}
	return s
}

// approved is the outcome of a plan that was approved as it was. A first run counts if it began before the end of Horizon.
func (p *past) approved(plan string, at, end time.Time, first *runs.Row, late bool) *Scored {
	kept := ""
	if first == nil { // it was only saved, or runs by itself
		if kept = p.Kept(plan); kept != "" {
			for _, r := range p.named[kept] {
				if r.Started.After(at) && r.Started.Before(end) {
					first = &r
					break
				}
			}
		}
	}
	if first == nil {
		switch {
		case !late:
			return nil
		case kept != "":
			return &Scored{Outcome: Worked, Run: plan, Name: kept}
		}
		return &Scored{Outcome: RunFailed, Run: plan}
	}
	s := &Scored{Run: plan, First: first.ID, Name: first.Name}
	switch {
	case first.Status == runs.Done:
		s.Outcome = Worked
	case first.Status == runs.Failed || first.Status == runs.Limited || late:
		s.Outcome = RunFailed
	default:
		return nil
	}
	return s
}

// first is the first run of the workflow of a planning, by whoever had it planned; nil if there was none before the end of Horizon.
func (p *past) first(plan string, end time.Time) *runs.Row {
	for _, r := range p.children[plan] {
		if r.By != journal.ByFix && r.By != journal.ByRetry && r.Started.Before(end) {
			return &r
		}
	}
	return nil
}

// later is what became of the workflow of a unit after its first run.
func (p *past) later(u *unit) Later {
	out := u.later
	if u.scored == nil || u.scored.Name == "" {
		return out
	}
	first := p.of[u.scored.First]
	for _, r := range p.children[u.scored.First] {
		if r.By == journal.ByFix || r.By == journal.ByRetry && first.Status == runs.Failed && !out.Fixed && p.changed(first.ID, r.ID) {
			out.Fixed = true
		}
	}
	for _, r := range p.named[u.scored.Name] {
		if cameOf := r.Request != "" && r.By != journal.ByFix && r.By != journal.ByRetry; cameOf && r.Started.After(u.at) && !slices.Contains(u.runs, r.Parent) {
			out.Reused = true
		}
	}
	return out
}

// changed reports whether a run was run again with another workflow or other inputs.
func (p *past) changed(run, again string) bool {
	a, was, err := journal.Read(p.Home, run)
	if err != nil {
		return false
	}
	b, is, err := journal.Read(p.Home, again)
	if err != nil {
		return false
	}
	return !value.Equal(a.History.Events[0].Input, b.History.Events[0].Input) || !bytes.Equal(workflowOf(was), workflowOf(is))
}

// workflowOf is the workflow among the documents of a run.
func workflowOf(documents []byte) []byte {
	var d struct {
		Document string          `json:"document"`
		IR       json.RawMessage `json:"ir"`
	}
	if json.Unmarshal(documents, &d) != nil || d.Document == "" {
		return d.IR
	}
	text := []byte(d.Document)
	if d.IR = nil; json.Unmarshal(text, &d) == nil && d.IR != nil { // a record, which tells of more than the workflow
		return d.IR
	}
	return text
}
