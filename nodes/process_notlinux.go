//go:build unix && !linux

package nodes

import "syscall"

func dieWithUs(*syscall.SysProcAttr) {}

// family is a program with what it started, as far as that stayed in its process group.
type family struct {
	group int
	token string
}

func (f family) lives() bool { return signalGroup(f.group, 0) == nil }

func (f family) signal(s syscall.Signal) { signalGroup(f.group, s) }
