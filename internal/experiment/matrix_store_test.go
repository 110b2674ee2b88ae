package experiment

import (
	"strings"
	"testing"
)

// TestMatrixReadsNoPlan: all cells of an experiment come from its rows: nothing of a plan or of steps is read that no
// fixed or broken case tells.
func TestMatrixReadsNoPlan(t *testing.T) {
	s := MadeStore(t, 44, 3, 2)
	if _, err := s.db.Exec("UPDATE details SET plan = '{'"); err != nil {
		t.Fatal(err)
	}
	r, err := NewReport(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Matrix) != 44 {
		t.Fatalf("%d rows", len(r.Matrix))
	}
	for i, row := range r.Matrix {
		if row.Request != madeRequest(i) || row.Expected != OutcomePlan || len(row.Cells) != 3 {
			t.Errorf("row %d: %+v", i, row)
		}
		for v, cell := range row.Cells {
			passes, plan, first := 0, "", ""
			for repeat := 1; repeat >= 0; repeat-- {
				made := madeRow(Key{i, v, repeat})
				if made.Values[Pass] == 1 {
					passes++
				} else {
					plan, first = made.InWords, made.Failed[0]
				}
			}
			if cell.Passes != passes || cell.Runs != 2 || passes < 2 && (cell.Plan != plan || cell.Failed[0] != first) || passes == 2 && len(cell.Failed) > 0 {
				t.Errorf("case %d under %d: %+v, want %d passes, %q, %q", i, v, cell, passes, plan, first)
			}
		}
	}
}

// TestOldStore: what an older pflow kept is refused, with what to do.
func TestOldStore(t *testing.T) {
	s := MadeStore(t, 1, 1, 1)
	if err := s.SetMeta("version", "2"); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadStore(s.Dir); err == nil || !strings.Contains(err.Error(), `it is kept in the form of version "2", and this pflow reads 4; run it again under another --id, or remove the folder`) {
		t.Errorf("%v", err)
	}
}

// TestRowIsBounded: what a row keeps for people is cut, and says so.
func TestRowIsBounded(t *testing.T) {
	r := Row{Score: Score{InWords: strings.Repeat("ä", 1000)}}
	for range 100 {
		r.Failed = append(r.Failed, strings.Repeat("x", 5000))
	}
	whole := r.Failed
	r.bound()
	if len(r.InWords) > keepInWords+3 || !strings.HasSuffix(r.InWords, "ä…") || len(r.Failed) != keepFailed+1 || r.Failed[keepFailed] != "and 80 more" || len(r.Failed[0]) != keepOfFailed+3 {
		t.Errorf("%d bytes of words, %d findings, the last %q", len(r.InWords), len(r.Failed), r.Failed[len(r.Failed)-1])
	}
	if len(whole[0]) != 5000 {
		t.Error("what was handed in was cut")
	}
}

// BenchmarkMatrix reads 10,000 rows, and makes a report of them.
func BenchmarkMatrix(b *testing.B) {
	s := MadeStore(b, 2000, 5, 1)
	b.Run("rows", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x, err := collect(s)
			if err != nil || len(x.matrix) != 2000 {
				b.Fatal(err)
			}
		}
	})
	b.Run("report", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := NewReport(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}
