package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "pflow REQUEST...",
		Short: "Turn a sentence into a workflow you keep",
		Long: `pflow finds a saved workflow that does the whole of what you ask, or makes a new one out of known components,
shows the plan, and after your approval saves and runs it. What decides this is data: a flow in YAML that you
can read, check, run and change without recompiling.`,
		Example: `  pflow --yes "copy README.md to backup/README.md"
  pflow --dry-run "copy README.md to backup/README.md"
  pflow flow list
  pflow flow graph planner-offline`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.ArbitraryArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { a.use(c) }
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(badFlag)
	root.SetUsageTemplate(usageTemplate)
	f := root.PersistentFlags()
	f.StringVar(&a.homeFlag, "home", "", "the `FOLDER` of your flows, prompts and runs (default $PFLOW_HOME, else ~/.pflow)")
	f.BoolVar(&a.asJSON, "json", false, "print the result as JSON")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "show nothing but results, warnings and errors")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "show each step and why its edge was taken")
	f.BoolVar(&a.batch, "batch", false, "ask nothing")
	f.Var(&a.otlp, "otlp", "send traces of runs to the OpenTelemetry collector at this `URL` (also $OTEL_EXPORTER_OTLP_ENDPOINT)")
	f.BoolVar(&a.noColor, "no-color", false, "no colours (also NO_COLOR in the environment)")
	root.AddCommand(a.applyCommand(), a.completionCommand(), a.doctorCommand(), a.experimentCommand(), a.flowCommand(), a.mcpCommand(), a.modelCommand(), a.nodeCommand(), a.planCommand(), a.promptCommand(), a.resumeCommand(), a.runCommand(), a.scheduleCommand(), a.serveCommand(), a.runsCommand(), a.tuneCommand(), a.validateCommand(), a.versionCommand(), a.workflowCommand())
	root.SetHelpCommand(helpCommand(root))
	a.requestCommand(root)
	for _, c := range root.Commands() {
		groupNeedsCommand(c)
	}
	return root
}

// usageTemplate is what --help shows after the description.
const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}

{{.CommandPath}} COMMAND --help tells more of each.{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
`

// groupNeedsCommand makes a command that only holds others say which there are, instead of taking anything.
func groupNeedsCommand(c *cobra.Command) {
	if !c.HasSubCommands() || c.Runnable() {
		return
	}
	c.Use += " COMMAND"
	c.DisableFlagsInUseLine = true
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return noCommand(c, args[0])
	}
}

// noCommand is the error of a command that does not exist.
func noCommand(parent *cobra.Command, name string) error {
	var names []string
	for _, sub := range parent.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := didYouMean(name, names)
	if hint == "" {
		hint = "; " + parent.CommandPath() + " has: " + strings.Join(names, ", ")
	}
	return usage("there is no command %q%s", parent.CommandPath()+" "+name, hint)
}

// helpCommand is `pflow help`. Cobra's own takes any words for a topic.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND...]",
		Short:   "Show what a command does, its flags and examples",
		Example: "  pflow help\n  pflow help flow run",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return noCommand(c, rest[0])
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
