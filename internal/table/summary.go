package table

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// By is how a measure comes of a column.
type By string

// The measures.
const (
	Sum      By = "sum"
	Mean     By = "mean"
	Median   By = "median"
	Min      By = "min"
	Max      By = "max"
	Count    By = "count"    // of a column: the rows that have a value there; without one: all
	Distinct By = "distinct" // how many different values there are
)

var measures = []string{string(Sum), string(Mean), string(Median), string(Min), string(Max), string(Count), string(Distinct)}

// Measure is a column of a summary.
type Measure struct {
	Name string
	By   By
	Of   string // "": of count, all rows
}

// ParseMeasure reads what a measure is: "sum price", "count".
func ParseMeasure(name, text string) (Measure, error) {
	by, of, _ := strings.Cut(strings.TrimSpace(text), " ")
	m := Measure{Name: name, By: By(by), Of: strings.TrimSpace(of)}
	switch {
	case !slices.Contains(measures, by):
		hint := ""
		if near := diag.Nearest(by, measures); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return m, fault.New(fault.InvalidRequest, "there is no measure %q%s They are: %s, each with a column after it, such as \"sum price\"", by, hint+".", strings.Join(measures, ", "))
	case m.Of == "" && m.By != Count:
		return m, fault.New(fault.InvalidRequest, "%q names no column; write %q", text, by+" COLUMN")
	}
	return m, nil
}

// Summary computes measures of groups of rows. It holds the groups and, for medians and distinct values, their different
// values; all of that is bounded.
type Summary struct {
	GroupBy  []string
	Measures []Measure
	Types    Types

	Count  int // the rows that were taken
	groups map[string]*group
	order  []*group
	room   int // different values that are remembered
	of     []string
	place  []int  // of the columns in GroupBy, then of those of Measures
	seen   []bool // which of them some row has
}

// called are words for what measures compute.
var called = map[string]By{"total": Sum, "average": Mean, "avg": Mean, "minimum": Min, "smallest": Min, "lowest": Min, "maximum": Max, "largest": Max, "highest": Max, "number": Count}

// Column is the column of the result that a name means: the one that is called so, else the only measure that is of a column of
// that name, or computes what is called so.
func (s *Summary) Column(name string) (string, error) {
	there := s.Columns()
	if loose := Loose(name, there); slices.Contains(there, loose) {
		return loose, nil
	}
	var found []string
	for _, m := range s.Measures {
		if Loose(name, []string{m.Of}) == m.Of && m.Of != "" || name == string(m.By) || called[strings.ToLower(name)] == m.By {
			found = append(found, m.Name)
		}
	}
	if len(found) != 1 {
		return "", Unknown(name, there)
	}
	return found[0], nil
}

type group struct {
	cells []any
	of    []cell
}

// cell is what is known of one measure of one group.
type cell struct {
	n       int
	total   *Total
	extreme any
	number  bool // extreme is a number
	values  map[string]struct{}
	numbers map[float64]int // how often each comes
}

// Run summarises the rows that a shape gives.
func (s *Summary) Run(ctx context.Context, r Reader, shape *Shape) error {
	if h := r.Header(); h != nil {
		shape.Settle(h)
		there, err := shape.Final(h)
		if err != nil {
			return err
		}
		s.loosen(there)
		for _, name := range s.GroupBy {
			if err := known(name, there); err != nil {
				return fault.New(fault.InvalidRequest, "group_by: %v", err)
			}
		}
		for _, m := range s.Measures {
			if err := known(m.Of, there); err != nil && m.Of != "" {
				return fault.New(fault.InvalidRequest, "measures.%s: %v", m.Name, err)
			}
		}
	}
	s.Types = shape.Types
	s.groups = map[string]*group{}
	if err := shape.Run(ctx, r, s.add); err != nil || s.Count == 0 {
		return err
	}
	for i, name := range slices.Concat(s.GroupBy, s.measured()) {
		if name != "" && !s.seen[i] {
			return fault.New(fault.InvalidRequest, "no row has it: %v", Unknown(name, s.of))
		}
	}
	return nil
}

// measured lists the columns of the measures; "" where none is wanted.
func (s *Summary) measured() []string {
	out := make([]string, len(s.Measures))
	for i, m := range s.Measures {
		out[i] = m.Of
	}
	return out
}

func (s *Summary) settle(r *Record) {
	if s.place != nil && len(s.of) == len(r.Names) && (len(r.Names) == 0 || &s.of[0] == &r.Names[0]) {
		return
	}
	s.of, s.place = r.Names, s.place[:0]
	for _, name := range s.GroupBy {
		s.place = append(s.place, slices.Index(r.Names, name))
	}
	for _, m := range s.Measures {
		s.place = append(s.place, slices.Index(r.Names, m.Of))
	}
	if s.seen == nil {
		s.seen = make([]bool, len(s.place))
	}
	for i, at := range s.place {
		s.seen[i] = s.seen[i] || at >= 0
	}
}

func (s *Summary) add(r *Record) error {
	if s.Count++; s.Count == 1 {
		s.loosen(r.Names)
	}
	s.settle(r)
	var key [128]byte
	k := key[:0]
	for _, at := range s.place[:len(s.GroupBy)] {
		if at < 0 {
			k = append(k, "-,"...)
			continue
		}
		k = append(appendCell(k, r.Cells[at]), ',')
	}
	g := s.groups[string(k)]
	if g == nil {
		g = &group{of: make([]cell, len(s.Measures))}
		if err := s.remember(1+len(s.Measures), r); err != nil {
			return err
		}
		for i, at := range s.place[:len(s.GroupBy)] {
			var v any
			if at >= 0 {
				var err error
				if v, err = s.Types.Typed(r, at); err == nil {
					v, err = Value(v)
				}
				if err != nil {
					return err
				}
				if text, ok := v.(string); ok {
					v = strings.Clone(text) // and not the whole line
				}
			}
			_ = i
			g.cells = append(g.cells, v)
		}
		s.groups[string(k)] = g
		s.order = append(s.order, g)
	}
	for i, at := range s.place[len(s.GroupBy):] {
		m := s.Measures[i]
		c := &g.of[i]
		if m.Of == "" {
			c.n++
			continue
		}
		if at < 0 || r.Cells[at] == nil || r.Cells[at] == "" {
			continue
		}
		c.n++
		if err := s.measure(c, m, r, at); err != nil {
			return err
		}
	}
	return nil
}

// loosen takes the columns that it names for those that are there.
func (s *Summary) loosen(there []string) {
	settle(s.GroupBy, there)
	for i, m := range s.Measures {
		if m.Of != "" {
			s.Measures[i].Of = Loose(m.Of, there)
		}
	}
}

// remember takes room for n values.
func (s *Summary) remember(n int, r *Record) error {
	if s.room += n; s.room > maxKeys {
		return fault.New(fault.InvalidRequest, "%s: until here there are more than %d different groups and values to remember; narrow the rows with where, or group by fewer columns", r.At(), maxKeys)
	}
	return nil
}

func (s *Summary) measure(c *cell, m Measure, r *Record, at int) error {
	if m.By == Count {
		return nil
	}
	if m.By == Distinct {
		text := Text(r.Cells[at])
		if _, ok := c.values[text]; ok {
			return nil
		}
		if c.values == nil {
			c.values = map[string]struct{}{}
		}
		c.values[strings.Clone(text)] = struct{}{}
		return s.remember(1+len(text)/32, r)
	}
	n, err := s.number(r, at)
	if m.By == Min || m.By == Max {
		return c.extremes(m, n, err, r, at)
	}
	if err != nil {
		return fault.New(fault.Type, "%s, column %q: %v; leave such rows out with where", r.At(), m.Of, err)
	}
	if m.By == Median {
		f, ok := n.(float64)
		if !ok {
			f = float64(n.(int))
		}
		if c.numbers == nil {
			c.numbers = map[float64]int{}
		}
		if c.numbers[f]++; c.numbers[f] == 1 {
			return s.remember(1, r)
		}
		return nil
	}
	if c.total == nil {
		c.total = &Total{}
	}
	c.total.Add(n)
	return nil
}

func (s *Summary) number(r *Record, at int) (any, error) {
	if s.Types.Of[r.Names[at]] == value.String {
		return nil, fmt.Errorf("%s is a text", value.JSON(Text(r.Cells[at])))
	}
	return s.Types.Number(r.Cells[at])
}

// extremes takes a value for the least or the greatest: of numbers, or of texts in their order.
func (c *cell) extremes(m Measure, n any, notNumber error, r *Record, at int) error {
	v, number := n, notNumber == nil
	if !number {
		v = strings.Clone(Text(r.Cells[at]))
	}
	if c.extreme != nil && c.number != number {
		return fault.New(fault.Type, "%s, column %q: some values are numbers and %s is not, or the other way round; say which with types, or leave rows out with where",
			r.At(), m.Of, value.JSON(Text(r.Cells[at])))
	}
	less, _ := value.Compare(v, c.extreme)
	if c.extreme == nil || m.By == Min && less < 0 || m.By == Max && less > 0 {
		c.extreme, c.number = v, number
	}
	return nil
}

// Rows gives the groups in the order in which they come first, each with its measures: one row where nothing is grouped.
func (s *Summary) Rows() ([]any, error) {
	if len(s.order) == 0 && len(s.GroupBy) == 0 {
		s.order = []*group{{of: make([]cell, len(s.Measures))}}
	}
	out := make([]any, len(s.order))
	for i, g := range s.order {
		row := make(map[string]any, len(s.GroupBy)+len(s.Measures))
		for k, name := range s.GroupBy {
			row[name] = g.cells[k]
		}
		for k, m := range s.Measures {
			v, err := g.of[k].result(m)
			if err != nil {
				return nil, err
			}
			row[m.Name] = v
		}
		out[i] = row
	}
	return out, nil
}

// Columns lists the columns of Rows.
func (s *Summary) Columns() []string {
	out := slices.Clone(s.GroupBy)
	for _, m := range s.Measures {
		out = append(out, m.Name)
	}
	return out
}

func (c *cell) result(m Measure) (any, error) {
	switch m.By {
	case Count:
		return c.n, nil
	case Distinct:
		return len(c.values), nil
	case Min, Max:
		return c.extreme, nil
	case Median:
		return c.median()
	}
	if c.total == nil {
		c.total = &Total{}
	}
	if m.By == Mean {
		return c.total.Mean(c.n)
	}
	return c.total.Sum()
}

func (c *cell) median() (any, error) {
	if c.n == 0 {
		return nil, nil
	}
	all := make([]float64, 0, len(c.numbers))
	for f := range c.numbers {
		all = append(all, f)
	}
	slices.Sort(all)
	at := func(k int) any {
		for _, f := range all {
			if k -= c.numbers[f]; k < 0 {
				v, _ := value.Normalize(f)
				return v
			}
		}
		return nil
	}
	if c.n%2 == 1 {
		return at(c.n / 2), nil
	}
	var t Total
	t.Add(at(c.n/2 - 1))
	t.Add(at(c.n / 2))
	return t.Mean(2)
}
