package archive

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Unpacked is what an archive was unpacked to. Paths lie below the folder, with slashes.
type Unpacked struct {
	Files    []string // sorted, links among them
	Links    map[string]bool
	Folders  []string // sorted: each after the one it lies in
	Warnings []string // what was left out
	left     int
}

// maxWarnings bounds how many things that were left out are named.
const maxWarnings = 5

func (u *Unpacked) leave(format string, args ...any) {
	if u.left++; u.left <= maxWarnings {
		u.Warnings = append(u.Warnings, fmt.Sprintf(format, args...))
	}
}

// Unpack unpacks an archive into an empty folder. Links are made at the end, so that nothing is written through one, and
// only those that stay inside; a hard link becomes a copy.
func Unpack(ctx context.Context, file *os.File, into string, l Limits) (*Unpacked, error) {
	root, err := os.OpenRoot(into)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	u := &Unpacked{Links: map[string]bool{}}
	t := newTree()
	modes := map[string]fs.FileMode{}
	var links []Entry
	err = each(ctx, file, l, func(e Entry, content io.Reader, b *budget) error {
		if e.Kind == special {
			u.leave("%q was left out: it is no file, folder or link", e.Name)
			return b.entry()
		}
		if e.Kind == Link && !staysInside(e.Name, e.Target) {
			u.leave("the link %q was left out: it leads out of the folder, to %q", e.Name, shorten(e.Target))
			return b.entry()
		}
		if e.Kind == hardLink && !t.file(e.Target) {
			u.leave("the hard link %q was left out: there is no file %q before it", e.Name, shorten(e.Target))
			return b.entry()
		}
		if err := t.add(e, b); err != nil || e.Name == "." {
			return err
		}
		switch e.Kind {
		case Folder:
			modes[e.Name] = e.Mode
			return root.MkdirAll(e.Name, 0o777)
		case Link:
			links = append(links, e)
			return nil
		case hardLink:
			if e.Target == e.Name {
				return nil
			}
			from, err := root.Open(e.Target)
			if err != nil {
				return err
			}
			defer from.Close()
			return write(root, e, counted{from, b})
		}
		return write(root, e, content)
	})
	if err != nil {
		return nil, err
	}
	for _, e := range links {
		if err := root.MkdirAll(path.Dir(e.Name), 0o777); err != nil {
			return nil, err
		}
		if err := root.Symlink(e.Target, e.Name); err != nil {
			return nil, err
		}
		u.Links[e.Name] = true
	}
	for name, kind := range t.kinds {
		switch {
		case kind != Folder:
			u.Files = append(u.Files, name)
		case name != ".":
			u.Folders = append(u.Folders, name)
		}
	}
	slices.Sort(u.Files)
	slices.Sort(u.Folders)
	for _, name := range slices.Backward(u.Folders) {
		if mode, ok := modes[name]; ok {
			if err := root.Chmod(name, mode|0o700); err != nil {
				return nil, err
			}
		}
	}
	if u.left > maxWarnings {
		u.Warnings = append(u.Warnings, fmt.Sprintf("%d more were left out", u.left-maxWarnings))
	}
	return u, nil
}

func shorten(text string) string {
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return strings.ToValidUTF8(text, "_")
}

// write makes a file. One that is there is an earlier entry of the same name.
func write(root *os.Root, e Entry, content io.Reader) error {
	if err := root.MkdirAll(path.Dir(e.Name), 0o777); err != nil {
		return err
	}
	if err := root.Remove(e.Name); err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := root.OpenFile(e.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, e.Mode|0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(struct{ io.Writer }{f}, content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if !e.Time.IsZero() && e.Time.Year() >= 1970 && e.Time.Year() < 2200 {
		return root.Chtimes(e.Name, e.Time, e.Time)
	}
	return nil
}
