package experiment

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"

	"pflow/engine"
)

// job is one plan to make.
type job struct {
	Key
	c       *Case
	answers *engine.Answers // what its plans share
}

// feed hands out what is to be planned, case by case in the order of the seed. Where plans of one case share what they work out, as many
// cases are under way as work at the same time: then none waits for another.
func (x *Experiment) feed(ctx context.Context, jobs chan<- job, done *marks, p *pace) error {
	order := rand.New(rand.NewPCG(x.Spec.Seed, 0)).Perm(x.cases)
	known, together := newPredicates(), 1
	if x.Spec.Replies.Kept() {
		together = min(x.Spec.AtOnce(), runtime.GOMAXPROCS(0))
	}
	var begun []*openCase
	for len(order) > 0 || len(begun) > 0 {
		for ; len(begun) < together && len(order) > 0; order = order[1:] {
			if left := x.left(order[0], done); len(left) > 0 {
				begun = append(begun, &openCase{left: left})
			}
		}
		for i := 0; i < len(begun); i++ {
			b := begun[i]
			if ctx.Err() != nil {
				return nil
			}
			if b.c == nil && p.reached() != "" { // what was begun is finished
				order, begun = nil, slices.DeleteFunc(begun, func(b *openCase) bool { return b.c == nil })
				break
			}
			if err := p.unpriced(); err != nil {
				return err
			}
			if b.c == nil {
				read, err := x.store.readCase(b.left[0].Case, x.Spec.Dir, known)
				if err != nil {
					return err
				}
				b.c = &read
			}
			select {
			case jobs <- job{b.left[0], b.c, &b.answers}:
			case <-ctx.Done():
				return nil
			}
			b.left = b.left[1:]
		}
		begun = slices.DeleteFunc(begun, func(b *openCase) bool { return len(b.left) == 0 })
	}
	return nil
}

// openCase is a case of which plans were handed out, or are next.
type openCase struct {
	left    []Key
	c       *Case // nil before the first
	answers engine.Answers
}

// left are the plans of a case that are not made.
func (x *Experiment) left(ord int, done *marks) []Key {
	return slices.DeleteFunc(x.plans(ord), done.has)
}

// plans are the rows of one case: in each repeat every variant once, in an order of chance.
func (x *Experiment) plans(ord int) []Key {
	rng := rand.New(rand.NewPCG(x.Spec.Seed, uint64(ord)+1))
	var out []Key
	for repeat := range x.Spec.Repeats {
		for _, variant := range rng.Perm(len(x.Spec.Variants)) {
			out = append(out, Key{ord, variant, repeat})
		}
	}
	return out
}
