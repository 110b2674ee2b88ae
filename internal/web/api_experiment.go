package web

import "pflow/internal/experiment"

// What experiments, variants and cases of them are given as.
const (
	experimentID = `[A-Za-z0-9][A-Za-z0-9_-]*`
	someNumber   = `[0-9]*\.?[0-9]+`
	// a flow by name, perhaps of a revision, with a model and settings: nothing of it names a file
	variantText   = `([A-Za-z0-9_-]+=)?(shipped:)?[A-Za-z0-9][A-Za-z0-9_-]*(@[A-Za-z0-9_.~^-]+)?(\+(model=[A-Za-z0-9_./:-]+|[a-z_]+(\.[A-Za-z0-9_-]+)+=[^+/]*))*`
	keptCasesName = `home:[A-Za-z0-9][A-Za-z0-9_-]*(/later)?`
)

// comparedParams say what is compared, and on what.
func comparedParams(in string) []Param {
	return []Param{
		{Name: "flow", In: in, Type: "string", Pattern: FlowName + `|.*\.ya?ml`, Description: "a flow, held against the one that it shadows or extends, or the file of an experiment; without it, a and b your own planner is held against the shipped one"},
		{Name: "a", In: in, Type: "string", Pattern: variantText, Description: "the variant that is the baseline: [NAME=]FLOW[@REVISION][+CHANGE]…, where a change is model=MODEL or a setting such as params.x=3"},
		{Name: "b", In: in, Type: "strings", Pattern: variantText, Description: "the variants that are compared with it"},
		{Name: "cases", In: in, Type: "string", Pattern: keptCasesName, Description: "cases of the home (default those that pflow ships, with recorded replies)"},
		{Name: "repeats", In: in, Type: "integer", Description: "runs of each case under each variant (default 1)"},
		{Name: "primary", In: in, Type: "string", Enum: metrics, Description: "the metric that decides (default pass)"},
		{Name: "effect", In: in, Type: "string", Pattern: someNumber, Description: "the smallest difference of it that matters"},
		{Name: "model", In: in, Type: "string", Description: "the PROVIDER/MODEL that is called where a flow names none"},
		{Name: "allow_equal", In: in, Type: "boolean", Description: "variants may come to the same: an A/A test"},
	}
}

var metrics = textsOf(experiment.Metrics)

func comparedArgs(more ...string) []string {
	return append(append([]string{"experiment", "run", "--json"}, more...), "--a={a}", "--b={b...}", "--cases={cases}", "--repeats={repeats}", "--primary={primary}", "--effect={effect}",
		"--model={model}", "--allow-equal?{allow_equal}", "--", "{flow}")
}

var budgetParams = []Param{
	{Name: "max_calls", In: "body", Type: "integer", Description: "stop after so many calls of models"},
	{Name: "max_cost", In: "body", Type: "string", Pattern: someNumber, Description: "stop once so many US dollars were spent"},
	{Name: "max_tokens", In: "body", Type: "integer", Description: "stop after so many tokens"},
}

var experimentPath = Param{Name: "id", In: "path", Type: "string", Pattern: experimentID, Required: true, Description: "the id of an experiment, the beginning of one, its name, or last"}

var experimentEndpoints = []Endpoint{
	{Name: "listExperiments", Method: "GET", Path: "/api/v1/experiments", Summary: "List the experiments, the newest first, and what each came to", Schema: "experiments",
		Args:   []string{"experiment", "list", "--json", "--limit={limit}"},
		Params: []Param{{Name: "limit", In: "query", Type: "integer", Description: "how many at most; 0: all (default 20)"}}},
	{Name: "runExperiment", Method: "POST", Path: "/api/v1/experiments", Summary: "Run an experiment, or go on with the one of the same rows", Schema: "experiment-report", Job: true,
		Args:   comparedArgs("--verbose", "--again?{again}", "--max-calls={max_calls}", "--max-cost={max_cost}", "--max-tokens={max_tokens}"),
		Params: append(append(comparedParams("body"), budgetParams...), Param{Name: "again", In: "body", Type: "boolean", Description: "begin anew, though nothing has changed"})},
	{Name: "prepareExperiment", Method: "GET", Path: "/api/v1/experiment/prepared", Summary: "Check an experiment and say what it would run, without running it", Schema: "experiment-prepared",
		Args: comparedArgs("--dry-run"), Params: comparedParams("query")},
	{Name: "powerOfExperiment", Method: "GET", Path: "/api/v1/experiment/power", Summary: "Say what difference an experiment would show, without running it", Schema: "experiment-power",
		Args: comparedArgs("--power"), Params: comparedParams("query")},
	{Name: "listCases", Method: "GET", Path: "/api/v1/experiment/cases", Summary: "List the cases that the home keeps", Schema: "cases",
		Args: []string{"experiment", "cases", "--json"}},
	{Name: "makeCases", Method: "POST", Path: "/api/v1/experiment/cases", Summary: "Make cases of the requests whose plans were approved", Schema: "experiment-cases",
		Args: []string{"experiment", "cases", "--from-runs", "--json", "--keep={name}", "--since={since}"},
		Params: []Param{
			{Name: "name", In: "body", Type: "string", Pattern: experimentID, Required: true, Description: "what they are called in the home"},
			{Name: "since", In: "body", Type: "string", Description: "only requests since this day, moment, or so long ago: 2026-01-31, 24h, 7d"},
		}},
	{Name: "showLive", Method: "GET", Path: "/api/v1/experiment/live", Summary: "Show how the flows do among which requests are split", Schema: "experiment-live",
		Args:   []string{"experiment", "live", "--json", "--since={since}"},
		Params: []Param{{Name: "since", In: "query", Type: "string", Description: "only requests since this day, moment, or so long ago"}}},
	{Name: "stopLive", Method: "POST", Path: "/api/v1/experiment/live/stop", Summary: "Stop the flow that loses, if that is decided", Schema: "experiment-live",
		Args: []string{"experiment", "live", "--json", "--stop"}},
	{Name: "startLive", Method: "POST", Path: "/api/v1/experiment/live/start", Summary: "Let a flow that was stopped have requests again", Schema: "experiment-live",
		Args:   []string{"experiment", "live", "--json", "--start={flow}"},
		Params: []Param{{Name: "flow", In: "body", Type: "string", Pattern: FlowName, Required: true}}},
	{Name: "showExperiment", Method: "GET", Path: "/api/v1/experiments/{id}", Summary: "Show an experiment as it was run, and how far it is", Schema: "experiment-shown",
		Args: []string{"experiment", "show", "--json", "--", "{id}"}, Params: []Param{experimentPath}},
	{Name: "resumeExperiment", Method: "POST", Path: "/api/v1/experiments/{id}/resume", Summary: "Go on with an experiment", Schema: "experiment-report", Job: true,
		Args: []string{"experiment", "run", "--json", "--verbose", "--resume={id}", "--retry-errors?{retry}", "--max-calls={max_calls}", "--max-cost={max_cost}", "--max-tokens={max_tokens}"},
		Params: append([]Param{experimentPath, {Name: "retry", In: "body", Type: "boolean", Description: "plan again what got no answer"}},
			budgetParams...)},
	{Name: "reportExperiment", Method: "GET", Path: "/api/v1/experiments/{id}/report", Summary: "Work out the report of an experiment: verdicts, numbers with intervals, guardrails, and every case under every variant", Schema: "experiment-report",
		Args: []string{"experiment", "report", "--json", "--format={format}", "--all?{all}", "--", "{id}"},
		Params: []Param{experimentPath, {Name: "format", In: "query", Type: "string", Enum: []string{"text", "json", "junit", "markdown", "html"}, Description: "other than JSON"},
			{Name: "all", In: "query", Type: "boolean", Description: "list every case, in text and Markdown"}}},
	{Name: "listExperimentCases", Method: "GET", Path: "/api/v1/experiments/{id}/cases", Summary: "List cases of an experiment under every variant: those that differ, fail, have an outcome or say a text", Schema: "experiment-matrix",
		Args: []string{"experiment", "matrix", "--json", "--diff={diff}", "--of={of}", "--outcome={outcome}", "--group={group}", "--text={text}", "--limit={limit}", "--skip={skip}", "--", "{id}"},
		Params: []Param{experimentPath,
			{Name: "diff", In: "query", Type: "string", Enum: experiment.Differences, Description: "how the variants differ on it"},
			{Name: "of", In: "query", Type: "string", Description: "look at this variant alone"},
			{Name: "outcome", In: "query", Type: "string", Enum: experiment.Outcomes, Description: "what came of it"},
			{Name: "group", In: "query", Type: "string"},
			{Name: "text", In: "query", Type: "string", Description: "in the id, the request, a plan or a finding"},
			{Name: "limit", In: "query", Type: "integer", Description: "how many at most; 0: all (default 50)"},
			{Name: "skip", In: "query", Type: "integer", Description: "leave out so many that come first"},
		}},
	{Name: "showExperimentCase", Method: "GET", Path: "/api/v1/experiments/{id}/cases/{case}", Summary: "Show what happened with a case: plans, findings, the route, prompts and replies", Schema: "experiment-case",
		Args: []string{"experiment", "show", "--json", "--variant={variant}", "--", "{id}", "{case}"},
		Params: []Param{experimentPath, {Name: "case", In: "path", Type: "string", Required: true},
			{Name: "variant", In: "query", Type: "string", Description: "only what happened under this variant"}}},
}
