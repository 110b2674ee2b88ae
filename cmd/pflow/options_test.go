package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCommandsDoNotShareFlags gives each command of one app a value for each of its own flags: no flag of another command
// may have changed by it.
func TestCommandsDoNotShareFlags(t *testing.T) {
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
	walk(root)
	type of struct{ command, flag string }
	before := map[of]string{}
	each := func(f func(c *cobra.Command, flag *pflag.Flag)) {
		for _, c := range all {
			c.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) { f(c, flag) })
		}
	}
	each(func(c *cobra.Command, flag *pflag.Flag) { before[of{c.CommandPath(), flag.Name}] = flag.Value.String() })
	changed := map[of]bool{}
	each(func(c *cobra.Command, flag *pflag.Flag) {
		value := "7"
		if flag.Value.Type() == "bool" {
			value = "true"
		}
		at := of{c.CommandPath(), flag.Name}
		if got := flag.Value.String(); got != before[at] {
			t.Errorf("%s --%s is %s before it was given: it is another command's, too", at.command, at.flag, got)
		}
		changed[at] = flag.Value.Set(value) == nil
	})
	if len(changed) < 60 {
		t.Errorf("%d flags were looked at", len(changed))
	}
	plan, _, _ := root.Find([]string{"plan"})
	a.use(plan)
	if a.model != "7" || a.flowName != "7" || len(a.nodeFiles) != 1 {
		t.Errorf("the command that runs has not its own flags: %+v", a.options)
	}
}
