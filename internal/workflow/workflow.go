// Package workflow runs workflows: it compiles an IR document to one dag of the engine and runs it, shows what it would
// do, and goes on with a run that was killed.
//
//	Check      the validator of package ir with what node types check of their own params: for saving, validating, running
//	Compile    document -> Program: every type, template, default and called workflow settled
//	Bind       the values of a run: given, piped, from the environment, defaults; what is missing
//	Run        Program and values -> Result (pflow.run/v1), with a journal that Resume goes on from
//	DryRun     every step with its params as far as they are known; nothing runs
//
// A run's store holds its inputs, the piped text and, under the id of each node that ran, its outputs. A node's params
// are resolved where the node runs, not when it is scheduled, so that a secret is never in the store, the journal or an
// event: everywhere but in the call of the node that uses it, it is {"$env": NAME}.
package workflow

import (
	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/mcp"
	"pflow/internal/nodetype"
	"pflow/internal/secret"
	"pflow/internal/settings"
	"pflow/internal/written"
	"pflow/ir"
)

// Env is what workflows are compiled and run in.
type Env struct {
	Catalogue *ir.Catalogue
	Types     map[string]nodetype.Type       // built-in node types by name
	Declared  map[string]*catalogue.Declared // nodes declared in YAML
	// Load gives a workflow that another one calls: a saved name, or a path, which counts from Dir.
	Load func(name string) (*ir.Workflow, error)
	// Flow gives a flow that a declared node runs; nil: there are none.
	Flow   func(name string) (*engine.Flow, error)
	Getenv func(name string) string
	// Secrets are what inputs that are secrets, and nodes, read by the name of a variable; nil: those of Getenv alone.
	Secrets *secret.Store
	// Keys are environment variables whose values are masked like those of secrets: keys of model providers.
	Keys []string
	// MCP calls tools of MCP servers; nil: there are none.
	MCP *mcp.Host
	// Unkept are the texts that stand for what the journal of a resumed run did not keep.
	Unkept []string
	// ReadBack tells that nodes never see what others gave but as it is kept with the run.
	ReadBack bool
	Dir      string // the working directory of nodes
	// Paths are the settings' rules over paths; nil: there are none.
	Paths *settings.Bounds
	// Undestroyed is the setting by which nothing may be destroyed, "" if there is none.
	Undestroyed string
	// Written is what the run may replace, and remembers what it writes; nil: nothing may be replaced without overwrite.
	Written *written.Run
	// StandIn answers for every component: none is run but by what it is handed. nil: components are run.
	StandIn *StandIn

	granted grants // of a run that is gone on with: what it was allowed before it began
}
