package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/mcp"
	"pflow/internal/printable"
	"pflow/internal/value"
)

// mcpAddFlags are those of `mcp add`.
type mcpAddFlags struct {
	url, from    string
	env, headers []string
	timeout      time.Duration
	replace      bool
	noCheck      bool
}

func (a *app) mcpAddCommand() *cobra.Command {
	f := &mcpAddFlags{}
	c := &cobra.Command{
		Use:   "add NAME -- COMMAND [ARGS...]",
		Short: "Add an MCP server: a program, an address, or those of another client",
		Long: `Add an MCP server: a program that is started when one of its tools is called, or an address (--url). It is started once, so
that its tools are known; what does not work is not added. Values of environment variables are never kept: --env names
variables that the program is given, and a header names one as env:NAME. --from adds the servers in the mcpServers of another
client's JSON file, such as claude_desktop_config.json or .mcp.json.`,
		Example: `  pflow mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  pflow mcp add github --env GITHUB_TOKEN -- github-mcp-server stdio
  pflow mcp add docs --url https://docs.example.org/mcp --header 'Authorization=Bearer env:DOCS_TOKEN'
  pflow mcp add --from .mcp.json`,
		RunE: func(c *cobra.Command, args []string) error {
			servers, err := f.servers(c, args)
			if err != nil {
				return err
			}
			if err := a.needsHome(); err != nil {
				return err
			}
			return a.addServers(c.Context(), servers, f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.url, "url", "", "the `ADDRESS` of a server that speaks streamable HTTP")
	flags.StringVar(&f.from, "from", "", "add the servers in this `FILE` of another client; with NAMEs only those")
	flags.StringArrayVar(&f.env, "env", nil, "give the program this `VARIABLE`; KEY=env:NAME gives it that of NAME as KEY (repeatable)")
	flags.StringArrayVar(&f.headers, "header", nil, "send a `HEADER`, as in 'Authorization=Bearer env:NAME' (repeatable)")
	flags.DurationVar(&f.timeout, "timeout", 0, "how long starting, listing and one call may take each (default 1m0s)")
	flags.BoolVar(&f.replace, "replace", false, "replace a server of that name")
	flags.BoolVar(&f.noCheck, "no-check", false, "start nothing; its tools are known after: pflow mcp check NAME")
	return c
}

// servers are those that a command line adds.
func (f *mcpAddFlags) servers(c *cobra.Command, args []string) ([]mcp.Found, error) {
	at := c.ArgsLenAtDash()
	names, command := args, []string(nil)
	if at >= 0 {
		names, command = args[:at], args[at:]
	}
	if f.from != "" {
		if len(command) > 0 || f.url != "" || len(f.env) > 0 || len(f.headers) > 0 {
			return nil, usage("--from adds what stands in a file; leave the command, --url, --env and --header out")
		}
		return f.fromFile(names)
	}
	switch {
	case len(names) == 0:
		return nil, usage("name the server, as in: pflow mcp add files -- COMMAND; see pflow mcp add --help")
	case len(names) > 1 && at < 0 && f.url == "":
		return nil, usage("write -- before the command of the server: pflow mcp add %s -- %s", shellQuote(names[0]), shellQuote(names[1]))
	case len(names) > 1:
		return nil, usage("%q is one argument too many; see pflow mcp add --help", names[1])
	case f.url == "" && len(command) == 0:
		return nil, usage("say what the server is: a program after --, or an address by --url")
	case f.url != "" && len(command) > 0:
		return nil, usage("a server is a program or an address; leave --url out, or the command")
	}
	s := &mcp.Server{Name: names[0], URL: f.url, Timeout: f.timeout}
	if len(command) > 0 {
		s.Command, s.Args = command[0], command[1:]
	}
	for _, e := range f.env {
		key, from, named := strings.Cut(e, "=")
		if from, ok := strings.CutPrefix(from, "env:"); ok {
			named, e = false, from
		} else {
			e = key
		}
		if named {
			return nil, usage("--env %s=…: a value is never kept in a file; set the environment variable %[1]s and say --env %[1]s, or --env %[1]s=env:NAME for another one", printable.Line(key))
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[key] = "${" + e + "}"
	}
	for _, h := range f.headers {
		key, text, ok := strings.Cut(h, "=")
		if !ok {
			return nil, usage("--header %s: want HEADER=VALUE, where the value names a variable, as in 'Authorization=Bearer env:NAME'", printable.Line(key))
		}
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[strings.TrimSpace(key)] = namedVariable.ReplaceAllString(strings.TrimSpace(text), "$${$1}")
	}
	if err := s.Check(); err != nil {
		return nil, usage("%v", err)
	}
	return []mcp.Found{{Server: s}}, nil
}

var namedVariable = regexp.MustCompile(`\benv:([A-Za-z_][A-Za-z0-9_]*)`)

// fromFile are the servers of another client's file, or those of these names.
func (f *mcpAddFlags) fromFile(names []string) ([]mcp.Found, error) {
	data, err := readRegular(f.from)
	if err != nil {
		return nil, err
	}
	all, err := mcp.Foreign(data)
	if err != nil {
		return nil, usage("%s: %v", f.from, err)
	}
	if len(names) == 0 {
		if len(all) == 0 {
			return nil, usage("%s: there are no servers in it", f.from)
		}
		return all, nil
	}
	var out []mcp.Found
	var there []string
	byName := map[string]mcp.Found{}
	for _, s := range all {
		there = append(there, s.Server.Name)
		byName[s.Server.Name] = s
	}
	for _, name := range names {
		s, ok := byName[name]
		if !ok {
			return nil, usage("%s has no server %q%s", f.from, name, didYouMean(name, there))
		}
		out = append(out, s)
	}
	return out, nil
}

// mcpAdded is what came of one server of `mcp add --json`.
type mcpAdded struct {
	Name  string   `json:"name"`
	Added bool     `json:"added"`
	Error string   `json:"error"` // why it was not added; "" if it was
	Tools int      `json:"tools"`
	Notes []string `json:"notes"` // what is another than in the file it comes from
}

// errUnchanged ends a change of the file of servers that would change nothing.
var errUnchanged = errors.New("nothing is to be changed")

func (a *app) addServers(ctx context.Context, servers []mcp.Found, f *mcpAddFlags) error {
	added, failed := []mcpAdded{}, 0
	for _, s := range servers {
		one := a.addServer(ctx, s, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		added = append(added, one)
		if !one.Added {
			failed++
		}
		if !a.asJSON {
			a.printAdded(one, f)
		}
	}
	if a.asJSON {
		if err := a.printJSON(map[string]any{"schema": "pflow.mcp-added/v1", "servers": added}); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fail(exitFailed, "%d of %d MCP servers were not added", failed, len(servers))
	}
	return nil
}

func (a *app) printAdded(one mcpAdded, f *mcpAddFlags) {
	for _, n := range one.Notes {
		a.warn("%s: %s", printable.Line(one.Name), printable.Line(n))
	}
	name := printable.Line(one.Name)
	switch {
	case !one.Added:
		fmt.Fprintf(a.stdout, "%s: not added: %s\n", name, printable.Text(one.Error))
	case f.noCheck:
		fmt.Fprintf(a.stdout, "%s: added; its tools are known after: pflow mcp check %[1]s\n", name)
	default:
		fmt.Fprintf(a.stdout, "%s: added, %d tools; pflow mcp list --tools shows them\n", name, one.Tools)
	}
}

// addServer adds one server, if it works.
func (a *app) addServer(ctx context.Context, found mcp.Found, f *mcpAddFlags) mcpAdded {
	s := found.Server
	out := mcpAdded{Name: s.Name, Notes: append([]string{}, found.Notes...)}
	err := found.Err
	var l *mcp.Listing
	if err == nil {
		err = a.mayAdd(s, f)
	}
	if err == nil && !f.noCheck {
		l, err = a.askServer(ctx, s)
	}
	if err == nil {
		err = mcp.Change(a.home(), func(entries map[string]any) error {
			if err := free(entries, s, f.replace); err != nil {
				return err
			}
			entries[s.Name] = s.Entry()
			return nil
		})
	}
	if err == nil && l != nil {
		err = l.Keep(a.home())
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Added = true
	if l != nil {
		out.Tools = len(l.Components())
		for _, why := range l.Unusable() {
			out.Notes = append(out.Notes, "left out: "+why)
		}
	}
	return out
}

// mayAdd looks whether the name is free, before anything is started.
func (a *app) mayAdd(s *mcp.Server, f *mcpAddFlags) error {
	err := mcp.Change(a.home(), func(entries map[string]any) error {
		if err := free(entries, s, f.replace); err != nil {
			return err
		}
		return errUnchanged
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// free refuses a name that another server has.
func free(entries map[string]any, s *mcp.Server, replace bool) error {
	there, taken := entries[s.Name]
	if taken && !replace && !value.Equal(there, s.Entry()) {
		return fmt.Errorf("there is another server of that name; --replace puts this one in its place")
	}
	return nil
}
