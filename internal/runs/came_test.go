package runs

import (
	"database/sql"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/engine/journal"
)

// TestCame: what came of a plan is the last run of its workflow, also one that ran another again, and no run that tells of one.
func TestCame(t *testing.T) {
	t.Parallel()
	h := Of(t.TempDir())
	defer h.Close()
	id := func(seconds int, random string, about journal.About, status engine.Status) string {
		return begin(t, h, seconds, random, about, status).id
	}
	run := func(by, parent string) journal.About {
		return journal.About{Kind: journal.OfWorkflow, Name: "copy", By: by, Parent: parent}
	}
	plan := journal.About{Kind: journal.OfPlan, Name: "planner", Request: "copy", By: journal.ByPerson}
	id(1, "none", plan, engine.Done)
	failed := id(2, "failed", plan, engine.Done)
	first := id(3, "first", run(journal.ByPerson, failed), engine.Failed)
	id(4, "tells", run("run:"+first, first), engine.Done)
	id(5, "look", journal.About{Kind: journal.OfFlow, Name: "fix", By: journal.ByFix, Parent: first}, engine.Done)
	mended := id(6, "mended", plan, engine.Done)
	second := id(7, "second", run(journal.ByPerson, mended), engine.Failed)
	again := id(8, "again", run(journal.ByRetry, second), engine.Failed)
	fixed := id(9, "fixed", run(journal.ByFix, again), engine.Done)
	open := id(10, "open", plan, engine.Done)
	goes := id(11, "goes", run(journal.ByPerson, open), "")

	rows, err := h.List(Query{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Came(rows); err != nil {
		t.Fatal(err)
	}
	want := map[string]Came{failed: {first, Failed}, mended: {fixed, Done}, open: {goes, Running}}
	for _, r := range rows {
		switch w, has := want[r.ID]; {
		case !has && r.Came != nil:
			t.Errorf("of %s nothing came, and not %+v", r.ID, *r.Came)
		case has && (r.Came == nil || *r.Came != w):
			t.Errorf("of %s came %+v, want %+v", r.ID, r.Came, w)
		}
	}
}

// TestCameByIndex: whatever other runs there are, none of them is read.
func TestCameByIndex(t *testing.T) {
	t.Parallel()
	h := Of(t.TempDir())
	defer h.Close()
	some(t, h).Close()
	err := h.with(func(db *sql.DB) error {
		rows, err := db.Query("EXPLAIN QUERY PLAN "+cameQuery(2), "a", "b")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var does string
			if err := rows.Scan(&id, &parent, &unused, &does); err != nil {
				return err
			}
			if strings.HasPrefix(does, "SCAN") && does != "SCAN came" {
				t.Errorf("it reads more than it needs: %s", does)
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
