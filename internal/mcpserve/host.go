package mcpserve

import (
	"context"

	"pflow/ir"
)

// Host is what the tools do. Its methods may be called at once by many goroutines. Errors are shown to the client as they are:
// they say what is wrong and what to pass.
type Host interface {
	// Find ranks the saved workflows by a request.
	Find(ctx context.Context, request string, most int) (any, error)
	// Describe gives the interfaces of components: those named, and those whose words fit.
	Describe(ctx context.Context, names []string, words string) (any, error)
	// Plan plans a request and saves and runs nothing.
	Plan(ctx context.Context, r PlanRequest, c *Client) (Answer, error)
	// Validate checks a workflow, given as an object or as the text of a document.
	Validate(ctx context.Context, document any) (any, error)
	// Save saves a planned or given workflow.
	Save(ctx context.Context, r SaveRequest) (any, error)
	// Run runs a workflow.
	Run(ctx context.Context, r RunRequest, c *Client) (Answer, error)
	// Get tells how a run stands.
	Get(ctx context.Context, run string) (any, error)
	// Workflows lists those that become tools.
	Workflows(ctx context.Context) ([]Workflow, error)
	// State changes when Workflows may.
	State() string
}

// Answer is what a call came to. Failed says that Document tells of something that did not happen.
type Answer struct {
	Document any    // as JSON, where it is looked at by programs
	Text     string // for models and people; "": Document as JSON
	Notes    []string
	Failed   bool
}

// PlanRequest is what a plan is wanted for.
type PlanRequest struct {
	Text  string
	Stdin *string // text that the request is about; nil: there is none
	Date  string  // that words like today count from; "": today
}

// Subject names a workflow: one of the three.
type Subject struct {
	Name string // of a saved one, also NAME@2
	Plan string // the digest of a plan that this server made
	IR   any    // a document, or its text
}

// SaveRequest is what to save, and as what.
type SaveRequest struct {
	Subject
	As          string // the name; "": the plan's
	Description string
	Keywords    []string
	Replace     bool // make the next version of a workflow that has the name
}

// RunRequest is what to run, and with what.
type RunRequest struct {
	Subject
	Resume  string         // a run to go on with, instead of a subject
	Inputs  map[string]any // by name
	Stdin   *string
	Approve string // the digest of what was refused for want of approval; "": nothing is approved
	Bare    bool   // the answer's document is the outputs alone
}

// Workflow is a saved workflow that becomes a tool.
type Workflow struct {
	Name, Description string
	Inputs            []ir.Input
	Outputs           []ir.Output
	Effects           []ir.Effect
	Destroys          bool // as far as is known before there are inputs
	Piped             bool // it reads piped text that is no input
}
