package web

var runEndpoints = []Endpoint{
	{Name: "listRuns", Method: "GET", Path: "/api/v1/runs", Summary: "List the runs, the newest first", Schema: "runs",
		Args: []string{"runs", "list", "--json", "--limit={limit}", "--status={status...}", "--kind={kind}", "--workflow={workflow}", "--since={since}", "--by={by}", "--failed?{failed}"},
		Params: []Param{
			{Name: "limit", In: "query", Type: "integer", Description: "how many at most; 0: all (default 20)"},
			{Name: "status", In: "query", Type: "strings", Description: "only runs with one of these"},
			{Name: "kind", In: "query", Type: "string", Enum: []string{"workflow", "plan", "flow"}},
			{Name: "workflow", In: "query", Type: "string", Pattern: AnyName, Description: "only runs of this workflow, or flow"},
			{Name: "since", In: "query", Type: "string", Description: "a day, a moment, or how long ago: 2026-01-31, 24h, 7d"},
			{Name: "by", In: "query", Type: "string", Description: "only runs that this started: person, mcp, schedule:NAME"},
			{Name: "failed", In: "query", Type: "boolean"},
		}},
	{Name: "showRun", Method: "GET", Path: "/api/v1/runs/{id}", Summary: "Show a run: its steps, what they got and gave, and why each edge was taken", Schema: "run-shown",
		Args:   []string{"runs", "show", "--json", "--step={step}", "--", "{id}"},
		Params: []Param{{Name: "id", In: "path", Type: "string", Pattern: RunID, Required: true}, {Name: "step", In: "query", Type: "string", Description: "only this step, with what is inside it"}}},
	{Name: "cancelRun", Method: "POST", Path: "/api/v1/runs/{id}/cancel", Summary: "Stop a run that is under way, or give up one that could go on", Schema: "run-cancelled", Job: true,
		Args:   []string{"runs", "cancel", "--json", "--", "{id}"},
		Params: []Param{{Name: "id", In: "path", Type: "string", Pattern: RunID, Required: true}}},
}
