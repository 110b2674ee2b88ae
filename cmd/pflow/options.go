package main

import (
	"sync"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/llm"
	"pflow/internal/nodetype"
	"pflow/internal/shelf"
)

// globalFlags are the flags that every command has. One command line sets them, once.
type globalFlags struct {
	homeFlag string // --home
	asJSON   bool
	noColor  bool
	quiet    bool
	verbose  bool
	batch    bool
	otlp     collector // --otlp
}

// options are those of one command that say what is planned and run with, and what was loaded by them. Each command has its
// own: a flag of one never changes another.
type options struct {
	nodeFiles []string // --nodes
	noBuiltin bool     // --no-builtin

	flowName  string   // --flow
	splitText string   // --split
	date      string   // --date
	set       []string // --set
	drafts    []string // --draft

	drafted []engine.Document // what --draft names

	model        string     // --model
	record       string     // --record
	replay       string     // --replay
	replayOrCall bool       // --replay-or-call
	clock        *llm.Clock // of an experiment
	carry        bool       // of an experiment: what replay has not is answered in other words

	shelfOnce sync.Once
	shelf     *shelf.Shelf
	shelfErr  error

	onAsk      func(llm.Request) // told of each call of a model that a planned case makes; may be nil
	clientOnce sync.Once
	typesOnce  sync.Once
	types      map[string]nodetype.Type // built in, by name
	client     *llm.Client
	clientErr  error
}

// again gives the same options with nothing loaded yet, for what goes on with others.
func (o *options) again() *options {
	return &options{nodeFiles: o.nodeFiles, noBuiltin: o.noBuiltin, flowName: o.flowName, splitText: o.splitText, date: o.date, set: o.set,
		model: o.model, record: o.record, replay: o.replay, replayOrCall: o.replayOrCall}
}

// optionsOf gives the options of a command.
func (a *app) optionsOf(c *cobra.Command) *options {
	if a.commands == nil {
		a.commands = map[*cobra.Command]*options{}
	}
	if a.commands[c] == nil {
		a.commands[c] = &options{}
	}
	return a.commands[c]
}

// use makes the options of a command those that hold: it is the one that runs.
func (a *app) use(c *cobra.Command) { a.options = a.optionsOf(c) }

// nodeFlags adds the flags that say which components there are.
func (a *app) nodeFlags(c *cobra.Command) {
	o, f := a.optionsOf(c), c.Flags()
	f.StringArrayVar(&o.nodeFiles, "nodes", nil, "a `FILE|DIR` of declared nodes (repeatable)")
	f.BoolVar(&o.noBuiltin, "no-builtin", false, "only declared nodes and saved workflows")
}

// planFlags adds the flags of what plans.
func (a *app) planFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&a.optionsOf(c).flowName, "flow", "", "the `FLOW` that plans (default: what settings.yaml says, else "+defaultFlow+", without a model "+offlineFlow+")")
	f.StringVar(&a.optionsOf(c).splitText, "split", "", "the flows among which requests are split, with their weights: `A=90,B=10`")
	a.dateFlag(c)
	a.nodeFlags(c)
	a.modelFlags(c)
	a.completes(c, "flow", a.completeFlows)
	a.setFlag(c)
}

func (a *app) dateFlag(c *cobra.Command) {
	c.Flags().StringVar(&a.optionsOf(c).date, "date", "", "the `DAY` that words like today count from, as 2024-01-31 (default today)")
}

func (a *app) setFlag(c *cobra.Command) {
	c.Flags().StringArrayVar(&a.optionsOf(c).set, "set", nil, "edit the flow before it is checked: `PATH=VALUE`, such as params.max_attempts=2; INNER:PATH=VALUE edits an inner flow, *:PATH=VALUE each that has PATH (repeatable)")
}

func (a *app) modelFlag(c *cobra.Command) {
	c.Flags().StringVar(&a.optionsOf(c).model, "model", "", "the `PROVIDER/MODEL` that is called where a flow names none")
}

// modelFlags adds the flags of what may call a model.
func (a *app) modelFlags(c *cobra.Command) {
	a.modelFlag(c)
	o, f := a.optionsOf(c), c.Flags()
	f.StringVar(&o.record, "record", "", "keep every exchange with a model in this `DIR`")
	f.StringVar(&o.replay, "replay", "", "answer from the exchanges kept in this `DIR`; what is not there is an error")
	f.BoolVar(&o.replayOrCall, "replay-or-call", false, "with --replay: call what is not there, and keep it")
}
