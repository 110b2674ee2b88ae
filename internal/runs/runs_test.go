package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pflow/engine"
	"pflow/engine/journal"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// begin makes a run of a home that began so many seconds after began. A run with a status ends with it.
func begin(t testing.TB, h *History, seconds int, random string, about journal.About, status engine.Status) *Writer {
	t.Helper()
	at := began.Add(time.Duration(seconds) * time.Second)
	about.Began = at
	w, err := h.Create(at.Format("20060102-150405-")+random, about, []byte("{}"))
	if err == nil {
		err = w.Begin(engine.Event{Kind: engine.EventStart, Time: at, Input: map[string]any{}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if status != "" {
		end := engine.Ending{Status: status, At: 1500 * time.Millisecond, Steps: 2, Usage: map[string]float64{"cost_usd": 0.5, "tokens": 7}}
		if status == engine.Failed {
			end.Error = &engine.RunError{Kind: "timeout", Message: "no result", Node: "n"}
		}
		if err := w.Ended(end); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	return w
}

func list(t testing.TB, h *History, q Query) (out []string) {
	t.Helper()
	rows, err := h.List(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		out = append(out, Short(r.ID)+" "+string(r.Status))
	}
	return out
}

// some fills a home: the last run is under way.
func some(t testing.TB, h *History) *Writer {
	begin(t, h, 0, "aa", journal.About{Kind: journal.OfWorkflow, Name: "greet", By: journal.ByPerson}, engine.Done)
	begin(t, h, 1, "ab", journal.About{Kind: journal.OfPlan, Name: "planner", Request: "say hello", By: journal.ByMCP}, engine.Failed)
	begin(t, h, 2, "ba", journal.About{Kind: journal.OfWorkflow, Name: "greet", By: journal.ByPerson, Parent: "20260102-030406-ab"}, engine.Waiting)
	begin(t, h, 3, "bb", journal.About{Kind: journal.OfFlow, Name: "f", By: journal.ByPerson}, engine.Limited)
	begin(t, h, 4, "ca", journal.About{Kind: journal.OfWorkflow, Name: "other", By: journal.ByPerson}, "").Close() // killed
	return begin(t, h, 5, "cb", journal.About{Kind: journal.OfWorkflow, Name: "greet", By: "schedule:daily"}, "")
}

var all = []string{"cb running", "ca interrupted", "bb limit", "ba waiting", "ab failed", "aa done"}

// TestList lists runs by what a query says, from rows that their runs wrote and from rows made of their folders.
func TestList(t *testing.T) {
	home := t.TempDir()
	h := Of(home)
	defer h.Close()
	if got := list(t, h, Query{}); len(got) > 0 {
		t.Error(got)
	}
	defer some(t, h).Close()
	for _, made := range []string{"by the runs", "of the folders"} {
		for name, c := range map[string]struct {
			q    Query
			want []string
		}{
			"all":     {Query{}, all},
			"newest":  {Query{Limit: 2}, all[:2]},
			"status":  {Query{Status: []Status{Failed, Limited}}, []string{"bb limit", "ab failed"}},
			"running": {Query{Status: []Status{Running}}, []string{"cb running"}},
			"name":    {Query{Name: "greet", Status: []Status{Waiting, Done}}, []string{"ba waiting", "aa done"}},
			"kind":    {Query{Kind: journal.OfPlan}, []string{"ab failed"}},
			"by":      {Query{By: "schedule:daily"}, []string{"cb running"}},
			"parent":  {Query{Parent: "20260102-030406-ab"}, []string{"ba waiting"}},
			"since":   {Query{Since: began.Add(4 * time.Second)}, all[:2]},
		} {
			if diff := cmp.Diff(c.want, list(t, h, c.q)); diff != "" {
				t.Errorf("%s, %s: %s", name, made, diff)
			}
		}
		rows, _ := h.List(Query{Name: "planner"})
		want := Row{ID: "20260102-030406-ab", Status: Failed, Kind: journal.OfPlan, Name: "planner", Request: "say hello", By: "mcp", Started: began.Add(time.Second),
			DurationMS: 1500, Steps: 2, CostUSD: .5, Tokens: 7, Error: &Error{"timeout", "no result", "n"}}
		if diff := cmp.Diff([]Row{want}, rows, cmpopts.IgnoreFields(Row{}, "Bytes")); diff != "" {
			t.Errorf("%s: %s", made, diff)
		}
		h.Close()
		h.remove()
	}
}

// TestIndexIsOnlyAnIndex: whatever becomes of it, the list is what the folders say, and nobody is told.
func TestIndexIsOnlyAnIndex(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string){
		"removed": func(t *testing.T, file string) { os.Remove(file) },
		"no database": func(t *testing.T, file string) {
			os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600)
		},
		"cut off":         func(t *testing.T, file string) { os.Truncate(file, 5000) },
		"empty":           func(t *testing.T, file string) { os.Truncate(file, 0) },
		"overwritten":     func(t *testing.T, file string) { overwrite(t, file, 4096, 30000) },
		"another version": func(t *testing.T, file string) { other(t, file) },
		"a link":          func(t *testing.T, file string) { os.Remove(file); os.Symlink("/etc/hostname", file) },
		"stale": func(t *testing.T, file string) {
			db, err := openIndex(file)
			if err == nil {
				_, err = db.Exec("DELETE FROM runs WHERE short = 'ab'; UPDATE runs SET status = 'interrupted' WHERE short = 'ba'")
				db.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			Of(filepath.Dir(file)).stale()
		},
		"cannot be written": func(t *testing.T, file string) {
			os.Remove(file)
			if err := os.MkdirAll(filepath.Join(file, "x"), 0o700); err != nil { // a folder that is in the way
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := Of(t.TempDir())
			defer some(t, h).Close()
			if diff := cmp.Diff(all, list(t, h, Query{})); diff != "" {
				t.Fatal(diff)
			}
			h.Close()
			spoil(t, h.path(indexFile))
			for range 2 {
				if diff := cmp.Diff(all, list(t, h, Query{})); diff != "" {
					t.Error(diff)
				}
			}
			if row, err := h.Find(Last); err != nil || Short(row.ID) != "cb" {
				t.Errorf("%v, %v", row, err)
			}
			begin(t, h, 9, "dd", journal.About{}, engine.Done)
			if got := list(t, h, Query{Limit: 1}); got[0] != "dd done" {
				t.Error(got)
			}
			h.Close()
		})
	}
}

func overwrite(t *testing.T, file string, from, to int) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < min(to, len(data)); i++ {
		data[i] = 0xa5
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func other(t *testing.T, file string) {
	db, err := openIndex(file)
	if err == nil {
		_, err = db.Exec("PRAGMA user_version = 99; DROP TABLE runs")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRowsFollowTheirRuns: a run that was gone on with, given up or removed is listed as what it is.
func TestRowsFollowTheirRuns(t *testing.T) {
	h := Of(t.TempDir())
	defer h.Close()
	w := some(t, h)
	is := func(short, want string) {
		t.Helper()
		for _, got := range append(list(t, h, Query{}), short+" gone") {
			if strings.HasPrefix(got, short+" ") {
				if got != short+" "+want {
					t.Errorf("%s, want %s", got, want)
				}
				return
			}
		}
	}
	_, _, on, err := h.Resume("20260102-030407-ba", began)
	if err != nil {
		t.Fatal(err)
	}
	is("ba", "running")
	if err := on.Ended(engine.Ending{Status: engine.Done}); err != nil {
		t.Fatal(err)
	}
	on.Close()
	is("ba", "done")
	if _, _, on, err = h.Resume("20260102-030409-ca", began); err != nil {
		t.Fatal(err)
	}
	if err := on.Ended(engine.Ending{Status: engine.Failed}); err != nil {
		t.Fatal(err)
	}
	if err := on.Undo(); err != nil {
		t.Fatal(err)
	}
	on.Close()
	is("ca", "interrupted")
	if err := h.GiveUp("20260102-030409-ca", began); err != nil {
		t.Fatal(err)
	}
	is("ca", "cancelled")
	w.Close() // killed
	is("cb", "interrupted")

	// Killed after the end was in the journal, and before it was in the index.
	late := begin(t, h, 6, "ee", journal.About{}, "")
	is("ee", "running")
	if err := late.Writer.Ended(engine.Ending{Status: engine.Failed}); err != nil {
		t.Fatal(err)
	}
	late.Close()
	if got := list(t, h, Query{Status: []Status{Failed}}); !slices.Contains(got, "ee failed") {
		t.Error(got)
	}
	if err := os.RemoveAll(h.path("runs/20260102-030411-ee")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Find("ee"); !errors.As(err, new(*NotFound)) {
		t.Error(err)
	}
	is("ee", "gone")
}

// TestFind finds runs by shortened ids.
func TestFind(t *testing.T) {
	h := Of(t.TempDir())
	defer h.Close()
	if _, err := h.Find(Last); err == nil || err.Error() != "there are no runs yet" {
		t.Error(err)
	}
	defer some(t, h).Close()
	for given, want := range map[string]string{
		"20260102-030405-aa": "20260102-030405-aa", "aa": "20260102-030405-aa", "20260102-030407": "20260102-030407-ba", "cb": "20260102-030410-cb", Last: "20260102-030410-cb",
		"zz": `there is no run "zz"`, "../runs": `there is no run "../runs"`, "": `there is no run ""`,
		"a": "\"a\" is the beginning of several runs:\n  20260102-030406-ab  failed  planner\n  20260102-030405-aa  done  greet\ngive more of the id",
	} {
		row, err := h.Find(given)
		got := row.ID
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
	if err := os.Symlink(h.path("runs/20260102-030405-aa"), h.path("runs/20260102-030411-ff")); err != nil {
		t.Fatal(err)
	}
	if row, err := h.Find("20260102-030411-ff"); err != nil || row.Error == nil || !strings.Contains(row.Error.Message, "symbolic link") {
		t.Errorf("%v, %v", row, err)
	}
}

// TestPrune keeps what can go on, whatever the bounds, and of the rest what is young, new and small enough.
func TestPrune(t *testing.T) {
	now := began.Add(24 * time.Hour)
	for name, c := range map[string]struct {
		keep journal.Retention
		want []string
	}{
		"by number": {journal.Retention{Runs: 2, Age: 1000 * time.Hour, Bytes: 1 << 30}, []string{"cb interrupted", "ca interrupted", "ba waiting"}},
		"newest":    {journal.Retention{Runs: 3, Age: 1000 * time.Hour, Bytes: 1 << 30}, []string{"cb interrupted", "ca interrupted", "bb limit", "ba waiting"}},
		"none":      {journal.Retention{Runs: 0, Age: 1000 * time.Hour, Bytes: 1 << 30}, []string{"cb interrupted", "ca interrupted", "ba waiting"}},
		"by age":    {journal.Retention{Runs: 100, Age: 24*time.Hour - time.Second, Bytes: 1 << 30}, []string{"cb interrupted", "ca interrupted", "bb limit", "ba waiting", "ab failed"}},
		"by size":   {journal.Retention{Runs: 100, Age: 1000 * time.Hour, Bytes: 1500}, []string{"cb interrupted", "ca interrupted", "bb limit", "ba waiting"}},
		"all":       {journal.Retention{Runs: 100, Age: 1000 * time.Hour, Bytes: 1 << 30}, []string{"cb interrupted", "ca interrupted", "bb limit", "ba waiting", "ab failed", "aa done"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := Of(t.TempDir())
			defer h.Close()
			some(t, h).Close()
			for _, dir := range []string{".new-20260102-030405-left", ".gone-20260102-030405-half"} {
				if err := os.MkdirAll(h.path("runs/"+dir), 0o700); err != nil {
					t.Fatal(err)
				}
				os.Chtimes(h.path("runs/"+dir), began, began)
			}
			if err := h.PruneSometimes(c.keep, now); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, list(t, h, Query{})); diff != "" {
				t.Error(diff)
			}
			entries, _ := os.ReadDir(h.path("runs"))
			if len(entries) != len(c.want) {
				t.Errorf("%v", entries)
			}
			if err := h.PruneSometimes(journal.Retention{}, now.Add(pruneEvery/2)); err != nil || len(list(t, h, Query{})) != len(c.want) {
				t.Errorf("pruned again at once: %v", err)
			}
			if err := h.PruneSometimes(journal.Retention{}, now.Add(pruneEvery)); err != nil || len(list(t, h, Query{})) != 3 {
				t.Errorf("not pruned again: %v", err)
			}
		})
	}
}

// TestPruneAtOnce: a run that begins does not wait for the removal of many.
func TestPruneAtOnce(t *testing.T) {
	h := Of(t.TempDir())
	defer h.Close()
	const more = 5
	for i := range pruneAtOnce + more {
		begin(t, h, i, fmt.Sprintf("%04x", i), journal.About{Kind: journal.OfFlow}, engine.Done)
	}
	now := began.Add(time.Hour)
	for _, left := range []int{more, 0} {
		if err := h.PruneSometimes(journal.Retention{Age: 1000 * time.Hour, Bytes: 1 << 40}, now); err != nil {
			t.Fatal(err)
		}
		if got := list(t, h, Query{}); len(got) != left {
			t.Errorf("%d are left, want %d", len(got), left)
		}
	}
}

// TestQueriesUseIndexes: what is asked whenever a run is listed, shown or begun does not look at every row.
func TestQueriesUseIndexes(t *testing.T) {
	db, err := openDB(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for text, index := range map[string]string{
		"SELECT id FROM runs WHERE parent = ? ORDER BY began DESC, id DESC":    "by_parent",
		"SELECT id FROM runs WHERE name = ? ORDER BY began DESC, id DESC":      "by_name",
		"SELECT id FROM runs WHERE status = '' AND 1 = ?":                      "by_status",
		"SELECT id FROM runs WHERE 1 = ? ORDER BY began DESC, id DESC LIMIT 5": "by_began",
	} {
		var a, b, c int
		var plan string
		if err := db.QueryRow("EXPLAIN QUERY PLAN "+text, 1).Scan(&a, &b, &c, &plan); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, index) {
			t.Errorf("%s: %s", text, plan)
		}
	}
}
