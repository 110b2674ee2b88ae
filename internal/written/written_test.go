package written

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOwners checks who may replace what was written.
func TestOwners(t *testing.T) {
	dir := t.TempDir()
	home, file, temp := filepath.Join(dir, "home"), filepath.Join(dir, "f"), filepath.Join(dir, "temp")
	run := func(workflow, id string) *Run { return &Run{Home: home, Workflow: workflow, ID: id} }
	put := func(r *Run, text string) error {
		write(t, temp, text)
		return r.Put(t.Context(), file, temp, false, func(replace bool) error {
			if _, err := os.Stat(file); err == nil && !replace {
				return os.ErrExist
			}
			return os.Rename(temp, file)
		})
	}
	first := run("w", "1")
	if first.May(file) {
		t.Error("nothing was written, and may be replaced")
	}
	if err := put(first, "one"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    *Run
		want bool
	}{{first, true}, {run("w", "2"), true}, {run("w", ""), true}, {run("other", "2"), false}, {run("other", "1"), true}, {&Run{Home: home, Workflow: "saved", Draft: "w"}, true}, {&Run{Workflow: "w"}, false}} {
		if got := c.r.May(file); got != c.want {
			t.Errorf("workflow %q, run %q, home %q: may replace = %v", c.r.Workflow, c.r.ID, c.r.Home, got)
		}
	}
	write(t, file, "changed")
	if run("w", "2").May(file) {
		t.Error("a file that was changed may be replaced by another run")
	}
	if !run("w", "1").May(file) {
		t.Error("a file of the run may not be replaced by it once it is resumed")
	}
	if err := put(run("w", "2"), "two"); !errors.Is(err, os.ErrExist) {
		t.Errorf("error %v", err)
	}
	granted := run("w", "3")
	granted.Grant(file)
	if err := put(granted, "three"); err != nil {
		t.Error(err)
	}
	if !run("w", "4").May(file) {
		t.Error("what an approval replaced is not the workflow's own")
	}
	if err := run("w", "5").Add(t.Context(), file, func() error { write(t, file, "three and more"); return nil }); err != nil || !run("w", "6").May(file) {
		t.Errorf("%v: a file that was added to is not the workflow's own any more", err)
	}
	if info, err := os.Stat(filepath.Join(home, File)); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestMoved checks whose a moved file is: the workflow's own where it was so before, and else not, in the same run too.
func TestMoved(t *testing.T) {
	for _, kept := range []bool{true, false} {
		dir := t.TempDir()
		home, mine, theirs, to := filepath.Join(dir, "home"), filepath.Join(dir, "mine"), filepath.Join(dir, "theirs"), filepath.Join(dir, "to")
		if !kept {
			home = ""
		}
		r := &Run{Home: home, Workflow: "w", ID: "1"}
		may := func() bool { return r.May(to) && (!kept || (&Run{Home: home, Workflow: "w", ID: "2"}).May(to)) }
		move := func(from string) error {
			return r.Move(t.Context(), from, to, from, false, func(replace bool) error {
				if _, err := os.Stat(to); err == nil && !replace {
					return os.ErrExist
				}
				return os.Rename(from, to)
			})
		}
		wrote := func() {
			write(t, mine, "mine")
			if err := r.Put(t.Context(), mine, mine, true, func(bool) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		wrote()
		if err := move(mine); err != nil || !may() {
			t.Errorf("home %q: %v: a file of the workflow that was moved is not its own any more", home, err)
		}
		write(t, theirs, "theirs")
		if err := move(theirs); err != nil || may() {
			t.Errorf("home %q: %v: somebody's file may be replaced because it was moved", home, err)
		}
		wrote()
		if err := move(mine); !errors.Is(err, os.ErrExist) || may() {
			t.Errorf("home %q: error %v: somebody's file that was moved was replaced", home, err)
		}
	}
}

// TestKilledBetween checks a writer that was killed just before or after the rename: both contents are the workflow's, and
// a file that somebody else made in the place of one that was not there is not.
func TestKilledBetween(t *testing.T) {
	dir := t.TempDir()
	home, file, temp := filepath.Join(dir, "home"), filepath.Join(dir, "f"), filepath.Join(dir, "temp")
	killed := func(text string, rename bool) {
		write(t, temp, text)
		defer func() { recover() }()
		r := &Run{Home: home, Workflow: "w", ID: "1"}
		r.Put(t.Context(), file, temp, true, func(bool) error {
			if rename {
				os.Rename(temp, file)
			}
			panic("killed")
		})
	}
	may := func() bool { return (&Run{Home: home, Workflow: "w", ID: "1"}).May(file) }
	killed("new", true)
	if !may() {
		t.Error("after the rename it is not the run's own")
	}
	killed("newer", false)
	if !may() {
		t.Error("before the rename the old content is not the run's own any more")
	}
	os.Remove(file)
	killed("first", false)
	write(t, file, "somebody's")
	if may() {
		t.Error("a file that somebody made meanwhile may be replaced")
	}
}

// TestRestored has a user put back what stood there before the workflow wrote: that is the user's again.
func TestRestored(t *testing.T) {
	dir := t.TempDir()
	home, file, temp := filepath.Join(dir, "home"), filepath.Join(dir, "f"), filepath.Join(dir, "temp")
	write(t, file, "the user's")
	write(t, temp, "the workflow's")
	first := &Run{Home: home, Workflow: "w", ID: "1"}
	if err := first.Put(t.Context(), file, temp, true, func(bool) error { return os.Rename(temp, file) }); err != nil {
		t.Fatal(err)
	}
	write(t, file, "the user's")
	if (&Run{Home: home, Workflow: "w", ID: "2"}).May(file) {
		t.Error("a file that holds what the user had in it again may be replaced")
	}
}

// TestManyWriters lets many runs create one file: exactly one does.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "target")
	var mu sync.Mutex
	var wg sync.WaitGroup
	won := 0
	for i := range 8 {
		temp := filepath.Join(dir, string(rune('a'+i)))
		write(t, temp, temp)
		wg.Go(func() {
			r := &Run{Home: filepath.Join(dir, "home"), Workflow: temp, ID: temp}
			err := r.Put(t.Context(), file, temp, false, func(replace bool) error {
				if _, err := os.Stat(file); err == nil && !replace {
					return os.ErrExist
				}
				return os.Rename(temp, file)
			})
			if err == nil {
				mu.Lock()
				won++
				mu.Unlock()
			} else if !errors.Is(err, os.ErrExist) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d wrote it", won)
	}
}
