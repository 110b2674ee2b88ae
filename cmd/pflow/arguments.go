package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pflow/internal/diag"
)

// one wants one argument and says what it is.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("name %s; see %s --help", what, c.CommandPath())
		}
		return tooMany(c, args, 1)
	}
}

// some wants at least one argument and says what they are.
func some(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("name %s; see %s --help", what, c.CommandPath())
		}
		return nil
	}
}

func noArguments(c *cobra.Command, args []string) error { return tooMany(c, args, 0) }

func atMostOne(c *cobra.Command, args []string) error { return tooMany(c, args, 1) }

func tooMany(c *cobra.Command, args []string, most int) error {
	if len(args) <= most {
		return nil
	}
	extra := args[most]
	if name, _, ok := strings.Cut(extra, "="); ok && c.Flags().Lookup("input") != nil {
		return usage("%q is one argument too many; a key of the state is given as --input %s=…", extra, name)
	}
	return usage("%q is one argument too many; see %s --help", extra, c.CommandPath())
}

// badFlag is the error of a flag that cannot be read; for one that does not exist it says which was meant.
func badFlag(c *cobra.Command, err error) error {
	hint := "; see " + c.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := diag.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("; did you mean --%s?", near)
		}
	}
	return usage("%v%s", err, hint)
}

// orElse is a hint, or another where there is none.
func orElse(hint, other string) string {
	if hint == "" {
		return other
	}
	return hint
}

// didYouMean is the end of a message about a name that does not exist.
func didYouMean(name string, names []string) string {
	if near := diag.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
