package main

import "github.com/spf13/cobra"

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes pflow's commands, flags and names in a shell",
		Long: `Print the script that completes pflow's commands, flags and names in a shell: bash, fish, powershell or zsh. For this session
of bash: source <(pflow completion bash)`,
		Example:   "  pflow completion bash > pflow.bash\n  pflow completion zsh > _pflow",
		Args:      one("the shell: bash, fish, powershell or zsh"),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.results, true)
			case "fish":
				return root.GenFishCompletion(a.results, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.results)
			case "zsh":
				return root.GenZshCompletion(a.results)
			}
			return usage("%q: want bash, fish, powershell or zsh%s", args[0], didYouMean(args[0], shells))
		},
	}
}
