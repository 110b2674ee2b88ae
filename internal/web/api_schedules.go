package web

var (
	scheduleParam = Param{Name: "name", In: "path", Type: "string", Pattern: `[A-Za-z0-9][A-Za-z0-9_-]*`, Required: true, Description: "of a schedule"}
	approveParam  = Param{Name: "approve", In: "body", Type: "strings", Enum: []string{"schedule", "destructive"}, Description: "schedule: that it runs by itself; destructive: also what destroys"}
	shownParam    = Param{Name: "dry_run", In: "body", Type: "boolean", Description: "show what would be approved, with the next times, and keep nothing"}
)

var scheduleEndpoints = []Endpoint{
	{Name: "listSchedules", Method: "GET", Path: "/api/v1/schedules", Summary: "List the schedules: when each runs next, how its last run ended, and which wait for somebody", Schema: "schedules",
		Args: []string{"schedule", "list", "--json"}},
	{Name: "showSchedule", Method: "GET", Path: "/api/v1/schedules/{name}", Summary: "Show a schedule: what it runs, when, with what, and what came of it", Schema: "schedule",
		Args: []string{"schedule", "show", "--json", "--", "{name}"}, Params: []Param{scheduleParam}},
	{Name: "addSchedule", Method: "POST", Path: "/api/v1/schedules", Summary: "Have a saved workflow run by itself", Schema: "schedule",
		Args: []string{"schedule", "add", "--json", "--as={as}", "--cron={cron}", "--every={every}", "--at={at}", "--watch={watch}", "--input={input}", "--timezone={timezone}", "--missed={missed}",
			"--overlap={overlap}", "--jitter={jitter}", "--on-failure={on_failure}", "--on-success={on_success}", "--yes={approve...}", "--dry-run?{dry_run}", "--", "{workflow}", "{inputs=}"},
		Params: []Param{
			{Name: "workflow", In: "body", Type: "string", Pattern: `[a-z0-9][a-z0-9-]*`, Required: true},
			inputsParam,
			{Name: "as", In: "body", Type: "string", Description: "its name (default that of the workflow)"},
			{Name: "cron", In: "body", Type: "string", Description: "minute hour day month weekday; this, every, at or watch"},
			{Name: "every", In: "body", Type: "string", Description: "an interval: 45m, 6h"},
			{Name: "at", In: "body", Type: "string", Description: "one moment: 2026-03-12T09:00"},
			{Name: "watch", In: "body", Type: "string", Description: "a folder of the machine of pflow, which may end in a pattern: inbox/*.csv"},
			{Name: "input", In: "body", Type: "string", Description: "with watch: the input that takes the path of the file"},
			{Name: "timezone", In: "body", Type: "string", Description: "of cron and at: Europe/Berlin"},
			{Name: "missed", In: "body", Type: "string", Enum: []string{"skip", "once", "all"}},
			{Name: "overlap", In: "body", Type: "string", Enum: []string{"skip", "queue", "allow"}},
			{Name: "jitter", In: "body", Type: "string"},
			{Name: "on_failure", In: "body", Type: "string", Description: "the workflow that is run after a run that failed"},
			{Name: "on_success", In: "body", Type: "string", Description: "the workflow that is run after a run that is done"},
			approveParam, shownParam,
		}},
	{Name: "pauseSchedule", Method: "POST", Path: "/api/v1/schedules/{name}/pause", Summary: "Keep a schedule from running until it is resumed",
		Args: []string{"schedule", "pause", "--json", "--", "{name}"}, Params: []Param{scheduleParam}},
	{Name: "resumeSchedule", Method: "POST", Path: "/api/v1/schedules/{name}/resume", Summary: "Let a schedule run again that was paused, or that waits for somebody since its workflow was changed",
		Args: []string{"schedule", "resume", "--json", "--yes={approve...}", "--dry-run?{dry_run}", "--", "{name}"}, Params: []Param{scheduleParam, approveParam, shownParam}},
	{Name: "removeSchedule", Method: "DELETE", Path: "/api/v1/schedules/{name}", Summary: "Remove a schedule; its workflow and runs stay",
		Args: []string{"schedule", "remove", "--json", "--", "{name}"}, Params: []Param{scheduleParam}},
	{Name: "runSchedule", Method: "POST", Path: "/api/v1/schedules/{name}/runs", Summary: "Run a schedule now, as it would be fired", Schema: "workflow-run", Job: true,
		Args:   []string{"schedule", "run", "--json", "--file={file}", "--", "{name}"},
		Params: []Param{scheduleParam, {Name: "file", In: "body", Type: "string", Description: "the file that arrived, of a watched folder"}}},
}
