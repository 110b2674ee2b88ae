// Package download fetches a file byte for byte, and goes on where a transfer broke off: within a call, and in the next
// process if this one is killed. What has come so far is kept in a partial file, with what tells its version (a strong ETag, or
// Last-Modified) beside it. It is only added to while the server says that it is still that version.
package download

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"pflow/internal/fault"
)

// Request is what to fetch.
type Request struct {
	Client *http.Client
	// New makes the request of one attempt; Range, If-Range and Accept-Encoding are added to it.
	New      func(ctx context.Context) (*http.Request, error)
	Partial  string                     // the path of the partial file; its folder is there
	Resume   bool                       // go on with what an earlier call left there
	MaxBytes int64                      // of the file
	Idle     time.Duration              // how long the server may send nothing
	Begin    func(*http.Response) error // looks at each answer before its body is read; may be nil
}

// File is what was fetched: all there, on the disk, under the partial file's name. Whoever has it renames or discards it.
type File struct {
	Bytes  int64
	SHA256 string // in hexadecimal
	Header http.Header

	part *partial
}

// Close ends the lock on the file, and removes what is left of it under its old name.
func (f *File) Close() { f.part.discard() }

// Renames readies the file for the name that it is given after.
func (f *File) Renames() error { return f.part.forget() }

// StatusError is an answer that holds no file.
type StatusError struct {
	Status int
	Body   string // its beginning
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
}

// Bounds on going on after a transfer broke off: in a row without a byte more than ever before, and in all.
const (
	maxStalls    = 2
	maxContinued = 50
	firstPause   = 200 * time.Millisecond
)

// Get fetches a file.
func Get(ctx context.Context, r Request) (*File, error) {
	part, err := openPartial(r.Partial)
	if err != nil {
		return nil, err
	}
	if !r.Resume {
		err = part.restart("", -1)
	}
	var header http.Header
	most := part.size
	for continued, stalls := 0, 0; err == nil; continued++ {
		header, err = attempt(ctx, r, part)
		if err == nil || ctx.Err() != nil || !broken(err) || continued == maxContinued {
			break
		}
		if part.size > most {
			most, stalls = part.size, 0
		} else if stalls++; stalls > maxStalls || most == 0 {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(firstPause << stalls):
			err = nil
		}
	}
	if err == nil {
		err = part.file.Sync()
	}
	f := &File{Bytes: part.size, Header: header, part: part}
	if err == nil {
		f.SHA256, err = part.sum(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		if part.size > 0 && part.version != "" && mayGoOn(err) {
			part.keep()
		} else {
			part.discard()
		}
		return nil, err
	}
	return f, nil
}

// mayGoOn reports whether another call may go on with what is there. What fills a disk is not left there.
func mayGoOn(err error) bool {
	var status *StatusError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return true
	case errors.As(err, &status):
		return status.Status >= 500 || status.Status == http.StatusTooManyRequests || status.Status == http.StatusRequestTimeout
	case errors.As(err, new(*writeError)):
		return false
	}
	return fault.Of(err).Kind.Temporary()
}

// brokenError is a transfer that broke off.
type brokenError struct{ error }

func (e brokenError) Unwrap() error { return e.error }

func broken(err error) bool { return errors.As(err, new(brokenError)) }

// attempt asks for the rest of the file, or for all of it, and adds what comes.
func attempt(ctx context.Context, r Request, part *partial) (http.Header, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.NewTimer(r.Idle)
	defer idle.Stop()
	fault.Go(func() {
		select {
		case <-ctx.Done():
		case <-idle.C:
			cancel(fault.New(fault.Timeout, "nothing came for %s", r.Idle))
		}
	}, func(err error) { cancel(err) })
	ended := func(err error) error {
		if cause := context.Cause(ctx); cause != nil && errors.As(cause, new(*fault.Error)) {
			err = cause
		}
		return brokenError{err}
	}
	resp, from, err := ask(ctx, r, part)
	if err != nil {
		if errors.As(err, new(*StatusError)) || errors.As(err, new(*fault.Error)) {
			return nil, err
		}
		return nil, ended(err)
	}
	defer resp.Body.Close()
	if r.Begin != nil {
		if err := r.Begin(resp); err != nil {
			return nil, err
		}
	}
	total := int64(-1)
	if resp.ContentLength >= 0 {
		total = from + resp.ContentLength
	}
	if total > r.MaxBytes {
		return nil, tooLarge(r, fmt.Sprintf("has %d bytes", total))
	}
	if from == 0 {
		if err := part.restart(version(resp.Header), total); err != nil {
			return nil, err
		}
	}
	if err := part.add(&countdown{resp.Body, idle, r.Idle}, r.MaxBytes); err != nil {
		if err == errTooLarge {
			return nil, tooLarge(r, "has more bytes than that")
		}
		if errors.As(err, new(*writeError)) {
			return nil, err
		}
		return nil, ended(err)
	}
	if part.total >= 0 && part.size != part.total {
		return nil, ended(io.ErrUnexpectedEOF)
	}
	return resp.Header, nil
}

func tooLarge(r Request, has string) error {
	return fault.New(fault.InvalidRequest, "the file %s, and max_bytes is %d; raise max_bytes to have it", has, r.MaxBytes)
}

// countdown starts the idle timer anew with each piece that comes.
type countdown struct {
	io.Reader
	timer *time.Timer
	idle  time.Duration
}

func (c *countdown) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if n > 0 {
		c.timer.Reset(c.idle)
	}
	return n, err
}

// sum gives the SHA-256 of the partial file: of what is on the disk, whichever call wrote it.
func (p *partial) sum(ctx context.Context) (string, error) {
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	h := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if _, err := io.CopyN(h, p.file, 8<<20); errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		} else if err != nil {
			return "", err
		}
	}
}

// Partial gives the name of the partial file for what is fetched to a path.
func Partial(url, to string) string {
	sum := sha256.Sum256([]byte(url + "\x00" + to))
	return partialPrefix + hex.EncodeToString(sum[:12])
}

// partialPrefix begins the names of partial files.
const partialPrefix = ".pflow-part-"
