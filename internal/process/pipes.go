package process

import (
	"io"
	"os"
	"os/exec"
	"time"

	"pflow/internal/fault"
)

// pipes are the streams of a running program.
type pipes struct {
	p        *Program
	theirs   []*os.File
	in       *os.File
	out, err *os.File
	read     chan struct{} // one for each of out and err that has ended
	ended    int
	bugs     chan error // of what reads and writes them
}

func (p *Program) connect(cmd *exec.Cmd) (*pipes, error) {
	s := &pipes{p: p, read: make(chan struct{}, 2), bugs: make(chan error, 3)}
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err != nil {
			s.close()
		}
		return r, w, err
	}
	var w *os.File
	var err error
	if s.out, w, err = pipe(); err != nil {
		return nil, err
	}
	cmd.Stdout, s.theirs = w, append(s.theirs, w)
	if s.err, w, err = pipe(); err != nil {
		return nil, err
	}
	cmd.Stderr, s.theirs = w, append(s.theirs, w)
	if p.HasStdin {
		r, in, err := pipe()
		if err != nil {
			return nil, err
		}
		s.in = in
		cmd.Stdin, s.theirs = r, append(s.theirs, r)
	}
	return s, nil
}

// start hands the program its input and keeps what it prints.
func (s *pipes) start() {
	for _, f := range s.theirs {
		f.Close()
	}
	s.theirs = nil
	keep := func(to *Capture, from *os.File) {
		fault.Go(func() {
			io.Copy(to, from)
			s.read <- struct{}{}
		}, func(err error) { // the program must not wait for a reader
			s.bugs <- err
			from.Close()
			s.read <- struct{}{}
		})
	}
	keep(&s.p.Stdout, s.out)
	keep(&s.p.Stderr, s.err)
	if s.in != nil {
		fault.Go(func() {
			io.WriteString(s.in, s.p.Stdin) // a program need not read all of it
			s.in.Close()
		}, func(err error) {
			s.bugs <- err
			s.in.Close()
		})
	}
}

// wait waits until the program's output has ended, but not long: what escaped may hold it open.
func (s *pipes) wait(most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for s.ended < 2 {
		select {
		case <-s.read:
			s.ended++
		case <-timer.C:
			return
		}
	}
}

// close lets go of everything. After it nothing is written to the captures.
func (s *pipes) close() {
	for _, f := range append(s.theirs, s.in, s.out, s.err) {
		if f != nil {
			f.Close()
		}
	}
}
