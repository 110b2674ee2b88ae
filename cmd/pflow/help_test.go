package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// specified are the commands of the contract: a group before its colon, and what stands under it.
const specified = `
apply plan resume run serve tune validate why doctor completion version help
workflow: diff new list show save edit rename delete history test notify
node: new list show search run test eject remove
flow: list show check graph diff run eject save delete variant test ops schema
prompt: list show save delete render
experiment: cases run report compare list live matrix show
trace: list show prune
model: list check
mcp: serve add list remove check
runs: cancel diff fix list logs prune replay retry show stats why
schedule: add export list notify pause remove resume run show`

// later are the commands of the contract that are not there yet. Nothing stands in for them.
const later = `
why
trace: list show prune`

// commandsOf lists the commands of such a text, groups too.
func commandsOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		group, names, grouped := strings.Cut(line, ":")
		if !grouped {
			group, names = "", line
		}
		for _, name := range strings.Fields(names) {
			all[strings.TrimSpace(group+" "+name)] = true
		}
	}
	return all
}

func tree() []*cobra.Command {
	a := newApp(strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
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

// TestCommands compares the command tree with the contract, less what is built later.
func TestCommands(t *testing.T) {
	absent := commandsOf(later)
	var want, got []string
	for name := range commandsOf(specified) {
		if !absent[name] {
			want = append(want, name)
		}
		delete(absent, name)
	}
	for name := range absent {
		t.Errorf("%q is to be built later, but the contract has no such command", name)
	}
	for _, c := range tree() {
		if name, ok := strings.CutPrefix(c.CommandPath(), "pflow "); ok && !c.HasSubCommands() {
			got = append(got, name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the commands are not those of the contract (-contract +there):\n%s", diff)
	}
}
