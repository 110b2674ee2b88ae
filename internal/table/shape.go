package table

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Shape says which rows of a table are taken, and what becomes of them, in this order: types, filter, where, add, unique, sort, places,
// limit, rename, columns.
type Shape struct {
	Types   Types
	Typed   bool // the rows that are given have their values in the types of their columns; otherwise as they were written
	Filter  *Filter
	Where   func(row map[string]any) (bool, error)
	Add     []Added
	Unique  []string // of rows that are equal in these columns the first is taken
	Sort    []Key
	Places  Places
	Limit   int // at most so many; 0: all
	Rename  map[string]string
	Columns []string // these and in this order, by their new names; nil: all
	Without []string // these are left out

	cells []any          // of the last row, where nothing keeps them
	last  map[string]any // likewise
}

// Added is a column that is computed of the row as it was; one of that name is replaced.
type Added struct {
	Name  string
	Value func(row map[string]any) (any, error)
}

// maxHeld bounds what is held of a table in memory, in bytes of text.
const maxHeld = 32 << 20

// cellSize is what a cell takes beside its text, in bytes.
const cellSize = 32

// maxKeys bounds the different values that are remembered.
const maxKeys = 1 << 20

// Run gives the rows of a table in their new shape. A record is only good until the next one is given.
func (s *Shape) Run(ctx context.Context, r Reader, give func(*Record) error) error {
	if h := r.Header(); h != nil {
		s.Settle(h)
	}
	if err := s.check(r.Header()); err != nil {
		return err
	}
	final := &projection{shape: s}
	seen := map[string]bool{}
	sorted := &sorter{types: s.Types, limit: s.Places.most(s.Limit)}
	out := &placed{places: s.Places, limit: s.Limit, give: func(rec *Record) error { return give(final.of(rec)) }}
	filtered := filterColumns{filter: s.Filter}
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if n == 0 && r.Header() == nil {
			s.Settle(rec.Names)
		}
		filtered.see(rec.Names)
		ok, err := s.row(rec)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if len(s.Unique) > 0 {
			k := rec.key(s.Unique)
			if seen[k] {
				continue
			}
			if len(seen) == maxKeys {
				return fault.New(fault.InvalidRequest, "there are more than %d different values; that many are not remembered: narrow the rows with where", maxKeys)
			}
			seen[k] = true
		}
		if sorted.keys = s.Sort; len(s.Sort) > 0 {
			if err := sorted.add(rec); err != nil {
				return err
			}
			continue
		}
		if over, err := out.take(rec); err != nil || over {
			return err
		}
	}
	if err := filtered.lacking(); err != nil {
		return err
	}
	for _, rec := range sorted.done() {
		if over, err := out.take(rec); err != nil || over {
			return err
		}
	}
	return out.done()
}

// Settle takes the columns that are named for those that are there, where they are only written otherwise: with capitals, with a
// blank for a hyphen, in the plural.
func (s *Shape) Settle(there []string) {
	for _, a := range s.Add {
		if !slices.Contains(there, a.Name) {
			there = append(slices.Clone(there), a.Name)
		}
	}
	if s.Filter != nil {
		s.Filter.settle(there)
	}
	if len(s.Unique) == 1 && s.Unique[0] == everyColumn {
		s.Unique = slices.Clone(there)
	}
	for _, list := range [][]string{s.Unique, s.Without} {
		settle(list, there)
	}
	if len(s.Sort) == 1 && s.Sort[0].Column == everyColumn {
		desc := s.Sort[0].Desc
		s.Sort = nil
		for _, name := range there {
			s.Sort = append(s.Sort, Key{Column: name, Desc: desc})
		}
	}
	for i, k := range s.Sort {
		s.Sort[i].Column = Loose(k.Column, there)
	}
	for name, to := range s.Rename {
		if loose := Loose(name, there); loose != name {
			delete(s.Rename, name)
			s.Rename[loose] = to
		}
	}
	if final, err := s.Final(there); err == nil {
		settle(s.Columns, final)
	}
}

func settle(names, there []string) {
	for i, name := range names {
		names[i] = Loose(name, there)
	}
}

// Loose is the column that a name means: the one that is called so, the second of #2, the last of #-1, else the only one whose name
// is the same but for how it is written, else the name itself.
func Loose(name string, there []string) string {
	if slices.Contains(there, name) {
		return name
	}
	if place, ok := strings.CutPrefix(name, "#"); ok {
		n, err := strconv.Atoi(place)
		if n < 0 {
			n += len(there) + 1
		}
		if err == nil && n >= 1 && n <= len(there) {
			return there[n-1]
		}
	}
	found := name
	for _, column := range there {
		if a, b := loosened(column), loosened(name); a == b || singular(a) == singular(b) {
			if found != name {
				return name
			}
			found = column
		}
	}
	return found
}

func loosened(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == ' ' {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "ss"):
	case strings.HasSuffix(name, "ses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"):
		return name[:len(name)-2]
	case strings.HasSuffix(name, "s") && len(name) > 2:
		return name[:len(name)-1]
	}
	return name
}

// filterColumns notes which columns of a filter some row has, of a table whose rows name their columns themselves: one that
// none has is misspelt.
type filterColumns struct {
	filter *Filter
	there  names
	last   []string
}

func (f *filterColumns) see(columns []string) {
	if f.filter != nil && !slices.Equal(f.last, columns) {
		f.last = columns
		f.there.add(columns) // too many are refused where the rows are held
	}
}

func (f *filterColumns) lacking() error {
	if f.filter == nil || f.last == nil {
		return nil
	}
	for _, name := range f.filter.Columns() {
		if err := known(name, f.there.list); err != nil {
			return fault.New(fault.InvalidRequest, "filter: %v", err)
		}
	}
	return nil
}

// row types a row, asks whether it is taken, and adds to it.
func (s *Shape) row(rec *Record) (bool, error) {
	if s.Filter != nil {
		if ok, err := s.Filter.holds(s.Types, rec); err != nil || !ok {
			return false, err
		}
	}
	cells := rec.Cells
	if s.Where != nil || len(s.Add) > 0 || s.Typed {
		if cells = s.cells; s.Typed || len(cells) != len(rec.Cells) {
			cells = make([]any, len(rec.Cells))
			s.cells = cells
		}
		for i := range cells {
			var err error
			if cells[i], err = s.Types.Typed(rec, i); err == nil {
				cells[i], err = Value(cells[i])
			}
			if err != nil {
				return false, err
			}
		}
	}
	if s.Typed {
		rec.Cells = cells
	}
	if s.Where == nil && len(s.Add) == 0 {
		return true, nil
	}
	row := s.last
	if clear(row); row == nil || len(s.Add) > 0 { // a computed value may be the row, or a part of it
		row = make(map[string]any, len(cells)+len(s.Add))
		s.last = row
	}
	for i, name := range rec.Names {
		row[name] = cells[i]
	}
	if s.Where != nil {
		if ok, err := s.Where(row); err != nil || !ok {
			return false, atRow(rec, "where", err)
		}
	}
	for _, a := range s.Add {
		v, err := a.Value(row)
		if err != nil {
			return false, atRow(rec, "add."+a.Name, err)
		}
		if at := slices.Index(rec.Names, a.Name); at >= 0 {
			if !s.Typed {
				rec.Cells = slices.Clone(rec.Cells)
			}
			rec.Cells[at] = v
			continue
		}
		rec.Names, rec.Cells = append(slices.Clone(rec.Names), a.Name), append(slices.Clone(rec.Cells), v)
	}
	return true, nil
}

// atRow names the row and the param in an error of an expression.
func atRow(rec *Record, param string, err error) error {
	if err == nil {
		return nil
	}
	e := *fault.Of(err)
	e.Message = rec.At() + ": " + e.Message
	e.Path = "params." + param
	return &e
}

// check refuses columns that are not there.
func (s *Shape) check(header []string) error {
	if header == nil {
		return nil
	}
	if err := s.Types.Check(header); err != nil {
		return err
	}
	there := slices.Clone(header)
	for _, a := range s.Add {
		if !slices.Contains(there, a.Name) {
			there = append(there, a.Name)
		}
	}
	var sorts []string
	for _, k := range s.Sort {
		sorts = append(sorts, k.Column)
	}
	for _, c := range []struct {
		param string
		names []string
	}{{"unique_by", s.Unique}, {"sort_by", sorts}, {"rename", value.SortedKeys(s.Rename)}, {"without", s.Without}} {
		for _, name := range c.names {
			if err := knownIn(c.param, name, there); err != nil {
				return fault.New(fault.InvalidRequest, "%s: %v", c.param, err)
			}
		}
	}
	if s.Filter != nil {
		for _, name := range s.Filter.Columns() {
			if err := knownIn("filter", name, header); err != nil {
				return fault.New(fault.InvalidRequest, "filter: %v", err)
			}
		}
	}
	final, err := s.Final(there)
	if err != nil {
		return err
	}
	for _, name := range s.Columns {
		if err := knownIn("columns", name, final); err != nil {
			return fault.New(fault.InvalidRequest, "columns: %v", err)
		}
	}
	return nil
}

func known(name string, there []string) error {
	if slices.Contains(there, name) {
		return nil
	}
	return Unknown(name, there)
}

// knownIn refuses a column that a param names and that is not there.
func knownIn(param, name string, there []string) error {
	err := known(name, there)
	if err != nil {
		fault.Of(err).Details[fault.DetailParam] = "params." + param
	}
	return err
}

// Final lists the columns of what is given, of a table that has these.
func (s *Shape) Final(columns []string) ([]string, error) {
	out := []string{}
	for _, name := range columns {
		if !slices.Contains(s.Without, name) {
			out = append(out, s.renamed(name))
		}
	}
	for _, a := range s.Add {
		if !slices.Contains(columns, a.Name) && !slices.Contains(s.Without, a.Name) {
			out = append(out, s.renamed(a.Name))
		}
	}
	seen := map[string]bool{}
	for _, name := range out {
		if seen[name] {
			return nil, fault.New(fault.InvalidRequest, "rename: two columns would have the name %q; give one of them another, or leave it out with without", name)
		}
		seen[name] = true
	}
	return out, nil
}

func (s *Shape) renamed(name string) string {
	if to, ok := s.Rename[name]; ok {
		return to
	}
	return name
}

// projection picks and renames the columns of rows.
type projection struct {
	shape *Shape
	of_   []string // the names that names and place are for
	names []string
	place []int
}

func (p *projection) of(r *Record) *Record {
	s := p.shape
	if s.Columns == nil && len(s.Without) == 0 && len(s.Rename) == 0 {
		return r
	}
	if p.names == nil || !slices.Equal(p.of_, r.Names) {
		p.of_, p.names, p.place = r.Names, []string{}, nil
		at := map[string]int{}
		var all []string
		for i, name := range r.Names {
			if !slices.Contains(s.Without, name) {
				all = append(all, s.renamed(name))
				at[s.renamed(name)] = i
			}
		}
		if s.Columns != nil {
			all = s.Columns
		}
		for _, name := range all {
			if i, ok := at[name]; ok {
				p.names, p.place = append(p.names, name), append(p.place, i)
			}
		}
	}
	out := &Record{Names: p.names, Cells: make([]any, len(p.place)), unit: r.unit, Line: r.Line}
	for i, at := range p.place {
		out.Cells[i] = r.Cells[at]
	}
	return out
}

// key is what rows have that are equal in some columns.
func (r *Record) key(columns []string) string {
	var b strings.Builder
	for _, name := range columns {
		cell, _ := r.Cell(name)
		text := Text(cell)
		b.Write(value.AppendString(nil, text))
	}
	return b.String()
}

// clone makes a record that stays.
func (r *Record) clone() *Record {
	out := &Record{Names: r.Names, Cells: make([]any, len(r.Cells)), unit: r.unit, Line: r.Line}
	copy(out.Cells, r.Cells)
	return out
}

// size is what a record takes in memory, in bytes.
func (r *Record) size() int {
	n := 0
	for _, cell := range r.Cells {
		n += cellSize + weight(cell)
	}
	return n
}

func weight(cell any) (n int) {
	switch c := cell.(type) {
	case string:
		return len(c)
	case json.RawMessage:
		return len(c)
	case []any:
		for _, v := range c {
			n += cellSize + weight(v)
		}
	case map[string]any:
		for k, v := range c {
			n += cellSize + len(k) + weight(v)
		}
	}
	return n
}

// Rows holds the rows that a shape gives.
type Rows struct {
	List  []any
	names names
	size  int
}

// Add takes a row.
func (h *Rows) Add(r *Record) error {
	if err := h.names.add(r.Names); err != nil {
		return err
	}
	row := make(map[string]any, len(r.Cells))
	for i, name := range r.Names {
		v, err := Value(r.Cells[i])
		if err != nil {
			return fault.New(fault.Type, "%s, column %q: %v", r.At(), name, err)
		}
		if text, ok := v.(string); ok {
			v = strings.Clone(text) // and not the whole line
		}
		row[name] = v
		h.size += len(name)
	}
	if h.size += r.size(); h.size > maxHeld {
		return fault.New(fault.InvalidRequest, "%s: until here the rows take more than %d MB, and no more are held: take fewer with where, columns or limit, "+
			"compute with summarise-table, or write them to a file with convert-table, which hold none", r.At(), maxHeld>>20)
	}
	h.List = append(h.List, row)
	return nil
}

// Columns lists the columns of the rows, in the order in which they come first.
func (h *Rows) Columns() []string { return append([]string{}, h.names.list...) }
