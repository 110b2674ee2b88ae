package runs

import (
	"database/sql"
	"errors"
	"time"

	"pflow/engine/journal"
)

// pruneEvery is how long runs that are no longer kept stay: to look which they are takes time of a run that begins.
const pruneEvery = time.Minute

// pruneAtOnce is how many runs go where nobody asked for it, so that a run that begins does not wait for the removal of
// thousands.
const pruneAtOnce = 200

// PruneSometimes removes runs that are no longer kept, unless that was done a short while ago.
func (h *History) PruneSometimes(keep journal.Retention, now time.Time) error {
	return h.with(func(db *sql.DB) error {
		last, err := fact(db, factPruned)
		if since := now.Sub(time.Unix(0, last)); err != nil || since >= 0 && since < pruneEvery {
			return err
		}
		if err := setFact(db, factPruned, now.UnixNano()); err != nil {
			return err
		}
		rows, err := h.notKept(db, keep, now, pruneAtOnce+1)
		if err != nil {
			return err
		}
		if len(rows) > pruneAtOnce { // the next run goes on
			rows = rows[:pruneAtOnce]
			if err := setFact(db, factPruned, 0); err != nil {
				return err
			}
		}
		_, err = h.removeAll(db, rows)
		return callers(err)
	})
}

// NotKept lists the runs that are no longer kept, the newest first. Whatever can go on is kept, however old and large, and so is
// what goes on.
func (h *History) NotKept(keep journal.Retention, now time.Time) (out []Row, err error) {
	err = h.with(func(db *sql.DB) error {
		out, err = h.notKept(db, keep, now, -1)
		return err
	})
	return out, err
}

// Remove removes finished runs, and gives those that it removed.
func (h *History) Remove(rows []Row) (removed []Row, err error) {
	err = h.with(func(db *sql.DB) error {
		removed, err = h.removeAll(db, rows)
		return callers(err)
	})
	return removed, err
}

// callers is an error that is no fault of the index.
func callers(err error) error {
	if err == nil {
		return nil
	}
	return callersError{err}
}

func (h *History) notKept(db *sql.DB, keep journal.Retention, now time.Time, most int) ([]Row, error) {
	if _, err := h.settle(db, now); err != nil {
		return nil, err
	}
	// The newest run that is one too many, too old, or with which the newer ones hold too much: it and all before it go, unless
	// they can go on.
	from, id := now.Add(-keep.Age).UnixNano(), ""
	bound := func(began int64, run string) {
		if began > from || began == from && run > id {
			from, id = began, run
		}
	}
	var began, held int64
	var run string
	err := db.QueryRow("SELECT began, id FROM runs ORDER BY began DESC, id DESC LIMIT 1 OFFSET ?", keep.Runs).Scan(&began, &run)
	if err == nil {
		bound(began, run)
	}
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		err = db.QueryRow("SELECT coalesce(sum(bytes), 0) FROM runs").Scan(&held)
	}
	if err == nil && held > keep.Bytes {
		err = db.QueryRow(`SELECT began, id FROM (SELECT began, id, sum(bytes) OVER (ORDER BY began DESC, id DESC ROWS UNBOUNDED PRECEDING) AS held FROM runs)
			WHERE held > ? ORDER BY began DESC, id DESC LIMIT 1`, keep.Bytes).Scan(&began, &run)
		bound(began, run)
	}
	if err != nil {
		return nil, err
	}
	// A run of which nothing can be told is nobody's to remove.
	return read(db, "SELECT "+columns+" FROM runs WHERE resumable = 0 AND status <> '' AND kind <> '' AND (began, id) <= (?, ?) ORDER BY began DESC, id DESC LIMIT ?", from, id, most)
}

func (h *History) removeAll(db *sql.DB, rows []Row) (removed []Row, err error) {
	if h.Leaving != nil && len(rows) > 0 {
		if err := h.Leaving(rows); err != nil {
			return nil, err
		}
	}
	for _, r := range rows {
		if g, e := journal.Look(h.home, r.ID); e == nil && (g.Running || g.GoesOn) {
			h.reopen(r.ID) // it went on since
			continue
		}
		if e := journal.Remove(h.home, r.ID); e != nil {
			err = e
			continue
		}
		removed = append(removed, r)
		if e := drop(db, r.ID); e != nil {
			err = e
		}
	}
	return removed, err
}
