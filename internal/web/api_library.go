package web

// Parameters that several calls about workflows take.
var (
	workflowParam = Param{Name: "name", In: "path", Type: "string", Pattern: WorkflowName, Required: true, Description: "of a saved workflow, or NAME@2 for a version of it"}
	savedParam    = Param{Name: "name", In: "path", Type: "string", Pattern: `[a-z0-9][a-z0-9-]*`, Required: true, Description: "of a saved workflow"}
	yamlParam     = Param{Name: "yaml", In: "body", Type: "text", Description: "the text of a workflow in YAML"}
	jsonParam     = Param{Name: "json", In: "body", Type: "text", Description: "the text of a workflow in JSON, in the place of yaml"}
	inputsParam   = Param{Name: "inputs", In: "body", Type: "object", Description: "values of the inputs, by name; a text is read as the type that the workflow declares"}
	stdinParam    = Param{Name: "stdin", In: "body", Type: "text", Description: "the text that is piped in"}
)

var libraryEndpoints = []Endpoint{
	{Name: "listWorkflows", Method: "GET", Path: "/api/v1/workflows", Summary: "List the saved workflows by name, and the files that were skipped", Schema: "workflows",
		Args: []string{"workflow", "list", "--json", "--limit={limit}", "--match={match}", "--after={after}"},
		Params: []Param{
			{Name: "match", In: "query", Type: "string", Description: "only workflows that have these words in their names, descriptions or keywords"},
			{Name: "limit", In: "query", Type: "integer", Description: "how many at most; 0: all (default)"},
			{Name: "after", In: "query", Type: "string", Pattern: `[a-z0-9][a-z0-9-]*`, Description: "only workflows that come after this name"},
		}},
	{Name: "createWorkflow", Method: "POST", Path: "/api/v1/workflows", Summary: "Save a workflow under a name that is not taken", Schema: "workflow",
		Args: []string{"workflow", "save", "--json", "--name={name}", "--description={description}", "--yaml?{keep}", "--", "@{yaml}.yaml", "@{json}.json"},
		Params: []Param{
			{Name: "name", In: "body", Type: "string", Pattern: `[a-z0-9][a-z0-9-]*`, Required: true},
			yamlParam, jsonParam,
			{Name: "description", In: "body", Type: "string", Description: "what it does; without keep"},
			{Name: "keep", In: "body", Type: "boolean", Description: "keep the text in YAML as it is, with its comments"},
		}},
	{Name: "checkWorkflowYAML", Method: "POST", Path: "/api/v1/workflow-check/yaml", Summary: "Check the text of a workflow in YAML, which need not be saved", Schema: "validation",
		Args: []string{"validate", "--json", "--", "@{text}.yaml"}, Params: []Param{{Name: "text", In: "body", Type: "text", Required: true}}},
	{Name: "checkWorkflowJSON", Method: "POST", Path: "/api/v1/workflow-check/json", Summary: "Check the text of a workflow in JSON, which need not be saved", Schema: "validation",
		Args: []string{"validate", "--json", "--", "@{text}.json"}, Params: []Param{{Name: "text", In: "body", Type: "text", Required: true}}},
	{Name: "newWorkflowText", Method: "GET", Path: "/api/v1/workflow-template", Summary: "Give the start of a workflow, with comments, to be changed and saved", Schema: "new",
		Args:   []string{"workflow", "new", "--json", "--output=-", "--", "{name}"},
		Params: []Param{{Name: "name", In: "query", Type: "string", Required: true}}},
	{Name: "showWorkflow", Method: "GET", Path: "/api/v1/workflows/{name}", Summary: "Show a saved workflow: its document, text, notation, effects, findings, tests and what runs it", Schema: "workflow",
		Args: []string{"workflow", "show", "--json", "--", "{name}"}, Params: []Param{workflowParam}},
	{Name: "editWorkflow", Method: "PUT", Path: "/api/v1/workflows/{name}", Summary: "Save a text as the next version of a workflow, unless it was changed meanwhile (409)", Schema: "workflow",
		Args: []string{"workflow", "edit", "--json", "--base={base}", "--", "{name}", "@{yaml}.yaml", "@{json}.json"},
		Params: []Param{savedParam, yamlParam, jsonParam,
			{Name: "base", In: "body", Type: "string", Description: "the revision that showWorkflow gave with the text that was edited"}}},
	{Name: "deleteWorkflow", Method: "DELETE", Path: "/api/v1/workflows/{name}", Summary: "Delete a workflow; its versions and tests are kept", Schema: "deleted",
		Args: []string{"workflow", "delete", "--json", "--yes", "--", "{name}"}, Params: []Param{savedParam}},
	{Name: "renameWorkflow", Method: "POST", Path: "/api/v1/workflows/{name}/rename", Summary: "Give a workflow, with its versions and tests, another name", Schema: "workflow",
		Args: []string{"workflow", "rename", "--json", "--", "{name}", "{to}"}, Params: []Param{savedParam, {Name: "to", In: "body", Type: "string", Required: true}}},
	{Name: "workflowHistory", Method: "GET", Path: "/api/v1/workflows/{name}/versions", Summary: "List the versions of a workflow, the newest first, and what came of their runs", Schema: "workflow-history",
		Args: []string{"workflow", "history", "--json", "--", "{name}"}, Params: []Param{savedParam}},
	{Name: "diffWorkflows", Method: "GET", Path: "/api/v1/workflows/{name}/diff", Summary: "Say how a workflow differs from another, or from a version", Schema: "workflow-diff",
		Args:   []string{"workflow", "diff", "--json", "--", "{from}", "{name}"},
		Params: []Param{workflowParam, {Name: "from", In: "query", Type: "string", Pattern: WorkflowName, Description: "what it is compared with (default the version before it)"}}},
	{Name: "diffWorkflowText", Method: "POST", Path: "/api/v1/workflows/{name}/diff", Summary: "Say how a text of a workflow differs from the one that is saved", Schema: "workflow-diff",
		Args: []string{"workflow", "diff", "--json", "--", "{name}", "@{yaml}.yaml", "@{json}.json"}, Params: []Param{workflowParam, yamlParam, jsonParam}},
	{Name: "notifyWorkflow", Method: "POST", Path: "/api/v1/workflows/{name}/notify", Summary: "Say which workflow is run to tell how the runs of a workflow ended",
		Args: []string{"workflow", "notify", "--json", "--on-failure={on_failure}", "--on-success={on_success}", "--yes={approve...}", "--dry-run?{dry_run}", "--", "{name}"},
		Params: []Param{savedParam,
			{Name: "on_failure", In: "body", Type: "string", Description: "the workflow that is run after a run that failed; empty takes it away"},
			{Name: "on_success", In: "body", Type: "string", Description: "the workflow that is run after a run that is done; empty takes it away"},
			approveParam, {Name: "dry_run", In: "body", Type: "boolean", Description: "show what would be approved, and change nothing"}}},
	{Name: "testWorkflow", Method: "POST", Path: "/api/v1/workflows/{name}/test", Summary: "Run the tests of a workflow; nothing is touched", Schema: "workflow-test", Job: true,
		Args:   []string{"workflow", "test", "--json", "--fake?{fake}", "--", "{name}"},
		Params: []Param{workflowParam, {Name: "fake", In: "body", Type: "boolean", Description: "make up what nodes give that have no canned result"}}},
	{Name: "writeWorkflowTest", Method: "POST", Path: "/api/v1/workflows/{name}/tests", Summary: "Write the tests of a workflow: one, of what a run was", Schema: "new",
		Args: []string{"workflow", "test", "--json", "--from-run={run}", "--force?{replace}", "--", "{name}"},
		Params: []Param{savedParam, {Name: "run", In: "body", Type: "string", Pattern: RunID, Required: true},
			{Name: "replace", In: "body", Type: "boolean", Description: "replace the tests that are there"}}},
	{Name: "dryRunWorkflow", Method: "POST", Path: "/api/v1/workflows/{name}/dry-run", Summary: "Show every step of a run with its params and what it destroys, and run nothing", Schema: "dry-run",
		Args:  []string{"run", "--json", "--dry-run", "--", "{name}", "{inputs=}"},
		Stdin: "stdin", Params: []Param{workflowParam, inputsParam, stdinParam}},
	{Name: "runWorkflow", Method: "POST", Path: "/api/v1/workflows/{name}/runs", Summary: "Run a saved workflow", Schema: "workflow-run", Job: true,
		Args:  []string{"run", "--json", "--yes={approve...}", "--", "{name}", "{inputs=}"},
		Stdin: "stdin", Params: []Param{workflowParam, inputsParam, stdinParam,
			{Name: "approve", In: "body", Type: "strings", Enum: []string{"plan", "destructive", "foreseen"}, Description: "plan: nodes that want approval; destructive: also what destroys; foreseen: what a dry run says is destroyed, and no nodes"}}},
	{Name: "listNodes", Method: "GET", Path: "/api/v1/nodes", Summary: "List the node types", Schema: "nodes", Args: []string{"node", "list", "--json"}},
	{Name: "searchNodes", Method: "GET", Path: "/api/v1/node-search", Summary: "Find node types by what they do, the best first", Schema: "nodes",
		Args: []string{"node", "search", "--json", "--", "{words}"}, Params: []Param{{Name: "words", In: "query", Type: "string", Required: true}}},
	{Name: "showNode", Method: "GET", Path: "/api/v1/nodes/{name}", Summary: "Show what a node type takes, gives and does", Schema: "node",
		Args: []string{"node", "show", "--json", "--", "{name}"}, Params: []Param{{Name: "name", In: "path", Type: "string", Pattern: AnyName, Required: true}}},
}
