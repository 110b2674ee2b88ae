package table

import (
	"pflow/internal/fault"
)

// Places says which rows are taken by where they stand among those that are left.
type Places struct {
	Last  int // the last so many; 0: all
	First int // from this place on, counted from 1; 0: from the first
	Until int // up to this place; 0: to the end
}

// most is how many rows are enough to know which are taken, of those that are at most limit; 0 is all.
func (p Places) most(limit int) int {
	switch {
	case p.Last > 0:
		return 0
	case p.First > 1 && limit > 0:
		limit += p.First - 1
	}
	if p.Until > 0 && (limit == 0 || p.Until < limit) {
		return p.Until
	}
	return limit
}

// placed gives the rows whose places are wanted.
type placed struct {
	places Places
	limit  int
	give   func(*Record) error
	held   []*Record // the last rows, at most Last of them, beginning at start
	start  int
	size   int
	seen   int
	given  int
}

// take takes the next row; true once no further one is given.
func (p *placed) take(r *Record) (bool, error) {
	if p.places.Last == 0 {
		return p.pass(r)
	}
	if len(p.held) < p.places.Last {
		p.held = append(p.held, r.clone())
	} else {
		p.size -= p.held[p.start].size()
		p.held[p.start] = r.clone()
		p.start = (p.start + 1) % len(p.held)
	}
	if p.size += r.size(); p.size > maxHeld {
		return false, fault.New(fault.InvalidRequest, "%s: the last rows up to here take more than %d MB, and no more are held: take fewer with last", r.At(), maxHeld>>20)
	}
	return false, nil
}

// pass gives a row if its place is wanted.
func (p *placed) pass(r *Record) (bool, error) {
	p.seen++
	if p.seen >= p.places.First {
		if err := p.give(r); err != nil {
			return false, err
		}
		p.given++
	}
	return p.given > 0 && p.given == p.limit || p.seen == p.places.Until, nil
}

// done gives the rows that were held.
func (p *placed) done() error {
	for i := range p.held {
		if over, err := p.pass(p.held[(p.start+i)%len(p.held)]); err != nil || over {
			return err
		}
	}
	return nil
}
