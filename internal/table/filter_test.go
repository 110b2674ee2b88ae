package table

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestFilter counts the rows of a table that fit a condition.
func TestFilter(t *testing.T) {
	const csv = "name,country,price,due,paid\nAnn,Germany,12.5,2026-11-01,true\nBob,France,9,2026-12-01T10:00:00Z,false\nCid,Germany,101,,\n"
	for _, c := range []struct {
		name string
		f    Filter
		want string // the names; an error begins with !
	}{
		{"equal", Filter{Column: "country", Op: "==", Value: "Germany"}, "Ann Cid"},
		{"without capitals", Filter{Column: "country", Op: "==", Value: "germany"}, "Ann Cid"},
		{"with others", Filter{Column: "country", Op: "==", Value: "GERMANY"}, ""},
		{"number", Filter{Column: "price", Op: ">", Value: 9}, "Ann Cid"},
		{"number as text", Filter{Column: "price", Op: ">=", Value: "12.50"}, "Ann Cid"},
		{"no number", Filter{Column: "name", Op: ">", Value: 9}, `!line 2, column "name": "Ann" is no number`},
		{"between", Filter{Column: "price", Op: "between", Value: []any{9, 12.5}}, "Ann Bob"},
		{"in", Filter{Column: "price", Op: "in", Value: []any{9, 101}}, "Bob Cid"},
		{"day", Filter{Column: "due", Op: "<", Value: "2026-12-01"}, "Ann"},
		{"of an instant", Filter{Column: "due", Op: "<=", Value: "2026-12-01"}, "Ann Bob"},
		{"empty is not less", Filter{Column: "due", Op: "<", Value: "2030-01-01"}, "Ann Bob"},
		{"the day of an instant", Filter{Column: "due", Op: "==", Value: "2026-12-01"}, "Bob"},
		{"within days", Filter{Column: "due", Op: "within", Value: "2026-11-30/2026-12-01"}, "Bob"},
		{"within no days", Filter{Column: "due", Op: "within", Value: "2026-11"}, `!line 2, column "due": within wants the first and the last day`},
		{"boolean", Filter{Column: "paid", Op: "==", Value: false}, "Bob"},
		{"empty", Filter{Column: "paid", Op: "empty"}, "Cid"},
		{"any column", Filter{Op: "==", Value: "France"}, "Bob"},
		{"no column", Filter{Op: "!=", Value: "France"}, "Ann Cid"},
		{"contains", Filter{Column: "name", Op: "contains", Value: "n"}, "Ann"},
		{"any", Filter{Any: []Filter{{Column: "name", Op: "==", Value: "Bob"}, {Column: "price", Op: ">", Value: 100}}}, "Bob Cid"},
		{"not", Filter{Not: &Filter{Column: "country", Op: "==", Value: "Germany"}}, "Bob"},
		{"in the plural", Filter{Column: "Countries", Op: "==", Value: "France"}, "Bob"},
		{"no such column", Filter{Column: "contry", Op: "==", Value: "France"}, `!filter: there is no column "contry"; did you mean "country"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := filtered(Source{Name: "t", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(csv)), nil }}, CSV, c.f)
			if want, fails := strings.CutPrefix(c.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("%q, %v; want the error %s", got, err, want)
				}
			} else if err != nil || got != c.want {
				t.Fatalf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
	spoken := Source{Rows: []any{map[string]any{"name": "Ann", "paid": "Yes"}, map[string]any{"name": "Bob", "paid": "no"}, map[string]any{"name": "Cid", "paid": "soon"}}}
	for _, c := range []struct {
		op    string
		value bool
		want  string
	}{{"==", true, "Ann"}, {"==", false, "Bob"}, {"!=", true, "Bob Cid"}} {
		if got, err := filtered(spoken, "", Filter{Column: "paid", Op: c.op, Value: c.value}); err != nil || got != c.want {
			t.Errorf("yes and no %s %v: %q, %v; want %q", c.op, c.value, got, err, c.want)
		}
	}
	rows := Source{Rows: []any{map[string]any{"name": "Ann"}, map[string]any{"name": "Bob", "old": true}}}
	if got, err := filtered(rows, "", Filter{Column: "old", Op: "==", Value: true}); err != nil || got != "Bob" {
		t.Errorf("a column that some rows have: %q, %v", got, err)
	}
	if _, err := filtered(rows, "", Filter{Column: "new", Op: "==", Value: true}); err == nil || !strings.Contains(err.Error(), `there is no column "new"`) {
		t.Errorf("a column that no row has: %v", err)
	}
}

func filtered(s Source, format Format, f Filter) (string, error) {
	r, err := Open(s, Options{Format: format})
	if err != nil {
		return "", err
	}
	var names []string
	err = (&Shape{Filter: &f}).Run(context.Background(), r, func(rec *Record) error {
		name, _ := rec.Cell("name")
		names = append(names, Text(name))
		return nil
	})
	return strings.Join(names, " "), err
}

// TestChain reads tables behind one another: the columns of the first are those of all.
func TestChain(t *testing.T) {
	of := func(text string) Part {
		return Part{Source: Source{Name: "part", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}, Options: Options{Format: CSV}}
	}
	s := of("name,v\nAnn,1\n").Source
	s.More = []Part{of("v,name\n2,Bob\n"), of("name,v\nCid,3\n")}
	if got, err := filtered(s, CSV, Filter{Column: "v", Op: ">", Value: 1}); err != nil || got != "Bob Cid" {
		t.Errorf("%q, %v", got, err)
	}
	s.More = []Part{of("name,w\nBob,2\n")}
	if _, err := filtered(s, CSV, Filter{Column: "v", Op: ">", Value: 0}); err == nil || !strings.Contains(err.Error(), "part has the columns name, w") {
		t.Error(err)
	}
}
