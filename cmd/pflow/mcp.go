package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/internal/mcp"
	"pflow/internal/printable"
)

func (a *app) mcpCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Use the tools of MCP servers, and offer pflow as one",
		Long: `MCP servers are programs and addresses that offer tools by the Model Context Protocol. Which there are stands in mcp.json of
your home; their tools are components named mcp.SERVER.TOOL, as others are.`,
		Example: "  pflow mcp list\n  pflow mcp serve",
	}
	c.AddCommand(a.mcpListCommand(), a.mcpServeCommand())
	return c
}

// mcpServers are the servers of the home; those that cannot be used are warned of.
func (a *app) mcpServers() ([]*mcp.Server, error) {
	servers, found, err := mcp.Servers(a.home())
	if err != nil {
		return nil, usage("%s", fileError(err))
	}
	a.showFindings(found)
	return servers, nil
}

// mcpItem is one server of `mcp list --json`.
type mcpItem struct {
	Name      string   `json:"name"`
	Command   []string `json:"command"` // with arguments; [] for an address
	URL       string   `json:"url"`
	Variables []string `json:"variables"` // environment variables that it is given, or that its headers read
}

func (a *app) mcpListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the MCP servers",
		Example: "  pflow mcp list\n  pflow mcp list --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			servers, err := a.mcpServers()
			if err != nil {
				return err
			}
			items := []mcpItem{}
			for _, s := range servers {
				item := mcpItem{Name: s.Name, Command: []string{}, URL: s.URL, Variables: append([]string{}, s.Variables()...)}
				if s.Command != "" {
					item.Command = append([]string{s.Command}, s.Args...)
				}
				items = append(items, item)
			}
			if a.asJSON {
				return a.printJSON(map[string]any{"schema": "pflow.mcp/v1", "servers": items})
			}
			if len(items) == 0 && !a.quiet {
				fmt.Fprintln(a.stderr, "there are no MCP servers")
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for i, s := range servers {
				given := ""
				if len(items[i].Variables) > 0 {
					given = "given " + strings.Join(items[i].Variables, ", ")
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, printable.Line(s.Shown()), given)
			}
			return w.Flush()
		},
	}
}
