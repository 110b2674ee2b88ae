package main

import (
	"bytes"
	"context"
	"io"

	"pflow/internal/fault"
)

// patient reads a stream whose reads cannot be ended, such as standard input, for as long as somebody wants to wait. A
// read that is under way when its context is done is left behind; what it gives is there for whoever reads next.
type patient struct {
	stream io.Reader
	turn   chan struct{} // held by whoever reads
	got    chan chunk    // from the read under way
	asked  bool          // there is one
	rest   []byte
	err    error // behind rest
}

// chunk is what one read gave.
type chunk struct {
	data []byte
	err  error
}

func newPatient(stream io.Reader) *patient {
	return &patient{stream: stream, turn: make(chan struct{}, 1), got: make(chan chunk, 1)}
}

// until is the stream as far as nobody read it, until ctx is done: then reading fails with ctx's error.
func (p *patient) until(ctx context.Context) io.Reader { return &patientReader{p, ctx} }

type patientReader struct {
	*patient
	ctx context.Context
}

func (r *patientReader) Read(b []byte) (int, error) {
	if err := r.begin(r.ctx); err != nil {
		return 0, err
	}
	defer r.end()
	if err := r.fill(r.ctx); err != nil {
		return 0, err
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line reads a line without its end, up to a number of bytes: more fails with bytes.ErrTooLarge.
func (p *patient) line(ctx context.Context, most int) (string, error) {
	if err := p.begin(ctx); err != nil {
		return "", err
	}
	defer p.end()
	var line []byte
	for {
		if err := p.fill(ctx); err != nil {
			if err == io.EOF && len(line) > 0 {
				return string(bytes.TrimRight(line, "\r")), nil
			}
			p.rest = append(line, p.rest...) // for whoever reads next
			return "", err
		}
		end := bytes.IndexByte(p.rest, '\n')
		if end >= 0 {
			line = append(line, p.rest[:end]...)
			p.rest = p.rest[end+1:]
			return string(bytes.TrimRight(line, "\r")), nil
		}
		if line, p.rest = append(line, p.rest...), nil; len(line) > most {
			return "", bytes.ErrTooLarge
		}
	}
}

func (p *patient) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *patient) end() { <-p.turn }

// fill sees to it that there is something to read.
func (p *patient) fill(ctx context.Context) error {
	for len(p.rest) == 0 {
		if err := p.err; err != nil {
			p.err = nil
			return err
		}
		if !p.asked {
			p.asked = true
			fault.Go(func() {
				data := make([]byte, 64<<10)
				n, err := p.stream.Read(data)
				p.got <- chunk{data[:n], err}
			}, func(err error) { p.got <- chunk{err: err} })
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case c := <-p.got:
			p.asked, p.rest, p.err = false, c.data, c.err
		}
	}
	return nil
}
