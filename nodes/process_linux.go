package nodes

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// dieWithUs makes the kernel kill the program when the thread that started it dies.
func dieWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// family is a program with all that it started: its process group, and whoever else has its token in the environment.
type family struct {
	group int
	token string
}

func (f family) lives() bool {
	found := false
	f.each(func(int, bool) bool { found = true; return false })
	return found
}

// signal sends a signal to all of the family.
func (f family) signal(s syscall.Signal) {
	inGroup := false
	f.each(func(pid int, member bool) bool {
		if member {
			inGroup = true
			return true
		}
		// The handle is of this very process: should it end now, the signal reaches nobody who took its number.
		if p, err := os.FindProcess(pid); err == nil {
			if f.marked(pid) {
				p.Signal(s)
			}
			p.Release()
		}
		return true
	})
	if inGroup {
		signalGroup(f.group, s)
	}
}

// each calls yield for every living process of the family until it gives false; member tells those of the group. Without
// /proc the group is all there is.
func (f family) each(yield func(pid int, member bool) bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		if signalGroup(f.group, 0) == nil {
			yield(f.group, true)
		}
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		group, dead, ok := processGroup(name)
		if !ok || dead {
			continue
		}
		if member := group == f.group; (member || f.marked(pid)) && !yield(pid, member) {
			return
		}
	}
}

func (f family) marked(pid int) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(environ, []byte(f.token))
}

// processGroup reads the group of a process. A zombie is dead: nobody can end it any more.
func processGroup(pid string) (group int, dead, ok bool) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, false, false
	}
	// PID (NAME) STATE PPID PGRP …, where NAME may hold anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 3 {
		return 0, false, false
	}
	group, err = strconv.Atoi(string(fields[2]))
	return group, fields[0][0] == 'Z' || fields[0][0] == 'X', err == nil
}
