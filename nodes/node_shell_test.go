//go:build unix

package nodes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// hostileValues are values that a shell would act on, were they ever parsed.
var hostileValues = append([]string{
	"", "a; touch pwned", "$(touch pwned)", "`touch pwned`", `"; touch pwned; "`, `'; touch pwned; '`, "x\ntouch pwned\n", "EOF\ntouch pwned\nEOF",
	`\`, `\"`, `'"'"'`, "| touch pwned", "& touch pwned &", "> pwned", "a'b\"c\\d", "${PFLOW_1}", "$PFLOW_2", "a[$(touch pwned)]", "~", "* ? [a]",
	"  blanks  ", "\x01\x7f", "-n", "-e x", "(", "!", "}", "#x",
}, hostileNames...)

// TestHostileValuesStayData runs real commands with every hostile value in every place that takes one: what comes out is
// the value, and nothing else happens.
func TestHostileValuesStayData(t *testing.T) {
	places := []string{
		`printf '%s' ${v}`,
		`printf '%s' "${v}"`,
		`printf '%s' ''${v}""`,
		`printf %s ''"${v}"''; true # ${v}`,
		`printf '%s' "$(printf '%s.' "${v}")" | sed 's/\.$$//'`,
		"cat <<EOF\n${v}\nEOF",
		`X=${v}; printf '%s' "$$X"`,
		`for i in ${v}; do printf '%s' "$$i"; done`,
		`case ${v} in ${v}) printf '%s' ${v};; *) echo no;; esac`,
		`f() { printf '%s' "$1"; }; f ${v}`,
		`[ "x${v}" = x${v} ] && printf '%s' ${v}`,
		`printf '%s' "$1"`,
		`printf '%s' "$$V"`,
		`cat`,
	}
	const separator = "\x1e"
	for _, v := range hostileValues {
		c := newCall(t, map[string]any{
			"command": strings.Join(places, "\nprintf '\\036'\n"), "args": []any{v}, "stdin": v, "env": map[string]any{"V": v}, "trim": false,
		}, ir.Values{"v": v})
		out, err := runNode(t, "shell", c)
		if err != nil {
			t.Errorf("%q: %v", v, err)
			continue
		}
		got := strings.Split(out.Outputs["stdout"].(string), separator)
		if len(got) != len(places) {
			t.Fatalf("%q gives %q", v, got)
		}
		for i, place := range places {
			want := v
			if strings.HasPrefix(place, "cat <<") {
				want += "\n"
			}
			if got[i] != want {
				t.Errorf("%s\nwith %q\ngives %q", place, v, got[i])
			}
		}
		if left := readFiles(t, c.Dir); len(left) > 0 {
			t.Errorf("%q made %v", v, value.SortedKeys(left))
		}
	}
}

func TestSingleQuotesAreReopened(t *testing.T) {
	c := newCall(t, map[string]any{"command": `printf '%s|' '<${a}>$$b' "<${n}>" ${o} ${none}`},
		ir.Values{"a": "it's", "n": 7, "o": map[string]any{"k": []any{true, nil}}, "none": nil})
	out, err := runNode(t, "shell", c)
	if err != nil || out.Outputs["stdout"] != `<it's>$b|<7>|{"k":[true,null]}||` {
		t.Errorf("%v, %v", out.Outputs, err)
	}
}

func TestShellFails(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	cases := []struct {
		params  map[string]any
		kind    fault.Kind
		message string
	}{
		{map[string]any{"command": " "}, fault.InvalidRequest, "command is empty: give the command line to run"},
		{map[string]any{"command": "echo out; echo bad >&2; exit 3"}, fault.ExitStatus, "the command ended with exit status 3: bad"},
		{map[string]any{"command": "echo out; exit 1"}, fault.ExitStatus, "the command ended with exit status 1: out"},
		{map[string]any{"command": "kill -9 $$$$"}, fault.ExitStatus, "the command ended with exit status 137"},
		{map[string]any{"command": "yes '1234567' | head -c 5000 >&2; exit 1"}, fault.ExitStatus, "the command ended with exit status 1: …" + strings.Repeat("1234567\n", 250)[:1999]},
		{map[string]any{"command": "eval ${v}"}, fault.InvalidRequest, `${v} stands in an argument of eval, which runs it as code; hand the value over by args ("$1", "$2", … in the command), env or stdin instead`},
		{map[string]any{"command": "rm -f ${dash}"}, fault.InvalidRequest, `${dash} is "-rf", which rm would read as an option; write -- before the operands of rm`},
		{map[string]any{"command": "echo ${dash}; rm -f -- ${dash}; exit 1"}, fault.ExitStatus, "the command ended with exit status 1: -rf"},
		// A script's path may be a value, a template or one of args; what the program would read as an option may not.
		{map[string]any{"command": "sh ${dash} ${v}"}, fault.InvalidRequest, `${dash} is "-rf", where sh takes the path of its script: it would be read as an option; give a path, such as "./-rf"`},
		{map[string]any{"command": `sh "$1" "$2"`, "args": []any{"-c", "echo pwned"}}, fault.InvalidRequest, `args[0] is "-c", where sh takes the path of its script: it would be read as an option; give a path, such as "./-c"`},
		{map[string]any{"command": `echo ${v}; env X=1 python3 "$2"`, "args": []any{"a", "-"}}, fault.InvalidRequest, `args[1] is "-", where python3 takes the path of its script: it would be read as an option; give a path, such as "./-"`},
		{map[string]any{"command": "echo ${long}"}, fault.InvalidRequest, "${long} has 10240 KiB: a command takes at most 127 KiB in one argument or variable; hand it over by stdin"},
		{map[string]any{"command": "echo", "args": []any{"a\x00b"}}, fault.InvalidRequest, "args[0] holds a NUL character, which no argument or variable can; hand it over by stdin"},
		{map[string]any{"command": "echo", "env": map[string]any{"A=B": "x"}}, fault.InvalidRequest, `env: "A=B" is no name of a variable: use letters, digits and _`},
		{map[string]any{"command": "echo", "env": map[string]any{"PFLOW_1": "x"}}, fault.InvalidRequest, `env: the name PFLOW_1 is pflow's own; use another`},
		{map[string]any{"command": "echo", "cwd": "none"}, fault.NotFound, `cannot run a command in "` + "DIR" + `/none": no such file or directory`},
		{map[string]any{"command": "echo x; sleep 60", "timeout": "100ms"}, fault.Timeout, "the command was not done after 100ms and was ended: x"},
		{map[string]any{"command": "echo", "timeout": "soon"}, fault.InvalidRequest, `timeout is "soon": give a number of seconds, or a duration such as 500ms, 30s or 5m`},
		{map[string]any{"command": "echo", "timeout": -1}, fault.InvalidRequest, `timeout must be more than nothing`},
	}
	for _, c := range cases {
		call := newCall(t, c.params, ir.Values{"v": "x", "long": long, "dash": "-rf"})
		fails(t, "shell", call, c.kind, strings.Replace(c.message, "DIR", call.Dir, 1))
	}
}

// TestFailedCommandShowsItsOutputs checks that the outputs of a failed command can be shown.
func TestFailedCommandShowsItsOutputs(t *testing.T) {
	out, _ := runNode(t, "shell", newCall(t, map[string]any{"command": "echo out; echo bad >&2; exit 3"}, nil))
	if diff := cmp.Diff(map[string]any{"stdout": "out", "stderr": "bad", "exit_code": 3}, out.Outputs); diff != "" {
		t.Error(diff)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	c := newCall(t, map[string]any{"command": "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\377end' >&2"}, nil)
	out, err := runNode(t, "shell", c)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.Outputs["stdout"].(string), strings.Repeat("x", 1<<20)+"\n[cut here: 1951424 more bytes]"; got != want {
		t.Errorf("%d bytes, the end is %q", len(got), got[max(0, len(got)-50):])
	}
	if got := out.Outputs["stderr"]; got != "\uFFFDend" {
		t.Errorf("stderr %q", got)
	}
	want := []string{
		"stdout was cut after 1048576 bytes, 1951424 more were lost; set max_output to keep more, or write to a file",
		"stderr is not all UTF-8 text: other bytes became U+FFFD; pipe it through base64 to keep them",
	}
	if diff := cmp.Diff(want, out.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestCutGoesThroughNoCharacter(t *testing.T) {
	c := newCall(t, map[string]any{"command": "printf 'aéé'", "max_output": 4}, nil)
	if out, err := runNode(t, "shell", c); err != nil || out.Outputs["stdout"] != "aé\n[cut here: 2 more bytes]" || len(out.Warnings) != 1 {
		t.Errorf("%q %q, %v", out.Outputs["stdout"], out.Warnings, err)
	}
}

// TestLongStdin hands 10 MB over, and to a command that does not read it.
func TestLongStdin(t *testing.T) {
	long := strings.Repeat("0123456789", 1<<20)
	c := newCall(t, map[string]any{"command": "wc -c | tr -d ' '", "stdin": long}, nil)
	if out, err := runNode(t, "shell", c); err != nil || out.Outputs["stdout"] != "10485760" {
		t.Errorf("%v, %v", out.Outputs, err)
	}
	c.Params = map[string]any{"command": "true", "stdin": long}
	if _, err := runNode(t, "shell", c); err != nil {
		t.Error(err)
	}
	c.Params = map[string]any{"command": "cat"} // without stdin there is nothing to read, and nobody to wait for
	if out, err := runNode(t, "shell", c); err != nil || out.Outputs["stdout"] != "" {
		t.Errorf("%v, %v", out.Outputs, err)
	}
}

// pidsIn reads the numbers that a command wrote to a file, one a line.
func pidsIn(t *testing.T, path string, n int) []int {
	for until := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(path)
		if fields := strings.Fields(string(data)); len(fields) == n && strings.HasSuffix(string(data), "\n") {
			var pids []int
			for _, f := range fields {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, pid)
			}
			return pids
		}
		if time.Now().After(until) {
			t.Fatalf("%s holds %q, want %d numbers", path, data, n)
		}
	}
}

// alive reports whether a process lives: a zombie, which only waits for init to notice it, does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

const stubborn = `sh -c 'trap "" TERM; echo $$$$ >> pids; while :; do sleep 0.05; done' > /dev/null 2>&1`

// TestNothingOutlivesACancel cancels a command whose children fork, ignore SIGTERM and leave the process group.
func TestNothingOutlivesACancel(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := newCall(t, map[string]any{"command": `trap "" TERM; ` + stubborn + ` & (setsid ` + stubborn + ` &) ; echo $$$$ >> pids; while :; do sleep 0.05; done`}, nil)
	done := make(chan error, 1)
	go func() {
		_, err := nodeType(t, Deps{}, "shell").Run(ctx, c)
		done <- err
	}()
	pids := pidsIn(t, filepath.Join(c.Dir, "pids"), 3)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
}

// TestNothingOutlivesASuccess does the same for what a command that is done has left behind.
func TestNothingOutlivesASuccess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	c := newCall(t, map[string]any{"command": ": > pids; " + stubborn + ` & setsid ` + stubborn + ` & while [ "$(wc -l < pids)" -lt 2 ]; do sleep 0.01; done; echo done`}, nil)
	out, err := runNode(t, "shell", c)
	if err != nil || out.Outputs["stdout"] != "done" {
		t.Errorf("%v, %v", out.Outputs, err)
	}
	for _, pid := range pidsIn(t, filepath.Join(c.Dir, "pids"), 2) {
		if alive(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
}

// TestLateOutputIsKept checks that a child which prints a moment after its parent ended is heard.
func TestLateOutputIsKept(t *testing.T) {
	c := newCall(t, map[string]any{"command": `(sleep 0.02; echo late) & echo early`}, nil)
	if out, err := runNode(t, "shell", c); err != nil || out.Outputs["stdout"] != "early\nlate" {
		t.Errorf("%v, %v", out.Outputs, err)
	}
}

// TestManyCommandsAtOnce runs commands beside each other: none ends what another started.
func TestManyCommandsAtOnce(t *testing.T) {
	n := nodeType(t, Deps{}, "shell")
	errs := make(chan error, 8)
	for i := range cap(errs) {
		c := newCall(t, map[string]any{"command": `sleep 0.0` + strconv.Itoa(i) + ` & wait; echo ${v}`}, ir.Values{"v": i})
		go func() {
			out, err := n.Run(t.Context(), c)
			if err == nil && out.Outputs["stdout"] != strconv.Itoa(i) {
				err = fmt.Errorf("command %d gives %v", i, out.Outputs)
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	n := nodeType(t, Deps{Environ: []string{"PATH=" + os.Getenv("PATH"), "A=1", "B=2", "PFLOW_NODE=outer"}}, "shell")
	c := newCall(t, map[string]any{"command": `echo "$$A $$B ${v} $${HOME-none} $${PFLOW_NODE%,*}"; pwd`, "env": map[string]any{"B": 3}, "cwd": "sub"}, ir.Values{"v": "x"})
	os.Mkdir(filepath.Join(c.Dir, "sub"), 0o755)
	out, err := n.Run(t.Context(), c)
	if want := "1 3 x none outer\n" + filepath.Join(c.Dir, "sub"); err != nil || out.Outputs["stdout"] != want {
		t.Errorf("%v, %v, want %q", out.Outputs, err, want)
	}
}

func BenchmarkShell(b *testing.B) {
	n := shell(Deps{})
	for b.Loop() {
		if _, err := n.Run(b.Context(), nodetype.Call{Params: map[string]any{"command": ":"}}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNothingOutlivesAKill kills the process that runs the node, which then can end nothing any more: the kernel does.
func TestNothingOutlivesAKill(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux does that")
	}
	if dir := os.Getenv("TEST_RUN_IN"); dir != "" {
		shell(Deps{}).Run(t.Context(), nodetype.Call{Dir: dir, Params: map[string]any{"command": "echo $$$$ > pids; exec sleep 60"}})
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=TestNothingOutlivesAKill")
	cmd.Env = append(os.Environ(), "TEST_RUN_IN="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := pidsIn(t, filepath.Join(dir, "pids"), 1)[0]
	cmd.Process.Kill()
	cmd.Wait()
	for until := time.Now().Add(time.Minute); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("process %d lives", pid)
		}
	}
}

// TestWithheldEnvironment checks that a command finds neither keys nor secrets in its environment unless its env names them.
func TestWithheldEnvironment(t *testing.T) {
	n := nodeType(t, Deps{Environ: []string{"PATH=" + os.Getenv("PATH"), "A=1", "X_API_KEY=key", "TOKEN=secret"}}, "shell")
	for _, c := range []struct {
		env  map[string]any
		want string
	}{
		{nil, "1 none none"},
		{map[string]any{"X_API_KEY": nil, "MISSING": nil}, "1 key none"},
		{map[string]any{"TOKEN": "other", "A": ""}, " none other"},
	} {
		call := newCall(t, map[string]any{"command": `echo "$$A $${X_API_KEY-none} $${TOKEN-none}"; test -z "$${MISSING+set}"`, "env": c.env}, nil)
		call.Withheld = func(name string) bool { return name == "X_API_KEY" || name == "TOKEN" }
		call.Env = func(name string) string { return map[string]string{"X_API_KEY": "key", "TOKEN": "secret"}[name] }
		out, err := n.Run(t.Context(), call)
		if err != nil || out.Outputs["stdout"] != c.want {
			t.Errorf("%v: %q, %v, want %q", c.env, out.Outputs["stdout"], err, c.want)
		}
	}
}
