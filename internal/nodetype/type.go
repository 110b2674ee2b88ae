// Package nodetype says what a node type is: what package nodes writes, and package workflow compiles and runs.
package nodetype

import (
	"context"
	"time"

	"pflow/internal/secret"
	"pflow/ir"
)

// Type is a node type: what a node of a workflow runs. Ops and node types are two namespaces: ops are what flows are
// made of, node types what workflows are made of.
type Type struct {
	// Interface is the single source for validation, prompts, documentation and `pflow node`.
	Interface *ir.Interface
	// Check looks at params as they stand in the IR, templates and all, for what the interface cannot say; nil if there
	// is nothing. A problem's Path is that into params: "command", "args[0]".
	Check func(params map[string]any) []ir.Problem
	// Late names params that Run fills in itself, by Call.Resolve: they reach it as they stand in the IR, because a value
	// must not become part of a text that is code (a shell command, a text template). Their templates are validated as
	// all others are.
	Late []string
	// Elsewhere names params that are called as paths are, and are none of this machine.
	Elsewhere []string
	// From names params whose paths have to be there: a file that it reads, a folder that it lists.
	From []string
	// Foresee says, before anything runs, what a node would do to what is there; nil if the interface's effects say all.
	// The call has what is known by then: the values of the params that pending names are their templates, and Resolve fails
	// for what no node has written yet.
	Foresee func(c Call, pending []string) Foreseen
	// Pure says that what Run gives comes of its params and of when the run began alone: it neither touches nor waits for
	// anything outside, so that tests and rehearsals of workflows run it as it is.
	Pure bool
	// Place says where it wants to run, where there is more than one place: "shell", "agent"; "": where the effects of the
	// interface say.
	Place string
	// Run runs the node once. It is safe for concurrent use. With an error the outcome holds what there was until then,
	// to show. Errors are *fault.Error, or the context's.
	Run func(ctx context.Context, c Call) (Outcome, error)
	// Example is a worked example that a test runs.
	Example Example
}

// Call is what one run of a node sees.
type Call struct {
	// Params are resolved, of the types that the interface declares, without those left out; those that it calls raw and
	// those that Late names stand as they are in the IR.
	Params map[string]any
	// Resolve gives the value of one template, such as ${read.content}, for the params that Late names.
	Resolve func(template string) (any, error)
	Dir     string // the working directory: relative paths count from here
	Env     func(name string) string
	// Withheld reports whether an environment variable holds a secret or a key, which programs that the node starts are not
	// given unless it names them; nil: none does.
	Withheld func(name string) bool
	Secrets  *secret.Store // what Secret reads; nil: the environment alone
	Now      time.Time     // the instant the run began
	Depth    int           // how many workflows the one of this node is nested in
	// Permits is why the settings do not let a path be touched, below: with all that lies below it. nil: every one may be.
	Permits func(path string, below bool) error
	Files   Files // what the run may replace; nil: nothing without overwrite
}

// Files says which files a run may replace without overwrite, and remembers those that it writes. Paths are real ones.
type Files interface {
	// May reports whether a file that is there may be replaced: its approval names it, or the workflow wrote it.
	May(path string) bool
	// Put gives a finished file its name. It calls put with whether a file that is there may be replaced, once that is
	// settled; content is a file with the new content.
	Put(ctx context.Context, path, content string, overwrite bool, put func(replace bool) error) error
	// Move is Put for a file that comes from another path. It is the workflow's own only if it was so there: a file that
	// somebody else made, and that was moved, is not replaced by the next one.
	Move(ctx context.Context, from, path, content string, overwrite bool, put func(replace bool) error) error
	// Add runs add, which adds to a file. A file that the workflow wrote stays its own.
	Add(ctx context.Context, path string, add func() error) error
}

// Foreseen is what a node would do to what is there.
type Foreseen struct {
	Destroys string   // what it destroys, or why that is not known: "rm deletes files"; "" if it destroys nothing
	Replaces []string // the files that are there and whose content it would replace, as they were given
	Appends  []string // those that it would add to
	Changes  []string // what would change in files, for people to read: an excerpt of a bounded length, a line each
	Needs    []string // of those to replace, the real paths of the ones that only overwrite, or an approval, lets it replace
}

// Outcome is what a node gives: its outputs by key, and its action ("" stands for default).
type Outcome struct {
	Outputs  map[string]any
	Action   string
	Meters   map[string]float64
	Private  []string // outputs that no journal keeps, as OUTPUT.KEY: headers.set-cookie
	Warnings []string // for the user: what was cut, what was not text
}

// ExampleTime is when examples run, and when their files were last changed.
var ExampleTime = time.Date(2024, time.January, 31, 12, 0, 0, 0, time.UTC)

// Example runs the node in an empty folder with Files in it, after the nodes of Before; Outputs are wanted, and Want are
// the files afterwards, beside those that git keeps.
type Example struct {
	Files   map[string]string
	Before  []Use
	Params  map[string]any
	Outputs map[string]any
	Want    map[string]string // nil: as before
}

// Use is a node of a type with its params.
type Use struct {
	Type   string
	Params map[string]any
}
