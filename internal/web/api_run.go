package web

import "pflow/internal/runs"

// What calls about runs are given.
var (
	ofRun      = Param{Name: "id", In: "path", Type: "string", Pattern: RunID, Required: true, Description: "a run: its id, the beginning of it, or last"}
	stepStates = []string{"failed", "waiting", "open", "done", "skipped", "not_reached"}
	partOfRun  = []Param{
		{Name: "status", In: "query", Type: "strings", Enum: stepStates, Description: "only steps with one of these"},
		{Name: "limit", In: "query", Type: "integer", Description: "how many steps at most, and so many inside each: of more, those come first that failed, wait or are under way"},
		{Name: "skip", In: "query", Type: "integer", Description: "how many steps to leave out before them"},
		{Name: "cut", In: "query", Type: "integer", Description: `values that are longer than so many bytes become {"$cut": their beginning, "bytes": of all}`},
	}
	partArgs   = []string{"--status={status...}", "--limit={limit}", "--skip={skip}", "--cut={cut}"}
	yesOfRun   = Param{Name: "yes", In: "body", Type: "strings", Enum: []string{"plan", "destructive", "foreseen"}, Description: "approves what waits for approval, and what destroys; foreseen: only what is foreseen to be destroyed"}
	yesShown   = Param{Name: "yes", In: "body", Type: "strings", Pattern: "plan|destructive|foreseen|" + shownDigest, Description: "approves what waits for approval, and what destroys; foreseen: of a fix, only what its run is foreseen to destroy; the digest of what was shown: exactly that, and no other node"}
	againInRun = Param{Name: "again", In: "body", Type: "boolean", Description: "steps may run again, also if that may repeat an effect"}
)

var runFilter = []Param{
	{Name: "limit", In: "query", Type: "integer", Description: "how many at most; 0: all"},
	{Name: "status", In: "query", Type: "strings", Enum: runStatuses, Description: "only runs with one of these"},
	{Name: "kind", In: "query", Type: "string", Enum: []string{"workflow", "plan", "flow"}},
	{Name: "workflow", In: "query", Type: "string", Description: "only runs of this workflow, or flow"},
	{Name: "since", In: "query", Type: "string", Description: "a day, a moment, or how long ago: 2026-01-31, 24h, 7d"},
	{Name: "by", In: "query", Type: "string", Description: "only runs that this started: person, mcp, retry, fix, schedule:NAME, each:ID, run:ID"},
	{Name: "failed", In: "query", Type: "boolean", Description: "only those that failed or hit a limit, and plans that failed or were invalid"},
}

var runFilterArgs = []string{"--limit={limit}", "--status={status...}", "--kind={kind}", "--workflow={workflow}", "--since={since}", "--by={by}", "--failed?{failed}"}

// runStatuses are the statuses of runs.
var runStatuses = textsOf(runs.Statuses)

var runEndpoints = []Endpoint{
	{Name: "listRuns", Method: "GET", Path: "/api/v1/runs", Summary: "List the runs, the newest first", Schema: "runs",
		Args:   with([]string{"runs", "list", "--json", "--before={before}"}, runFilterArgs...),
		Params: with([]Param{{Name: "before", In: "query", Type: "string", Pattern: RunID, Description: "only runs that began before this one"}}, runFilter...)},
	{Name: "showRun", Method: "GET", Path: "/api/v1/runs/{id}", Summary: "Show a run: its steps, what they got and gave, and why each edge was taken", Schema: "run-shown",
		Args: with(with([]string{"runs", "show", "--json", "--source?{source}"}, partArgs...), "--", "{id}"),
		Params: with([]Param{ofRun, {Name: "source", In: "query", Type: "boolean", Description: "also what ran, the workflow or the flow, and what became of each of its nodes"}},
			partOfRun...)},
	{Name: "showStep", Method: "GET", Path: "/api/v1/runs/{id}/steps/{step}", Summary: "Show a step of a run, with what is inside it", Schema: "run-step",
		Args:   with(with([]string{"runs", "show", "--json", "--step={step}"}, partArgs...), "--", "{id}"),
		Params: with([]Param{ofRun, {Name: "step", In: "path", Type: "string", Required: true, Description: "its name in the whole run, with %2F for each slash: get[3]%2Ffetch"}}, partOfRun...)},
	{Name: "logOfRun", Method: "GET", Path: "/api/v1/runs/{id}/log", Summary: "Give what happened in a run, an object a line", Schema: "run-log-line", Lines: true,
		Args: []string{"runs", "logs", "--json", "--", "{id}"}, Params: []Param{ofRun}},
	{Name: "callsOfRun", Method: "GET", Path: "/api/v1/runs/{id}/calls", Summary: "Give what a run sent to models, and what came back",
		Args:   []string{"prompt", "render", "--json", "--run={id}", "--step={step}"},
		Params: []Param{ofRun, {Name: "step", In: "query", Type: "string", Description: "only what this step sent, and what is inside it"}}},
	{Name: "whyRun", Method: "GET", Path: "/api/v1/runs/{id}/why", Summary: "Say why a plan is what it is, or why a run took its edges", Schema: "run-why",
		Args: []string{"runs", "why", "--json", "--", "{id}"}, Params: []Param{ofRun}},
	{Name: "diffRuns", Method: "GET", Path: "/api/v1/runs/{id}/diff/{other}", Summary: "Show where two runs part", Schema: "run-diff",
		Args:   []string{"runs", "diff", "--json", "--", "{id}", "{other}"},
		Params: []Param{ofRun, {Name: "other", In: "path", Type: "string", Pattern: RunID, Required: true, Description: "the other run"}}},
	{Name: "statsOfRuns", Method: "GET", Path: "/api/v1/runs/stats", Summary: "Show how long each step takes over many runs", Schema: "run-stats",
		Args: with([]string{"runs", "stats", "--json"}, runFilterArgs...), Params: runFilter},

	{Name: "cancelRun", Method: "POST", Path: "/api/v1/runs/{id}/cancel", Summary: "Stop a run that is under way, or give up one that could go on", Schema: "run-cancelled", Job: true,
		Args: []string{"runs", "cancel", "--json", "--", "{id}"}, Params: []Param{ofRun}},
	{Name: "resumeRun", Method: "POST", Path: "/api/v1/runs/{id}/resume", Summary: "Go on with a run that waits, was killed or was cancelled", Schema: "workflow-run", Job: true,
		Args: []string{"resume", "--json", "--retry?{again}", "--failed?{failed}", "--yes={yes...}", "--only={only...}", "--", "{id}"},
		Params: []Param{ofRun, yesShown, againInRun,
			{Name: "only", In: "body", Type: "strings", Description: "with yes: approves only these nodes, and the run waits again for the others"},
			{Name: "failed", In: "body", Type: "boolean", Description: "of a run over many lines: run those again that failed"}}},
	{Name: "retryRun", Method: "POST", Path: "/api/v1/runs/{id}/retry", Summary: "Run a workflow again without what finished already", Schema: "workflow-run", Job: true,
		Args: []string{"runs", "retry", "--json", "--retry?{again}", "--from={from...}", "--yes={yes...}", "--", "{id}", "{inputs=}"},
		Params: []Param{ofRun, yesOfRun, againInRun,
			{Name: "from", In: "body", Type: "strings", Description: "run these steps again, with what follows them"},
			{Name: "inputs", In: "body", Type: "object", Description: "the inputs that are others"}}},
	{Name: "fixRun", Method: "POST", Path: "/api/v1/runs/{id}/fix", Summary: "Mend the workflow of a run that failed; with the run that found a fix and yes, run it again so", Schema: "run-fix", Job: true,
		Args: []string{"runs", "fix", "--json", "--dry-run?{dry_run}", "--save?{save}", "--yes={yes...}", "--", "{id}"},
		Params: []Param{ofRun, yesShown,
			{Name: "dry_run", In: "body", Type: "boolean", Description: "show the fix, and save and run nothing"},
			{Name: "save", In: "body", Type: "boolean", Description: "save the fix without running it"}}},
	{Name: "saveRun", Method: "POST", Path: "/api/v1/runs/{id}/save", Summary: "Save the workflow of a run", Schema: "workflow",
		Args: []string{"workflow", "save", "--json", "--from-run={id}", "--description={description}", "--yes?{next}", "--", "{name}"},
		Params: []Param{ofRun, {Name: "name", In: "body", Type: "string", Required: true, Pattern: WorkflowName, Description: "the name"},
			{Name: "description", In: "body", Type: "string", Description: "what it does, for people and for planning"},
			{Name: "next", In: "body", Type: "boolean", Description: "make the next version if the name is taken"}}},
	{Name: "pruneRuns", Method: "POST", Path: "/api/v1/runs/prune", Summary: "Remove finished runs that are no longer kept", Schema: "runs-pruned", Job: true,
		Args: []string{"runs", "prune", "--json", "--older-than={older_than}", "--keep={keep}", "--dry-run?{dry_run}"},
		Params: []Param{{Name: "older_than", In: "body", Type: "string", Description: "remove those that began longer ago: 12h, 30d; without it, and without keep, what the settings say"},
			{Name: "keep", In: "body", Type: "integer", Description: "keep the newest so many"},
			{Name: "dry_run", In: "body", Type: "boolean", Description: "list what would be removed, and remove nothing"}}},
}

// textsOf is a list of names as texts.
func textsOf[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}

// with is a list with more behind it.
func with[T any](list []T, more ...T) []T { return append(list[:len(list):len(list)], more...) }
