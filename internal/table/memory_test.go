//go:build !race

package table

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"pflow/internal/value"
)

// endless is a CSV of so many bytes, made while it is read.
type endless struct {
	left, row int
	rest      []byte
}

func (e *endless) Close() error { return nil }

func (e *endless) Read(p []byte) (int, error) {
	for len(e.rest) < len(p) && e.left > 0 {
		before := len(e.rest)
		if e.row == 0 {
			e.rest = append(e.rest, "id,country,price,note\n"...)
		} else {
			e.rest = fmt.Appendf(e.rest, "%d,country %d,%d.%02d,\"a note, number %d\"\n", e.row, e.row%50, e.row%1000, e.row%100, e.row)
		}
		e.row++
		e.left -= len(e.rest) - before
	}
	if len(e.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, e.rest)
	e.rest = append(e.rest[:0], e.rest[n:]...)
	return n, nil
}

// live is the memory that is in use, in bytes.
func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestMemory: what is held while a table is filtered, summed or converted does not grow with its rows.
func TestMemory(t *testing.T) {
	half := func(row map[string]any) (bool, error) { c, _ := value.Compare(row["price"], 500); return c < 0, nil }
	numbers := Types{Of: map[string]value.Type{"price": value.Number}}
	// watched gives what a run held at most, over what there was before it.
	watched := func(size int, run func(Source, func(row map[string]any) (bool, error))) int {
		before, most, rows := live(), 0, 0
		in := Source{Name: "rows", Open: func() (io.ReadCloser, error) { return &endless{left: size}, nil }}
		run(in, func(row map[string]any) (bool, error) {
			if rows++; rows%10_000 == 0 {
				most = max(most, live()-before)
			}
			return half(row)
		})
		return most
	}
	for name, run := range map[string]func(Source, func(map[string]any) (bool, error)){
		"summed": func(in Source, where func(map[string]any) (bool, error)) {
			s := &Summary{GroupBy: []string{"country"}, Measures: []Measure{{"total", Sum, "price"}, {"mid", Median, "price"}}}
			r, err := Open(in, Options{})
			if err == nil {
				err = s.Run(context.Background(), r, &Shape{Types: numbers, Where: where})
			}
			if err != nil || len(s.order) != 50 {
				t.Errorf("%d groups, %v", len(s.order), err)
			}
		},
		"converted, the ten greatest": func(in Source, where func(map[string]any) (bool, error)) {
			r, err := Open(in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(io.Discard, WriteOptions{Format: Lines})
			if err != nil {
				t.Fatal(err)
			}
			s := &Shape{Types: numbers, Where: where, Sort: []Key{ParseKey("price desc")}, Limit: 10}
			if err := s.Run(context.Background(), r, w.Write); err != nil || w.Rows() != 10 {
				t.Errorf("%d rows, %v", w.Rows(), err)
			}
		},
		"converted": func(in Source, where func(map[string]any) (bool, error)) {
			r, err := Open(in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(io.Discard, WriteOptions{Format: CSV, Columns: r.Header()})
			if err != nil {
				t.Fatal(err)
			}
			if err := (&Shape{Types: numbers, Where: where}).Run(context.Background(), r, w.Write); err != nil || w.Rows() == 0 {
				t.Errorf("%d rows, %v", w.Rows(), err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			small, large := watched(1<<20, run), watched(12<<20, run)
			t.Logf("of 1 MB %d KB are held, of 12 MB %d KB", small>>10, large>>10)
			if large > small+2<<20 {
				t.Errorf("of 1 MB %d KB are held, of 12 MB %d KB", small>>10, large>>10)
			}
		})
	}
}

// TestHeldIsBounded: rows that must be held end in an error that says what to do.
func TestHeldIsBounded(t *testing.T) {
	in := Source{Name: "rows", Open: func() (io.ReadCloser, error) { return &endless{left: 40 << 20}, nil }}
	for name, run := range map[string]func(Reader) error{
		"rows": func(r Reader) error { return (&Shape{}).Run(context.Background(), r, (&Rows{}).Add) },
		"sort": func(r Reader) error {
			return (&Shape{Sort: []Key{{Column: "id"}}}).Run(context.Background(), r, (&Rows{}).Add)
		},
		"group": func(r Reader) error {
			return (&Summary{GroupBy: []string{"note"}, Measures: []Measure{{"n", Count, ""}, {"m", Count, ""}, {"o", Count, ""}, {"p", Count, ""}}}).Run(context.Background(), r, &Shape{})
		},
	} {
		r, err := Open(in, Options{})
		if err == nil {
			err = run(r)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}
