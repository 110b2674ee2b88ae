package table

import (
	"context"
	"io"
	"slices"

	"pflow/internal/fault"
)

// Join puts rows of two tables together that are equal in a column. The rows of the second are held, those of the first are
// not.
type Join struct {
	Left, Right string // the columns that must be equal
	All         bool   // rows of the first that nothing fits are given, too
}

// Run gives for each row of the first table, in order, one row for each row of the second that fits it: the columns of the
// first, then those of the second without the one that is equal. A column that both have is called NAME_2 of the second.
func (j Join) Run(ctx context.Context, first, second Reader, give func(*Record) error) error {
	for _, side := range []struct {
		r      Reader
		column string
	}{{first, j.Left}, {second, j.Right}} {
		if h := side.r.Header(); h != nil {
			if err := known(side.column, h); err != nil {
				return fault.New(fault.InvalidRequest, "on: %v", err)
			}
		}
	}
	by := map[string][]*Record{}
	var right names
	if err := right.add(second.Header()); err != nil {
		return err
	}
	size := 0
	for {
		rec, err := second.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := right.add(rec.Names); err != nil {
			return err
		}
		if size += rec.size(); size > maxHeld {
			return fault.New(fault.InvalidRequest, "%s of the second table: until here its rows take more than %d MB, and no more are held: give the larger table first, or less of the second", rec.At(), maxHeld>>20)
		}
		if k, ok := j.key(rec, j.Right); ok {
			by[k] = append(by[k], rec.clone())
		}
	}
	var of, out []string
	var place []string // of the columns that are added, their names in the second table
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		rec, err := first.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		k, ok := j.key(rec, j.Left)
		fits := by[k]
		if !ok {
			fits = nil
		}
		if len(fits) == 0 {
			if !j.All {
				continue
			}
			fits = []*Record{{}}
		}
		if out == nil || !slices.Equal(of, rec.Names) {
			of, out, place = rec.Names, slices.Clone(rec.Names), nil
			for _, name := range right.list {
				if name == j.Right {
					continue
				}
				called := name
				for slices.Contains(out, called) {
					called += "_2"
				}
				out, place = append(out, called), append(place, name)
			}
		}
		for _, fit := range fits {
			both := &Record{Names: out, Cells: slices.Clone(rec.Cells), unit: rec.unit, Line: rec.Line}
			for _, name := range place {
				cell, _ := fit.Cell(name)
				both.Cells = append(both.Cells, cell)
			}
			if err := give(both); err != nil {
				return err
			}
		}
	}
}

// key is the text of a row's column. What is empty equals nothing.
func (j Join) key(r *Record, column string) (string, bool) {
	cell, ok := r.Cell(column)
	if !ok || cell == nil || cell == "" {
		return "", false
	}
	return Text(cell), true
}
