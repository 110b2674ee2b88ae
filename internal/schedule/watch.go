package schedule

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"
	"unicode/utf8"
)

// Print tells one content of a file from another without reading it.
type Print struct {
	Size  int64  `json:"size"`
	Time  int64  `json:"time"` // of its last change, in nanoseconds since 1970
	Inode uint64 `json:"inode,omitempty"`
}

// What files are called while they are written, by programs that rename them once they are whole.
var (
	halfPrefixes = []string{".", "~$", "#"}
	halfSuffixes = []string{".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".swp", "~"}
)

// counts reports whether a name is one that is watched for.
func counts(name, pattern string) bool {
	for _, p := range halfPrefixes {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	for _, s := range halfSuffixes {
		if strings.HasSuffix(strings.ToLower(name), s) {
			return false
		}
	}
	ok, _ := path.Match(pattern, name)
	return pattern == "" || ok
}

// look lists the files of a folder that count. unnamed are those whose name is no text: an input cannot take it, and a state not keep it.
func look(dir, pattern string) (out map[string]Print, unnamed []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	out = map[string]Print{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !counts(e.Name(), pattern) {
			continue
		}
		if !utf8.ValidString(e.Name()) {
			unnamed = append(unnamed, e.Name())
			continue
		}
		if info, err := e.Info(); err == nil {
			out[e.Name()] = printOf(info)
		}
	}
	return out, unnamed, nil
}

func printOf(info fs.FileInfo) Print {
	return Print{Size: info.Size(), Time: info.ModTime().UnixNano(), Inode: inode(info)}
}

// watched is the folder of a watch; a relative one lies in the folder that the schedule runs in.
func (s *Schedule) watched() string {
	dir := s.Trigger.Watch.Path
	if home, err := os.UserHomeDir(); err == nil && (dir == "~" || strings.HasPrefix(dir, "~/")) {
		dir = filepath.Join(home, dir[1:])
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.Dir, dir)
	}
	return filepath.Clean(dir)
}

// settling is a file that was seen and may still be written.
type settling struct {
	print Print
	since time.Time
}

// settled are the names of files that did not change for a while, in order; wake is when the next one may be.
func settled(found, seen map[string]Print, pending map[string]settling, now time.Time, still time.Duration) (ready []string, wake time.Time) {
	for name := range pending {
		if _, there := found[name]; !there {
			delete(pending, name)
		}
	}
	for name, print := range found {
		if was, taken := seen[name]; taken && was == print {
			delete(pending, name)
			continue
		}
		p, ok := pending[name]
		if !ok || p.print != print || p.since.After(now) {
			p = settling{print, now}
			pending[name] = p
		}
		if at := p.since.Add(still); at.After(now) {
			if wake.IsZero() || at.Before(wake) {
				wake = at
			}
			continue
		}
		ready = append(ready, name)
	}
	sort.Strings(ready)
	return ready, wake
}
