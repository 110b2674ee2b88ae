//go:build !race

package nodes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pflow/internal/value"
	"pflow/ir"
)

// edges are texts at which line tools are easily got wrong.
var edges = map[string]string{
	"no lines": "", "one line": "one\n", "one line without a break": "one", "a blank line": "\n", "blank lines": "\n\nb\n\na\n\n",
	"no last break": "b\nB a\nc", "indents": "  b\n\ta\n a\nb\n", "CRLF": "b\r\na\r\nb\r\n", "CRLF, no last break": "b\r\na", "mixed breaks": "a\r\na\nb\r\n",
	"blanks at the ends": " \n a \n ", "equal lines": "a\nb\na\nb\na", "tabs before letters": "a\n a\na\tb\na b\nA\na-b\n", "not ASCII": "zoë\nä\na\nÄ\n",
	"many": strings.Repeat("x\ny y\n\n", 40),
}

// realTools are the forms of lines beside the program that does the same; $n and $w are the number and the wanted text.
var realTools = []struct{ form, command string }{
	{"Counts the lines of a text: ", "wc -l"},
	{"Counts the words of a text: ", "wc -w"},
	{"Sorts the lines of a text: ", "sort"},
	{"Reverses the lines of a text: ", "sed '$a\\' | tac"},
	{"Gives the unique lines of a text: ", "awk '!seen[$0]++'"},
	{"Gives the first line of a text.", "head -n 1 | tr -d '\\r\\n'"},
	{"Gives the last line of a text.", "tail -n 1 | tr -d '\\r\\n'"},
	{"Gives the first lines of a text, ", "head -n $n"},
	{"Gives the last lines of a text, ", "tail -n $n"},
	{"Keeps the lines of a text that contain ", `grep -F -- "$w" || true`},
	{"Leaves out the lines of a text that contain ", `grep -vF -- "$w" || true`},
	{"Counts the lines of a text that contain ", `grep -cF -- "$w" || true`},
	{"Splits a text into a list of its lines.", "tr -d '\\r' | sed '$a\\'"},
	{"Writes a text in upper case, ", "sed 's/.*/\\U&/'"},
	{"Writes a text in lower case, ", "sed 's/.*/\\L&/'"},
}

// TestFormsOfLinesAreAsTheTools holds each form of lines against the real tool, in the C locale, byte for byte.
func TestFormsOfLinesAreAsTheTools(t *testing.T) {
	if out, err := exec.Command("sh", "-c", "printf x | sed '$a\\' && printf a | tac && command -v sort head tail wc grep awk tr").Output(); err != nil || !strings.HasPrefix(string(out), "x\na") {
		t.Skip("there are no GNU tools to compare with")
	}
	n := nodeType(t, exampleDeps(), "transform")
	used := map[string]bool{}
	for _, tool := range realTools {
		var form *ir.Form
		for i := range n.Interface.Forms {
			if f := &n.Interface.Forms[i]; strings.HasPrefix(f.Shown(), tool.form) {
				form, used[f.Shown()] = f, true
			}
		}
		if form == nil {
			t.Fatalf("there is no form %q", tool.form)
		}
		for name, text := range edges {
			for _, with := range []struct {
				number int
				wanted string
			}{{1, "a"}, {2, "b"}, {0, "\t"}, {1000, "none"}} {
				given := map[string]any{"text": text}
				for _, in := range form.Inputs[1:] {
					given[in.Key] = any(with.wanted)
					if in.Type == value.Integer {
						given[in.Key] = with.number
					}
				}
				out, err := n.Run(t.Context(), newCall(t, form.Fill(given), ir.Values{}))
				if err != nil {
					t.Fatalf("%s of %s: %v", tool.form, name, err)
				}
				cmd := exec.Command("sh", "-c", tool.command)
				locale := "C"
				if tool.command == "wc -w" || strings.Contains(tool.command, "\\U") || strings.Contains(tool.command, "\\L") {
					locale = "C.UTF-8"
				}
				cmd.Env = append(os.Environ(), "LC_ALL="+locale, "n="+strconv.Itoa(with.number), "w="+with.wanted)
				cmd.Stdin = strings.NewReader(text)
				want, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", tool.command, err)
				}
				if got := written(out.Outputs["result"]); got != string(want) {
					t.Errorf("%s of %s %q with %v:\n got %q\nwant %q, by %s", tool.form, name, text, with, got, want, tool.command)
				}
				if len(form.Inputs) == 1 {
					break
				}
			}
		}
	}
	for _, f := range n.Interface.Forms {
		if strings.Contains(f.Shown(), "of a text") && !used[f.Shown()] {
			t.Errorf("the form %q is held against no tool", f.Shown())
		}
	}
}

// written is a value as a tool would print it.
func written(v any) string {
	switch v := v.(type) {
	case int:
		return fmt.Sprintln(v)
	case []any:
		var b strings.Builder
		for _, item := range v {
			fmt.Fprintln(&b, item)
		}
		return b.String()
	}
	return v.(string)
}

// TestWriteFileLines adds to a file in every state: bytes as they are given, or whole lines.
func TestWriteFileLines(t *testing.T) {
	for _, c := range []struct {
		before, content string
		lines           bool
		want            string
	}{
		{"one\n", "two", false, "one\ntwo"},
		{"one", "two\n", false, "onetwo\n"},
		{"one\n", "two", true, "one\ntwo\n"},
		{"one", "two", true, "one\ntwo\n"},
		{"one", "two\n", true, "one\ntwo\n"},
		{"", "two", true, "two\n"},
		{"one", "", true, "one"},
		{"one\n", "\n", true, "one\n\n"},
		{"a\r\n", "b\r\n", true, "a\r\nb\r\n"},
	} {
		call := newCall(t, map[string]any{"file_path": "f", "content": c.content, "append": true, "whole_lines": c.lines}, ir.Values{})
		path := filepath.Join(call.Dir, "f")
		if err := os.WriteFile(path, []byte(c.before), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := writeFile().Run(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		if string(got) != c.want || out.Outputs["bytes"] != len(c.want)-len(c.before) {
			t.Errorf("%+v: got %q, %v bytes", c, got, out.Outputs["bytes"])
		}
	}
	call := newCall(t, map[string]any{"file_path": "new", "content": "two", "append": true, "whole_lines": true}, ir.Values{})
	if _, err := writeFile().Run(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(call.Dir, "new")); string(got) != "two\n" {
		t.Errorf("got %q", got)
	}
}
