//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// prepare gives the program a process group of its own: with apart in a session of its own, which no terminal belongs to.
func prepare(cmd *exec.Cmd, apart bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !apart, Setsid: apart}
}

func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// signalGroup sends a signal to all of a group.
func signalGroup(group int, s syscall.Signal) error { return syscall.Kill(-group, s) }
