package mcpserve

import (
	"context"

	"pflow/internal/value"
)

// tool is one of the fixed tools.
type tool struct {
	name, title, description string
	params                   []param
	reads                    bool // it changes nothing
	additive                 bool // it changes nothing that was there
	open                     bool // it may reach other machines
	do                       func(ctx context.Context, h Host, a arguments, c *Client) (Answer, error)
}

// instructions tell a client's model what the server is for.
const instructions = `pflow keeps workflows: a task is planned once, saved under a name, and runs the same way for ever, without a model deciding again.
Before doing a task with many steps by hand, call find_workflow: what is saved may do it. If nothing fits, call plan with the task in
plain words, look at the steps it gives, and run it (run_workflow with the plan's digest) or keep it (save_workflow). Every saved
workflow is also a tool of its own. Relative paths count from the server's working directory.`

const irDoc = "a workflow document (object, or its JSON text): {ir_version, nodes, edges, inputs, outputs}"

func tools() []tool {
	return []tool{
		{
			name: "find_workflow", title: "Find a saved workflow", reads: true,
			description: "Find saved workflows that do what is asked, with a confidence from 0 to 1. Use it first: what was planned once need not be planned again.",
			params: []param{
				{name: "request", kind: value.String, required: true, doc: "what is to be done, in plain words"},
				{name: "most", kind: value.Integer, doc: "how many to give at most (default 5)"},
			},
			do: func(ctx context.Context, h Host, a arguments, _ *Client) (Answer, error) {
				return document(h.Find(ctx, a.text("request"), a.number("most", 5)))
			},
		},
		{
			name: "describe_nodes", title: "Describe components", reads: true,
			description: "Show what workflows are made of: the interfaces (inputs, outputs, params, effects) of the named components and of those that fit some words; without either, all names. Use it to write or mend a workflow document yourself.",
			params: []param{
				{name: "names", kind: value.Array, doc: "names of components or saved workflows"},
				{name: "words", kind: value.String, doc: "what a component should do"},
			},
			do: func(ctx context.Context, h Host, a arguments, _ *Client) (Answer, error) {
				return document(h.Describe(ctx, a.texts("names"), a.text("words")))
			},
		},
		{
			name: "plan", title: "Plan a workflow", reads: true, open: true,
			description: "Turn a request in plain words into a workflow: its steps, what it would change, what is missing, and a digest that stands for exactly this plan. Nothing is saved or run. Put the values of this run into the request; they become inputs, so that the workflow can be used again with others.",
			params: []param{
				{name: "request", kind: value.String, required: true, doc: "what is to be done, in plain words, with paths and values in it"},
				{name: "stdin", kind: value.String, doc: "a text that the request is about"},
				{name: "date", kind: value.String, doc: "the day that words like today count from, as 2024-01-31 (default today)"},
			},
			do: func(ctx context.Context, h Host, a arguments, c *Client) (Answer, error) {
				return h.Plan(ctx, PlanRequest{a.text("request"), a.optional("stdin"), a.text("date")}, c)
			},
		},
		{
			name: "validate_workflow", title: "Check a workflow", reads: true,
			description: "Check a workflow document without running it: its form, the types and params of its nodes, the data that flows between them. Gives findings with their places. Use it before save_workflow or run_workflow with a document of your own.",
			params:      []param{{name: "ir", kind: value.Any, required: true, doc: irDoc}},
			do: func(ctx context.Context, h Host, a arguments, _ *Client) (Answer, error) {
				return document(h.Validate(ctx, a["ir"]))
			},
		},
		{
			name: "save_workflow", title: "Save a workflow", additive: true,
			description: "Keep a planned workflow, or a document, under a name: from then on it can be found, run, and is a tool of its own. Earlier versions are never lost.",
			params: []param{
				{name: "plan", kind: value.String, doc: "the digest that plan gave"},
				{name: "ir", kind: value.Any, doc: "instead of a plan: " + irDoc},
				{name: "name", kind: value.String, doc: "the name: small letters, digits and dashes (default that of the plan)"},
				{name: "description", kind: value.String, doc: "what it does, by which it is found (default that of the plan)"},
				{name: "keywords", kind: value.Array, doc: "more words by which it is found"},
				{name: "replace", kind: value.Boolean, doc: "true makes the next version of a workflow that has the name"},
			},
			do: func(ctx context.Context, h Host, a arguments, _ *Client) (Answer, error) {
				s, err := a.subject("save_workflow", "plan", "ir")
				if err != nil {
					return Answer{}, err
				}
				s.Name = ""
				return document(h.Save(ctx, SaveRequest{s, a.text("name"), a.text("description"), a.texts("keywords"), a.flag("replace")}))
			},
		},
		{
			name: "run_workflow", title: "Run a workflow", open: true,
			description: "Run a saved workflow by its name, a plan by its digest (which approves exactly that plan; it is saved once it has run well), or a document. Gives outputs, steps and a run id. What destroys, or is marked for approval, is first asked of the user; where that cannot be, the call is refused with a digest to pass as approve.",
			params: []param{
				{name: "name", kind: value.String, doc: "a saved workflow; NAME@2 is a version of it"},
				{name: "plan", kind: value.String, doc: "instead: the digest that plan gave"},
				{name: "ir", kind: value.Any, doc: "instead: " + irDoc},
				{name: "resume", kind: value.String, doc: "instead: a run that was cancelled or waits for approval, to go on with"},
				{name: "inputs", kind: value.Object, doc: "values of its inputs by name; secrets are never given, they are read from the server's environment"},
				{name: "stdin", kind: value.String, doc: "text to pipe into it"},
				{name: "approve", kind: value.String, doc: "the digest of an earlier refusal, after the user agreed to what it listed"},
			},
			do: func(ctx context.Context, h Host, a arguments, c *Client) (Answer, error) {
				r := RunRequest{Resume: a.text("resume"), Stdin: a.optional("stdin"), Approve: a.text("approve")}
				r.Inputs, _ = a["inputs"].(map[string]any)
				var err error
				if r.Subject, err = a.subject("run_workflow", "name", "plan", "ir", "resume"); err != nil {
					return Answer{}, err
				}
				return h.Run(ctx, r, c)
			},
		},
		{
			name: "get_run", title: "Look at a run", reads: true,
			description: "Tell how a run stands or ended: status, outputs, steps, error. Use it for a run that was cut off, or whose outputs were cut.",
			params:      []param{{name: "id", kind: value.String, required: true, doc: "the run id"}},
			do: func(ctx context.Context, h Host, a arguments, _ *Client) (Answer, error) {
				return document(h.Get(ctx, a.text("id")))
			},
		},
	}
}

func document(v any, err error) (Answer, error) { return Answer{Document: v}, err }
