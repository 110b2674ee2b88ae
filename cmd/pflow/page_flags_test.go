//go:build !race && unix

package main

import (
	"net/http"
	"regexp"
	"testing"
)

// TestPageSaysFields: what is wrong with what a form was given is said of its field, and not of a flag of the command; the API says of which
// parameter it is.
func TestPageSaysFields(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	p.workflow("greet", `{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "required": true}, "size": {"type": "number", "default": 1}}, "nodes": [{"id": "t", "type": "template", "params": {"template": "hi ${name}"}}]}`)
	schedule := func(fields ...string) pageAnswer {
		return p.post("/schedules/_new", append([]string{"workflow", "greet", "in.name", "Ann", "do", "show"}, fields...)...)
	}
	nobody := p.post("/schedules/_new", "workflow", "greet", "do", "show", "when", "watch", "watch", "inbox")
	for what, c := range map[string]struct {
		got  pageAnswer
		says string
	}{
		"since":          {p.get("/runs?since=yesterday"), "Since: want a day such as"},
		"since of stats": {p.get("/runs/stats?since=yesterday"), "Since: want a day such as"},
		"since of live":  {p.get("/experiments/_live?since=yesterday"), "“Only since”: want a day such as"},
		"since of cases": {p.post("/experiments/_cases", "name", "mine", "since", "yesterday"), "“Only since”: want a day such as"},
		"cron":           {schedule("when", "cron", "cron", "0 8"), "“Times”: \"0 8\" has 2 fields"},
		"every":          {schedule("when", "every", "every", "often"), "“Interval”: \"often\" is no interval"},
		"at":             {schedule("when", "at", "at", "2020-01-01T00:00"), "“Moment”: 2020-01-01T00:00:00"},
		"zone":           {schedule("when", "cron", "cron", "0 8 * * *", "timezone", "x"), "“Time zone”: there is no time zone"},
		"input":          {schedule("when", "watch", "watch", "inbox", "input", "none"), "“The input that takes the file”: greet has no input"},
		"its type":       {p.post("/schedules/_new", "workflow", "greet", "in.name", "Ann", "when", "watch", "watch", "inbox", "input", "size"), "“The input that takes the file”: it takes number"},
		"twice":          {schedule("when", "watch", "watch", "inbox", "input", "name"), "“The input that takes the file”: it is given a value, too"},
		"no input":       {nobody, "“The input that takes the file”: greet needs name"},
		"jitter":         {schedule("when", "every", "every", "5h", "jitter", "x"), "“Put each time off by less than”: "},
		"no baseline":    {p.get("/experiments/_new?b=planner"), "“Baseline”: what is compared is held against a baseline"},
		"variant":        {p.get("/experiments/_new?a=planner&b=planner%2Bx%3D1"), "“Against it”: "},
		"no cases":       {p.get("/experiments/_new?a=planner&cases=home%3Anone"), "“Cases”: the home has no such cases"},
		"on failure":     {schedule("when", "every", "every", "5h", "on_failure", "none"), "“After a run that failed, run”: there is no saved workflow \"none\""},
		"on success":     {p.post("/library/greet/notify", "on_success", "none"), "“After a run that is done, run”: there is no saved workflow \"none\""},
	} {
		c.got.Body = "<main" + mainOf(c.got.Body)
		said := visible(c.got)
		if !regexp.MustCompile(regexp.QuoteMeta(c.says)).MatchString(said) {
			t.Errorf("%s: it does not say %q: %d %s", what, c.says, c.got.Status, said)
		}
		if flag := regexp.MustCompile(`--[a-z]+|\bpflow (runs?|workflow|experiment|schedule|model|node|flow) `).FindString(said); flag != "" {
			t.Errorf("%s: it speaks of %q: %s", what, flag, said)
		}
	}
	status, got := p.api("GET", "/api/v1/runs?since=yesterday", nil)
	if why := got["error"].(map[string]any); status != http.StatusBadRequest || why["where"] != "since" || regexp.MustCompile("--").MatchString(why["message"].(string)) {
		t.Errorf("the API: %d %v", status, got)
	}
	status, got = p.api("POST", "/api/v1/schedules", map[string]any{"workflow": "greet", "every": "5h", "on_success": "none", "inputs": map[string]any{"name": "Ann"}})
	if why := got["error"].(map[string]any); status != http.StatusBadRequest || why["where"] != "on_success" {
		t.Errorf("the API: %d %v", status, got)
	}
}
