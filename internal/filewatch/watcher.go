package filewatch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// How long nothing happens before files are looked at, how long that waits at most, and how often files are looked at where
// no events come.
const (
	quiet   = 60 * time.Millisecond
	longest = time.Second
	look    = 2 * time.Second
)

// Watcher waits for edits of files.
type Watcher struct {
	folders *Folders
	problem error // why there are no events at all
	files   *Files
	watched map[string]os.FileInfo
	silent  map[string]string // folders that tell of no edits, and why
}

// New watches nothing yet.
func New() *Watcher {
	w := &Watcher{watched: map[string]os.FileInfo{}, silent: map[string]string{}}
	w.folders, w.problem = NewFolders()
	return w
}

// Close ends the events.
func (w *Watcher) Close() error {
	if w.folders == nil {
		return nil
	}
	return w.folders.Close()
}

// Watch has Wait tell of these files, and of no others.
func (w *Watcher) Watch(files *Files) {
	w.files = files
	clear(w.silent)
	w.follow()
}

// Silent says of which folders no events come, and why; their files are looked at every other second.
func (w *Watcher) Silent() []string {
	var out []string
	for dir, why := range w.silent {
		out = append(out, dir+": "+why)
	}
	slices.Sort(out)
	return out
}

// Wait gives the files that are no longer as they were noted, once nothing more happens to them, and takes them as noted
// anew. It is nil where ctx was done first.
func (w *Watcher) Wait(ctx context.Context) []string {
	var events <-chan Event
	var lost <-chan error
	if w.folders != nil {
		events, lost = w.folders.Events, w.folders.Errors
	}
	timer := time.NewTimer(0) // what was edited before it was watched
	defer timer.Stop()
	var bound time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-events:
		case <-lost:
		case <-timer.C:
			bound = time.Time{}
			w.follow()
			if changed := w.files.Changed(); len(changed) > 0 {
				w.files.told(changed)
				return changed
			}
			if len(w.silent) > 0 {
				timer.Reset(look)
			}
			continue
		}
		now := time.Now()
		if bound.IsZero() {
			bound = now.Add(longest)
		}
		timer.Reset(max(0, min(quiet, bound.Sub(now))))
	}
}

// follow watches the folders of the files, of those that are links also the folders of what they stand for. Of a folder that
// is not there the nearest above it is watched, for it may come.
func (w *Watcher) follow() {
	want := map[string]bool{}
	for path := range w.files.noted {
		want[there(filepath.Dir(path))] = true
		if target, err := filepath.EvalSymlinks(path); err == nil && target != path {
			want[filepath.Dir(target)] = true
		}
	}
	for dir := range w.watched {
		if !want[dir] {
			w.leave(dir)
		}
	}
	for dir := range want {
		info, err := os.Stat(dir)
		if err != nil {
			continue // it went this moment: the folder above tells of that
		}
		if was := w.watched[dir]; was != nil && !os.SameFile(was, info) {
			w.leave(dir) // another of its name
		}
		if why := w.add(dir); why != "" {
			w.silent[dir] = why
		} else {
			delete(w.silent, dir)
		}
		w.watched[dir] = info
	}
}

func (w *Watcher) leave(dir string) {
	if w.folders != nil {
		_ = w.folders.Remove(dir) // it may be gone already
	}
	delete(w.watched, dir)
	delete(w.silent, dir)
}

// add says why no events come of a folder, or "".
func (w *Watcher) add(dir string) string {
	if w.problem != nil {
		return reason(w.problem)
	}
	if err := w.folders.Add(dir); err != nil {
		return reason(err)
	}
	if kind := unheard(dir); kind != "" {
		return "it lies on " + kind + ", which need not tell of edits made elsewhere"
	}
	return ""
}

func reason(err error) string {
	if text := err.Error(); strings.Contains(text, "no space left") {
		return "the system watches no more folders for this user (fs.inotify.max_user_watches)"
	}
	return err.Error()
}

// there is the folder, or the nearest above it that is there.
func there(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
