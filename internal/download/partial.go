package download

import (
	"encoding/json"
	"errors"
	"io"
	"os"

	"pflow/internal/fault"
	"pflow/internal/filelock"
)

// partial is the file of what has come so far. It is locked: two that fetch the same do not mix.
type partial struct {
	file    *os.File
	size    int64
	version string // as If-Range takes it; "": it cannot be gone on with
	total   int64  // -1: not known
}

// kept stands beside a partial file, as JSON.
type kept struct {
	Version string `json:"version"`
	Total   int64  `json:"total"`
}

func openPartial(path string) (*partial, error) {
	for {
		if there, err := os.Lstat(path); err == nil && !there.Mode().IsRegular() {
			return nil, fault.New(fault.InvalidRequest, "%s is no regular file; remove it", path)
		}
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		p := &partial{file: file, total: -1}
		free, err := filelock.Try(file)
		if err == nil && !free {
			file.Close()
			return nil, fault.New(fault.Unavailable, "another run is fetching it; wait for that one")
		}
		opened, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, err
		}
		named, err := os.Lstat(path) // another run may have finished it since it was opened
		if err != nil || !os.SameFile(opened, named) {
			file.Close()
			continue
		}
		var k kept
		if data, err := os.ReadFile(p.notes()); err == nil && json.Unmarshal(data, &k) == nil {
			p.size, p.version, p.total = opened.Size(), k.Version, k.Total
		}
		return p, nil
	}
}

func (p *partial) notes() string { return p.file.Name() + ".json" }

// resumes is the byte from which on the rest is to be asked for; 0: all. Of a file that is whole the last byte is asked
// for, since a server answers a question for nothing with an error.
func (p *partial) resumes() int64 {
	switch {
	case p.version == "" || p.total >= 0 && p.size > p.total:
		return 0
	case p.size > 0 && p.size == p.total:
		return p.size - 1
	}
	return p.size
}

// cut drops what is there from a byte on.
func (p *partial) cut(size int64) error {
	if err := p.file.Truncate(size); err != nil {
		return err
	}
	p.size = size
	return nil
}

// restart empties the file, for one of this version. The file is emptied first: what is in it is never taken for another's.
func (p *partial) restart(version string, total int64) error {
	if err := p.cut(0); err != nil {
		return err
	}
	p.version, p.total = version, total
	if version == "" {
		return p.forget()
	}
	data, err := json.Marshal(kept{version, total})
	if err != nil {
		return err
	}
	return os.WriteFile(p.notes(), data, 0o666)
}

var errTooLarge = errors.New("too large")

// writeError is an error of the disk, not of the transfer.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// add adds what comes to the file, up to most bytes of it.
func (p *partial) add(from io.Reader, most int64) error {
	buf := make([]byte, 256<<10)
	for {
		n, err := from.Read(buf)
		if p.size+int64(n) > most {
			return errTooLarge
		}
		if n > 0 {
			if _, err := p.file.WriteAt(buf[:n], p.size); err != nil {
				return &writeError{err}
			}
			p.size += int64(n)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// forget removes the notes: what has no notes is begun anew.
func (p *partial) forget() error {
	if err := os.Remove(p.notes()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// keep leaves the file for the next run.
func (p *partial) keep() { p.file.Close() }

// discard removes the file, where it has not been given another name. It is locked until then.
func (p *partial) discard() {
	defer p.file.Close()
	p.forget()
	opened, err := p.file.Stat()
	if named, gone := os.Lstat(p.file.Name()); err == nil && gone == nil && os.SameFile(opened, named) {
		os.Remove(p.file.Name())
	}
}
