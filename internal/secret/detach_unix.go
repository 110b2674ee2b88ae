//go:build unix

package secret

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own, in which there is no terminal to ask on, and has all of it ended in time.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
