package main

import (
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/diag"

	"github.com/spf13/pflag"
)

// invocation is a command line whose words may be inputs: key=value, or --key=value for what is no flag of pflow.
type invocation struct {
	subject string // the first word that is no input
	words   []string
	inputs  [][2]string
	path    string // of the command: pflow run
	flags   []string
}

// command writes the command line again, with more words.
func (in *invocation) command(more ...string) string {
	words := []string{in.path}
	if in.subject != "" {
		words = append(words, shellQuote(in.subject))
	}
	for _, w := range append(append(append([]string{}, in.words...), in.flags...), more...) {
		words = append(words, shellQuote(w))
	}
	return strings.Join(words, " ")
}

// shellQuote writes a word so that a shell reads it as it is.
func shellQuote(w string) string {
	if w != "" && strings.IndexFunc(w, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=", r))
	}) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// readInvocation reads the words of a command that does not let cobra parse its flags. It is nil without an error if
// help was asked for and shown.
func (a *app) readInvocation(c *cobra.Command, args []string) (*invocation, error) {
	c.InitDefaultHelpFlag()
	c.InheritedFlags() // merges them into c.Flags()
	in := &invocation{path: c.CommandPath()}
	var flags []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			for _, word := range args[i+1:] {
				if err := in.word(c, word); err != nil {
					return nil, err
				}
			}
			i = len(args)
		case strings.HasPrefix(arg, "--"):
			name, text, given := strings.Cut(arg[2:], "=")
			f := c.Flags().Lookup(name)
			switch {
			case f == nil && given:
				in.inputs = append(in.inputs, [2]string{name, text})
				in.words = append(in.words, name+"="+text)
			case f == nil:
				return nil, unknownFlag(c, name)
			default:
				flags = append(flags, arg)
				if !given && f.NoOptDefVal == "" && i+1 < len(args) {
					i++
					flags = append(flags, args[i])
				}
			}
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			flags = append(flags, arg)
		default:
			if err := in.word(c, arg); err != nil {
				return nil, err
			}
		}
	}
	c.DisableFlagParsing = false
	err := c.ParseFlags(flags)
	c.DisableFlagParsing = true
	if err != nil {
		return nil, badFlag(c, err)
	}
	if help, _ := c.Flags().GetBool("help"); help {
		return nil, c.Help()
	}
	in.flags = append(in.flags, a.homeFlags()...)
	for _, name := range []string{"nodes", "on"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed {
			in.flags = append(in.flags, again(f)...)
		}
	}
	for _, name := range []string{"no-builtin", "prepare"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed {
			in.flags = append(in.flags, "--"+name)
		}
	}
	return in, nil
}

// again writes a flag as it was given.
func again(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		var out []string
		for _, v := range list.GetSlice() {
			out = append(out, "--"+f.Name, v)
		}
		return out
	}
	return []string{"--" + f.Name, f.Value.String()}
}

// word takes the subject, and key=value after it.
func (in *invocation) word(c *cobra.Command, word string) error {
	if in.subject == "" {
		in.subject = word
		return nil
	}
	name, text, ok := strings.Cut(word, "=")
	if !ok || name == "" {
		return usage("%s: %q is no input; inputs are given as key=value", c.CommandPath(), word)
	}
	in.inputs = append(in.inputs, [2]string{name, text})
	in.words = append(in.words, word)
	return nil
}

func unknownFlag(c *cobra.Command, name string) error {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := diag.Nearest(name, names); near != "" {
		return usage("%s: there is no flag --%s; did you mean --%s? An input is given as --%s=value", c.CommandPath(), name, near, name)
	}
	return usage("%s: there is no flag --%s; an input is given as %s=value or --%s=value", c.CommandPath(), name, name, name)
}
