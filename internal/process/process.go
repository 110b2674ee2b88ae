// Package process runs programs and ends all that they started.
package process

import (
	"context"
	"crypto/rand"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"pflow/internal/fault"
)

// Program is a program to run, with all that it starts. It is over when its first process is: what is left then is ended
// too, so that nothing outlives the node.
//
// What is guaranteed: the first process leads a process group of its own. When it ends, or ctx does, the group gets
// SIGTERM, and SIGKILL after a grace of 2 s, which nothing can ignore; Run returns when no process of the group lives. On
// Linux that also holds for processes that left the group (setsid, a daemon), as long as they kept the variable
// PFLOW_NODE of the environment and belong to the same user: `env -u PFLOW_NODE setsid server` is the way to start
// something that is to stay. If pflow itself is killed by SIGKILL, the first process dies with it on Linux, and the others
// when the run is resumed, before it starts a program again; see Resuming.
type Program struct {
	Argv     []string
	Dir      string
	Env      []string // nil: this process's own
	Set      []string // further variables, which win
	Stdin    string
	HasStdin bool // otherwise there is nothing to read
	Apart    bool // from the terminal: it cannot ask there
	Told     bool // what it prints is for whoever looks at the run, see Telling
	Stdout   Capture
	Stderr   Capture
}

// Variable marks what a program starts, by a token that only its children have. A program run by a pflow that a
// node runs has the tokens of both.
const Variable = "PFLOW_NODE"

// Waiting for what a program leaves behind.
const (
	linger = 500 * time.Millisecond // for what a pipe still holds, before the rest is ended
	poll   = 10 * time.Millisecond
	grace  = 2 * time.Second
)

// Independent gives a program a session of its own: no signal to this process's group, and no terminal, reaches it.
func Independent(cmd *exec.Cmd) { prepare(cmd, true) }

// Run runs the program to its end; code is its exit status, 128 and the signal's number if one ended it. The error is that
// of starting. When ctx ends first the program is ended; see ctx.Err.
func (p *Program) Run(ctx context.Context) (code int, err error) {
	if tell, ok := ctx.Value(tellKey{}).(func(context.Context) func([]byte)); ok && p.Told {
		p.Stdout.tell = tell(ctx)
		p.Stderr.tell = p.Stdout.tell
	}
	cmd, token := p.command(ctx)
	pipes, err := p.connect(cmd)
	if err != nil {
		return 0, err
	}
	defer pipes.close()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	started, ended := make(chan error, 2), make(chan error, 1)
	fault.Go(func() {
		// The program dies with the thread that started it (see prepare), so this thread must stay until it has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := start(cmd)
		started <- err
		if err == nil {
			ended <- wait(cmd)
		}
	}, func(err error) { started <- err; ended <- err })
	if err := <-started; err != nil {
		return 0, err
	}
	pipes.start()
	family := family{group: cmd.Process.Pid, token: token}
	select {
	case err = <-ended:
	case <-ctx.Done():
		family.signal(terminate)
		timer := time.NewTimer(grace)
		select {
		case err = <-ended:
		case <-timer.C:
			family.signal(kill)
			err = <-ended
		}
		timer.Stop()
	}
	if ctx.Err() == nil {
		pipes.wait(linger)
	}
	family.end()
	pipes.wait(time.Second)
	select {
	case err := <-pipes.bugs:
		return 0, err
	default:
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return exitCode(cmd.ProcessState), nil
}

// command is the program with the mark of what it starts.
func (p *Program) command(ctx context.Context) (cmd *exec.Cmd, token string) {
	token = rand.Text()
	if r, ok := ctx.Value(runKey{}).(*ofRun); ok {
		token = r.id + "." + token
		r.sweep()
	}
	cmd = exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	before := cmd.Environ()
	marks := token
	for _, v := range before {
		if outer, ok := strings.CutPrefix(v, Variable+"="); ok {
			marks = outer + "," + token
		}
	}
	cmd.Env = append(append(before, p.Set...), Variable+"="+marks)
	prepare(cmd, p.Apart)
	return cmd, token
}

// runKey is the key of an *ofRun in a context.
type runKey struct{}

// ofRun is the run that programs are started for.
type ofRun struct {
	id    string
	sweep func()
}

// InRun marks the programs that nodes start as those of a run, so that it can find them again should this process be
// killed; see Resuming.
func InRun(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, runKey{}, &ofRun{id, func() {}})
}

// Resuming is InRun for a run that goes on after its process was killed: before the first program is started, all that
// the killed process had started and that still runs is ended. On Linux only; elsewhere nobody knows who that is.
func Resuming(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, runKey{}, &ofRun{id, sync.OnceFunc(family{token: id + ".", left: true}.end)})
}

type tellKey struct{}

// Telling has those programs that are run in a context and are Told tell what they print, as it comes and without the secrets
// that their captures mask. For each, tell gives, by the context that it runs in, who is told; it is called by several
// goroutines, and must keep nothing of what it is given.
func Telling(ctx context.Context, tell func(ctx context.Context) (printed func([]byte))) context.Context {
	return context.WithValue(ctx, tellKey{}, tell)
}

// end ends what is left.
func (f family) end() {
	if !f.lives() {
		return
	}
	f.signal(terminate)
	for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(poll) {
		if !f.lives() {
			return
		}
	}
	// Again and again, since what is being killed may be starting others. Processes in the kernel's uninterruptible sleep
	// die when they wake: they are not waited for without end.
	for range 200 {
		f.signal(kill)
		if !f.lives() {
			return
		}
		time.Sleep(poll)
	}
}
