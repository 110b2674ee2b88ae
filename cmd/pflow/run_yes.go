package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/planner"
)

// The values of --yes: nothing or "plan" approves a plan and the nodes of a run that want it, "destructive" also what
// destroys, "foreseen" only what a run is foreseen to destroy, and no nodes, "schedule" that something runs by itself, sha256:DIGEST exactly what was shown with it: a plan, a fix, or the nodes that a run
// waits for, and no other nodes. Several stand together, separated by commas.
const (
	yesPlan        = "plan"
	yesDestructive = "destructive"
	yesForeseen    = "foreseen"
	yesSchedule    = "schedule"
)

var digestPattern = regexp.MustCompile("^" + planner.DigestPrefix + "[0-9a-f]{64}$")

// approval adds --yes.
func (f *runFlags) approval(c *cobra.Command, what string) {
	c.Flags().VarP((*yesValue)(&f.yes), "yes", "y", what)
	c.Flags().Lookup("yes").NoOptDefVal = yesPlan
}

// keeping adds --save.
func (f *runFlags) keeping(c *cobra.Command) {
	c.Flags().BoolVar(&f.save, "save", false, "keep the workflow without running it")
}

// dryRunning adds --dry-run.
func (f *runFlags) dryRunning(c *cobra.Command, what string) {
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, what)
}

// yesValue joins what is given several times.
type yesValue string

func (v *yesValue) String() string { return string(*v) }
func (v *yesValue) Type() string   { return "string" }

func (v *yesValue) Set(text string) error {
	if *v != "" && text != "" {
		text = string(*v) + "," + text
	}
	*v = yesValue(text)
	return nil
}

// says reports whether one of the values was given.
func (f *runFlags) says(what string) bool { return slices.Contains(strings.Split(f.yes, ","), what) }

// approvesRuns reports whether the command line approves what runs now: that something runs by itself, or what a run would destroy, is
// another matter.
func (f *runFlags) approvesRuns() bool {
	return f.yes != "" && f.yes != yesSchedule && f.yes != yesForeseen
}

// digest is the sha256:DIGEST that was given, "" if none was.
func (f *runFlags) digest() string {
	for _, v := range strings.Split(f.yes, ",") {
		if strings.HasPrefix(v, planner.DigestPrefix) {
			return v
		}
	}
	return ""
}

// alsoDestructive is the flag that approves what was approved, and what destroys.
func (f *runFlags) alsoDestructive() string {
	if d := f.digest(); d != "" {
		return "--yes=" + yesDestructive + "," + d
	}
	return "--yes=" + yesDestructive
}

// check refuses values that mean nothing. digests says whether a digest may be among them.
func (f *runFlags) check(digests ...bool) error {
	if f.yes == "" {
		return nil
	}
	for _, v := range strings.Split(f.yes, ",") {
		switch {
		case v == yesPlan || v == yesDestructive || v == yesSchedule && f.schedules || v == yesForeseen && f.foresees:
		case !strings.HasPrefix(v, planner.DigestPrefix):
			return usage("--yes=%s: want --yes or --yes=destructive", f.yes)
		case len(digests) == 0:
			return usage("--yes=%s: a digest approves what was shown: a plan, with pflow apply; what a run waits for, with pflow resume", f.yes)
		case !digestPattern.MatchString(v):
			return usage("--yes=%s: want sha256: and 64 hexadecimal digits, as they were shown", f.yes)
		}
	}
	return nil
}
