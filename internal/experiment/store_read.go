package experiment

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"

	"pflow/internal/fault"
	"pflow/internal/planner"
	"pflow/internal/value"
)

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

// eachRow hands on every row, without plan and steps, by case, variant and repeat.
func (s *Store) eachRow(each func(caseLine, Row) error) error {
	rows, err := s.db.Query(`SELECT c.ord, c.id, c.grp, c.request, c.expected, c.body, r.variant, r.repeat, r.status, r.outcome, r.error_kind, r.temporary,
		pass, first_try, node_f1, edge_f1, param_f1, calls, tokens, cost_usd, latency_ms, latency_net_ms,
		node_hits, node_planned, node_expected, edge_hits, edge_planned, edge_expected, param_hits, param_planned, param_expected, times
		FROM rows r JOIN cases c ON c.ord = r.ord ORDER BY r.ord, r.variant, r.repeat`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var c caseLine
		r := Row{Score: Score{Values: map[Metric]float64{}}}
		values := make([]sql.NullFloat64, len(Metrics))
		var body, times sql.RawBytes
		to := []any{&c.ord, &c.id, &c.group, &c.request, &c.expected, &body, &r.Variant, &r.Repeat, &r.Status, &r.Outcome, &r.ErrorKind, &r.Temporary}
		for i := range values {
			to = append(to, &values[i])
		}
		for _, n := range []*Counts{&r.Nodes, &r.Edges, &r.Param} {
			to = append(to, &n.Hits, &n.Planned, &n.Expected)
		}
		if err := rows.Scan(append(to, &times)...); err != nil {
			return err
		}
		if err := json.Unmarshal(times, &r.times); err != nil {
			return fault.New(fault.Malformed, "a row of %s cannot be read: its times: %v", s.Dir, err)
		}
		r.Case, c.sum = c.ord, sha256.Sum256(body)
		for i, m := range Metrics {
			if values[i].Valid {
				r.Values[m] = values[i].Float64
			}
		}
		if err := each(c, r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// detail is what a row holds beside its numbers.
type detail struct {
	failed []string
	plan   *planner.Result
	steps  []Step
}

func (s *Store) detail(k Key) (*detail, error) {
	var failed, plan, steps string
	err := s.db.QueryRow("SELECT failed, plan, steps FROM details WHERE ord = ? AND variant = ? AND repeat = ?", k.Case, k.Variant, k.Repeat).
		Scan(&failed, &plan, &steps)
	if err != nil {
		return nil, err
	}
	d := &detail{}
	d.plan, err = planner.Read([]byte(plan))
	for _, part := range []struct {
		text string
		to   any
	}{{failed, &d.failed}, {steps, &d.steps}} {
		if err == nil {
			err = value.Decode([]byte(part.text), part.to)
		}
	}
	if err != nil {
		return nil, fault.New(fault.Malformed, "a row of %s cannot be read: %v", s.Dir, err)
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
