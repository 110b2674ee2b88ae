package runs

import (
	"database/sql"
	"os"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
)

// Writer is the journal of one run, whose row in the index follows it. It implements engine.Journal.
type Writer struct {
	*journal.Writer
	history *History
	id      string
	row     Row
}

// Create makes the journal of a new run. Its row follows once it begins: then others find it.
func (h *History) Create(id string, about journal.About, documents []byte) (*Writer, error) {
	if about.Began.IsZero() {
		about.Began = time.Now().UTC()
	}
	w, err := journal.Create(h.home, id, about, documents)
	if err != nil {
		return nil, err
	}
	out := &Writer{Writer: w, history: h, id: id, row: Row{ID: id, Bytes: int64(len(documents))}}
	out.row.about(about.Bounded())
	return out, nil
}

// Begin implements engine.Journal.
func (w *Writer) Begin(start engine.Event) error {
	if err := w.Writer.Begin(start); err != nil {
		return err
	}
	w.history.write(func(db *sql.DB) error {
		row := w.row
		row.Status = Running
		return put(db, &row)
	})
	w.history.opened(w.id)
	return nil
}

// Resume opens the journal of a run to go on with it, as journal.Resume does.
func (h *History) Resume(id string, now time.Time) (*journal.Past, []byte, *Writer, error) {
	past, documents, w, err := journal.Resume(h.home, id, now)
	if err != nil {
		return nil, nil, nil, err
	}
	out := &Writer{Writer: w, history: h, id: id}
	h.reopen(id)
	h.opened(id)
	return past, documents, out, nil
}

func (h *History) opened(id string) {
	if h.Opened != nil {
		h.Opened(id)
	}
}

// reopen takes the status off a row: what holds is looked up.
func (h *History) reopen(id string) {
	h.write(func(db *sql.DB) error {
		_, err := db.Exec("UPDATE runs SET status = '' WHERE id = ?", id)
		return err
	})
}

// GiveUp ends a run that could go on: it never will.
func (h *History) GiveUp(id string, now time.Time) error {
	if err := journal.GiveUp(h.home, id, now); err != nil {
		return err
	}
	h.write(func(db *sql.DB) error {
		if row, ok := look(h.home, id, now); ok {
			return put(db, &row)
		}
		return nil
	})
	return nil
}

// Decide notes what a person said to a plan. A run that is not of this home is none of its business.
func (h *History) Decide(id string, d Decision) error {
	row, ok := look(h.home, id, time.Now())
	if !ok || row.Kind != journal.OfPlan {
		return nil
	}
	if err := journal.Decide(h.home, id, string(d)); err != nil {
		return err
	}
	h.write(func(db *sql.DB) error {
		if row, ok := look(h.home, id, time.Now()); ok {
			return put(db, &row)
		}
		return nil
	})
	return nil
}

// Ended implements engine.Journal.
func (w *Writer) Ended(end engine.Ending) error {
	err := w.Writer.Ended(end)
	w.history.write(func(db *sql.DB) error {
		row, ok := look(w.history.home, w.id, time.Now())
		if !ok {
			return drop(db, w.id)
		}
		if row.Status == Running { // this process has the journal still
			row.end(end)
			row.Resumable = err == nil && (end.Status == engine.Cancelled || end.Status == engine.Waiting)
		}
		return put(db, &row)
	})
	return err
}

// Undo makes the journal what it was before this process went on with the run.
func (w *Writer) Undo() error {
	err := w.Writer.Undo()
	w.history.reopen(w.id)
	return err
}

// write changes the index. A run goes on where that fails: the folder has all that a row has.
func (h *History) write(f func(*sql.DB) error) {
	db, err := h.open()
	if err == nil {
		err = f(db)
	}
	if err != nil && isDamaged(err) {
		h.Close()
		h.remove()
		if db, err = h.open(); err == nil {
			err = f(db)
		}
	}
	if err != nil {
		if _, e := os.Stat(h.home); e == nil {
			h.stale()
		}
	}
}
