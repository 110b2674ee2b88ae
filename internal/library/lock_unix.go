//go:build unix

package library

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"pflow/internal/fault"
)

// acquire waits for an exclusive lock, which the kernel frees when the file is closed or the process dies. The wait ends
// with the context, and after half a minute: no writer holds the lock for more than a few milliseconds.
func acquire(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return failed(err)
		}
		select {
		case <-ctx.Done():
			return fault.New(fault.Of(ctx.Err()).Kind, "another process holds the library's lock (%s): %v", f.Name(), ctx.Err())
		case <-tick.C:
		}
	}
}
