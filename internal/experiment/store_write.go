package experiment

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"time"
)

// caseWriter keeps cases, all of them in one transaction.
type caseWriter struct {
	tx   *sql.Tx
	stmt *sql.Stmt
	n    int
}

// writeCases hands out what keeps cases; all of them are kept together, or none.
func (s *Store) writeCases(fill func(add func(Case) error) error) (int, error) {
	tx, err := s.db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	w := &caseWriter{tx: tx}
	if w.stmt, err = tx.Prepare("INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?)"); err != nil {
		return 0, err
	}
	defer w.stmt.Close()
	if err := fill(w.add); err != nil {
		return 0, err
	}
	return w.n, tx.Commit()
}

func (w *caseWriter) add(c Case) error {
	_, err := w.stmt.Exec(w.n, c.ID, c.Group, c.Request, c.Expect.Outcome(), jsonText(c.raw))
	w.n++
	return err
}

// addVariant keeps a variant and the flow it was loaded as.
func (s *Store) addVariant(index int, v Variant, flow, hash string) error {
	_, err := s.db.Exec("INSERT INTO variants VALUES (?, ?, ?, ?, ?)", index, v.Name, jsonText(v), flow, hash)
	return err
}

// begunAgain keeps a spec in place of the one that decided the same rows. From now on this experiment is the newest.
func (s *Store) begunAgain(spec *Spec) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, v := range spec.Variants {
		if _, err := tx.Exec("UPDATE variants SET spec = ? WHERE idx = ?", jsonText(v), i); err != nil {
			return err
		}
	}
	if _, err := tx.Exec("UPDATE meta SET value = ? WHERE key = 'spec'", jsonText(spec)); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	now := time.Now()
	return os.Chtimes(filepath.Join(s.Dir, LockFile), now, now)
}

// batch is the most rows of one commit.
const batch = 256

// writeRows keeps rows as they come until the channel is closed. Rows that wait together are committed together; none
// waits for others.
func (s *Store) writeRows(rows <-chan Row, written func(Row)) error {
	conn, err := s.db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	var into [2]*sql.Stmt
	for i, insert := range inserts {
		if into[i], err = conn.PrepareContext(context.Background(), insert); err != nil {
			return err
		}
		defer into[i].Close()
	}
	var list []Row
	for {
		r, ok := <-rows
		if !ok {
			return nil
		}
		list = append(list[:0], r)
		for more := true; more && len(list) < batch; {
			select {
			case r, ok := <-rows:
				if more = ok; ok {
					list = append(list, r)
				}
			default:
				more = false
			}
		}
		if err := commit(conn, into, list); err != nil {
			return err
		}
		for _, r := range list {
			written(r)
		}
	}
}

// inserts keep a row and its details. One that is there already, which --retry-errors may give, is replaced.
var inserts = [2]string{
	`INSERT OR REPLACE INTO rows VALUES (?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?,?,?, ?,?,?,?,?)`,
	`INSERT OR REPLACE INTO details VALUES (?,?,?,?,?)`,
}

// commit keeps some rows, by the prepared inserts.
func commit(conn *sql.Conn, into [2]*sql.Stmt, rows []Row) error {
	tx, err := conn.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	row, details := tx.Stmt(into[0]), tx.Stmt(into[1])
	for _, r := range rows {
		if _, err := row.Exec(r.columns()...); err != nil {
			return err
		}
		if _, err := details.Exec(r.Case, r.Variant, r.Repeat, string(r.Plan), jsonText(r.Steps)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (r *Row) columns() []any {
	out := []any{r.Case, r.Variant, r.Repeat, r.Status, r.Outcome, r.ErrorKind, r.Temporary}
	for _, m := range Metrics {
		if v, ok := r.Values[m]; ok {
			out = append(out, v)
		} else {
			out = append(out, nil)
		}
	}
	for _, c := range []Counts{r.Nodes, r.Edges, r.Param} {
		out = append(out, c.Hits, c.Planned, c.Expected)
	}
	return append(out, jsonText(r.times), r.InWords, jsonText(r.Failed), r.Carried, r.CarriedTokens, r.Missed, r.Assumed, r.Untimed)
}
