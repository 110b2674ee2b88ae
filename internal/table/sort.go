package table

import (
	"cmp"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Key is a column that rows are sorted by.
type Key struct {
	Column string
	Desc   bool
}

// everyColumn alone stands for all columns, from the first to the last.
const everyColumn = "*"

// ParseKey reads a column, and after it perhaps asc or desc: "price desc".
func ParseKey(text string) Key {
	if name, ok := strings.CutSuffix(text, " desc"); ok {
		return Key{Column: strings.TrimSpace(name), Desc: true}
	}
	name, _ := strings.CutSuffix(text, " asc")
	return Key{Column: strings.TrimSpace(name)}
}

// sorter puts rows in order. With a limit it holds little more than so many.
type sorter struct {
	keys  []Key
	types Types
	limit int
	rows  []sortable
	size  int
}

type sortable struct {
	rec  *Record
	keys []sortKey
}

func (s *sorter) add(r *Record) error {
	row := sortable{rec: r.clone(), keys: make([]sortKey, len(s.keys))}
	for i, k := range s.keys {
		cell, ok := r.Cell(k.Column)
		if !ok {
			cell = nil
		}
		row.keys[i] = s.types.sortKey(k.Column, cell)
	}
	s.rows = append(s.rows, row)
	if s.limit > 0 && len(s.rows) >= 2*s.limit+1024 {
		s.sort()
		clear(s.rows[s.limit:])
		s.rows = s.rows[:s.limit]
		s.size = 0
		for _, r := range s.rows {
			s.size += r.rec.size()
		}
		return nil
	}
	if s.size += r.size(); s.size > maxHeld {
		return fault.New(fault.InvalidRequest, "%s: until here the rows to sort take more than %d MB, and no more are held: take fewer with where, or only the first with limit", r.At(), maxHeld>>20)
	}
	return nil
}

func (s *sorter) sort() {
	slices.SortStableFunc(s.rows, func(a, b sortable) int {
		for i, k := range s.keys {
			c := a.keys[i].compare(b.keys[i])
			if k.Desc && a.keys[i].class != empty && b.keys[i].class != empty {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
}

// done gives the rows in order.
func (s *sorter) done() []*Record {
	s.sort()
	if s.limit > 0 && len(s.rows) > s.limit {
		s.rows = s.rows[:s.limit]
	}
	out := make([]*Record, len(s.rows))
	for i := range s.rows {
		out[i] = s.rows[i].rec
	}
	return out
}

// sortKey is a value as it is sorted: numbers, and texts that are numbers, before other texts; what is empty comes last, also
// in descending order. A column of type string is sorted as text.
type sortKey struct {
	class  int
	number any
	text   string
}

const (
	numeric = iota
	textual
	empty
)

func (t Types) sortKey(column string, cell any) sortKey {
	if cell == nil || cell == "" {
		return sortKey{class: empty}
	}
	if t.Of[column] != value.String {
		if n, err := t.Number(cell); err == nil {
			return sortKey{class: numeric, number: n}
		}
	}
	return sortKey{class: textual, text: Text(cell)}
}

func (a sortKey) compare(b sortKey) int {
	if c := cmp.Compare(a.class, b.class); c != 0 {
		return c
	}
	if a.class == numeric {
		c, _ := value.Compare(a.number, b.number)
		return c
	}
	return strings.Compare(a.text, b.text)
}

// Sort puts objects in order, and keeps the first of them.
func Sort(rows []any, by []Key, limit int) ([]any, error) {
	s := &sorter{keys: by, limit: limit}
	r := &held{rows: rows}
	for range rows {
		rec, err := r.Read()
		if err != nil {
			return nil, err
		}
		if err := s.add(rec); err != nil {
			return nil, err
		}
	}
	out := make([]any, 0, len(rows))
	for _, rec := range s.done() {
		out = append(out, rows[rec.Line-1])
	}
	return out, nil
}
