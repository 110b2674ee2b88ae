package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pflow/internal/diag"
	"pflow/internal/printable"
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
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return ofFlag(value.GetFlag().Name, printable.Line(clipped(value.GetValue())), "%s", badValue(value))
	}
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

// badValue says what a flag wants in the place of what it was given. A kind of flag that pflow made says that itself.
func badValue(e *pflag.InvalidValueError) string {
	large := errors.Is(e, strconv.ErrRange)
	switch e.GetFlag().Value.Type() {
	case "int":
		if large {
			return "the number is too large"
		}
		return "want a whole number"
	case "float64":
		if large {
			return "the number is too large"
		}
		return "want a number, such as 0.05"
	case "duration":
		return "want a time such as 90s, 5m or 2h"
	case "bool":
		return "want true or false"
	}
	return e.Unwrap().Error()
}

// clipped bounds what a message repeats of what was given.
func clipped(text string) string {
	if r := []rune(text); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return text
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
