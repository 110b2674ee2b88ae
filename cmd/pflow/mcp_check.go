package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pflow/internal/fault"
	"pflow/internal/mcp"
	"pflow/internal/printable"
)

// mcpChecked is one server of `mcp check --json`.
type mcpChecked struct {
	Name    string   `json:"name"`
	OK      bool     `json:"ok"`
	Kind    string   `json:"kind"`    // of the error; "" if there is none
	Error   string   `json:"error"`   // "" if there is none
	Version string   `json:"version"` // the name and version it gives itself
	Tools   int      `json:"tools"`
	Changed string   `json:"changed"`  // what it lists otherwise than before; "" if nothing, or nothing was known
	LeftOut []string `json:"left_out"` // tools that are no components, and why
}

func (a *app) mcpCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [NAME...]",
		Short: "Start MCP servers, list their tools anew and end them",
		Long: `Start MCP servers, or reach them, list their tools and end them. What they list is kept: tools that came, went or changed are
said. Without a name all servers of mcp.json are checked. The exit status is 1 if one of them does not work.`,
		Example:           "  pflow mcp check\n  pflow mcp check files",
		ValidArgsFunction: a.completeServers,
		RunE: func(c *cobra.Command, args []string) error {
			var servers []*mcp.Server
			for _, name := range args {
				s, err := a.oneServer(name)
				if err != nil {
					return err
				}
				servers = append(servers, s)
			}
			if len(args) == 0 {
				all, err := a.mcpServers()
				if err != nil {
					return err
				}
				servers = all
			}
			return a.checkServers(c.Context(), servers)
		},
	}
}

func (a *app) checkServers(ctx context.Context, servers []*mcp.Server) error {
	checked, broken := []mcpChecked{}, 0
	for _, s := range servers {
		got := a.checkServer(ctx, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		checked = append(checked, got)
		if !got.OK {
			broken++
		}
		if !a.asJSON {
			a.printChecked(got)
		}
	}
	if a.asJSON {
		if err := a.printJSON(map[string]any{"schema": "pflow.mcp-check/v1", "servers": checked}); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fail(exitFailed, "%d of %d MCP servers do not work", broken, len(servers))
	}
	return nil
}

func (a *app) printChecked(c mcpChecked) {
	if !c.OK {
		fmt.Fprintf(a.stdout, "%s: %s\n", c.Name, printable.Text(c.Error))
		return
	}
	fmt.Fprintf(a.stdout, "%s: %d tools, %s\n", c.Name, c.Tools, printable.Line(c.Version))
	if c.Changed != "" {
		a.warn("%s lists other tools than before: %s", c.Name, printable.Line(c.Changed))
	}
	for _, why := range c.LeftOut {
		a.warn("%s: left out: %s", c.Name, printable.Line(why))
	}
}

// checkServer lists a server's tools and keeps what it lists.
func (a *app) checkServer(ctx context.Context, s *mcp.Server) mcpChecked {
	out := mcpChecked{Name: s.Name, LeftOut: []string{}}
	l, err := a.askServer(ctx, s)
	if err == nil {
		out.Changed, err = a.host().MCP().Renew(l)
	}
	if err != nil {
		out.Kind, out.Error = string(fault.Of(err).Kind), err.Error()
		return out
	}
	out.OK, out.Version, out.Tools, out.LeftOut = true, l.Version, len(l.Components()), l.Unusable()
	return out
}

// askServer starts or reaches a server, with neither keys nor what it is not meant to have in its environment.
func (a *app) askServer(ctx context.Context, s *mcp.Server) (*mcp.Listing, error) {
	dir, err := workingDir()
	if err != nil {
		return nil, err
	}
	keys := a.host().KeyVariables()
	defer a.follow("asking " + s.Name).stop()
	return a.host().MCP().Ask(ctx, s, dir, func(name string) bool { return slices.Contains(keys, name) })
}
