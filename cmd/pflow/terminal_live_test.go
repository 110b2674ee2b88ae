package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pflow/internal/value"
)

// live writes the workflow of these tests: its nodes, and edges such as "a -> b" and "a left -> b".
func (d *desk) live(nodes string, edges ...string) {
	for i, e := range edges {
		f := strings.Fields(e)
		edges[i] = fmt.Sprintf("  - {from: %s, to: %s}", f[0], f[len(f)-1])
		if len(f) == 4 {
			edges[i] = fmt.Sprintf("  - {from: %s, to: %s, action: %s}", f[0], f[3], f[1])
		}
	}
	text := "ir_version: 0.1.0\nnodes:\n" + nodes
	if len(edges) > 0 {
		text += "edges:\n" + strings.Join(edges, "\n") + "\n"
	}
	d.file("live.yaml", text)
}

// seconds of a step are not what these tests look at.
var times = regexp.MustCompile(`\b(\d+(\.\d+)?(ms|s| s)|\d+m\d\ds)\b`)

// TestTerminalLive: while a run goes on the terminal shows its steps with their states, what they print, items as a bar, attempts and
// rounds; when it has ended, how they ended stays above what is printed then.
func TestTerminalLive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.live(`  - {id: first, type: shell, params: {command: "printf 'one\\ntwo\\033[1m dots\\r50%%\\r60%%'; `+waits("one")+`"}}
  - {id: each, type: shell, batch: {on_error: continue, items: [1, 2, 3, 4]}, params: {command: "[ ${item} != 2 ] && { [ ${item} != 4 ] || { `+waits("two")+`; }; }"}}
  - {id: poll, type: shell, repeat: {until: result.stdout == "2", max: 5}, params: {command: "[ ${index} != 2 ] || { `+waits("two")+`; }; printf ${index}"}}
  - {id: pick, type: switch, params: {inputs: {}, cases: [{action: left, expr: "true"}, {action: right, expr: "true"}]}}
  - {id: left, type: shell, params: {command: "`+waits("three")+`; echo the end"}}
  - {id: right, type: shell, params: {command: "echo right"}}
outputs: {end: {source: "${left.stdout}", type: string}}
`, "first -> each", "first -> poll", "each -> pick", "pick left -> left", "pick right -> right")
	tt := d.start("run", "./live.yaml")
	tt.until("the first step with what it prints", func(s string) bool {
		return shows(s, `^running live: 0 of 6 done \(\d+ s\)
  ● first \(shell\): \d+ s
      two dots
      50%
      60%
    ○ each \(shell\)
    ○ poll \(shell\)
    ○ pick \(switch\)
      ○ left \(shell\)
      ○ right \(shell\)$`)
	})
	d.to("one")
	tt.until("items as a bar, rounds as a count", func(s string) bool {
		return shows(s, `✓ first \(shell\): done in [\d.]+m?s\n`) && shows(s, `● each \(shell\): \[###############-----\] 3/4, 1 failed, \d+ s\n`) && shows(s, `● poll \(shell\): round 3/5, \d+ s\n`)
	})
	d.to("two")
	tt.until("what was skipped", func(s string) bool {
		return shows(s, `● left \(shell\): \d+ s\n`) && shows(s, `- right \(shell\): skipped`)
	})
	d.to("three")
	tt.exits(0)
	want := `live: 5 of 5 done, 1 skipped in T
  ✓ first (shell): done in T
    ✓ each (shell): done in T, 3 of 4, 1 failed
    ✓ poll (shell): done in T, 3 rounds
    ✓ pick (switch): done in T -> left
      ✓ left (shell): done in T
      - right (shell): skipped
the end`
	if got := times.ReplaceAllString(tt.all(), "T"); got != want {
		t.Errorf("at the end there is\n%s\nwant\n%s", got, want)
	}
	if e := tt.emulate(); e.x != 0 || e.broken > 0 || e.unknown != nil {
		t.Errorf("the cursor stands in column %d, %d lines were broken, codes %q", e.x, e.broken, e.unknown)
	}
}

// TestTerminalLiveFails: what failed, what was stopped for it and what was not reached stay, and the error stands below.
func TestTerminalLiveFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		act    func(d *desk, tt *terminal)
		status int
		want   string
		says   string
	}{
		{"failure", func(d *desk, _ *terminal) { d.to("go") }, 1, `live: 0 of 3 done, 1 failed, 1 stopped in T
  ✗ fails (shell): failed in T
  ✗ stays (shell): stopped in T
  ○ after (shell): not reached
pflow: `, "the command ended with exit status 7: no luck"},
		{"interrupt", func(_ *desk, tt *terminal) { tt.send(ctrlC) }, 130, `live: 0 of 3 done, 2 stopped in T
  ✗ fails (shell): stopped in T
  ✗ stays (shell): stopped in T
  ○ after (shell): not reached
pflow: `, "the run was cancelled; go on with: pflow resume"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.live(`  - {id: fails, type: shell, params: {command: "`+waits("go")+`; echo no luck; exit 7"}}
  - {id: stays, type: shell, params: {command: "sleep 600"}}
  - {id: after, type: shell, params: {command: "true"}}
start_node: [fails, stays]
`, "fails -> after", "stays -> after")
			tt := d.start("run", "./live.yaml")
			tt.until("both steps", func(s string) bool {
				return shows(s, `● fails \(shell\): \d+ s\n  ● stays \(shell\): \d+ s\n  ○ after \(shell\)$`)
			})
			c.act(d, tt)
			tt.exits(c.status)
			all := strings.ReplaceAll(tt.all(), "^C", "")
			if got := times.ReplaceAllString(all, "T"); !strings.HasPrefix(got, c.want) || !strings.Contains(strings.ReplaceAll(all, "\n", ""), c.says) || strings.Count(all, "stays") != 1 {
				t.Errorf("there is\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestTerminalLiveAsks: while somebody is asked nothing is drawn, whatever happens; then the view goes on.
func TestTerminalLiveAsks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.file("talk", "#!/bin/sh\nn=0; while ! [ -e go ]; do n=$((n + 1)); echo line $n; [ $n != 30 ] || touch busy; sleep 0.02; done\n")
	d.live(`  - {id: busy, type: shell, params: {command: "`+waits("begin")+`; ./talk"}}
  - {id: begin, type: shell, params: {command: "`+waits("begin")+`"}}
  - {id: deploy, type: shell, approval: required, params: {command: "`+waits("go")+`; echo deployed"}}
start_node: [busy, begin]
outputs: {end: {source: "${deploy.stdout}", type: string}}
`, "begin -> deploy")
	tt := d.start("run", "./live.yaml")
	tt.until("the steps", func(s string) bool { return shows(s, `● begin`) })
	d.to("begin")
	const question = "deploy (shell) would get:\n  command = while ! [ -e go ]; do sleep 0.02; done; echo deployed\nRun deploy (shell)? [y/N]:"
	tt.until("the question", func(s string) bool { return s == question })
	for !d.has("busy") {
		time.Sleep(5 * time.Millisecond)
	}
	for range 20 { // what is drawn now would be seen
		time.Sleep(20 * time.Millisecond)
		if s := tt.screen(); s != question {
			t.Fatalf("while somebody is asked there is\n%s", s)
		}
	}
	tt.send("y\n")
	tt.until("the steps again, below the answer", func(s string) bool {
		return shows(s, `\nRun deploy \(shell\)\? \[y/N\]: y\nrunning live: 1 of 3 done \(\d+ s\)\n  ● busy(.*\n)+  ✓ begin .*\n  ● deploy \(shell\): \d+ s`)
	})
	d.to("go")
	tt.exits(0)
	if all := tt.all(); !strings.HasPrefix(all, question+" y\nlive: 3 of 3 done in ") || !strings.HasSuffix(all, "\ndeployed") {
		t.Errorf("%s", all)
	}
}

// TestTerminalLiveWaits: without an answer the step waits, and that is what stays.
func TestTerminalLiveWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.live(`  - {id: begin, type: shell, params: {command: "`+waits("begin")+`"}}
  - {id: deploy, type: shell, approval: required, params: {command: "echo deployed"}}
  - {id: other, type: shell, params: {command: "`+waits("other")+`"}}
start_node: [begin, other]
`, "begin -> deploy")
	tt := d.start("run", "./live.yaml")
	tt.until("the steps", func(s string) bool { return shows(s, `● begin`) })
	d.to("begin")
	tt.answer("[y/N]", "n")
	tt.until("that it waits", func(s string) bool { return shows(s, `\n  \? deploy \(shell\): waiting for approval\n  ● other`) })
	d.to("other")
	tt.exits(4)
	if all := times.ReplaceAllString(tt.all(), "T"); !strings.Contains(all, "live: 2 of 3 done, 1 waiting in T\n  ✓ begin (shell): done in T\n  ? deploy (shell): waiting for approval\n  ✓ other (shell): done in T\npflow: the run waits") {
		t.Errorf("%s", all)
	}
}

// TestTerminalLiveSizes: on terminals of any size no line is broken, nothing that stood there before is lost, and of a large run the
// part is shown that is under way.
func TestTerminalLiveSizes(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]uint16{{40, 24}, {40, 6}, {80, 24}, {200, 60}, {20, 4}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.columns, d.rows = size[0], size[1]
			d.long(500, 300)
			tt := d.start("run", "./live.yaml")
			tt.until("the step that is under way", func(s string) bool { return shows(s, `● a-step`) && shows(s, `(?m)^  … \d+ more$`) })
			shown := func(what string) {
				t.Helper()
				e := tt.emulate()
				s := e.text(e.top())
				if !strings.HasPrefix(s, "running live") || strings.Count(s, "running live") != 1 || strings.Count(s, "●") != 1 || e.broken > 0 || e.unknown != nil {
					t.Errorf("%s: %d lines broken, %q:\n%s", what, e.broken, e.unknown, s)
				}
				if n := strings.Count(s, "\n") + 1; n != min(int(size[1])-1, n) || n < min(int(size[1])-1, 3) {
					t.Errorf("%s: %d lines of %d:\n%s", what, n, size[1], s)
				}
			}
			shown("first")
			tt.until("what it prints", func(s string) bool { return size[1] < 6 || shows(s, `日本`) })
			shown("with what it prints")
			d.to("go")
			tt.exits(0)
			all := tt.all()
			if !strings.Contains(all, "500 of 500") && size[0] >= 40 || strings.Count(all, "live: ") != 1 || !shows(all, `\n  … 47\d more`) {
				t.Errorf("%s", all)
			}
		})
	}
}

// long makes a workflow of many steps, of which one prints wide characters without end and waits.
func (d *desk) long(steps, waiting int) {
	var nodes strings.Builder
	var edges []string
	for i := range steps {
		command := "true"
		name := fmt.Sprintf("a-step-with-a-long-name-number-%d", i)
		if i == waiting {
			command = "i=0; while ! [ -e go ]; do printf '日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語\\\\n'; sleep 0.05; done"
		}
		typed := fmt.Sprintf(`type: template, params: {template: "%d"}`, i)
		if i == waiting {
			typed = fmt.Sprintf(`type: shell, params: {command: "%s"}`, command)
		}
		fmt.Fprintf(&nodes, "  - {id: %s, %s}\n", name, typed)
		if i > 0 {
			edges = append(edges, fmt.Sprintf("a-step-with-a-long-name-number-%d -> %s", i-1, name))
		}
	}
	d.live(nodes.String(), edges...)
}

// TestTerminalLiveResize: when the terminal gets another size the view is drawn for that, and what stood above it stays.
func TestTerminalLiveResize(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.live(`  - {id: begins-with-quite-a-long-name, type: shell, params: {command: "echo some text that is far too long for a narrow terminal, and goes on; `+waits("go")+`"}}
  - {id: second-with-quite-a-long-name, type: shell, params: {command: "true"}}
`, "begins-with-quite-a-long-name -> second-with-quite-a-long-name")
	for _, size := range [][2]int{{30, 24}, {200, 50}, {30, 5}} {
		tt := d.start("run", "./live.yaml")
		tt.until("the steps", func(s string) bool {
			return shows(s, `^running live: 0 of 2 done \(\d+ s\)\n  ● begins-with-quite-a-long-name \(shell\)`)
		})
		tt.resize(size[0], size[1])
		form := `^running live: 0 of 2 done .*\n  ● begins-with-quit.*\n.*(\n.*)?\n  ○ second-with-quit[\w -…()]*$`
		tt.until("the steps in the other size", func(s string) bool {
			e := tt.emulate()
			return shows(s, form) && len(e.lines) > 0 && !shows(s, `(?m)^.{`+fmt.Sprint(size[0])+`,}$`) && (size[0] > 80 || shows(s, "…"))
		})
		d.to("go")
		tt.exits(0)
		if all := tt.all(); strings.Count(all, "begins-w") != 1 && size[1] > 5 {
			t.Errorf("%v:\n%s", size, all)
		}
		if err := os.Remove(filepath.Join(d.dir, "go")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTerminalLiveBatch: a thousand items are one bar, and however fast they end the view is drawn ten times a second at most.
func TestTerminalLiveBatch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var numbers []string
	for i := range 1000 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	items := strings.Join(numbers, ", ")
	d.live(`  - {id: first, type: shell, params: {command: "`+waits("first")+`"}}
  - {id: each, type: template, batch: {items: [`+items+`]}, params: {template: "${item}"}}
  - {id: slow, type: shell, batch: {items: [`+items+`], concurrency: 4}, params: {command: "[ -e go ] || [ ${item} -lt 200 ] || { `+waits("go")+`; }"}}
`, "first -> each", "each -> slow")
	began := time.Now()
	tt := d.start("run", "./live.yaml", "--json")
	tt.exits0silent(d)
	tt = d.start("run", "./live.yaml")
	tt.until("the first step", func(s string) bool { return shows(s, "● first") })
	d.to("first")
	tt.until("a bar", func(s string) bool { return shows(s, `● slow \(shell\): \[####-{16}\] 200/1000, \d+ s`) })
	d.to("go")
	tt.exits(0)
	if all := tt.all(); !shows(all, `✓ each \(template\): done in \S+, 1000 of 1000\n  ✓ slow \(shell\): done in \S+, 1000 of 1000\n`) {
		t.Errorf("%s", all[:min(len(all), 2000)])
	}
	drawn := len(regexp.MustCompile("\x1b\\[\\d+A").FindAllString(tt.printed(), -1))
	if most := int(time.Since(began)/progressEvery) + 5; drawn > most {
		t.Errorf("drawn %d times in %v", drawn, time.Since(began))
	}
}

// exits0silent lets a run end that is to draw nothing.
func (tt *terminal) exits0silent(d *desk) {
	tt.t.Helper()
	d.to("first")
	d.to("go")
	tt.exits(0)
	if printed := tt.printed(); strings.Contains(printed, "\x1b") || strings.Contains(printed, "running") {
		tt.t.Errorf("drawn all the same: %q", printed[:min(len(printed), 500)])
	}
	for _, name := range []string{"first", "go"} {
		if err := os.Remove(filepath.Join(d.dir, name)); err != nil {
			tt.t.Fatal(err)
		}
	}
}

// TestTerminalLiveHostile: what steps print and what models write steers nothing and shows no secret, though it comes in pieces.
func TestTerminalLiveHostile(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-is-the-secret"
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"I know hunter2-is", "-the-secret and " + serverKey[:5], serverKey[5:] + " too\nnow " + liveHostile} {
			fmt.Fprintf(w, `data: {"id": "1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"content": %s}}]}`+"\n\n", value.JSON(piece))
			w.(http.Flusher).Flush()
		}
		select {
		case <-done:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, `data: {"id": "1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	defer close(done)
	d := newDesk(t)
	d.columns = 160
	d.env = append(d.env, "NO_COLOR=", "OPENAI_API_KEY="+serverKey, "OPENAI_BASE_URL="+server.URL+"/v1", "THE_TOKEN="+secret)
	d.file("said", "first hunter2-is")
	d.file("more", "-the-secret and "+liveHostile)
	d.file("live.yaml", `ir_version: 0.1.0
inputs: {token: {type: string, required: true, secret: true, from_env: THE_TOKEN}}
nodes:
  - {id: says, type: shell, params: {command: "cat said; cat more; echo; `+waits("go")+`", env: {T: "${token}"}}}
  - {id: writes, type: llm, params: {prompt: say, model: openai/m}}
start_node: [says, writes]
`)
	tt := d.start("run", "./live.yaml")
	tt.until("what both say", func(s string) bool {
		return shows(s, `● says \(shell\).*\n +first {"\$env":"THE_TOKEN"} and evil\\x1b\]0;owned\\x07\\u009b31m\\u202e.* end\n`) &&
			shows(s, `● writes \(llm\): \d+ s, \d+ characters\n( +I know .*\n)? +now evil`)
	})
	tt.send(ctrlC)
	tt.exits(130)
	printed := tt.printed()
	if rest := styles.ReplaceAllString(strings.ReplaceAll(printed, "^C", ""), ""); strings.ContainsAny(rest, "\x1b\a\b\r\u009b\u202e") {
		t.Errorf("%q", rest)
	}
	for _, s := range []string{secret, "hunter2-is", serverKey} {
		if strings.Contains(printed, s) {
			t.Errorf("it shows %q:\n%s", s, printed)
		}
	}
}

// liveHostile clears the screen and moves the cursor, in ways that are taken out; what steers in other ways is shown as an escape.
const liveHostile = "\x1b[2J\x1b[5Aevil\x1b]0;owned\a\u009b31m\u202e end"

// TestTerminalLiveNot: nothing is drawn where that is not wanted, or the terminal cannot.
func TestTerminalLiveNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  string
		args []string
		want string
	}{
		{"quiet", "", []string{"--quiet"}, `^first\r\n$`},
		{"json", "", []string{"--json"}, `^\{\r\n[^\x1b]*\}\r\n$`},
		{"verbose", "", []string{"--verbose"}, `^begin -> default \([\d.]+ ms\)\r\nwaits -> default \([\d.]+ ms\)\r\nlast -> default \([\d.]+ ms\)\r\nfirst\r\n$`},
		{"batch", "", []string{"--batch"}, `^first\r\n$`},
		{"dumb", "TERM=dumb", nil, `^(running live: \w+\r\n)+first\r\n$`},
		{"no colour", "NO_COLOR=1", nil, `^[^\x1b]*\n[^m]*first\r\n$`},
		{"--no-color", "", []string{"--no-color"}, `^[^\x1b]*\n[^m]*first\r\n$`},
		{"colours", "", nil, "  \x1b\\[32m✓\x1b\\[0m begin \\(shell\\): done in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.env = append(d.env, "NO_COLOR=", c.env)
			d.live(`  - {id: begin, type: shell, params: {command: "true"}}
  - {id: waits, type: shell, params: {command: "touch began; `+waits("go")+`"}}
  - {id: last, type: shell, params: {command: "echo first"}}
outputs: {end: {source: "${last.stdout}", type: string}}
`, "begin -> waits", "waits -> last")
			tt := d.start(append([]string{"run", "./live.yaml"}, c.args...)...)
			switch {
			case strings.Contains(c.env, "dumb"):
				tt.expect("running live: waits")
			case strings.Contains(c.name, "colo"):
				tt.until("the steps", func(s string) bool { return shows(s, "● waits") })
			default:
				for !d.has("began") {
					time.Sleep(5 * time.Millisecond)
				}
				time.Sleep(2 * progressAfter) // what would be drawn, would be drawn
			}
			d.to("go")
			tt.exits(0)
			printed := tt.printed()
			if strings.HasPrefix(c.want, "^[^") {
				printed = strings.NewReplacer("\x1b[K", "", "\x1b[J", "").Replace(regexp.MustCompile("\x1b\\[\\d+A").ReplaceAllString(printed, ""))
			}
			if !shows(printed, c.want) {
				t.Errorf("%q, want %s", printed, c.want)
			}
		})
	}
}
