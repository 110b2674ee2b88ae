package schedule

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// watch begins to look at a folder, or goes on with it.
func (l *Loop) watch(p *plan, st *State, now time.Time) {
	if p.Paused || st.Waits != "" {
		p.watch = nil
		return
	}
	if p.watch == nil {
		p.watch = &watching{pending: map[string]settling{}, at: now}
	}
	p.watch.seen = st.Seen
	dir := p.watched()
	if l.events != nil && !l.folders[dir] && l.events.Add(dir) == nil {
		l.folders[dir] = true
	}
}

// stirred looks soon at a folder in which something happened, by the path of what it happened to. Of a folder that itself was moved or
// removed no more events come.
func (l *Loop) stirred(path string, now time.Time) {
	dir, soon := filepath.Dir(path), now.Add(100*time.Millisecond)
	if l.folders[path] {
		if dir = path; l.events != nil {
			_ = l.events.Remove(path) // it may be gone already
		}
		delete(l.folders, path)
	}
	for _, p := range l.plans {
		if p.watch != nil && p.watched() == dir && p.watch.at.After(soon) {
			p.watch.at = soon
		}
	}
}

// scan looks at a watched folder and fires for the files that have arrived and are still.
func (l *Loop) scan(p *plan, now time.Time) {
	w, dir := p.watch, p.watched()
	began := time.Now()
	found, unnamed, err := look(dir, p.Trigger.Watch.Pattern)
	w.at = now.Add(max(rescan, 100*time.Since(began))) // a large folder costs little, too
	if err != nil {
		if w.problem != err.Error() {
			l.Log("%s: the folder cannot be watched: %v", p.Name, err)
		}
		w.problem = err.Error()
		delete(l.folders, dir) // it may come again
		w.at = now.Add(5 * time.Second)
		return
	}
	if w.problem != "" || !l.folders[dir] {
		w.problem = ""
		if l.events != nil && l.events.Add(dir) == nil {
			l.folders[dir] = true
		}
	}
	if told := fmt.Sprintf("%q", unnamed); told != w.unnamed {
		if w.unnamed = told; len(unnamed) > 0 {
			l.Log("%s: not run for %s: no input takes a name that is not UTF-8; rename it", p.Name, told)
		}
	}
	missed := !w.looked
	if w.looked = true; missed && p.Missed == Skip {
		if changed(found, w.seen) {
			l.Log("%s: not run, what arrived while nobody watched", p.Name)
			l.take(p, found, nil, now, true)
		}
		return
	}
	ready, wake := settled(found, w.seen, w.pending, now, l.Still)
	if !wake.IsZero() && wake.Before(w.at) {
		w.at = wake
	}
	if len(ready) > 0 {
		l.take(p, found, ready, now, false)
	}
}

func changed(found, seen map[string]Print) bool {
	for name, print := range found {
		if was, ok := seen[name]; !ok || was != print {
			return true
		}
	}
	return false
}

// arrived leaves out what the workflow wrote itself: a run that writes into the folder that it is run for would run for ever.
func (l *Loop) arrived(p *plan, st *State, found map[string]Print, ready []string) (out []string) {
	for _, name := range ready {
		if path := filepath.Join(p.watched(), name); l.Own != nil && l.Own(p.Workflow, path) {
			st.Seen[name] = found[name]
			l.Log("%s: not run for %s, which %s wrote itself", p.Name, path, p.Workflow)
			continue
		}
		out = append(out, name)
	}
	return out
}

// take fires for files; all: every file that was found is done with, and none fires. What is taken and the firing are on
// the disk at once.
func (l *Loop) take(p *plan, found map[string]Print, ready []string, now time.Time, all bool) {
	var run []Firing
	var after *State
	err := l.Store.fired(context.Background(), p.Schedule, func(st *State) error {
		after = st
		if st.Seen == nil {
			st.Seen = map[string]Print{}
		}
		for name := range st.Seen { // a folder that is empty may only lack its disk
			if _, there := found[name]; !there && len(found) > 0 {
				delete(st.Seen, name)
			}
		}
		if all {
			for name, print := range found {
				st.Seen[name] = print
			}
			return nil
		}
		ready = l.arrived(p, st, found, ready)
		groups := [][]string{ready}
		if len(ready) == 0 {
			return nil
		}
		if w := p.Trigger.Watch; w.Input != "" || len(w.Named) > 0 {
			groups = nil
			for _, name := range ready {
				groups = append(groups, []string{name})
			}
		}
		running := l.running(p, st)
		for _, names := range groups {
			fires := p.Overlap == Allow || !running
			if !fires && p.Overlap == Queue {
				return nil // they stay where they are until the run is over
			}
			var files []string
			for _, name := range names {
				st.Seen[name] = found[name]
				files = append(files, filepath.Join(p.watched(), name))
			}
			if !fires {
				l.Log("%s: not run for %s, a run of it goes on", p.Name, strings.Join(files, ", "))
				continue
			}
			run, running = append(run, st.open(l.NewRun(now), now, files...)), true
		}
		return nil
	})
	if err != nil {
		var gone *Unknown
		if !errors.As(err, &gone) && !errors.Is(err, fs.ErrNotExist) {
			l.Log("%s: %v", p.Name, err)
		}
		return
	}
	p.watch.seen = after.Seen
	for _, f := range run {
		l.start(p.Schedule, f)
	}
}
