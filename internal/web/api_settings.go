package web

const modelName = `[a-zA-Z0-9][a-zA-Z0-9_.-]*/[^\s]+`

var serverPath = Param{Name: "name", In: "path", Type: "string", Pattern: AnyName, Required: true}

var settingsEndpoints = []Endpoint{
	{Name: "doctor", Method: "GET", Path: "/api/v1/doctor", Summary: "Show the settings that hold, where each comes from, and what is wrong", Schema: "doctor",
		Args: []string{"doctor", "--json"}},
	{Name: "listModels", Method: "GET", Path: "/api/v1/models", Summary: "List the providers, whether their keys are set, and what their models cost", Schema: "models",
		Args: []string{"model", "list", "--json"}},
	{Name: "checkModel", Method: "POST", Path: "/api/v1/models/check", Summary: "Call a model, to see whether key, address and name are right", Schema: "model-check", Job: true,
		Args: []string{"model", "check", "--json", "--probe?{probe}", "--", "{model}"},
		Params: []Param{{Name: "model", In: "body", Type: "string", Pattern: modelName, Description: "PROVIDER/MODEL (default the default model)"},
			{Name: "probe", In: "body", Type: "boolean", Description: "measure what the endpoint honours, by about ten calls"}}},
	{Name: "listServers", Method: "GET", Path: "/api/v1/mcp", Summary: "List the MCP servers, and their tools as they were listed last", Schema: "mcp",
		Args: []string{"mcp", "list", "--json", "--tools"}},
	{Name: "addServer", Method: "POST", Path: "/api/v1/mcp", Summary: "Add an MCP server: a program, or an address", Schema: "mcp-added", Job: true,
		Args: []string{"mcp", "add", "--json", "{name}", "--url={url}", "--env={env...}", "--header={headers...}", "--replace?{replace}", "--no-check?{no_check}", "--", "{command...}"},
		Params: []Param{{Name: "name", In: "body", Type: "string", Pattern: AnyName, Required: true},
			{Name: "command", In: "body", Type: "strings", Description: "the program, and each of its arguments"},
			{Name: "url", In: "body", Type: "string", Description: "the address of a server that speaks streamable HTTP"},
			{Name: "env", In: "body", Type: "strings", Description: "the names of variables that the program is given"},
			{Name: "headers", In: "body", Type: "strings", Description: "HEADER=VALUE, where a value names a variable: Authorization=Bearer env:NAME"},
			{Name: "replace", In: "body", Type: "boolean", Description: "replace a server of that name"},
			{Name: "no_check", In: "body", Type: "boolean", Description: "start nothing"}}},
	{Name: "checkServers", Method: "POST", Path: "/api/v1/mcp/check", Summary: "Start MCP servers, list their tools anew and end them", Schema: "mcp-check", Job: true,
		Args:   []string{"mcp", "check", "--json", "--", "{names...}"},
		Params: []Param{{Name: "names", In: "body", Type: "strings", Pattern: AnyName, Description: "those that are checked (default all)"}}},
	{Name: "removeServer", Method: "POST", Path: "/api/v1/mcp/{name}/remove", Summary: "Remove an MCP server, and what is known of its tools", Schema: "mcp-removed",
		Args: []string{"mcp", "remove", "--json", "--", "{name}"}, Params: []Param{serverPath}},
}
