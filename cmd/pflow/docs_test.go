//go:build !race

package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/flowtest"
	"pflow/internal/llmtest"
)

// documents are the pages whose blocks TestDocs holds to the program.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	return append(files, "../../CONTRIBUTING.md")
}

// TestDocs holds every block of the documentation to the program. The blocks of a page are one session in an empty
// directory with an empty home:
//
//	yaml FILE      a flow, or the tests of one: loaded without a finding, and kept as FILE
//	yaml FILE bad  the same, but a flow with faults
//	yaml FILE experiment, yaml FILE workflow  kept as FILE: an experiment or a workflow, which the page runs
//	json, text FILE  kept as FILE
//	console        each line that begins with "$ " is run, and must print the lines that follow it
//
// With -update the output of consoles is written anew. A block of another kind is a fault of the page.
func TestDocs(t *testing.T) {
	for _, file := range documents(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newSession(t)
			if filepath.Base(file) == "tuning.md" {
				s.withModel()
			}
			got := eachBlock(string(data), s.block)
			s.checkKept()
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(data), got); diff != "" {
				t.Errorf("%s does not say what the program does (-page +program); go test ./cmd/pflow -update writes it:\n%s", file, diff)
			}
		})
	}
}

// TestLinks follows every link to a file, in every page, and looks for every file that a page names in code.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	named := regexp.MustCompile("`((?:cmd|docs|engine|examples|flows|internal|ir|nodes|prompts)/[a-z_/]*(?:\\.(?:go|md|yaml|tmpl))?)`")
	for _, file := range append(documents(t), "../../README.md") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		for _, m := range named.FindAllStringSubmatch(string(data), -1) {
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// eachBlock calls f with the words after the fence and the text of every fenced block, and puts what it gives in the
// place of the text.
func eachBlock(page string, f func(info []string, text string) string) string {
	var out, text strings.Builder
	info, inside := []string(nil), false
	for _, line := range strings.SplitAfter(page, "\n") {
		rest, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			info, inside = strings.Fields(rest), true
			out.WriteString(line)
		case fence:
			out.WriteString(f(info, text.String()))
			out.WriteString(line)
			text.Reset()
			inside = false
		case inside:
			text.WriteString(line)
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}

// withModel gives a session the recorded exchanges, and a model that is asked for one reply more.
func (s *session) withModel() {
	s.t.Helper()
	if *update {
		recordAnew(s.t)
	}
	for _, part := range []string{"library", "planners.jsonl"} {
		from := filepath.Join("../../experiments", part)
		if err := copyTree(filepath.Join(s.dir, "experiments", part), from); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(s.dir, "examples", "recorded"), os.DirFS(recordings)); err != nil {
		s.t.Fatal(err)
	}
	server := llmtest.New(s.t, llmtest.Script{Replies: []llmtest.Reply{{
		Schema: "metadata", Match: "what it works on", JSON: map[string]any{
			"name": "text-file-capitalize", "description": "Writes the words of a text file in capitals to another file.", "keywords": []any{"capitals", "upper case", "loud"}},
	}}})
	s.env = []string{"OPENAI_BASE_URL=" + server.BaseURL(), "OPENAI_API_KEY=" + serverKey}
}

func (s *session) block(info []string, text string) string {
	s.t.Helper()
	switch {
	case len(info) == 1 && info[0] == "console":
		return s.console(text)
	case len(info) >= 2 && (info[0] == "yaml" || info[0] == "json" || info[0] == "text"):
		s.keep(info[1], text)
		if info[0] == "yaml" && (len(info) == 2 || !slices.Contains([]string{"bad", "experiment", "workflow"}, info[2])) {
			s.kept = append(s.kept, info[1])
		}
	default:
		s.t.Errorf("a block %q: want yaml FILE, json FILE, text FILE or console", strings.Join(info, " "))
	}
	return text
}

// checkKept loads the flows of the page and reads their tests.
func (s *session) checkKept() {
	s.t.Helper()
	a := newApp(nil, io.Discard, io.Discard, func(string) string { return "" })
	for _, name := range s.kept {
		doc, err := engine.ReadDocument(engine.FlowDocument, filepath.Join(s.dir, name))
		if err != nil {
			s.t.Fatal(err)
		}
		var found diag.List
		if strings.HasSuffix(name, testEnding+".yaml") {
			_, found = flowtest.Parse(name, doc.Data)
		} else {
			l := &engine.Loader{Ops: a.host().Ops(), Resources: a.folders()}
			_, found = l.Load(doc)
		}
		if len(found) > 0 {
			s.t.Errorf("%s:\n%s", name, found.Text())
		}
	}
}

// console runs the commands of a block and gives the block with what they print.
func (s *session) console(text string) string {
	s.t.Helper()
	var out strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		out.WriteString(line)
		printed, err := s.run(strings.TrimSpace(command))
		out.Write(masked(printed))
		if status := exitStatus(err); status > 1 && status != exitMissing {
			s.t.Errorf("%s: exit status %d\n%s", command, status, printed)
			return text // and -update keeps what stands there
		}
	}
	return out.String()
}

// copyTree copies a file, or a folder with all that is in it.
func copyTree(to, from string) error {
	if info, err := os.Stat(from); err != nil || info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}
