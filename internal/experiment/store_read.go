package experiment

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"path/filepath"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// id names the experiment.
func (s *Store) id() string { return filepath.Base(s.Dir) }

// caseLine is a case as it stands in the store.
type caseLine struct {
	ord                          int
	id, group, request, expected string
	sum                          [32]byte // of the whole case
}

// count gives the number of cases.
func (s *Store) count() (n int, err error) {
	err = s.db.QueryRow("SELECT count(*) FROM cases").Scan(&n)
	return n, err
}

// readCase reads a case back. dir is what its paths are relative to.
func (s *Store) readCase(ord int, dir string, p *predicates) (Case, error) {
	var body string
	if err := s.db.QueryRow("SELECT body FROM cases WHERE ord = ?", ord).Scan(&body); err != nil {
		return Case{}, err
	}
	v, err := value.ParseWritten([]byte(body))
	if err != nil {
		return Case{}, err
	}
	c, found := readCase(v, lineOrigin{file: s.Dir, line: ord + 1, data: []byte(body)}, dir, p)
	return c, found.Err()
}

// marks is a set of rows.
type marks struct {
	bits              []uint64
	variants, repeats int
}

func newMarks(cases, variants, repeats int) *marks {
	return &marks{bits: make([]uint64, cases*variants*repeats/64+1), variants: variants, repeats: repeats}
}

func (m *marks) at(k Key) (word int, bit uint64) {
	i := (k.Case*m.variants+k.Variant)*m.repeats + k.Repeat
	return i / 64, 1 << (i % 64)
}

func (m *marks) has(k Key) bool {
	word, bit := m.at(k)
	return m.bits[word]&bit != 0
}

func (m *marks) add(k Key) {
	word, bit := m.at(k)
	m.bits[word] |= bit
}

// done marks the rows that there are and gives how many, and what all of them took. With retry, those that failed count
// as not there.
func (s *Store) done(m *marks, retry bool) (n int, spent spending, err error) {
	rows, err := s.db.Query("SELECT ord, variant, repeat, error_kind, coalesce(calls,0), coalesce(tokens,0), cost_usd FROM rows")
	if err != nil {
		return 0, spent, err
	}
	defer rows.Close()
	for rows.Next() {
		var k Key
		var kind string
		var calls, tokens float64
		var cost *float64
		if err := rows.Scan(&k.Case, &k.Variant, &k.Repeat, &kind, &calls, &tokens, &cost); err != nil {
			return 0, spent, err
		}
		spent.add(calls, tokens, cost)
		if kind == "" || !retry {
			m.add(k)
			n++
		}
	}
	return n, spent, rows.Err()
}

// storedVariant is a variant and the flow that it was loaded as.
type storedVariant struct {
	Variant
	FlowName, FlowHash string
}

func (s *Store) variants() ([]storedVariant, error) {
	rows, err := s.db.Query("SELECT spec, flow, hash FROM variants ORDER BY idx")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []storedVariant
	for rows.Next() {
		var v storedVariant
		var spec string
		if err := rows.Scan(&spec, &v.FlowName, &v.FlowHash); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(spec), &v.Variant); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// caseLines are all cases; the place of each in the list is its ord.
func (s *Store) caseLines() ([]caseLine, error) {
	rows, err := s.db.Query("SELECT ord, id, grp, request, expected, body FROM cases ORDER BY ord")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []caseLine
	for rows.Next() {
		var c caseLine
		var body sql.RawBytes
		if err := rows.Scan(&c.ord, &c.id, &c.group, &c.request, &c.expected, &body); err != nil {
			return nil, err
		}
		if c.ord != len(out) {
			return nil, fault.New(fault.Malformed, "the cases of %s cannot be read: case %d is missing", s.Dir, len(out))
		}
		c.sum = sha256.Sum256(body)
		out = append(out, c)
	}
	return out, rows.Err()
}

// eachRow hands on every row, without plan and steps, by case, variant and repeat. What it hands on is written over by the
// next.
func (s *Store) eachRow(each func(*Row) error) error {
	rows, err := s.db.Query("SELECT ord, variant, repeat, " + rowColumns + " FROM rows ORDER BY ord, variant, repeat")
	if err != nil {
		return err
	}
	defer rows.Close()
	var r Row
	values := make([]sql.NullFloat64, len(Metrics))
	var times, failed, inWords sql.RawBytes
	to := []any{&r.Case, &r.Variant, &r.Repeat, &r.Status, &r.Outcome, &r.ErrorKind, &r.Temporary}
	for i := range values {
		to = append(to, &values[i])
	}
	for _, n := range []*Counts{&r.Nodes, &r.Edges, &r.Param} {
		to = append(to, &n.Hits, &n.Planned, &n.Expected)
	}
	to = append(to, &times, &inWords, &failed, &r.Carried, &r.CarriedTokens, &r.Missed, &r.Assumed, &r.Untimed)
	said := map[string]string{} // few plans are said in many words of their own
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		r.Values, r.times, r.Failed = map[Metric]float64{}, nil, nil
		err := json.Unmarshal(times, &r.times)
		if err == nil && string(failed) != "null" {
			err = json.Unmarshal(failed, &r.Failed)
		}
		if err != nil {
			return fault.New(fault.Malformed, "a row of %s cannot be read: %v", s.Dir, err)
		}
		words, known := said[string(inWords)]
		if !known {
			words = string(inWords)
			said[words] = words
		}
		r.InWords = words
		for i, m := range Metrics {
			if values[i].Valid {
				r.Values[m] = values[i].Float64
			}
		}
		if err := each(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// detail is what a row holds beside its numbers.
type detail struct {
	outcome, inWords string
	failed           []string
	steps            []Step
}

func (s *Store) detail(k Key) (*detail, error) {
	d := &detail{}
	var failed, steps string
	err := s.db.QueryRow(`SELECT r.outcome, r.in_words, r.failed, d.steps FROM rows r JOIN details d USING (ord, variant, repeat)
		WHERE ord = ? AND variant = ? AND repeat = ?`, k.Case, k.Variant, k.Repeat).Scan(&d.outcome, &d.inWords, &failed, &steps)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		text string
		to   any
	}{{failed, &d.failed}, {steps, &d.steps}} {
		if err := value.Decode([]byte(part.text), part.to); err != nil {
			return nil, fault.New(fault.Malformed, "a row of %s cannot be read: %v", s.Dir, err)
		}
	}
	return d, nil
}

// Plans gives the plan of every row, as it was written.
func (s *Store) Plans() (map[Key]string, error) {
	rows, err := s.db.Query("SELECT ord, variant, repeat, plan FROM details")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[Key]string{}
	for rows.Next() {
		var k Key
		var plan string
		if err := rows.Scan(&k.Case, &k.Variant, &k.Repeat, &plan); err != nil {
			return nil, err
		}
		out[k] = plan
	}
	return out, rows.Err()
}
