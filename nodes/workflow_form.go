package nodes

import (
	"context"
	"math"
	"sync"
	"time"

	"pflow/internal/compose"
	"pflow/internal/library"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/ir"
)

// made is what node types alone would be composed to for a request, and the saved workflows that do the same.
type made struct {
	steps   string // the sum of its steps; "": nothing
	partial bool
	same    []int // steps that many saved workflows share say nothing of any of them: then none
}

// manySame is how many saved workflows may have the same steps for those to say anything of one of them.
const manySame = 3

// common reports whether more than that have them.
func (s *candidates) common(steps string) bool { return len(s.doing(steps, manySame+1)) > manySame }

// doing gives the first saved workflows that have the same steps, most of them.
func (s *candidates) doing(steps string, most int) []int {
	return s.bySteps.first(s.Records, func(t *library.Traits) string { return t.Steps }, steps, most)
}

// alike finds saved workflows by a trait of theirs. They are looked through once, for all requests that have the same.
type alike struct {
	once sync.Once
	of   map[string]int32 // the first that has a trait, by its place among the records
	next []int32          // the next with the same, -1 behind the last
}

// first gives the places of the first records of which trait gives value, most of them, rising.
func (a *alike) first(records []*library.Record, trait func(*library.Traits) string, value string, most int) (places []int) {
	a.once.Do(func() {
		a.of, a.next = make(map[string]int32, len(records)), make([]int32, len(records))
		for n := len(records) - 1; n >= 0; n-- {
			of, next := trait(records[n].Traits()), int32(-1)
			if known, ok := a.of[of]; ok {
				next = known
			}
			a.of[of], a.next[n] = int32(n), next
		}
	})
	n, ok := a.of[value]
	for ; ok && n >= 0 && len(places) < most; n = a.next[n] {
		places = append(places, int(n))
	}
	return places
}

// madeFor composes the workflow for a request.
func (s *candidates) madeFor(ctx context.Context, request *mapparams.Request) (made, error) {
	result, err := s.compose(ctx, request)
	if err != nil || result.Workflow == nil {
		return made{partial: result.Partial}, err
	}
	m := made{steps: library.SignatureSum(result.Workflow.Signature().Steps)}
	if m.same = s.doing(m.steps, manySame+1); len(m.same) > manySame {
		m.same = nil
	}
	return m, nil
}

// raise puts the saved workflow that would be made again for a request at the head of the ranking, however other its
// words are. beside are those of m.same as they were ranked.
func (s *candidates) raise(ctx context.Context, ranked, beside []retrieve.Ranked, m made, now time.Time) (all []retrieve.Ranked, raised int, err error) {
	const sure = 0.9
	if m.steps != "" || m.partial {
		if err := s.lower(ctx, ranked, m.steps, now); err != nil {
			return nil, -1, err
		}
	}
	if len(m.same) == 0 {
		return ranked, -1, nil
	}
	best := -1
	for k := range ranked {
		if s.Records[ranked[k].Index].Traits().Steps == m.steps {
			best = k
			break
		}
	}
	if best < 0 { // it has few of the words
		for _, r := range beside {
			if best < 0 || r.Confidence > ranked[best].Confidence {
				ranked = append(ranked[:len(ranked):len(ranked)], r)
				best = len(ranked) - 1
			}
		}
	}
	if ranked[best].Confidence < sure {
		ranked[best].Confidence, ranked[best].Reason = sure, "is the workflow that would be made for the request"
	}
	return ranked, ranked[best].Index, nil
}

// lower takes off confidence in the first saved workflows that were made of a request in the way in which another one, or
// none, would be made now: what is composed differently is another wish, whatever words the two share. steps is "" for none.
func (s *candidates) lower(ctx context.Context, ranked []retrieve.Ranked, steps string, now time.Time) error {
	const (
		first = 3
		left  = 0.2
	)
	for k := range ranked[:min(first, len(ranked))] {
		r := s.Records[ranked[k].Index]
		own := r.Traits().Steps
		if own == steps || len(r.Examples) == 0 || s.common(own) {
			continue
		}
		again, err := s.remade(ctx, ranked[k].Index, now)
		if err != nil {
			return err
		}
		if again == own {
			ranked[k].Confidence = math.Round(left*ranked[k].Confidence*1e4) / 1e4
		}
	}
	return nil
}

// remadeOn is a saved workflow, by its place, and the beginning of a day.
type remadeOn struct {
	record int
	day    int64
}

// remade is the sum of the steps that the first past request of a saved workflow would be composed to on the day of now, "" for
// none. It is kept: many requests come by the same workflows.
func (s *candidates) remade(ctx context.Context, record int, now time.Time) (string, error) {
	const most = 1 << 14                                                             // that are kept
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()) // the hour changes values, and no steps
	key := remadeOn{record, day.Unix()}
	s.again.Lock()
	steps, ok := s.again.steps[key]
	s.again.Unlock()
	if ok {
		return steps, nil
	}
	example, err := mapparams.Read(ctx, s.Records[record].Examples[0], day)
	if err != nil {
		return "", err
	}
	made, err := s.compose(ctx, example)
	if err != nil {
		return "", err
	}
	if made.Workflow != nil {
		steps = library.SignatureSum(made.Workflow.Signature().Steps)
	}
	s.again.Lock()
	defer s.again.Unlock()
	if len(s.again.steps) >= most || s.again.steps == nil {
		s.again.steps = map[remadeOn]string{}
	}
	s.again.steps[key] = steps
	return steps, nil
}

// compose makes the workflow for a request out of node types alone.
func (s *candidates) compose(ctx context.Context, request *mapparams.Request) (compose.Result, error) {
	const most = 200 // as in planner-offline: what reads and writes has none of the words of a request
	ranked, err := s.typeIndex().Rank(ctx, compose.Masked(request))
	if err != nil {
		return compose.Result{}, err
	}
	var some []*ir.Interface
	for _, r := range ranked {
		if len(some) < most && (r.Confidence > 0 || len(ranked) <= most) {
			some = append(some, s.types[r.Index])
		}
	}
	return compose.Compose(ctx, request, some, compose.Options{Usages: &s.usages})
}
