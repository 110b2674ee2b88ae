package web

// planDigest is what approves a plan.
const planDigest = `(schedule,)?(destructive,)?` + shownDigest

// shownDigest stands for what was shown.
const shownDigest = `sha256:[0-9a-f]{64}`

var (
	ofPlan     = Param{Name: "run", In: "path", Type: "string", Pattern: RunID, Required: true, Description: "the run that made the plan"}
	editOfPlan = []Param{
		{Name: "inputs", In: "body", Type: "object", Description: "other values of inputs, and those that are missing"},
		{Name: "workflow", In: "body", Type: "text", Description: "a workflow as JSON, in the place of the planned one"},
	}
	editArgs = []string{"--workflow=@{workflow}.json", "--", "{run}", "{inputs=}"}
)

var askEndpoints = []Endpoint{
	{Name: "plan", Method: "POST", Path: "/api/v1/plans", Summary: "Plan a request; nothing is saved or run", Schema: "plan", Job: true,
		Args:  []string{"plan", "--json", "--flow={flow}", "--date={date}", "--model={model}", "--", "{request}"},
		Stdin: "stdin",
		Params: []Param{
			{Name: "request", In: "body", Type: "text", Required: true, Description: "what is to be done"},
			{Name: "stdin", In: "body", Type: "text", Description: "a text that the request is about, as if it were piped in"},
			{Name: "date", In: "body", Type: "string", Pattern: `[0-9]{4}-[0-9]{2}-[0-9]{2}`, Description: "the day that counts as today"},
			{Name: "flow", In: "body", Type: "string", Pattern: FlowName, Description: "the flow that plans"},
			{Name: "model", In: "body", Type: "string", Description: "the PROVIDER/MODEL that is asked where a flow names none"},
		}},
	{Name: "showPlan", Method: "GET", Path: "/api/v1/plans/{run}", Summary: "Show what a plan would save and run, and the digests that approve it", Schema: "apply",
		Args: []string{"apply", "--dry-run", "--json", "--", "{run}"}, Params: []Param{ofPlan}},
	{Name: "editPlan", Method: "POST", Path: "/api/v1/plans/{run}/edit", Summary: "Show a plan with other values, or another workflow; nothing is saved or run", Schema: "apply",
		Args: with([]string{"apply", "--dry-run", "--json"}, editArgs...), Params: with([]Param{ofPlan}, editOfPlan...)},
	{Name: "applyPlan", Method: "POST", Path: "/api/v1/plans/{run}/apply", Summary: "Save and run a plan, as it was edited, that a digest approves", Job: true,
		Args: with([]string{"apply", "--json", "--yes={yes}", "--save?{save}"}, editArgs...),
		Params: with([]Param{ofPlan,
			{Name: "yes", In: "body", Type: "string", Pattern: planDigest, Required: true, Description: "the digest of what is approved, or the digest_destroys; before it schedule, where it runs by itself, and destructive, where that destroys"},
			{Name: "save", In: "body", Type: "boolean", Description: "save the workflow without running it"}}, editOfPlan...)},
	{Name: "declinePlan", Method: "POST", Path: "/api/v1/plans/{run}/decline", Summary: "Note that a plan is not wanted", Schema: "plan",
		Args: []string{"apply", "--json", "--decline", "--", "{run}"}, Params: []Param{ofPlan}},
}
