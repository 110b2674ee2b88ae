//go:build !unix

package process

import (
	"os"
	"os/exec"
)

const (
	terminate = "kill"
	kill      = "kill"
)

func prepare(*exec.Cmd, bool) {}

func start(cmd *exec.Cmd) error { return cmd.Start() }

func wait(cmd *exec.Cmd) error { return cmd.Wait() }

func exitCode(s *os.ProcessState) int { return s.ExitCode() }

// family is a program alone: there are no process groups here.
type family struct {
	group int
	token string
	left  bool
}

func (f family) lives() bool { return false }

func (f family) signal(string) {
	if p, err := os.FindProcess(f.group); err == nil {
		p.Kill()
		p.Release()
	}
}
