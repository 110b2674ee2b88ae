// Package nodes holds the primitive operations, one a file: the ops that flows are made of. All is the one list of
// them. An op sees what its node's prep gives it and nothing else, and changes none of it.
package nodes

import (
	"context"
	"io/fs"
	"net/http"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/llm"
	"pflow/internal/mapparams"
	"pflow/internal/settings"
	"pflow/internal/shelf"
	"pflow/ir"
)

// Deps is what ops and node types reach the outside through.
type Deps struct {
	// ReadLine asks the user for a line: on a terminal it shows the prompt, otherwise it reads the next line of
	// standard input. It is an error in batch mode.
	ReadLine func(ctx context.Context, prompt string) (string, error)
	// Log shows a line to the user, beside the result.
	Log func(level, message string)
	// Shelf gives what the request of a run may be answered with; nil: nothing.
	Shelf func(ctx context.Context) (*shelf.Shelf, error)
	// Check is the validator of workflows, with what node types check of their own params; nil stands for ir.Check, which
	// knows interfaces alone.
	Check func(data []byte, c *ir.Catalogue, o ir.Options) diag.List
	// Rehearse runs a valid workflow with made-up results, touching nothing, and lists what fails whatever they are; nil: it
	// cannot be done here.
	Rehearse func(ctx context.Context, w *ir.Workflow, on *shelf.Shelf) (diag.List, error)
	// HTTP sends the requests of http nodes; nil stands for a client that heeds the proxies of the environment.
	HTTP *http.Client
	// Environ is the environment of the commands that nodes start, as NAME=value; nil stands for this process's own.
	Environ []string
	// RunWorkflow runs a saved workflow with the inputs given and gives its outputs. It runs at that depth: the Depth of
	// its nodes' calls.
	RunWorkflow func(ctx context.Context, name string, inputs map[string]any, depth int) (map[string]any, error)
	// Model calls a language model; nil: there is none. With an error the reply, if there is one, holds what the call used.
	Model func(ctx context.Context, r llm.Request) (*llm.Reply, error)
	// Priced reports whether a model ("" is the default model) has a known price; nil: none has.
	Priced func(model string) (bool, error)

	// Zone gives the name of the time zone of whoever asks, "" if it is not known; nil stands for that.
	Zone func() string
	// Phrases gives files that add to the shipped phrases, nil if there are none.
	Phrases func() fs.FS
	// Agents are the programs of agent nodes; nil stands for those where the settings name none.
	Agents func() ([]settings.Agent, error)

	readings   *mapparams.Readings // which the ops share; nil keeps none
	lastGround *lastGround
}

// All lists the ops.
func All(d Deps) []engine.Op {
	d.readings, d.lastGround = &mapparams.Readings{}, &lastGround{}
	return []engine.Op{
		bindValuesOp(d),
		browseComponentsOp(d),
		browseWorkflowsOp(d),
		chooseStepsOp(d),
		coverOp(d),
		detectLanguageOp(),
		evalOp(),
		extractOp(d),
		findSameOp(d),
		findUnmetOp(d),
		inputOp(d),
		llmOp(d),
		loadComponentsOp(d),
		loadWorkflowOp(d),
		logOp(d),
		mapParamsOp(d),
		mendNameOp(),
		mendPathOp(),
		parseCLIOp(d),
		planResultOp(),
		readPhrasesOp(d),
		readTriggerOp(d),
		retrieveOp(),
		settleParamsOp(),
		sleepOp(),
		splitClausesOp(d),
		templateOp(),
		templatizeOp(),
		validateOp(d),
		wireStepsOp(d),
		workflowInputsOp(d),
		writeWorkflowOp(d),
	}
}
