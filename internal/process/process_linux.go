package process

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// children are the processes that this one started and waits for itself. All others that are children of this process
// were adopted, and nobody else takes note of their end. It is the process's, as its children are.
var children = struct {
	sync.Mutex
	own map[int]bool
}{own: map[int]bool{}}

// adopt makes this process the parent of whatever loses its own among those it started, and they started, and so on: so
// all of them stay below this process, also who leaves its group and its session, and can be found without a look at
// every process of the machine.
var adopt = sync.OnceFunc(func() {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER, since Linux 3.4
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
})

// start starts a program that dies with the thread that started it, and with no other.
func start(cmd *exec.Cmd) error {
	adopt()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	children.Lock()
	defer children.Unlock()
	err := cmd.Start()
	if err == nil {
		children.own[cmd.Process.Pid] = true
	}
	return err
}

func wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	children.Lock()
	defer children.Unlock()
	delete(children.own, cmd.Process.Pid)
	return err
}

// family is a program with all that it started: its process group, and whoever else has its token in the environment.
type family struct {
	group int
	token string
	left  bool // by a process that was killed: what has a token that begins so, wherever it is by now
}

// lives looks twice before it says no: what loses its parent during a look changes its place among the processes.
func (f family) lives() bool {
	found := false
	for range 2 {
		f.each(func(int, bool) bool { found = true; return false })
		if found {
			return true
		}
	}
	return false
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
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		if f.group > 0 && signalGroup(f.group, 0) == nil {
			yield(f.group, true)
		}
		return
	}
	pids := descendants
	if f.left {
		pids = strangers
	}
	for _, pid := range pids() {
		s, ok := readStat(pid)
		if !ok || s.dead {
			continue
		}
		if member := f.group > 0 && s.group == f.group; (member || f.marked(pid)) && !yield(pid, member) {
			return
		}
	}
}

// marked reports whether a process has the token, as an element of its variable.
func (f family) marked(pid int) bool {
	environ := environOf(pid, !f.left)
	for v := range bytes.SplitSeq(environ, []byte{0}) {
		marks, ok := strings.CutPrefix(string(v), Variable+"=")
		if !ok {
			continue
		}
		for mark := range strings.SplitSeq(marks, ",") {
			if mark == f.token || f.left && strings.HasPrefix(mark, f.token) {
				return true
			}
		}
	}
	return false
}

// environOf reads the environment of a process; nothing if it is gone, or another user's. While a process becomes another
// program, its environment is empty for a moment, which patient waits for. The kernel's own threads never have one.
func environOf(pid int, patient bool) []byte {
	for range 1000 {
		environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil || len(environ) > 0 {
			return environ
		}
		if s, ok := readStat(pid); !ok || s.dead || s.loaded || !patient {
			environ, _ = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
			return environ
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// descendants lists all processes below this one, and takes note of the end of those that were adopted.
func descendants() []int {
	self := os.Getpid()
	pids, ok := childrenOf(self)
	if !ok {
		return below(self, everyone()) // a kernel that does not list children
	}
	pids = reap(pids)
	for i := 0; i < len(pids); i++ {
		more, _ := childrenOf(pids[i])
		pids = append(pids, more...)
	}
	return pids
}

// childrenOf lists the children of all threads of a process.
func childrenOf(pid int) (pids []int, ok bool) {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil, false
	}
	for _, t := range threads {
		list, err := os.ReadFile(tasks + t.Name() + "/children")
		if err != nil {
			continue
		}
		ok = true
		for _, field := range strings.Fields(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids, ok
}

// reap takes the dead out of a list of this process's children. Those that nobody waits for are let go of: they would keep
// their numbers until this process ends. Who shares this process's group was started elsewhere, and is waited for there.
func reap(pids []int) []int {
	children.Lock()
	defer children.Unlock()
	var living []int
	for _, pid := range pids {
		if s, ok := readStat(pid); ok && !s.dead {
			living = append(living, pid)
		} else if ok && !children.own[pid] && s.group != syscall.Getpgrp() {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
	return living
}

// everyone lists all processes, with the parent of each.
func everyone() map[int]int {
	parents := map[int]int{}
	dir, err := os.Open("/proc")
	if err != nil {
		return parents
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := readStat(pid); ok {
				parents[pid] = s.parent
			}
		}
	}
	return parents
}

// below lists those who have a process among their parents.
func below(root int, parents map[int]int) []int {
	var pids []int
	for pid := range parents {
		for up, steps := parents[pid], 0; up > 0 && steps < len(parents); up, steps = parents[up], steps+1 {
			if up == root {
				pids = append(pids, pid)
				break
			}
		}
	}
	return reap(pids)
}

// strangers lists all processes but this one and those it comes from.
func strangers() []int {
	parents := everyone()
	for pid := os.Getpid(); pid > 0; {
		up := parents[pid]
		delete(parents, pid)
		pid = up
	}
	pids := make([]int, 0, len(parents))
	for pid := range parents {
		pids = append(pids, pid)
	}
	return pids
}

// stat is what of a process decides here. A zombie is dead: nobody can end it any more.
type stat struct {
	parent, group int
	dead          bool
	loaded        bool // it has an environment, if only an empty one
}

func readStat(pid int) (stat, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// PID (NAME) STATE PPID PGRP …, where NAME may hold anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 3 {
		return stat{}, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	group, err2 := strconv.Atoi(string(fields[2]))
	const environEnd = 51 - 3 // field 51 of proc_pid_stat(5), of which two stand before these; 0 until a program is loaded
	loaded := len(fields) <= environEnd || string(fields[environEnd]) != "0"
	return stat{parent, group, fields[0][0] == 'Z' || fields[0][0] == 'X', loaded}, err1 == nil && err2 == nil
}
