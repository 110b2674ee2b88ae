package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pflow/internal/diag"
)

// requestLine is a command line that is a request, or names a workflow and its inputs.
type requestLine struct {
	words   []string
	unknown []string        // what begins with a dash and is no flag of pflow, as it was given
	values  map[string]bool // words behind one of these, which may be its value
	dashed  bool            // the words stand behind --
	flags   []string        // of pflow, as they were given
	others  []string        // all others, in their order
}

// readRequestLine reads the flags of a command line. It is nil without an error if help was asked for and shown.
func readRequestLine(c *cobra.Command, args []string) (*requestLine, error) {
	c.InitDefaultHelpFlag()
	line := &requestLine{values: map[string]bool{}}
	behind := false // an unknown flag without a value
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			line.dashed = len(line.words) == 0
			line.words = append(line.words, args[i+1:]...)
			line.others = append(line.others, args[i+1:]...)
			break
		}
		f, given := flagOf(c, arg)
		switch {
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			line.words = append(line.words, arg)
			line.others = append(line.others, arg)
			line.values[arg] = behind
			behind = false
			continue
		case f == nil:
			line.unknown = append(line.unknown, arg)
			line.others = append(line.others, arg)
		default:
			line.flags = append(line.flags, arg)
			if !given && f.NoOptDefVal == "" && i+1 < len(args) {
				i++
				line.flags = append(line.flags, args[i])
			}
		}
		behind = f == nil && !strings.Contains(arg, "=")
	}
	c.DisableFlagParsing = false
	err := c.ParseFlags(line.flags)
	c.DisableFlagParsing = true
	switch {
	case err != nil:
		return nil, badFlag(c, err)
	case len(line.words) == 0 && len(line.unknown) > 0:
		return nil, line.noFlag(c)
	}
	if help, _ := c.Flags().GetBool("help"); help {
		return nil, c.Help()
	}
	return line, nil
}

// flagOf is the flag that a word of a command line gives, and whether it gives its value too; nil if it is none.
func flagOf(c *cobra.Command, arg string) (f *pflag.Flag, given bool) {
	if name, long := strings.CutPrefix(arg, "--"); long {
		name, _, given = strings.Cut(name, "=")
		return c.Flags().Lookup(name), given
	}
	if len(arg) < 2 {
		return nil, false
	}
	for i := 1; i < len(arg); i++ { // several of one letter may stand together; the first that has a value takes the rest
		if f = c.Flags().ShorthandLookup(arg[i : i+1]); f == nil || f.NoOptDefVal == "" {
			return f, i+1 < len(arg)
		}
	}
	return f, true
}

// noFlag is the error of a flag that does not exist, and says how it is given as a word of the request.
func (l *requestLine) noFlag(c *cobra.Command) error {
	arg := l.unknown[0]
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	hint := ""
	if near := diag.Nearest(name, names); near != "" && strings.HasPrefix(arg, "--") {
		hint = "; did you mean --" + near + "?"
	}
	if len(l.words) == 0 {
		return usage("there is no flag %s%s", arg, orElse(hint, "; see "+c.CommandPath()+" --help"))
	}
	words := []string{"pflow"}
	for _, w := range slices.Concat(l.flags, []string{"--"}, l.others) {
		words = append(words, shellQuote(w))
	}
	return usage("there is no flag %s%s If it is part of the request, say: %s", arg, orElse(hint, "."), strings.Join(words, " "))
}
