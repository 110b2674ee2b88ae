package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/internal/mcp"
	"pflow/internal/printable"
)

// mcpItem is one server of `mcp list --json`.
type mcpItem struct {
	Name      string    `json:"name"`
	Command   []string  `json:"command"` // with arguments; [] for an address
	URL       string    `json:"url"`
	Variables []string  `json:"variables"` // environment variables that it is given, or that its headers read
	Known     bool      `json:"known"`     // its tools are
	Version   string    `json:"version"`   // the name and version it gave itself when its tools were listed
	Tools     []mcpTool `json:"tools"`
	LeftOut   []string  `json:"left_out"` // tools that are no components, and why
}

type mcpTool struct {
	Name        string   `json:"name"` // of the component
	Description string   `json:"description"`
	Effects     []string `json:"effects"`
}

func (a *app) mcpListCommand() *cobra.Command {
	tools := false
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the MCP servers, and their tools as they were listed last; nothing is started",
		Example: "  pflow mcp list\n  pflow mcp list --tools\n  pflow mcp list --json",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.listServers(tools) },
	}
	c.Flags().BoolVar(&tools, "tools", false, "with their tools")
	return c
}

func (a *app) listServers(tools bool) error {
	servers, err := a.mcpServers()
	if err != nil {
		return err
	}
	items := []mcpItem{}
	for _, s := range servers {
		items = append(items, a.mcpItem(s))
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.mcp/v1", "servers": items})
	}
	if len(items) == 0 && !a.quiet {
		fmt.Fprintln(a.stderr, "there are no MCP servers; pflow mcp add NAME -- COMMAND adds one, pflow mcp add --from FILE those of another client")
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for i, s := range servers {
		item := items[i]
		known := fmt.Sprintf("%d tools", len(item.Tools))
		if !item.Known {
			known = "tools not known; list them with: pflow mcp check " + s.Name
		}
		if len(item.Variables) > 0 {
			known += ", given " + strings.Join(item.Variables, ", ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, printable.Line(s.Shown()), known)
		if !tools {
			continue
		}
		for _, t := range item.Tools {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", printable.Line(t.Name), oneLine(firstSentence(t.Description)), strings.Join(t.Effects, ", "))
		}
		for _, why := range item.LeftOut {
			fmt.Fprintf(w, "  left out\t%s\n", printable.Line(why))
		}
	}
	return w.Flush()
}

func (a *app) mcpItem(s *mcp.Server) mcpItem {
	out := mcpItem{Name: s.Name, Command: []string{}, URL: s.URL, Variables: append([]string{}, s.Variables()...), Tools: []mcpTool{}, LeftOut: []string{}}
	if s.Command != "" {
		out.Command = append([]string{s.Command}, s.Args...)
	}
	l, err := mcp.ReadListing(a.home(), s.Name)
	if err != nil || l == nil || l.Config != s.Digest() {
		return out
	}
	out.Known, out.Version, out.LeftOut = true, l.Version, l.Unusable()
	for _, d := range l.Components() {
		t := mcpTool{Name: d.Interface.Name, Description: d.Interface.Description, Effects: []string{}}
		for _, e := range d.Interface.Effects {
			t.Effects = append(t.Effects, string(e))
		}
		out.Tools = append(out.Tools, t)
	}
	return out
}

// firstSentence is the beginning of a description that may be long.
func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if at := strings.IndexByte(s, '\n'); at > 0 {
		s = s[:at]
	}
	if at := strings.Index(s, ". "); at > 0 {
		s = s[:at+1]
	}
	return s
}

func (a *app) mcpRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Remove an MCP server, and what is known of its tools",
		Example:           "  pflow mcp remove files",
		Args:              one("the MCP server"),
		ValidArgsFunction: a.completeServers,
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if err := a.needsHome(); err != nil {
				return err
			}
			there := false
			err := mcp.Change(a.home(), func(entries map[string]any) error {
				_, there = entries[name] // also one that cannot be used
				delete(entries, name)
				if !there {
					return errUnchanged
				}
				return nil
			})
			if !there && (err == nil || err == errUnchanged) {
				_, err := a.oneServer(name)
				return err
			}
			if err != nil {
				return fail(exitFailed, "%s", fileError(err))
			}
			if err := mcp.Forget(a.home(), name); err != nil {
				return fail(exitFailed, "%s", fileError(err))
			}
			if a.asJSON {
				return a.printJSON(map[string]any{"schema": "pflow.mcp-removed/v1", "name": name})
			}
			if !a.quiet {
				fmt.Fprintf(a.stderr, "removed %s\n", printable.Line(name))
			}
			return nil
		},
	}
}
