package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"pflow/internal/home"
	"pflow/internal/mcpserve"
)

func (a *app) mcpServeCommand() *cobra.Command {
	var address string
	h := &mcpHost{a: a}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Offer pflow to coding agents and other clients, as an MCP server",
		Long: `Offer what pflow does by the Model Context Protocol: tools that find, plan, check, save and run workflows, and one tool for each
saved workflow. It answers on standard input and output, for a client that starts it, until that ends; with --http on an
address of this machine, to clients that send the token. Nodes work in the directory in which the server was started.

What destroys, and nodes that want approval, are asked of the user, where the client can ask; else the call is refused with
a digest of exactly what would run, which the client passes to approve it. --ask-only takes no such digest.`,
		Example: "  pflow mcp serve\n  pflow mcp serve --http 127.0.0.1:8123",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			if c.Flags().Changed("http") {
				if err := mcpserve.Loopback(address); err != nil {
					return usage("--http %s: %v", address, err)
				}
			}
			a.sampling = mcpserve.Sampler{}
			s, err := mcpserve.New(c.Context(), mcpserve.Options{Host: h, Version: buildVersion(), Warn: func(text string) { a.warn("%s", text) }})
			if err != nil {
				return err
			}
			return a.serveMCP(c.Context(), s, address)
		},
	}
	c.Flags().StringVar(&address, "http", "", "answer over HTTP at this `HOST:PORT` of this machine, instead of on standard input and output")
	c.Flags().BoolVar(&h.askOnly, "ask-only", false, "refuse what wants approval where the client cannot ask its user")
	a.planFlags(c)
	return c
}

// tokenFile holds, in the home, what a client over HTTP shows that it may ask.
const tokenFile = "mcp-token"

// serveMCP serves until the client, or somebody else, ends it.
func (a *app) serveMCP(ctx context.Context, s *mcpserve.Server, address string) error {
	signal.Ignore(syscall.SIGPIPE) // a client that went away ends its calls, and not this process in the midst of them
	watching, stop := context.WithCancel(ctx)
	defer stop()
	s.Watch(watching)
	if address == "" {
		err := s.ServeStreams(ctx, a.stdin, a.printed)
		if ctx.Err() != nil {
			return fail(exitFailed, "stopped")
		}
		return err
	}
	secret, err := home.Secret(a.homeDir(), tokenFile)
	if err != nil {
		return fail(exitFailed, "the token: %s", fileError(err))
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fail(exitFailed, "--http %s: %v", address, err)
	}
	fmt.Fprintf(a.stderr, "serving on http://%s%s; clients send the token that is in %s\n", l.Addr(), mcpserve.Path, a.home().Path(tokenFile))
	if err := s.Serve(ctx, l, hex.EncodeToString(secret)); !errors.Is(err, context.Canceled) {
		return fail(exitFailed, "%v", err)
	}
	return fail(exitFailed, "stopped")
}
