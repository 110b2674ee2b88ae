package engine

import "maps"

// books are the meters and the errors that expressions may ask run for. A frame has books of what came before the visit
// at hand, and each of its units books of its own, so that what an item sees does not depend on how fast its siblings are.
// When a visit ends, the books of its units are added to the frame's in the order of the program.
type books struct {
	usage  map[string]float64
	errors []any // entries, the last maxErrors; what was given away is never written to
}

// maxErrors is how many errors run.errors holds.
const maxErrors = 100

// keeping says which books a frame keeps: those that its flow reads, or one around it.
type keeping struct{ usage, errors bool }

func (use *runUse) keeps(around keeping) keeping {
	if use == nil {
		return around
	}
	return keeping{around.usage || len(use.meters) > 0, around.errors || use.errors}
}

// What became of an error.
const (
	retried   = "retried"
	toDefault = "fallback" // it was given to a fallback
	caught    = "caught"
	givenUp   = "given_up" // an item or a branch failed, and the node went on without it
)

func (b *books) used(meter string) float64 {
	if b == nil {
		return 0
	}
	return b.usage[meter]
}

func (b *books) seen() []any {
	if b == nil {
		return nil
	}
	return b.errors
}

func (b *books) use(meters map[string]float64) {
	if b.usage == nil {
		b.usage = make(map[string]float64, len(meters))
	}
	for name, n := range meters {
		b.usage[name] += n
	}
}

// joinErrors gives the last errors of both lists, and changes neither.
func joinErrors(before, own []any) []any {
	all := before
	if len(own) > 0 {
		all = append(before[:len(before):len(before)], own...)
	}
	if all == nil {
		return []any{}
	}
	return all[max(0, len(all)-maxErrors):]
}

// add takes in what came after.
func (b *books) add(later *books) {
	if later == nil {
		return
	}
	if len(later.usage) > 0 {
		b.use(later.usage)
	}
	if len(later.errors) > 0 {
		b.errors = joinErrors(b.errors, later.errors)
	}
}

// opened gives the books, which are made when there is something to write down.
func opened(b **books) *books {
	if *b == nil {
		*b = &books{}
	}
	return *b
}

// use counts what an attempt used.
func (u *unit) use(meters map[string]float64) {
	if u.nr.f.keeps.usage && len(meters) > 0 {
		opened(&u.books).use(meters)
	}
}

// note writes down what became of an error of a unit; once, wherever it came from.
func (u *unit) note(err *failure, outcome string) {
	u.trace(err)
	if f := u.nr.f; f.keeps.errors {
		opened(&u.books).note(err, f.steps, outcome)
	}
}

func (b *books) note(err *failure, step int, outcome string) {
	if err.noted || err.Kind.Final() {
		return
	}
	err.noted = true
	var details any
	if err.Details != nil {
		details = err.Details
	}
	b.errors = joinErrors(b.errors, []any{map[string]any{
		"node": err.path, "kind": string(err.Kind), "message": err.Message, "attempt": err.attempt, "step": step, "outcome": outcome, "details": details,
	}})
}

// trace names the attempt that an error came from, where it comes from no inner flow.
func (u *unit) trace(err *failure) {
	if err.path == "" {
		err.path, err.attempt = u.path(), u.attempts
	}
}

// path names a unit in its flow by what stands in the document: NODE, or NODE.BRANCH.
func (u *unit) path() string {
	if u.nr.node.mode == modeParallel {
		return u.nr.node.id + "." + u.spec.name
	}
	return u.nr.node.id
}

// inside names what came from a node of the inner flow that a unit ran. Rounds are no level of their own.
func (u *unit) inside(path string) string {
	if u.spec.flow.loop {
		return u.path()
	}
	return u.path() + "/" + path
}

// takeChild adds the books of an inner flow to those of the unit that ran it; to the flow around, its nodes are NODE/INNER,
// and its steps one of its own.
func (u *unit) takeChild(child *frame) {
	f := u.nr.f
	if child.books == nil || f.keeps == (keeping{}) {
		return
	}
	b := opened(&u.books)
	if f.keeps.usage && len(child.books.usage) > 0 {
		b.use(child.books.usage)
	}
	if f.keeps.errors && len(child.books.errors) > 0 {
		outer := make([]any, len(child.books.errors))
		for i, e := range child.books.errors {
			entry := maps.Clone(e.(map[string]any))
			entry["node"], entry["step"] = u.inside(entry["node"].(string)), f.steps
			outer[i] = entry
		}
		b.errors = joinErrors(b.errors, outer)
	}
}

// closeBooks adds the books of a visit's units to those of its frame. Errors that the node went on without are given up.
func (nr *nodeRun) closeBooks() {
	if nr.f.keeps == (keeping{}) {
		return
	}
	for i := range nr.units {
		u := &nr.units[i]
		if u.err != nil && u.err != nr.err {
			u.note(u.err, givenUp)
		}
		if u.books != nil {
			opened(nr.booksOf()).add(u.books)
			u.books = nil
		}
	}
}

// booksOf are the books that a visit is written to: in a dag, whose nodes end in any order, those of the node.
func (nr *nodeRun) booksOf() **books {
	if nr.f.dag != nil {
		return &nr.f.dag.books[nr.index]
	}
	return &nr.f.books
}

// closeDAG adds the books of the nodes of a dag in the order of the document.
func (f *frame) closeDAG() {
	for _, b := range f.dag.books {
		if b != nil {
			opened(&f.books).add(b)
		}
	}
}
