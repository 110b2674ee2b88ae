//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

func start(cmd *exec.Cmd) error { return cmd.Start() }

func wait(cmd *exec.Cmd) error { return cmd.Wait() }

// family is a program with what it started, as far as that stayed in its process group.
type family struct {
	group int
	token string
	left  bool // by a process that was killed: nobody knows
}

func (f family) lives() bool { return !f.left && signalGroup(f.group, 0) == nil }

func (f family) signal(s syscall.Signal) { signalGroup(f.group, s) }
