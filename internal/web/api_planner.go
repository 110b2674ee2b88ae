package web

// The places of texts in a home.
const (
	promptFile = `[a-zA-Z0-9][a-zA-Z0-9_-]*(\.tmpl|\.schema\.json)`
	textPlace  = `flows/[a-zA-Z0-9][a-zA-Z0-9_-]*\.yaml|prompts/` + promptFile
	textHash   = `[0-9a-f]{32}|none`
	ownName    = `[a-zA-Z0-9][a-zA-Z0-9_-]*`
)

var (
	flowParam    = Param{Name: "name", In: "path", Type: "string", Pattern: FlowName, Required: true, Description: "a flow; shipped:NAME is the one that pflow brings along"}
	ownFlowParam = Param{Name: "name", In: "path", Type: "string", Pattern: ownName, Required: true, Description: "a flow, as it is or would be in the home"}
	promptParam  = Param{Name: "file", In: "path", Type: "string", Pattern: promptFile, Required: true, Description: "NAME.tmpl, or NAME.schema.json for the schema of a reply"}
	textParam    = Param{Name: "text", In: "body", Type: "text", Required: true, Description: "the text, which need not be saved"}
	hashParam    = Param{Name: "if", In: "body", Type: "string", Pattern: textHash, Description: "the hash that the text must have that is there; none: nothing is there"}
	placeParam   = Param{Name: "place", In: "body", Type: "string", Pattern: textPlace, Description: "where text would stand in the home, such as prompts/map.tmpl"}
	draftParam   = Param{Name: "text", In: "body", Type: "text", Description: "a text that is not saved, for place"}
)

// plannerEndpoints are the calls about flows and prompts, and about planning again.
var plannerEndpoints = []Endpoint{
	{Name: "listFlows", Method: "GET", Path: "/api/v1/flows", Summary: "List the flows, which of them plan now, and why", Args: []string{"flow", "list", "--json"}, Schema: "flows"},
	{Name: "showFlow", Method: "GET", Path: "/api/v1/flows/{name}", Summary: "What a flow was compiled to: nodes, edges, state, params",
		Params: []Param{flowParam}, Args: []string{"flow", "show", "--json", "--", "{name}"}, Schema: "flow"},
	{Name: "showFlowText", Method: "GET", Path: "/api/v1/flows/{name}/text", Summary: "The text of a flow, whatever is wrong with it, and its hash",
		Params: []Param{flowParam}, Args: []string{"flow", "show", "--text", "--json", "--", "{name}"}, Schema: "text"},
	{Name: "showFlowDraft", Method: "POST", Path: "/api/v1/flows/{name}/draft", Summary: "What a text would be compiled to as the flow of this name",
		Params: []Param{ownFlowParam, textParam}, Args: []string{"flow", "show", "--json", "--draft=flows/{name}.yaml=-", "--", "{name}"}, Stdin: "text", Schema: "flow"},
	{Name: "checkFlow", Method: "POST", Path: "/api/v1/flows/{name}/check", Summary: "Check a text as the flow of this name, in the flows that use it",
		Params: []Param{ownFlowParam, textParam}, Args: []string{"flow", "check", "--json", "--draft=flows/{name}.yaml=-"}, Stdin: "text", Schema: "check"},
	{Name: "diffFlow", Method: "GET", Path: "/api/v1/flows/{name}/diff", Summary: "How a flow differs in what it means, from the shipped one of its name or from another",
		Params: []Param{flowParam, {Name: "from", In: "query", Type: "string", Pattern: FlowName, Description: "the flow that it is held against"}},
		Args:   []string{"flow", "diff", "--json", "--", "{from}", "{name}"}, Schema: "flow-diff"},
	{Name: "saveFlow", Method: "PUT", Path: "/api/v1/flows/{name}", Summary: "Save a text as the flow of this name, once it is right",
		Params: []Param{ownFlowParam, textParam, hashParam}, Args: []string{"flow", "save", "--json", "--if={if}", "--", "{name}", "-"}, Stdin: "text", Schema: "saved-text"},
	{Name: "deleteFlow", Method: "DELETE", Path: "/api/v1/flows/{name}", Summary: "Delete a flow of the home: one that pflow ships is used as it is shipped again",
		Params: []Param{ownFlowParam, hashParam}, Args: []string{"flow", "delete", "--yes", "--json", "--if={if}", "--", "{name}"}, Schema: "deleted-text"},
	{Name: "ejectFlow", Method: "POST", Path: "/api/v1/flows/{name}/eject", Summary: "Copy a shipped flow, the flows it uses and its prompts into the home",
		Params: []Param{ownFlowParam, {Name: "force", In: "body", Type: "boolean", Description: "replace what is there"}},
		Args:   []string{"flow", "eject", "--json", "--force?{force}", "--", "{name}"}, Schema: "ejected"},
	{Name: "keepVariant", Method: "POST", Path: "/api/v1/flows/{name}/variant", Summary: "Keep how a flow differs from what it comes of as a flow of another name",
		Params: []Param{ownFlowParam, {Name: "as", In: "body", Type: "string", Pattern: ownName, Required: true, Description: "the name of the variant"}, placeParam, draftParam},
		Args:   []string{"flow", "variant", "--json", "--draft={place}=-", "--", "{name}", "{as}"}, Stdin: "text", Schema: "flow-variant"},
	{Name: "testFlow", Method: "POST", Path: "/api/v1/flows/{name}/test", Summary: "Run the tests beside a flow", Job: true,
		Params: []Param{flowParam}, Args: []string{"flow", "test", "--json", "--", "{name}"}, Schema: "flow-test"},
	{Name: "listOps", Method: "GET", Path: "/api/v1/ops", Summary: "What the nodes of flows can do", Args: []string{"flow", "ops", "--json"}, Schema: "ops"},
	{Name: "flowSchema", Method: "GET", Path: "/api/v1/flow-schema", Summary: "The JSON Schema of flow files", Args: []string{"flow", "schema"}},
	{Name: "listPrompts", Method: "GET", Path: "/api/v1/prompts", Summary: "List the prompts, and the flows that use each", Args: []string{"prompt", "list", "--json"}, Schema: "prompts"},
	{Name: "showPrompt", Method: "GET", Path: "/api/v1/prompts/{file}", Summary: "The text of a prompt or of the schema of its reply, and its hash",
		Params: []Param{promptParam}, Args: []string{"prompt", "show", "--json", "--", "{file}"}, Schema: "text"},
	{Name: "showShippedPrompt", Method: "GET", Path: "/api/v1/prompts/{file}/shipped", Summary: "The text that pflow brings along",
		Params: []Param{promptParam}, Args: []string{"prompt", "show", "--json", "--", "shipped:{file}"}, Schema: "text"},
	{Name: "checkPrompt", Method: "POST", Path: "/api/v1/prompts/{file}/check", Summary: "Check a text as this prompt, in the flows that use it",
		Params: []Param{promptParam, textParam}, Args: []string{"flow", "check", "--json", "--draft=prompts/{file}=-"}, Stdin: "text", Schema: "check"},
	{Name: "savePrompt", Method: "PUT", Path: "/api/v1/prompts/{file}", Summary: "Save a text as this prompt, once it is right",
		Params: []Param{promptParam, textParam, hashParam}, Args: []string{"prompt", "save", "--json", "--if={if}", "--", "{file}", "-"}, Stdin: "text", Schema: "saved-text"},
	{Name: "deletePrompt", Method: "DELETE", Path: "/api/v1/prompts/{file}", Summary: "Delete a prompt of the home: one that pflow ships is used as it is shipped again",
		Params: []Param{promptParam, hashParam}, Args: []string{"prompt", "delete", "--yes", "--json", "--if={if}", "--", "{file}"}, Schema: "deleted-text"},
	{Name: "replayRun", Method: "POST", Path: "/api/v1/runs/{id}/replay", Summary: "Plan the request of a run again: only what is not as it was asks a model", Job: true,
		Params: []Param{
			{Name: "id", In: "path", Type: "string", Pattern: RunID, Required: true, Description: "the run of a plan, or last"},
			{Name: "flow", In: "body", Type: "string", Pattern: FlowName, Description: "the flow that plans, instead of the one that did"}, placeParam, draftParam,
			{Name: "dry_run", In: "body", Type: "boolean", Description: "say what would be asked, and ask nothing"}},
		Args: []string{"runs", "replay", "--json", "--flow={flow}", "--draft={place}=-", "--dry-run?{dry_run}", "--", "{id}"}, Stdin: "text", Schema: "run-replay"},
}

// editorCalls are what the editors of the page ask: the calls about a text, put together for one who types it.
var editorCalls = []OwnCall{
	{"checkFlowTyped", "POST", "/api/v1/editor/flows/{name}/check", "Check a text as it is typed, as checkFlow does: the body is {text}", []Param{ownFlowParam}, "application/json", "",
		"{diagnostics, graph}: what is wrong, each in its place in the text or with the file that it is in, and the graph of a text that is right"},
	{"checkPromptTyped", "POST", "/api/v1/editor/prompts/{file}/check", "Check a text as it is typed, as checkPrompt does: the body is {text}", []Param{promptParam}, "application/json", "", "{diagnostics}"},
	{"flowOptions", "GET", "/api/v1/editor/flows/{name}/options", "What can be typed in a flow, and where", []Param{ownFlowParam}, "application/json", "", "{options}"},
	{"promptOptions", "GET", "/api/v1/editor/prompts/{file}/options", "What can be typed in a prompt", []Param{promptParam}, "application/json", "", "{options}"},
}
