package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// commands is every command there is. The specification names more; a command stands here from the day it exists.
var commands = []string{
	"pflow", "pflow completion", "pflow flow", "pflow flow check", "pflow flow eject", "pflow flow graph", "pflow flow list",
	"pflow flow ops", "pflow flow run", "pflow flow schema", "pflow flow show", "pflow flow test", "pflow help", "pflow node",
	"pflow node list", "pflow node run", "pflow node search", "pflow node show", "pflow plan", "pflow resume", "pflow run",
	"pflow validate", "pflow version", "pflow workflow", "pflow workflow delete", "pflow workflow edit",
	"pflow workflow history", "pflow workflow list", "pflow workflow rename", "pflow workflow save", "pflow workflow show",
}

// sampleRun is the run that the examples of resume name.
const sampleRun = "20240115-120000-1a2b3c4d"

func tree() []*cobra.Command {
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		all = append(all, c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	root := a.rootCommand()
	root.InitDefaultHelpCmd()
	walk(root)
	return all
}

func TestCommands(t *testing.T) {
	var got []string
	for _, c := range tree() {
		got = append(got, c.CommandPath())
	}
	slices.Sort(got)
	if diff := cmp.Diff(commands, got); diff != "" {
		t.Errorf("the commands are not those listed (-listed +there):\n%s", diff)
	}
}

// TestExamples runs every line of every command's examples, each in a directory that holds what the lines name.
func TestExamples(t *testing.T) {
	for _, c := range tree() {
		if strings.TrimSpace(c.Example) == "" {
			t.Errorf("%s --help has no example", c.CommandPath())
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: want a short description without a full stop, got %q", c.CommandPath(), c.Short)
		}
		for _, line := range strings.Split(strings.TrimSpace(c.Example), "\n") {
			t.Run(strings.TrimSpace(line), func(t *testing.T) {
				t.Parallel()
				s := newSession(t)
				prepareExamples(t, s)
				if !strings.Contains(line, "workflow save") {
					if printed, err := s.run("pflow workflow save ./greet.json"); err != nil {
						t.Fatalf("%v\n%s", err, printed)
					}
				}
				if printed, err := s.run("PATH=./bin:$PATH; " + line); err != nil {
					t.Errorf("%v\n%s", err, printed)
				}
			})
		}
	}
}

// prepareExamples makes what the examples name: README.md, some flows, a run that was killed, and a dot program.
func prepareExamples(t *testing.T, s *session) {
	t.Helper()
	if err := os.CopyFS(s.dir, os.DirFS("testdata/examples")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(s.dir, "bin/dot"), 0o755); err != nil {
		t.Fatal(err)
	}
	kill := exec.Command("pflow", "flow", "run", "./retry.yaml", "--input", "user_input=x", "--home", filepath.Join(s.home, ".pflow"))
	kill.Dir = s.dir
	if printed, err := kill.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	runs := filepath.Join(s.home, ".pflow", "runs")
	entries, err := os.ReadDir(runs)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d runs: %v", len(entries), err)
	}
	run := filepath.Join(runs, sampleRun)
	if err := os.Rename(filepath.Join(runs, entries[0].Name()), run); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(run, "journal.jsonl")
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	records := strings.SplitAfter(string(data), "\n")
	if err := os.WriteFile(journal, []byte(strings.Join(records[:len(records)-2], "")), 0o600); err != nil {
		t.Fatal(err)
	}
}
