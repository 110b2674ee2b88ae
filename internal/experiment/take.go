package experiment

import (
	"context"
	"path/filepath"
	"slices"
)

// rowColumns are those of rows after their key.
const rowColumns = `status, outcome, error_kind, temporary,
		pass, first_try, node_f1, edge_f1, param_f1, calls, tokens, cost_usd, latency_ms, latency_net_ms,
		node_hits, node_planned, node_expected, edge_hits, edge_planned, edge_expected, param_hits, param_planned, param_expected,
		times, in_words, failed, carried, carried_tokens, missed, assumed, untimed`

// Take takes over from another experiment, whose folder is from, the rows that this one would make again: those of the cases
// and variants that are the same in both. Rows without an answer that planning again may give are left out.
func (x *Experiment) Take(from string, was, is *Identity) error {
	if was.shared != is.shared {
		return nil
	}
	ctx := context.Background()
	conn, err := x.store.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "ATTACH DATABASE ? AS prior", filepath.Join(from, file)); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, "DETACH DATABASE prior")
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`CREATE TEMP TABLE same_cases (was INTEGER, now INTEGER); CREATE TEMP TABLE same_variants (was INTEGER, now INTEGER)`); err != nil {
		return err
	}
	for id, now := range is.cases {
		if then, there := was.cases[id]; there && then.sum == now.sum {
			if _, err := tx.Exec("INSERT INTO same_cases VALUES (?, ?)", then.ord, now.ord); err != nil {
				return err
			}
		}
	}
	for now, sum := range is.variants {
		if then := slices.Index(was.variants, sum); then >= 0 {
			if _, err := tx.Exec("INSERT INTO same_variants VALUES (?, ?)", then, now); err != nil {
				return err
			}
		}
	}
	const same = ` JOIN same_cases c ON c.was = r.ord JOIN same_variants v ON v.was = r.variant WHERE r.repeat < ? AND r.temporary = 0`
	for _, copying := range []string{
		"INSERT OR IGNORE INTO main.details SELECT c.now, v.now, r.repeat, d.plan, d.steps FROM prior.rows r JOIN prior.details d USING (ord, variant, repeat)" + same,
		"INSERT OR IGNORE INTO main.rows SELECT c.now, v.now, r.repeat, " + rowColumns + " FROM prior.rows r" + same,
		"DROP TABLE same_cases", "DROP TABLE same_variants",
	} {
		var args []any
		if copying[0] == 'I' {
			args = []any{x.Spec.Repeats}
		}
		if _, err := tx.Exec(copying, args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
