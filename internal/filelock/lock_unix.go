//go:build unix

// Package filelock locks open files among processes and goroutines. The kernel frees a lock when the file is closed or its
// process dies. Where there is no flock, Lock and Try do nothing.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Supported tells whether locks work here.
const Supported = true

// Lock waits for an exclusive lock, at most half a minute and no longer than the context.
func Lock(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := Try(f)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process holds the lock %s: %w", f.Name(), ctx.Err())
		case <-tick.C:
		}
	}
}

// Try takes an exclusive lock if nobody holds one.
func Try(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, err
		}
	}
}

// Held reports whether somebody holds the lock of a file. Those who ask at the same time are not in each other's way.
func Held(f *os.File) bool {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
		switch {
		case err == nil:
			_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
			return false
		case !errors.Is(err, syscall.EINTR):
			return errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}
