package nodes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pflow/internal/archive"
	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// unpacking is the way of an unpacked archive to its folder: it is unpacked into a temporary one on the same disk, and moved as
// a whole where there is no folder yet. Into one that is there each file is moved, once it is known that all may be; what was
// moved goes back if one cannot be after all.
type unpacking struct {
	call     nodetype.Call
	doing    string
	to, temp string
	fresh    bool   // there is no folder yet
	beside   string // a path in the folder that the temporary one is made in
}

func newUnpacking(c nodetype.Call, doing string) (*unpacking, error) {
	to, err := c.Path("dest_path")
	if err != nil {
		return nil, err
	}
	u := &unpacking{call: c, doing: doing, to: filepath.Clean(to)}
	switch info, err := os.Stat(to); {
	case err == nil && !info.IsDir():
		return nil, fault.New(fault.InvalidRequest, "cannot %s: dest_path is a file; give a folder", doing)
	case err == nil:
		if u.to, err = filepath.EvalSymlinks(to); err != nil {
			return nil, fileFault(doing, err)
		}
		u.beside = filepath.Join(u.to, "temporary")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fileFault(doing, err)
	default:
		if _, err := os.Lstat(u.to); err == nil {
			return nil, fault.New(fault.NotFound, "cannot %s: dest_path is a symbolic link that leads nowhere", doing)
		}
		u.fresh, u.beside = true, u.to
		if err := os.MkdirAll(filepath.Dir(u.to), 0o777); err != nil {
			return nil, fileFault(doing, err)
		}
	}
	return u, nil
}

func (u *unpacking) shown(name string) string {
	return filepath.ToSlash(filepath.Join(u.call.Text("dest_path"), filepath.FromSlash(name)))
}

func (u *unpacking) at(name string) string { return filepath.Join(u.to, filepath.FromSlash(name)) }

// there reports whether a file or link is where an entry goes, and its real path.
func (u *unpacking) there(name string) (real string, ok bool) {
	info, err := os.Lstat(u.at(name))
	return realPath(u.at(name)), err == nil && !info.IsDir()
}

// put moves what was unpacked to its folder.
func (u *unpacking) put(ctx context.Context, got *archive.Unpacked) error {
	for _, name := range slices.Concat(got.Folders, got.Files) {
		if err := u.call.Permit(u.at(name), false); err != nil {
			return err
		}
	}
	if u.fresh {
		for _, name := range got.Files {
			if got.Links[name] {
				continue
			}
			// Remembered before it is there: a run that is killed in between finds no file that is not its own.
			if err := putFile(ctx, u.call, u.at(name), u.from(name), true, func(bool) error { return nil }); err != nil {
				return err
			}
		}
		return os.Rename(u.temp, u.to)
	}
	if err := u.fits(got); err != nil {
		return err
	}
	m := moves{kept: filepath.Join(u.temp, atomicfile.Prefix+"old")}
	err := u.move(ctx, got, &m)
	if err != nil {
		m.back()
	}
	return err
}

func (u *unpacking) from(name string) string { return filepath.Join(u.temp, filepath.FromSlash(name)) }

// fits checks everything that is there before anything is moved. A link that is there is never written through.
func (u *unpacking) fits(got *archive.Unpacked) error {
	for _, name := range got.Folders {
		info, err := os.Lstat(u.at(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !info.IsDir():
			return fault.New(fault.InvalidRequest, "%s is there and is no folder; unpack into another one", quote(u.shown(name)))
		}
	}
	for _, name := range got.Files {
		info, err := os.Lstat(u.at(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case !info.Mode().IsRegular() || got.Links[name]:
			return fault.New(fault.InvalidRequest, "%s is there and is not replaced, being a folder or a link, or for a link; unpack into another folder", quote(u.shown(name)))
		case !u.call.Flag("overwrite") && (u.call.Files == nil || !u.call.Files.May(realPath(u.at(name)))):
			return existsFault(u.doing, u.shown(name), false)
		}
	}
	return nil
}

// moves are what was done to the folder, for the way back.
type moves struct {
	kept  string // the folder of what was replaced
	made  []string
	files map[string]string // replaced ones, and where what they held is kept
}

func (m *moves) back() {
	for i := len(m.made) - 1; i >= 0; i-- {
		os.Remove(m.made[i])
	}
	for to, from := range m.files {
		os.Rename(from, to)
	}
}

// keep holds on to a file that is about to be replaced. Where there are no hard links it cannot be had back.
func (m *moves) keep(path string) error {
	if m.files == nil {
		if err := os.MkdirAll(m.kept, 0o700); err != nil {
			return err
		}
		m.files = map[string]string{}
	}
	kept := filepath.Join(m.kept, strconv.Itoa(len(m.files)))
	if os.Link(path, kept) == nil {
		m.files[path] = kept
	}
	return nil
}

func (u *unpacking) move(ctx context.Context, got *archive.Unpacked, m *moves) error {
	for _, name := range got.Folders {
		info, err := os.Stat(u.from(name))
		if err != nil {
			return err
		}
		switch err := os.Mkdir(u.at(name), info.Mode().Perm()); {
		case err == nil:
			m.made = append(m.made, u.at(name))
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	for _, name := range got.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		to, from := u.at(name), u.from(name)
		if got.Links[name] {
			if err := os.Rename(from, to); err != nil {
				return err
			}
			m.made = append(m.made, to)
			continue
		}
		_, err := os.Lstat(to)
		old := err == nil
		if old {
			if err := m.keep(to); err != nil {
				return err
			}
		}
		err = putFile(ctx, u.call, to, from, u.call.Flag("overwrite"), func(replace bool) error { return rename(from, to, replace) })
		if errors.Is(err, fs.ErrExist) {
			return existsFault(u.doing, u.shown(name), u.call.Flag("overwrite"))
		}
		if err != nil {
			return err
		}
		if !old {
			m.made = append(m.made, to)
		}
	}
	return nil
}
