package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"pflow/engine"
	"pflow/internal/prepared"
	"pflow/internal/trigger"
	"pflow/temporal/drive"
)

// TestMain makes this program pflow-temporal where it is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "pflow-temporal" {
		main()
	}
	os.Exit(m.Run())
}

// session is what a command line printed, and its exit status.
type session struct {
	out, messages string
	status        int
}

// command runs a command line in an empty home, where no server is.
func command(t *testing.T, stdin string, args ...string) session {
	t.Helper()
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
	t.Setenv("TEMPORAL_CONFIG_FILE", os.DevNull)
	env := map[string]string{"PFLOW_HOME": t.TempDir(), "KEY": "not-a-key-of-32-bytes"}
	var out, messages bytes.Buffer
	a := newApp(strings.NewReader(stdin), &out, &messages, func(name string) string { return env[name] })
	status := a.main(t.Context(), args)
	return session{out.String(), messages.String(), status}
}

// handed is what pflow hands on of a run.
func handed(t *testing.T, missing ...prepared.Missing) string {
	t.Helper()
	r, err := prepared.New(prepared.Workflow, "greet", []byte(`{"kind": "workflow"}`), map[string]any{"n": 1}, missing)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCommandLines(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without pflow
	run := handed(t)
	lacking := handed(t, prepared.Missing{Name: "name", Type: "string"})
	for _, c := range []struct {
		line, stdin string
		status      int
		want        string
	}{
		{"", "", 0, ""},
		{"nope", "", 2, `there is no command "pflow-temporal nope"; there are: cancel, resume, run`},
		{"schedule nope", "", 2, `there is no command "pflow-temporal schedule nope"; there are: add, list, pause`},
		{"run", "", 2, "name a workflow, or - for what is prepared"},
		{"run --nope", "", 2, "pflow-temporal run --help tells the flags"},
		{"run greet", "", 2, "the program pflow, which reads workflows, is not on the PATH"},
		{"run -", "{}", 2, `standard input: its schema is "", not "pflow.prepared/v1"`},
		{"run - a=b", run, 2, "what is prepared has its inputs"},
		{"run - --place disk=q", run, 2, "--place disk=q: want network=QUEUE, shell=QUEUE or agent=QUEUE"},
		{"run - --payloads s4://x", run, 2, `the store of large values is "s4://x"`},
		{"run - --keys KEY", run, 2, "the key in the environment variable KEY is not 32 bytes"},
		{"run - --keys ABSENT", run, 2, "the key in the environment variable ABSENT is not set"},
		{"resume", "", 2, "name the run"},
		{"resume x --retry --give-up", "", 2, "exclude each other"},
		{"show a b", "", 2, "name one run, or none"},
		{"worker x", "", 2, "takes no words"},
		{"worker --concurrency -1", "", 2, "want a number of steps"},
		{"schedule add", "", 2, "name a workflow"},
		{"schedule add -", run, 2, "say when once: --cron EXPRESSION or --every INTERVAL"},
		{"schedule add - --every 1h --cron *", run, 2, "say when once"},
		{"schedule add - --every 1x", run, 2, `"1x" is no interval`},
		{"schedule add - --every 1h", lacking, 3, "greet needs more to run by itself: give name=STRING"},
	} {
		got := command(t, c.stdin, strings.Fields(c.line)...)
		if got.status != c.status || !strings.Contains(got.messages, c.want) || strings.Contains(got.messages, "not-a-key") {
			t.Errorf("%q: status %d, want %d, %q; it said:\n%s", c.line, got.status, c.status, c.want, got.messages)
		}
	}
}

func TestNoServer(t *testing.T) {
	got := command(t, handed(t), "run", "-")
	if got.status != 1 || !strings.Contains(got.messages, "no Temporal server answers at 127.0.0.1:1") || !strings.Contains(got.messages, "temporal server start-dev") {
		t.Errorf("%+v", got)
	}
}

// TestHelp holds that every command has a description and examples, which name commands that there are.
func TestHelp(t *testing.T) {
	a := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, func(string) string { return "" })
	root := a.rootCommand()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || c.Example == "" {
			t.Errorf("%s: want a short description without a full stop, and an example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			_, line, _ = strings.Cut(line, "pflow-temporal")
			if found, _, err := root.Find(strings.Fields(line)); err != nil || found == root {
				t.Errorf("%s: an example calls a command that is not there: %s", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

func TestStart(t *testing.T) {
	r, err := prepared.Read(strings.NewReader(handed(t)))
	if err != nil {
		t.Fatal(err)
	}
	b := &begins{places: []string{"network=net", "shell=sh"}}
	s, err := b.start(r)
	if err != nil {
		t.Fatal(err)
	}
	want := &drive.Start{Step: engine.StepVersion, Name: "greet", Documents: []byte(`{"kind":"workflow"}`), Hash: drive.HashOf([]byte(`{"kind":"workflow"}`)),
		Given: json.RawMessage(`{"n":1}`), Bound: true, Queues: map[string]string{"network": "net", "shell": "sh"}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestEnded(t *testing.T) {
	for _, c := range []struct {
		status     engine.Status
		result     string
		json       bool
		out, wrong string
	}{
		{engine.Done, `{"outputs": {"greeting": "Hello"}, "warnings": ["w"]}`, false, "Hello\n", ""},
		{engine.Done, `{"outputs": {}}`, false, "", ""},
		{engine.Done, `{"outputs": {"n": 1234567890123456789}}`, false, "1234567890123456789\n", ""},
		{engine.Done, `{"store": {"b": 1, "a": 2}}`, false, "{\n  \"b\": 1,\n  \"a\": 2\n}\n", ""},
		{engine.Done, `{"outputs": {"n": 1}}`, true, "{\n  \"outputs\": {\n    \"n\": 1\n  }\n}\n", ""},
		{engine.Failed, `{"outputs": {}, "error": {"kind": "network", "message": "no answer", "node": "get", "attempts": 2}}`, false, "",
			"node get: no answer [network], after 2 attempts; its steps: pflow-temporal show ID --json"},
		{engine.Cancelled, `{"outputs": {}, "error": {"kind": "cancelled", "message": "m"}}`, false, "", "the run was cancelled"},
	} {
		var out, messages bytes.Buffer
		a := newApp(strings.NewReader(""), &out, &messages, func(string) string { return "" })
		a.asJSON = c.json
		err := a.ended("ID", &drive.Ended{Status: c.status, Result: json.RawMessage(c.result)})
		if out.String() != c.out || (err == nil) != (c.wrong == "") || err != nil && err.Error() != c.wrong {
			t.Errorf("%s %s: printed %q, and %v", c.status, c.result, out.String(), err)
		}
		if warned := strings.Contains(messages.String(), "warning: w"); warned != strings.Contains(c.result, `"w"`) {
			t.Errorf("%s: said %q", c.result, messages.String())
		}
	}
}

func TestWaits(t *testing.T) {
	got := waits("ID", &drive.State{Waits: []drive.Wait{
		{Kind: "approval", Step: "a", For: "approve a"}, {Kind: "approval", Step: "b", For: "approve b"},
		{Kind: "decision", Step: "c", For: "c was under way"}, {Kind: "line", Step: "d", For: "Your name"}}})
	want := `the run waits for the approval of a, b; approve and go on with: pflow-temporal resume ID --approve a --approve b
c was under way; run it again with: pflow-temporal resume ID --retry; let it count as failed with: pflow-temporal resume ID --give-up
d asks: Your name; answer with: pflow-temporal resume ID --line TEXT`
	if diff := cmp.Diff(want, got.Error()); diff != "" {
		t.Error(diff)
	}
	got = waits("ID", &drive.State{Refused: "n: want an integer", Waits: []drive.Wait{{Kind: "input", Name: "n", Type: "integer", Description: "How many"}}})
	want = "n: want an integer\nrun ID needs more to run:\n  n (integer): How many\ngive it: pflow-temporal resume ID --input n=INTEGER"
	if diff := cmp.Diff(want, got.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestSignals(t *testing.T) {
	s := &drive.State{Waits: []drive.Wait{{Kind: "approval", Step: "a", For: "approve a"}, {Kind: "decision", Step: "c", For: "c was under way"},
		{Kind: "input", Name: "n", Type: "integer"}, {Kind: "input", Name: "s", Type: "string"}}}
	for _, c := range []struct {
		by    answers
		line  bool
		want  []telling
		wrong string
	}{
		{answers{approve: []string{"x"}}, false, []telling{{drive.ApproveSignal, drive.Approve{Step: "x"}}}, ""},
		{answers{yes: true}, false, []telling{{drive.ApproveSignal, drive.Approve{}}}, ""},
		{answers{retry: true}, false, []telling{{drive.DecideSignal, drive.Decide{Again: true}}}, ""},
		{answers{giveUp: true, step: "c"}, false, []telling{{drive.DecideSignal, drive.Decide{Step: "c"}}}, ""},
		{answers{giveUp: true, step: "d"}, false, nil, "the run does not wait for a decision for d; it waits for: approve a"},
		{answers{line: "x"}, true, nil, "the run does not wait for a line"},
		{answers{inputs: []string{"n=3", "s=4"}}, false, []telling{{drive.InputSignal, json.RawMessage(`{"n":3,"s":"4"}`)}}, ""},
		{answers{inputs: []string{"n=x"}}, false, nil, "--input n: "},
		{answers{inputs: []string{"m=1"}}, false, nil, "--input m: the run waits for n, s"},
		{answers{inputs: []string{"n"}}, false, nil, "want key=value"},
	} {
		got, err := c.by.signals(s, c.line, false)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: %v, want %q", c.by, err, c.wrong)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(telling{})); diff != "" || err != nil {
			t.Errorf("%+v: %v\n%s", c.by, err, diff)
		}
	}
	if got, err := (&answers{}).signals(s, false, true); err != nil || len(got) != 1 || got[0].name != drive.InputSignal {
		t.Errorf("a run that waits for inputs does not look again: %v %v", got, err)
	}
}

func TestSpec(t *testing.T) {
	all := func(first, last int) []client.ScheduleRange { return []client.ScheduleRange{{Start: first, End: last}} }
	for _, c := range []struct {
		cron string
		want []client.ScheduleCalendarSpec
	}{
		{"0 8 * * 1-5", []client.ScheduleCalendarSpec{{Minute: all(0, 0), Hour: all(8, 8), DayOfMonth: all(1, 31), Month: all(1, 12), DayOfWeek: all(1, 5)}}},
		{"*/30 * 1 * *", []client.ScheduleCalendarSpec{{Minute: []client.ScheduleRange{{Start: 0, End: 0}, {Start: 30, End: 30}}, Hour: all(0, 23), DayOfMonth: all(1, 1), Month: all(1, 12), DayOfWeek: all(0, 6)}}},
		{"0 0 1 * 1", []client.ScheduleCalendarSpec{ // either day is enough
			{Minute: all(0, 0), Hour: all(0, 0), DayOfMonth: all(1, 31), Month: all(1, 12), DayOfWeek: all(1, 1)},
			{Minute: all(0, 0), Hour: all(0, 0), DayOfMonth: all(1, 1), Month: all(1, 12), DayOfWeek: all(0, 6)}}},
	} {
		got, err := specOf(&trigger.Trigger{Cron: c.cron, Timezone: "Europe/Berlin"})
		if err != nil {
			t.Errorf("%s: %v", c.cron, err)
			continue
		}
		if diff := cmp.Diff(&client.ScheduleSpec{Calendars: c.want, TimeZoneName: "Europe/Berlin"}, got); diff != "" {
			t.Errorf("%s: %s", c.cron, diff)
		}
	}
	for cron, want := range map[string]string{"0 0 L * *": "L is not known to Temporal", "0 0 30 2 *": "never comes", "nope": "nope"} {
		if _, err := specOf(&trigger.Trigger{Cron: cron, Timezone: "UTC"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", cron, err)
		}
	}
	if _, err := specOf(&trigger.Trigger{Every: "1h", Timezone: "Nowhere/None"}); err == nil || !strings.Contains(err.Error(), "there is no time zone") {
		t.Error(err)
	}
}
