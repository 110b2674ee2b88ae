package main

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"

	"pflow/internal/outcome"
)

// patience is how long a server is waited for.
const patience = 10 * time.Second

// connect connects to the server.
func (a *app) connect(ctx context.Context, logger log.Logger) (client.Client, error) {
	if a.connected != nil {
		return a.connected, nil
	}
	o, err := a.clientOptions(logger)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := client.DialContext(bounded, o)
	if err != nil {
		return nil, noServer(o.HostPort, err)
	}
	a.connected = c
	return c, nil
}

// clientOptions say where the server is, and what its histories hold.
func (a *app) clientOptions(logger log.Logger) (client.Options, error) {
	o, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{})
	if err != nil {
		return o, usage("the configuration of Temporal: %v", err)
	}
	if a.address != "" {
		o.HostPort = a.address
	}
	if o.HostPort == "" {
		o.HostPort = client.DefaultHostPort
	}
	if a.namespace != "" {
		o.Namespace = a.namespace
	}
	o.Logger = logger
	return o, a.withPayloads(&o)
}

// noServer is the error of a server that cannot be talked to.
func noServer(address string, err error) error {
	var denied *serviceerror.PermissionDenied
	var unknown *serviceerror.NamespaceNotFound
	switch {
	case errors.As(err, &unknown):
		return usage("the server at %s has no namespace %q: say which with --namespace or TEMPORAL_NAMESPACE", address, unknown.Namespace)
	case errors.As(err, &denied):
		return fail(outcome.Failed, "the server at %s does not let you in: %v; set TEMPORAL_API_KEY, or the certificates in TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH", address, err)
	}
	return fail(outcome.Failed, "no Temporal server answers at %s (%v); say where it is with --address or TEMPORAL_ADDRESS, or start one to try with: temporal server start-dev", address, err)
}

// silent is a logger that says nothing: what goes wrong is told by the errors of calls.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
