package main

import (
	"github.com/spf13/cobra"

	"pflow/internal/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Use the tools of MCP servers, and offer pflow as one",
		Long: `MCP servers are programs and addresses that offer tools by the Model Context Protocol. Which there are stands in mcp.json of
your home; their tools are components named mcp.SERVER.TOOL, as others are.`,
		Example: "  pflow mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n  pflow mcp list --tools\n  pflow node show mcp.files.read_file\n  pflow mcp serve",
	}
	c.AddCommand(a.mcpAddCommand(), a.mcpCheckCommand(), a.mcpListCommand(), a.mcpRemoveCommand(), a.mcpServeCommand())
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

// oneServer is a server of the home by its name.
func (a *app) oneServer(name string) (*mcp.Server, error) {
	s, err := a.host().MCP().Find(name)
	if err != nil {
		return nil, usage("%v", err)
	}
	return s, nil
}

func (a *app) completeServers(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	a.use(c)
	servers, _, _ := mcp.Servers(a.home())
	var out []string
	for _, s := range servers {
		out = append(out, s.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
