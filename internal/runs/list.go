package runs

import (
	"database/sql"
	"math"
	"strings"
	"time"

	"pflow/engine/journal"
)

// Query says which runs are wanted. The zero Query wants all.
type Query struct {
	Status []Status // any of these
	Name   string   // of the workflow or flow
	Kind   journal.Kind
	By     string // who started it
	Parent string // the run that it came of
	Since  time.Time
	Before *Row // only those that stand behind it, the newest first
	Limit  int  // 0: all
}

// List lists runs, the newest first.
func (h *History) List(q Query) (out []Row, err error) {
	err = h.with(func(db *sql.DB) error {
		running, err := h.settle(db, time.Now())
		if err != nil {
			return err
		}
		out, err = query(db, q)
		for i := range out {
			if r, ok := running[out[i].ID]; ok {
				out[i] = r
			}
		}
		return err
	})
	return out, err
}

// query reads rows; those under way have no status yet.
func query(db *sql.DB, q Query) ([]Row, error) {
	var where []string
	var args []any
	and := func(cond string, values ...any) { where, args = append(where, cond), append(args, values...) }
	if len(q.Status) > 0 {
		var values []any
		for _, s := range q.Status {
			if s == Running {
				s = ""
			}
			values = append(values, string(s))
		}
		and("status IN (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
	}
	for column, v := range map[string]string{"name": q.Name, "kind": string(q.Kind), "started_by": q.By, "parent": q.Parent} {
		if v != "" {
			and(column+" = ?", v)
		}
	}
	if !q.Since.IsZero() {
		and("began >= ?", nanos(q.Since))
	}
	if q.Before != nil {
		and("(began, id) < (?, ?)", nanos(q.Before.Started), q.Before.ID)
	}
	text := "SELECT " + columns + " FROM runs"
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	text += " ORDER BY began DESC, id DESC"
	if q.Limit > 0 {
		text += " LIMIT ?"
		args = append(args, q.Limit)
	}
	return read(db, text, args...)
}

// nanos is a time as rows have it; one that is too far off for that, the nearest.
func nanos(t time.Time) int64 {
	switch year := t.Year(); {
	case year < 1700:
		return math.MinInt64
	case year > 2200:
		return math.MaxInt64
	}
	return t.UnixNano()
}

func read(db *sql.DB, text string, args ...any) ([]Row, error) {
	rows, err := db.Query(text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []Row{}
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// settle holds the rows without an end against their folders, and gives those of runs that are under way. They are few: a
// row whose run was interrupted says so from then on, until the run goes on.
func (h *History) settle(db *sql.DB, now time.Time) (running map[string]Row, err error) {
	open, err := read(db, "SELECT "+columns+" FROM runs WHERE status = ''")
	if err != nil {
		return nil, err
	}
	running = map[string]Row{}
	for _, was := range open {
		row, ok := h.refresh(db, was, now)
		if ok && row.Status == Running {
			running[row.ID] = row
		}
	}
	return running, nil
}

// refresh reads a row from its folder again. ok is false where there is no run any more, and no row.
func (h *History) refresh(db *sql.DB, was Row, now time.Time) (row Row, ok bool) {
	row, ok = look(h.home, was.ID, now)
	switch {
	case ok && row.Status == Running:
	case ok:
		_ = put(db, &row) // the next one tries again
	case journal.NeverBegan(h.home, was.ID, now) && now.Sub(was.Started) > time.Minute:
		_ = drop(db, was.ID)
	default: // it is about to begin
		row, ok = was, true
		row.Status = Running
	}
	return row, ok
}
