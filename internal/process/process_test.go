//go:build linux

package process

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pflow/internal/mask"
)

// TestDaemonsEnd: whatever way a command's children leave it, they end with it, and it takes no look at all processes of
// the machine to find them.
func TestDaemonsEnd(t *testing.T) {
	const report = `sh -c 'echo $$ >> pids; exec sleep 60' > /dev/null 2>&1 < /dev/null`
	for name, command := range map[string]string{
		"nohup":           `nohup ` + report + ` &`,
		"setsid":          `setsid ` + report + ` &`,
		"forked twice":    `( ( ` + report + ` & ) & )`,
		"a daemon":        `( ( setsid ` + report + ` & ) & )`,
		"a daemon's own":  `( setsid sh -c '( setsid sh -c "echo \$\$ >> pids; exec sleep 60" & ) ; exit 0' > /dev/null 2>&1 & )`,
		"it ends by exec": `setsid ` + report + ` & while ! [ -s pids ]; do sleep 0.01; done; exec true`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := shell(t, ": > pids; "+command+"\nwhile ! [ -s pids ]; do sleep 0.01; done; echo done")
			for _, pid := range pidsIn(t, filepath.Join(dir, "pids")) {
				if alive(pid) {
					t.Errorf("process %d lives", pid)
				}
			}
		})
	}
}

// TestAdoptedAreLetGo: what a command left behind and what ended by itself meanwhile keeps no place among the processes.
func TestAdoptedAreLetGo(t *testing.T) {
	for range 2 {
		shell(t, `( setsid true & ) ; ( true & ) ; setsid sleep 60 & sleep 0.1`)
	}
	until := time.Now().Add(time.Minute)
	for descendants(); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if len(descendants()) > 0 {
			continue
		}
		if pids, _ := childrenOf(os.Getpid()); len(pids) == 0 {
			return
		}
	}
	pids, _ := childrenOf(os.Getpid())
	t.Errorf("still there: %v", pids)
}

// TestResumingEndsWhatWasLeft: a run that is resumed ends what has its mark, once, and nothing of another run.
func TestResumingEndsWhatWasLeft(t *testing.T) {
	dir := t.TempDir()
	start := func(id string) int {
		// A program that nobody waits for, as a killed process leaves one behind.
		p := &Program{Argv: []string{"/bin/sh", "-c", `unset PFLOW_NODE; PFLOW_NODE=outer,` + id + `.token setsid sh -c 'echo $$ > ` + id + `; exec sleep 60' > /dev/null 2>&1 &
			while ! [ -s ` + id + ` ]; do sleep 0.01; done`}, Dir: dir}
		if code, err := p.Run(t.Context()); code != 0 || err != nil {
			t.Fatal(code, err)
		}
		return pidsIn(t, filepath.Join(dir, id))[0]
	}
	mine, other := start("mine"), start("mineral")
	defer func() {
		if p, err := os.FindProcess(other); err == nil {
			p.Kill()
		}
	}()
	if !alive(mine) || !alive(other) {
		t.Fatal("what has another mark was ended with the program")
	}
	ctx := Resuming(context.Background(), "mine")
	if alive(mine) != true {
		t.Error("it ends before a program is started")
	}
	if code, err := (&Program{Argv: []string{"/bin/true"}}).Run(ctx); code != 0 || err != nil {
		t.Fatal(code, err)
	}
	if alive(mine) || !alive(other) {
		t.Errorf("of the run %v, of another %v", alive(mine), alive(other))
	}
}

// shell runs a command line in an empty folder, and gives the folder.
func shell(t *testing.T, command string) (dir string) {
	t.Helper()
	p := &Program{Argv: []string{"/bin/sh", "-c", command}, Dir: t.TempDir(), Stderr: Capture{Limit: 1000}}
	if code, err := p.Run(t.Context()); code != 0 || err != nil {
		t.Fatalf("exit status %d, %v%s", code, err, p.LastWords())
	}
	return p.Dir
}

// pidsIn reads a process number from a file, once it is there.
func pidsIn(t *testing.T, path string) []int {
	t.Helper()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(path)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && strings.HasSuffix(string(data), "\n") {
			return []int{pid}
		}
	}
	t.Fatalf("%s holds no process number", path)
	return nil
}

// alive reports whether a process runs: what only waits to be taken note of does not.
func alive(pid int) bool {
	s, ok := readStat(pid)
	return ok && !s.dead
}

// TestTelling: what a program prints is told as it comes, without secrets, and only of programs that are to be told of.
func TestTelling(t *testing.T) {
	secrets := mask.New(mask.Secret{Value: "hunter2secret", Mark: "[secret]"})
	run := func(told bool) string {
		var mu sync.Mutex
		var got strings.Builder
		dir := t.TempDir()
		ctx := Telling(t.Context(), func(context.Context) func([]byte) {
			return func(printed []byte) {
				mu.Lock()
				defer mu.Unlock()
				got.Write(printed)
				if strings.Contains(got.String(), "first") { // it goes on once that was told
					if err := os.WriteFile(filepath.Join(dir, "told"), nil, 0o600); err != nil {
						t.Error(err)
					}
				}
			}
		})
		p := &Program{Argv: []string{"/bin/sh", "-c", `printf 'first hunter2'; while [ $# = 1 ] && ! [ -e told ]; do sleep 0.01; done; echo 'secret end' >&2; printf 'secret end'`, "sh"}, Dir: dir, Told: told}
		if told {
			p.Argv = append(p.Argv, "wait")
		}
		p.Stdout = Capture{Limit: 1000, Mask: secrets.Stream()}
		if code, err := p.Run(ctx); code != 0 || err != nil {
			t.Fatal(code, err)
		}
		if out := p.Stdout.Text(false); out != "first [secret] end" {
			t.Errorf("it kept %q", out)
		}
		mu.Lock()
		defer mu.Unlock()
		return got.String()
	}
	if got := run(true); !strings.Contains(got, "first ") || !strings.Contains(got, "[secret] end") || strings.Contains(got, "hunter2") {
		t.Errorf("told %q", got)
	}
	if got := run(false); got != "" {
		t.Errorf("a program that is not to be told of: %q", got)
	}
}
