package runs

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	idParts = regexp.MustCompile(`^\d{8}-\d{6}-([0-9a-z]+)$`)
	inID    = regexp.MustCompile(`^[0-9a-z-]{1,64}$`)
)

// Last stands for the run that began last, but for those that tell of another.
const Last = "last"

// NotFound is the error of Find where no run is meant.
type NotFound struct {
	Given string
	None  bool // the home has no runs at all
}

// Absent reports that it is not there.
func (e *NotFound) Absent() bool { return true }

func (e *NotFound) Error() string {
	if e.None {
		return "there are no runs yet"
	}
	return fmt.Sprintf("there is no run %q", e.Given)
}

// Ambiguous is the error of Find where several runs are meant.
type Ambiguous struct {
	Given string
	Rows  []Row // at most maxAmbiguous
	More  bool
}

const maxAmbiguous = 10

func (e *Ambiguous) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q is the beginning of several runs:", e.Given)
	for _, r := range e.Rows {
		fmt.Fprintf(&b, "\n  %s  %s  %s", r.ID, r.Status, r.Name)
	}
	if e.More {
		b.WriteString("\n  and others")
	}
	b.WriteString("\ngive more of the id")
	return b.String()
}

// Find finds a run by its id, by the beginning of its id or of the random digits at its end, or as the one that began last.
// The error is *NotFound or *Ambiguous, or that of the home.
func Find(home, given string) (Row, error) {
	h := Of(home)
	defer h.Close()
	return h.Find(given)
}

// Find finds a run by its id, by the beginning of its id or of the random digits at its end, or as the one that began last.
// The error is *NotFound or *Ambiguous, or that of the home.
func (h *History) Find(given string) (Row, error) {
	now := time.Now()
	if inID.MatchString(given) {
		if row, ok := look(h.home, given, now); ok {
			return row, nil // the whole id: no index is needed
		}
	}
	var out Row
	err := h.with(func(db *sql.DB) error {
		rows, err := h.matches(db, given, now)
		switch {
		case err != nil:
			return err
		case len(rows) == 0:
			return callersError{&NotFound{given, given == Last}}
		case len(rows) > 1:
			return callersError{&Ambiguous{given, rows[:min(len(rows), maxAmbiguous)], len(rows) > maxAmbiguous}}
		}
		out = rows[0]
		return nil
	})
	return out, err
}

// matches gives the runs that may be meant, a few of them, the newest first.
func (h *History) matches(db *sql.DB, given string, now time.Time) (out []Row, err error) {
	for {
		var rows []Row
		switch {
		case given == Last:
			rows, err = read(db, "SELECT "+columns+" FROM runs WHERE started_by NOT LIKE 'run:%' ORDER BY began DESC, id DESC LIMIT 5")
		case !inID.MatchString(given):
			return nil, nil
		default:
			end := given + "\x7f"
			rows, err = read(db, "SELECT "+columns+" FROM runs WHERE id >= ? AND id < ? UNION SELECT "+columns+" FROM runs WHERE short >= ? AND short < ? ORDER BY began DESC LIMIT ?",
				given, end, given, end, maxAmbiguous+1)
		}
		if err != nil {
			return nil, err
		}
		dropped := false
		for _, was := range rows {
			row, ok := look(h.home, was.ID, now)
			if !ok {
				row, ok = h.refresh(db, was, now)
				dropped = dropped || !ok
			}
			if ok {
				out = append(out, row)
			}
		}
		if len(out) > 0 && given == Last {
			return out[:1], nil
		}
		if len(out) > 0 || !dropped {
			return out, nil
		}
	}
}

// Complete lists what may stand for runs where something was begun: their random digits or their ids, of the newest runs.
// Only those with one of the statuses, unless there are none.
func (h *History) Complete(begun string, most int, status ...Status) []Row {
	var out []Row
	_ = h.with(func(db *sql.DB) error {
		if _, err := h.settle(db, time.Now()); err != nil {
			return err
		}
		rows, err := query(db, Query{Limit: 100 * most, Status: status})
		for _, r := range rows {
			if len(out) < most && (strings.HasPrefix(r.ID, begun) || strings.HasPrefix(Short(r.ID), begun)) {
				out = append(out, r)
			}
		}
		return err
	})
	return slices.Clip(out)
}

// Children lists the runs that came of a run, in the order in which they began.
func (h *History) Children(id string) ([]Row, error) {
	rows, err := h.List(Query{Parent: id})
	slices.Reverse(rows)
	return rows, err
}
