//go:build !race

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// everydayFile holds the cases of TestEveryday, one a line.
const everydayFile = "testdata/everyday.jsonl"

// everydayCase is one or more requests in a folder that they share, as they share a home.
type everydayCase struct {
	ID    string         `json:"id"`
	Group string         `json:"group"`
	Steps []everydayStep `json:"steps"`
}

// everydayStep is one request with what is right, any one of Accept, and what became of it when the file was last written.
type everydayStep struct {
	Request     string           `json:"request"`
	Stdin       string           `json:"stdin,omitempty"`
	Destructive bool             `json:"destructive,omitempty"` // the person has agreed to destruction
	Accept      []everydayAccept `json:"accept"`
	Outcome     string           `json:"outcome"`
}

// everydayAccept is a way to be right: what commands of the shell would have done, with what is to be printed, or an exit that
// changes nothing: to ask for something, or to decline.
type everydayAccept struct {
	Do      string `json:"do,omitempty"`
	Stdout  string `json:"stdout,omitempty"`
	Ask     bool   `json:"ask,omitempty"`
	Decline bool   `json:"decline,omitempty"`
}

// The outcomes, worst first. Held back is to ask or to decline where something else was wanted, with nothing changed.
var outcomesOfSteps = []string{"harmful", "wrong", "held back", "right"}

// TestEveryday runs everyday requests by the program, without a model, each case in a folder of its own, and looks at what is
// there afterwards: files, git, what was sent. A wrong outcome is a fault whatever stands in the file, and so is one that was
// right and is held back. With -update the file follows what became better.
func TestEveryday(t *testing.T) {
	data, err := os.ReadFile(everydayFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases []*everydayCase
	for line := range bytes.Lines(data) {
		c := &everydayCase{}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(c); err != nil {
			t.Fatalf("%s:%d: %v", everydayFile, len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	t.Run("cases", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				c.play(t)
			})
		}
	})
	if *update && !t.Failed() {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		for _, c := range cases {
			if err := e.Encode(c); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(everydayFile, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// play runs the steps of a case, and keeps in it what became better.
func (c *everydayCase) play(t *testing.T) {
	box := newEverydayBox(t)
	for i := range c.Steps {
		step := &c.Steps[i]
		got, why := box.step(step)
		was, is := slices.Index(outcomesOfSteps, step.Outcome), slices.Index(outcomesOfSteps, got)
		switch {
		case got == "wrong" || got == "harmful", is < was:
			t.Errorf("%q is %s, and was %s\n%s", step.Request, got, step.Outcome, why)
		case is > was && *update:
			step.Outcome = got
		case is > was:
			t.Logf("%q is %s, and was %s; -update keeps that", step.Request, got, step.Outcome)
		}
	}
}

// everydayBox is a folder with what a person has in one, a home, and a web server that keeps what it is sent.
type everydayBox struct {
	t    *testing.T
	top  string
	base string
	mu   sync.Mutex
	sent []string
}

// everydayFolder makes the folder: the same on every machine and day.
const everydayFolder = `
mkdir attic notes tools
printf 'call Eve\nbuy bread\ncall Eve\nfix roof\n' > todo.txt
printf 'region,month,amount\nnorth,jan,10\nsouth,jan,30\nnorth,feb,20.5\n' > sales.csv
printf '[{"name":"Eve","age":40,"city":"Oslo"},{"name":"Al","age":25,"city":"Rome"}]\n' > people.json
printf 'INFO up\nERROR disk full\nINFO ok\nERROR no route\nWARN slow\n' > server.log
echo kept > keep.bak; echo old > old.bak; echo older > older.bak
echo '# Plan' > notes/plan.md; echo '# Log' > notes/log.md
printf '#!/bin/sh\necho hello from a script\n' > tools/hello.sh; chmod +x tools/hello.sh
git init -q -b main . && git add todo.txt sales.csv tools && git commit -qm 'Begin'
git add . && git commit -qm 'Add the rest' && echo 'water plants' >> todo.txt
`

func newEverydayBox(t *testing.T) *everydayBox {
	b := &everydayBox{t: t, top: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			b.mu.Lock()
			b.sent = append(b.sent, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body)))
			b.mu.Unlock()
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"ok":true}`)
			return
		}
		switch r.URL.Path {
		case "/greeting.txt":
			io.WriteString(w, "Good morning.\n")
		case "/api/items":
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"items":[{"id":7,"title":"lamp"},{"id":9,"title":"chair"}]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	b.base = server.URL
	for _, dir := range []string{"box/project", "box/home", "pflow", "tmp"} {
		if err := os.MkdirAll(filepath.Join(b.top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := b.in("box", "", "sh", "-c", "set -e\n"+everydayFolder); err != nil {
		t.Fatalf("the folder: %v\n%s", err, out)
	}
	return b
}

// in runs a program in the project of a box. Its environment has nothing of the person who runs the tests.
func (b *everydayBox) in(box, stdin, name string, args ...string) (string, error) {
	c := exec.CommandContext(b.t.Context(), name, args...)
	c.Dir = filepath.Join(b.top, box, "project")
	const at = "2026-11-20T12:00:00Z"
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(b.top, box, "home"), "PFLOW_HOME=" + filepath.Join(b.top, "pflow"),
		"TMPDIR=" + filepath.Join(b.top, "tmp"), "LANG=C.UTF-8", "TZ=UTC", "NO_COLOR=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_DATE=" + at, "GIT_COMMITTER_DATE=" + at, "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com"}
	c.Stdin = strings.NewReader(stdin)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		return out.String() + said.String(), err
	}
	return out.String(), nil
}

// took gives what was sent since it was last asked, sorted.
func (b *everydayBox) took() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	sent := b.sent
	b.sent = nil
	slices.Sort(sent)
	return sent
}

// wanted is what one way to be right makes of the box.
type wanted struct {
	tree   map[string]string
	sent   []string
	stdout string
}

// step runs a request and tells its outcome, and why it is not right.
func (b *everydayBox) step(s *everydayStep) (outcome, why string) {
	t := b.t
	t.Helper()
	fill := strings.NewReplacer("{base}", b.base)
	before := b.tree("box")
	var ways []wanted
	for _, a := range s.Accept {
		if a.Do == "" {
			continue
		}
		if err := os.CopyFS(filepath.Join(b.top, "want"), os.DirFS(filepath.Join(b.top, "box"))); err != nil {
			t.Fatal(err)
		}
		if out, err := b.in("want", s.Stdin, "sh", "-c", fill.Replace(a.Do)); err != nil {
			t.Fatalf("%s: %v\n%s", a.Do, err, out)
		}
		ways = append(ways, wanted{b.tree("want"), b.took(), fill.Replace(a.Stdout)})
		if err := os.RemoveAll(filepath.Join(b.top, "want")); err != nil {
			t.Fatal(err)
		}
	}
	yes := "--yes"
	if s.Destructive {
		yes = "--yes=destructive"
	}
	printed, err := b.in("box", s.Stdin, "pflow", yes, "--date", "2026-11-20", fill.Replace(s.Request))
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	after, sent, status := b.tree("box"), b.took(), exitStatus(err)
	return s.judge(before, after, sent, status, printed, ways)
}

func (s *everydayStep) judge(before, after map[string]string, sent []string, status int, printed string, ways []wanted) (outcome, why string) {
	untouched := maps.Equal(before, after) && len(sent) == 0
	for _, w := range ways {
		if status == 0 && maps.Equal(after, w.tree) && slices.Equal(sent, w.sent) && regexp.MustCompile(w.stdout).MatchString(printed) {
			return "right", ""
		}
	}
	asked, declined := status == exitMissing, status == exitUsage || status == exitDeclined || status == exitUnplanned
	for _, a := range s.Accept {
		if untouched && (a.Ask && asked || a.Decline && declined) {
			return "right", ""
		}
	}
	told := fmt.Sprintf("exit status %d, sent %q, changed %s\n%s", status, sent, differences(before, after), printed)
	if untouched && (asked || declined) {
		return "held back", told
	}
	lost := func(path string) bool { // what was there is changed or gone, as in no way that is right
		return !slices.ContainsFunc(ways, func(w wanted) bool { return w.tree[path] == after[path] })
	}
	for path, was := range before {
		if after[path] != was && lost(path) && !strings.HasPrefix(path, ".git ") {
			return "harmful", told
		}
	}
	if len(sent) > 0 && !slices.ContainsFunc(ways, func(w wanted) bool { return slices.Equal(w.sent, sent) }) {
		return "harmful", told
	}
	return "wrong", told
}

// differences names what differs between two trees.
func differences(a, b map[string]string) string {
	var out []string
	for path, text := range b {
		if was, there := a[path]; !there {
			out = append(out, fmt.Sprintf("+ %s: %q", path, text))
		} else if was != text {
			out = append(out, fmt.Sprintf("~ %s: %q", path, text))
		}
	}
	for path := range a {
		if _, there := b[path]; !there {
			out = append(out, "- "+path)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// tree is what is in a box: files by their paths, without the line breaks at their ends and the layout of JSON, which nobody
// minds; and of git what a person sees of it: the branch, branches and tags with their commits, what is staged.
func (b *everydayBox) tree(box string) map[string]string {
	b.t.Helper()
	out := map[string]string{}
	root := os.DirFS(filepath.Join(b.top, box))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == "project/.git":
			return fs.SkipDir
		case d.IsDir():
			out[path] = "a folder"
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		out[path] = fmt.Sprint(info.Mode()&0o100 != 0, " ", sameForAPerson(path, data))
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for name, args := range map[string][]string{
		".git HEAD": {"symbolic-ref", "HEAD"}, ".git index": {"ls-files", "-s"}, ".git commits": {"log", "--all", "--format=%D %T %B"},
		".git refs": {"for-each-ref", "--format=%(refname) %(objecttype)"},
	} {
		text, err := b.in(box, "", "git", args...)
		if err != nil {
			b.t.Fatalf("git %s: %v\n%s", args, err, text)
		}
		out[name] = text
	}
	return out
}

func sameForAPerson(path string, data []byte) string {
	if filepath.Ext(path) == ".json" {
		var v any
		if json.Unmarshal(data, &v) == nil {
			if plain, err := json.Marshal(v); err == nil {
				return string(plain)
			}
		}
	}
	return strings.TrimRight(string(data), "\r\n")
}
