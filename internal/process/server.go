package process

import (
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"pflow/internal/fault"
)

// Server is a program that answers on its standard output what is written to its standard input, until it is closed. It ends
// as a Program does, with all that it started. It is an io.ReadWriteCloser; reading and writing may go on at once.
type Server struct {
	in, out *os.File
	stderr  *Capture
	family  family
	ended   chan struct{} // closed when the first process has ended
	said    chan struct{} // closed when standard error has ended
	code    int           // of the first process, once it has ended
	close   func()
}

// Serve starts a program as a server. Its standard error is kept in p.Stderr; Stdin and Stdout are not used. ctx counts for
// starting alone.
func (p *Program) Serve(ctx context.Context) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd, token := p.command(ctx)
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) {
		r, w, err = os.Pipe()
		if err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	theirIn, in, err := pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := pipe()
	if err != nil {
		closeAll()
		return nil, err
	}
	errs, theirErr, err := pipe()
	if err != nil {
		closeAll()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, theirErr
	s := &Server{in: in, out: out, stderr: &p.Stderr, ended: make(chan struct{}), said: make(chan struct{})}
	started := make(chan error, 2)
	fault.Go(func() {
		runtime.LockOSThread() // see Run
		defer runtime.UnlockOSThread()
		err := start(cmd)
		started <- err
		if err == nil {
			_ = wait(cmd)
			s.code = exitCode(cmd.ProcessState)
			close(s.ended)
		}
	}, func(err error) { started <- err; close(s.ended) })
	if err := <-started; err != nil {
		closeAll()
		return nil, err
	}
	for _, f := range []*os.File{theirIn, theirOut, theirErr} {
		f.Close()
	}
	fault.Go(func() {
		io.Copy(s.stderr, errs)
		close(s.said)
	}, func(error) { errs.Close(); close(s.said) })
	s.family = family{group: cmd.Process.Pid, token: token}
	s.close = sync.OnceFunc(func() {
		s.in.Close()
		timer := time.NewTimer(linger)
		defer timer.Stop()
		select {
		case <-s.ended: // at the end of its input, as it should
		case <-timer.C:
		}
		s.family.end()
		if _, ok := s.Ended(time.Second); !ok { // without process groups
			s.family.signal(kill)
		}
		s.out.Close()
		timer.Reset(linger) // what it said last is read, unless something that it left behind keeps the pipe open
		select {
		case <-s.said:
		case <-timer.C:
		}
		errs.Close()
	})
	return s, nil
}

// Read reads what the program writes to its standard output.
func (s *Server) Read(p []byte) (int, error) { return s.out.Read(p) }

// Write writes to the program's standard input.
func (s *Server) Write(p []byte) (int, error) { return s.in.Write(p) }

// Close ends the program: its input ends, and after half a second it gets SIGTERM, and SIGKILL after the grace.
func (s *Server) Close() error {
	s.close()
	return nil
}

// Ended waits that long for the end of the first process and gives its exit status.
func (s *Server) Ended(most time.Duration) (code int, ok bool) {
	select {
	case <-s.ended:
		return s.code, true
	default:
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-s.ended:
		return s.code, true
	case <-timer.C:
		return 0, false
	}
}

// LastWords is the end of what the program wrote to its standard error, so far.
func (s *Server) LastWords() string {
	if _, over := s.Ended(0); over { // what it said last may still be on its way
		timer := time.NewTimer(linger)
		defer timer.Stop()
		select {
		case <-s.said:
		case <-timer.C:
		}
	}
	return s.stderr.Last()
}
