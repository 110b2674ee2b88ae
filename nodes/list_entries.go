package nodes

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
)

// Bounds on list-files: the list becomes a value of the run, and a walk of a whole disk would seem to hang.
const (
	maxListed = 100_000
	maxWalked = 5_000_000
)

// lister looks through a folder for what list-files is asked for.
type lister struct {
	ctx           context.Context
	match         *glob
	also          []*glob
	exclude       []*glob
	root          []string // the folder that is listed, as it was given
	deep          bool
	kind          string
	smallest      int
	biggest       int // -1: any
	empty         bool
	after, before time.Time // after is included, before is not; zero: any
	limit, skip   int       // limit 0: none
	found         []listed
	walked        int
	closed        string                  // the first folder below that cannot be read
	permits       func(path string) error // nil: all may be listed
	denied        error                   // why the first of what may not be was left out
}

// listed is one file or folder.
type listed struct {
	way      string // from the folder that is listed, with slashes
	size     int
	modified time.Time
	folder   bool
	runs     bool
}

func newLister(ctx context.Context, c nodetype.Call) (*lister, error) {
	l := &lister{ctx: ctx, deep: c.Flag("recursive"), kind: cmp.Or(c.Text("kind"), listedFiles), empty: c.Flag("empty"), biggest: -1}
	var err error
	if l.match, err = newGlob(c.Text("pattern")); err != nil {
		return nil, err
	}
	if l.also, err = globsOf(c, "also"); err != nil {
		return nil, err
	}
	if l.exclude, err = globsOf(c, "exclude"); err != nil {
		return nil, err
	}
	for _, g := range l.exclude {
		g.dots = true
	}
	l.root = strings.Split(filepath.ToSlash(filepath.Clean(c.Text("path"))), "/")
	for _, bound := range []struct {
		key   string
		least int
		to    *int
	}{{"limit", 1, &l.limit}, {"skip", 0, &l.skip}, {"min_size", 0, &l.smallest}, {"max_size", 0, &l.biggest}} {
		if n, ok := c.Params[bound.key].(int); ok {
			if n < bound.least {
				return nil, fault.New(fault.InvalidRequest, "%s is %d; it must be at least %d", bound.key, n, bound.least)
			}
			*bound.to = n
		}
	}
	if n, ok := c.Params["larger_than"].(int); ok {
		l.smallest = max(l.smallest, n+1)
	}
	if n, ok := c.Params["smaller_than"].(int); ok && (l.biggest < 0 || n <= l.biggest) {
		if n < 1 {
			return nil, fault.New(fault.InvalidRequest, "smaller_than is %d; no file is smaller than that", n)
		}
		l.biggest = n - 1
	}
	for key, to := range map[string]*time.Time{"modified_after": &l.after, "modified_before": &l.before} {
		if text := c.Text(key); text != "" {
			if *to, err = instant(c, key, text); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// walk looks into a folder, at is the way to it. A link to a file is a file; one to a folder is a folder that is not
// looked into, so that no walk goes in circles.
func (l *lister) walk(dir string, at []string) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if len(at) == 0 {
			return err
		}
		if l.closed == "" {
			l.closed = dir
		}
		return nil
	}
	for _, e := range entries {
		if l.walked++; l.walked > maxWalked {
			return fault.New(fault.InvalidRequest, "there are more than %d files in it; list a folder further down", maxWalked)
		}
		way := append(at[:len(at):len(at)], e.Name())
		if slices.ContainsFunc(l.exclude, func(g *glob) bool { return g.matches(way) || g.ways() && g.matches(slices.Concat(l.root, way)) }) {
			continue
		}
		full := filepath.Join(dir, e.Name())
		if l.permits != nil {
			if err := l.permits(full); err != nil {
				l.denied = cmp.Or(l.denied, err)
				continue
			}
		}
		if l.match.matches(way) && !slices.ContainsFunc(l.also, func(g *glob) bool { return !g.matches(way) }) {
			if err := l.look(full, e, way); err != nil {
				return err
			}
		}
		if e.IsDir() && l.match.below(way, l.deep) {
			if err := l.walk(full, way); err != nil {
				return err
			}
		}
	}
	return nil
}

// look keeps what was found at a path, if it is of those wanted.
func (l *lister) look(full string, e fs.DirEntry, way []string) error {
	link := e.Type()&fs.ModeSymlink != 0
	if (e.IsDir() && l.kind == listedFiles) || (!e.IsDir() && !link && l.kind == listedFolders) {
		return nil
	}
	info, err := os.Stat(full)
	if err != nil { // a link that leads nowhere is listed as what it is
		if info, err = os.Lstat(full); err != nil {
			return nil // it went away meanwhile
		}
	}
	found := listed{way: strings.Join(way, "/"), modified: info.ModTime(), folder: info.IsDir()}
	if found.folder && l.kind == listedFiles || !found.folder && l.kind == listedFolders {
		return nil
	}
	if !found.folder {
		found.size, found.runs = int(info.Size()), info.Mode().IsRegular() && info.Mode()&0o111 != 0
	}
	switch {
	case found.folder && (l.smallest > 0 || l.biggest >= 0),
		found.size < l.smallest, l.biggest >= 0 && found.size > l.biggest,
		!l.after.IsZero() && found.modified.Before(l.after), !l.before.IsZero() && !found.modified.Before(l.before),
		l.empty && (found.size > 0 || found.folder && (link || !emptyFolder(full))):
		return nil
	}
	if len(l.found) == maxListed {
		return fault.New(fault.InvalidRequest, "more than %d files match; narrow path or pattern", maxListed)
	}
	l.found = append(l.found, found)
	return nil
}

// emptyFolder reports that nothing is in a folder. One that cannot be read is not known to be empty.
func emptyFolder(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err == io.EOF
}

// sorted gives what was found in an order. What is alike in it is in that of the paths, whichever way the order goes.
func (l *lister) sorted(by string, descending bool) []listed {
	slices.SortFunc(l.found, func(a, b listed) int {
		path := cmp.Compare(a.way, b.way)
		order := path
		switch by {
		case bySize:
			order = cmp.Compare(a.size, b.size)
		case byModified:
			order = a.modified.Compare(b.modified)
		}
		if descending {
			order = -order
		}
		return cmp.Or(order, path)
	})
	return l.found
}

// value is an item of entries. Times are in the zone of the run.
func (e listed) value(root string, now time.Time) map[string]any {
	path := filepath.ToSlash(filepath.Join(root, filepath.FromSlash(e.way)))
	folder := filepath.ToSlash(filepath.Dir(filepath.FromSlash(path)))
	name := e.way[strings.LastIndexByte(e.way, '/')+1:]
	stem, extension := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && !e.folder {
		stem, extension = name[:dot], name[dot+1:]
	}
	return map[string]any{"path": path, "name": name, "stem": stem, "extension": extension, "folder": folder, "size": e.size,
		"modified": e.modified.In(now.Location()).Format(time.RFC3339), "is_folder": e.folder, "executable": e.runs}
}

// globsOf gives a param that is a list of patterns.
func globsOf(c nodetype.Call, key string) ([]*glob, error) {
	texts, err := textsOf(c, key)
	if err != nil {
		return nil, err
	}
	var out []*glob
	for _, text := range texts {
		g, err := newGlob(text)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// endOfDay is how ISO 8601 writes the midnight at which a day ends.
const endOfDay = "T24:00"

// instant reads a day, which is its midnight in the zone of the run, or an instant, or how long it is ago.
func instant(c nodetype.Call, key, text string) (time.Time, error) {
	if t, err := time.ParseInLocation(time.DateOnly, text, c.Now.Location()); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, text, c.Now.Location()); err == nil {
			return t, nil
		}
	}
	if day, ok := strings.CutSuffix(text, endOfDay); ok {
		if t, err := time.ParseInLocation(time.DateOnly, day, c.Now.Location()); err == nil {
			return t.AddDate(0, 0, 1), nil
		}
	}
	if t, ok := ago(c.Now, text); ok {
		return t, nil
	}
	return time.Time{}, fault.New(fault.InvalidRequest, "%s is %s; want a day such as 2024-01-31, an instant such as 2024-01-31T09:30:00Z, or how long ago, such as 7d", key, quote(text))
}

var agesForm = regexp.MustCompile(`^(?:[0-9]{1,6}(?:y|mo|w|d|h|m|s))+$`)
var ageForm = regexp.MustCompile(`([0-9]+)([a-z]+)`)

// ago is the instant so long before now as a text such as 7d, 1y6mo or 12h says.
func ago(now time.Time, text string) (time.Time, bool) {
	if !agesForm.MatchString(text) {
		return now, false
	}
	for _, part := range ageForm.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(part[1])
		switch part[2] {
		case "y":
			now = now.AddDate(-n, 0, 0)
		case "mo":
			now = now.AddDate(0, -n, 0)
		case "w":
			now = now.AddDate(0, 0, -7*n)
		case "d":
			now = now.AddDate(0, 0, -n)
		default:
			now = now.Add(-time.Duration(n) * map[string]time.Duration{"h": time.Hour, "m": time.Minute, "s": time.Second}[part[2]])
		}
	}
	return now, true
}

// textsOf gives a param that is a list of texts.
func textsOf(c nodetype.Call, key string) ([]string, error) {
	list, _ := c.Params[key].([]any)
	out := make([]string, len(list))
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			return nil, fault.New(fault.InvalidRequest, "%s: want a text, got %s", indexed(key, i), value.Describe(v))
		}
		out[i] = text
	}
	return out, nil
}

func indexed(key string, i int) string { return key + "[" + strconv.Itoa(i) + "]" }
