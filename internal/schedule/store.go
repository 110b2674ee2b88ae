package schedule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pflow/internal/atomicfile"
	"pflow/internal/diag"
	"pflow/internal/filelock"
)

// Store is the schedules of a home: NAME.json each, and in the folder state what was fired of them.
type Store struct{ dir string }

// NewStore gives the schedules of a home.
func NewStore(home string) *Store { return &Store{dir: filepath.Join(home, "schedules")} }

// Dir is the folder of the documents.
func (s *Store) Dir() string { return s.dir }

// Path is the document of a schedule.
func (s *Store) Path(name string) string { return filepath.Join(s.dir, name+".json") }

func (s *Store) statePath(name string) string { return filepath.Join(s.dir, "state", name+".json") }

// Unknown is the error of a schedule that is not there.
type Unknown struct{ Name, Near string }

// Absent reports that it is not there.
func (e *Unknown) Absent() bool { return true }

func (e *Unknown) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("there is no schedule %q; did you mean %q?", e.Name, e.Near)
	}
	return fmt.Sprintf("there is no schedule %q", e.Name)
}

// ErrTaken is the error of adding what is there.
var ErrTaken = errors.New("there is a schedule of this name already")

// Names lists the schedules in order.
func (s *Store) Names() (names []string) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && namePattern.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// Get reads a schedule.
func (s *Store) Get(name string) (*Schedule, error) {
	if !namePattern.MatchString(name) {
		return nil, &Unknown{Name: name, Near: diag.Nearest(name, s.Names())}
	}
	data, err := os.ReadFile(s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Unknown{Name: name, Near: diag.Nearest(name, s.Names())}
	}
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	out := &Schedule{Name: name}
	if err := d.Decode(out); err != nil {
		return nil, fmt.Errorf("%s is no schedule: %w; put it right, or remove it: pflow schedule remove %s", s.Path(name), err, name)
	}
	if list := out.Check(); list.HasErrors() {
		return nil, fmt.Errorf("%s: %s: %s; put it right, or remove it: pflow schedule remove %s", s.Path(name), list[0].Path, list[0].Message, name)
	}
	return out, nil
}

// Add keeps a new schedule. Files that are in a watched folder then have not arrived.
func (s *Store) Add(ctx context.Context, one *Schedule) error {
	if err := one.Check().Err(); err != nil {
		return err
	}
	return s.locked(ctx, func() error {
		if _, err := os.Lstat(s.Path(one.Name)); err == nil {
			return ErrTaken
		}
		st := &State{Created: one.Created, Due: one.Created}
		if w := one.Trigger.Watch; w != nil {
			found, _, err := look(one.watched(), w.Pattern)
			if err != nil {
				return err
			}
			st.Seen = found
		}
		if err := write(s.statePath(one.Name), st); err != nil {
			return err
		}
		return write(s.Path(one.Name), one)
	})
}

// Change changes a schedule and what was fired of it.
func (s *Store) Change(ctx context.Context, name string, change func(*Schedule, *State) error) error {
	return s.locked(ctx, func() error {
		one, err := s.Get(name)
		if err != nil {
			return err
		}
		st, err := s.State(one)
		if err != nil {
			return err
		}
		if err := change(one, st); err != nil {
			return err
		}
		if err := write(s.statePath(name), st); err != nil {
			return err
		}
		return write(s.Path(name), one)
	})
}

// fired changes what was fired of a schedule. A schedule that was removed, or made again, since is left alone.
func (s *Store) fired(ctx context.Context, one *Schedule, change func(*State) error) error {
	return s.locked(ctx, func() error {
		if now, err := s.Get(one.Name); err != nil || !now.Created.Equal(one.Created) {
			return &Unknown{Name: one.Name}
		}
		st, err := s.State(one)
		if err != nil {
			return err
		}
		if err := change(st); err != nil {
			return err
		}
		return write(s.statePath(one.Name), st)
	})
}

// Remove removes a schedule. What runs goes on.
func (s *Store) Remove(ctx context.Context, name string) error {
	return s.locked(ctx, func() error {
		if !namePattern.MatchString(name) {
			return &Unknown{Name: name, Near: diag.Nearest(name, s.Names())}
		}
		err := os.Remove(s.Path(name))
		if errors.Is(err, fs.ErrNotExist) {
			return &Unknown{Name: name, Near: diag.Nearest(name, s.Names())}
		}
		if err == nil {
			if gone := os.Remove(s.statePath(name)); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				return gone
			}
		}
		return err
	})
}

// State reads what was fired of a schedule. What is of an earlier one of its name counts for nothing.
func (s *Store) State(one *Schedule) (*State, error) {
	fresh := &State{Created: one.Created, Due: one.Created}
	data, err := os.ReadFile(s.statePath(one.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, err
	}
	st := &State{}
	if err := json.Unmarshal(data, st); err != nil {
		return nil, fmt.Errorf("%s cannot be read, so that it is not known what of %s was run: %w; look at pflow runs list --by schedule:%[2]s, and remove that file to go on from now", s.statePath(one.Name), one.Name, err)
	}
	if !st.Created.Equal(one.Created) {
		return fresh, nil
	}
	return st, nil
}

func (s *Store) locked(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(filepath.Join(s.dir, "state"), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "state", ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := filelock.Lock(ctx, f); err != nil {
		return err
	}
	return do()
}

func write(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, 0o600, func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	}, func(temp string) error { return os.Rename(temp, path) })
}

// Claim makes this process the one that carries a firing out, until release. It is an error if another process does, or if
// nothing is left to begin of it.
func (s *Store) Claim(ctx context.Context, one *Schedule, run string, begun func(run string) bool) (f Firing, release func(), err error) {
	dir := filepath.Join(s.dir, "firings")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f, nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, filepath.Base(run)), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return f, nil, err
	}
	if free, err := filelock.Try(lock); err != nil || !free {
		lock.Close()
		return f, nil, errors.Join(err, fmt.Errorf("another process carries out the firing %s of %s", run, one.Name))
	}
	st, err := s.State(one)
	if err == nil {
		var ok bool
		if f, ok = st.firing(run); !ok {
			err = fmt.Errorf("%s has no open firing %s", one.Name, run)
		} else if begun(run) {
			err = fmt.Errorf("the run %s of %s has begun already", run, one.Name)
		}
	}
	if err != nil {
		lock.Close()
		return f, nil, err
	}
	return f, func() { lock.Close() }, nil
}

// alive reports whether a process carries a firing out.
func (s *Store) alive(run string) bool {
	f, err := os.Open(filepath.Join(s.dir, "firings", filepath.Base(run)))
	if err != nil {
		return false
	}
	defer f.Close()
	return filelock.Held(f)
}

// Running reports whether a run of a schedule goes on.
func (s *Store) Running(st *State) bool {
	return slices.ContainsFunc(st.Open, func(f Firing) bool { return s.alive(f.Run) })
}

// Now opens a firing that somebody asked for; busy tells that a run goes on that its rule does not let it run beside.
func (s *Store) Now(ctx context.Context, one *Schedule, run string, now time.Time) (busy bool, err error) {
	err = s.fired(ctx, one, func(st *State) error {
		if busy = one.Overlap != Allow && s.Running(st); busy {
			return nil
		}
		st.Open = append(st.Open, Firing{Run: run, Due: now, Person: true})
		return nil
	})
	return busy, err
}

// End notes how a firing came out. waits is why the schedule runs no more until somebody looks at it, "" if nothing is.
func (s *Store) End(ctx context.Context, one *Schedule, e Ended, waits string) error {
	err := s.fired(ctx, one, func(st *State) error {
		st.close(e)
		if waits != "" {
			st.Waits = waits
		}
		return nil
	})
	s.forget(e.Run)
	return err
}

// forget removes the lock of a firing that is over.
func (s *Store) forget(run string) { os.Remove(filepath.Join(s.dir, "firings", filepath.Base(run))) }

// Serving holds the schedules of a home for one process that carries them out. holder is what the one that has them says of
// itself, where there is one.
func (s *Store) Serving(pid int, now time.Time) (release func(), holder string, err error) {
	if err := os.MkdirAll(filepath.Join(s.dir, "state"), 0o700); err != nil {
		return nil, "", err
	}
	f, err := os.OpenFile(s.servePath(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, "", err
	}
	free, err := filelock.Try(f)
	if err != nil || !free {
		f.Close()
		return nil, s.Server(), err
	}
	if err = f.Truncate(0); err == nil {
		_, err = fmt.Fprintf(f, "process %d, since %s", pid, now.Format(time.RFC3339))
	}
	if err != nil {
		f.Close()
		return nil, "", err
	}
	return func() { f.Close() }, "", nil
}

func (s *Store) servePath() string { return filepath.Join(s.dir, "state", ".serve") }

// Server says which process carries schedules out; "" if none does.
func (s *Store) Server() string {
	f, err := os.Open(s.servePath())
	if err != nil {
		return ""
	}
	defer f.Close()
	if !filelock.Held(f) {
		return ""
	}
	data, _ := os.ReadFile(s.servePath())
	if len(data) == 0 {
		return "another process"
	}
	return string(data)
}
