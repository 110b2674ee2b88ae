package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pflow/internal/atomicfile"
	"pflow/internal/fault"
)

// planOutput is what -o names.
type planOutput struct {
	output
	file   *os.File
	target string // the regular file that is replaced once all is written; "" where it is written through
	stdout bool   // it is standard output
}

// openOutput opens what -o names. A regular file is replaced as a whole when all is written, also where a symbolic link
// leads to it; whatever else is there, a device or a pipe, is written to, and - is standard output. It is nil without -o.
func (a *app) openOutput(ctx context.Context, name string) (*planOutput, error) {
	if name == "" {
		return nil, nil
	}
	if name == "-" {
		return &planOutput{output: output{w: a.stdout}, stdout: true}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, usage("-o %s: %v", name, reason(err))
	case err == nil && info.IsDir():
		return nil, usage("-o %s: it is a folder; name a file in it", name)
	case err == nil && a.isStdout(info):
		return &planOutput{output: output{w: a.stdout}, stdout: true}, nil
	case err == nil && !info.Mode().IsRegular():
		f, err := openPipe(ctx, name)
		if err != nil {
			return nil, usage("-o %s: %v", name, reason(err))
		}
		return &planOutput{output: output{w: f}, file: f}, nil
	}
	target, err := linked(name)
	if err != nil {
		return nil, usage("-o %s: %v", name, reason(err))
	}
	f, err := atomicfile.Create(filepath.Dir(target))
	if err != nil {
		return nil, usage("-o %s: %v", name, reason(err))
	}
	mode := fs.FileMode(0o600)
	if info != nil {
		mode = info.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, usage("-o %s: %v", name, reason(err))
	}
	return &planOutput{output: output{w: f}, file: f, target: target}, nil
}

// isStdout reports whether a file is what standard output leads to.
func (a *app) isStdout(info fs.FileInfo) bool {
	out, ok := a.stdout.(*output)
	if !ok {
		return false
	}
	f, ok := out.w.(*os.File)
	if !ok {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(info, own)
}

// openPipe opens a file that is no regular one. A pipe opens when somebody reads it; until then ctx ends the wait.
func openPipe(ctx context.Context, name string) (*os.File, error) {
	select {
	case o := <-fault.Async(func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) }):
		return o.Value, o.Err
	case <-ctx.Done(): // the open cannot be ended: it is left behind
		return nil, errors.New("nobody reads it")
	}
}

// linked follows symbolic links to the file that opening name would make or open.
func linked(name string) (string, error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link, or nothing is there: opening it tells
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", errors.New("too many symbolic links")
}

// writer is where plans are written; nil without -o.
func (o *planOutput) writer() io.Writer {
	if o == nil {
		return nil
	}
	return &o.output
}

// end puts what was written in its place, unless err is of a wrong command line. A file that could not be written whole
// is removed.
func (o *planOutput) end(name string, err error) error {
	if o == nil || o.stdout {
		return err
	}
	wrote := o.err
	if o.target != "" && wrote == nil && !isUsage(err) {
		wrote = atomicfile.Rename(o.file, o.target)
	} else if closing := o.file.Close(); wrote == nil {
		wrote = closing
	}
	if o.target != "" && (wrote != nil || isUsage(err)) {
		os.Remove(o.file.Name())
	}
	if wrote != nil {
		return fail(exitFailed, "%s: %v", name, reason(wrote))
	}
	return err
}

func isUsage(err error) bool {
	var e *exitError
	return errors.As(err, &e) && e.Code == exitUsage
}
