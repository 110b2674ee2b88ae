//go:build unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps a second process from going on with the run; the lock ends with the process, however it ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.New("another process is working on the run")
	}
	return err
}
