package host

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/prompts"
	"pflow/temporal/drive"
)

// flowInputs are the first stores of the flows of examples, each with runs that take its ways.
var flowInputs = map[string][]map[string]any{
	"checkpoint":   {{"text": " 3 apples"}, {"text": "three apples"}},
	"classify":     {{"user_input": "sort the photos"}, {"user_input": "sort --by=year"}, {"user_input": "photos"}},
	"count":        {{"limit": 3}, {"limit": 1000}},
	"diamond":      {{"order": map[string]any{"price": 20, "express": true}}, {"order": map[string]any{"price": 60.5}}},
	"escape-hatch": {{"goal": 4}, {"goal": 50}},
	"fixable":      {{"order": map[string]any{"item": "pen", "count": 300}}, {"order": map[string]any{"count": 300}}},
	"simplify":     {{"wishes": []any{"a", "b", "c", "d", "e"}}},
	"strategies":   {{"text": "Bring the tent inside. It will rain in the afternoon and all night."}},
}

// record gives the documents of a flow: of a file, or of one that the program ships.
func (b *bench) record(h *Host, name string) []byte {
	b.t.Helper()
	res := engine.NewRecording(engine.Folders{Home: h.core.Home().Dir(), Flows: flows.FS, Prompts: prompts.FS})
	doc, err := engine.Document{}, error(nil)
	if strings.HasSuffix(name, ".yaml") {
		doc, err = engine.ReadDocument(engine.FlowDocument, name)
	} else {
		doc, err = res.Find(engine.FlowDocument, name, nil)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	res.Add(doc)
	l := &engine.Loader{Ops: h.core.Ops(), Resources: res}
	if _, found := l.Load(doc); found.HasErrors() {
		b.t.Fatal(found.Text())
	}
	text, err := res.Marshal()
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

// localFlow runs the documents of a flow on the driver of one machine, where the user answers with b.line.
func (b *bench) localFlow(documents []byte, input map[string]any) any {
	b.t.Helper()
	on := b.host().core
	on.ReadLine = func(context.Context, string) (string, error) {
		if b.line == "" {
			return "", fault.New(fault.InvalidRequest, "nobody is there")
		}
		return b.line, nil
	}
	flow, err := on.Recorded(documents)
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := engine.Execute(b.t.Context(), flow, input, engine.Options{RunID: "run", Began: b.began})
	if err != nil {
		b.t.Fatal(err)
	}
	return plain(b.t, res)
}

// flowStart is the start of a flow.
func flowStart(documents []byte, input map[string]any) drive.Start {
	return drive.Start{Documents: documents, Given: value.AppendJSON(nil, input), Bound: true}
}

// answering has a run that asks for a line answered.
func answering(line string) func(env *testsuite.TestWorkflowEnvironment) {
	return func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(drive.AnswerSignal, drive.Line{Line: line}) }, time.Second)
	}
}

// TestFlowExamples runs every flow of examples, and a planner that asks no model, on both drivers: they end the same.
func TestFlowExamples(t *testing.T) { flowExamples(t, testEnvironment) }

func flowExamples(t *testing.T, on driver) {
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	cases := map[string][]map[string]any{"planner-offline": {{"user_input": "copy a.txt to b.txt"}, {"user_input": "make coffee"}}}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); !strings.HasSuffix(name, "_test") {
			if cases[file] = flowInputs[name]; cases[file] == nil {
				t.Errorf("%s has no inputs here", file)
			}
		}
	}
	for name, inputs := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			for i, input := range inputs {
				t.Run(strconv.Itoa(i+1), func(t *testing.T) {
					b := newBench(t)
					b.line = "sort the photos"
					documents := b.record(b.anew(), name)
					temporal := plain(t, on(b, flowStart(documents, input)).Result)
					same(t, b.localFlow(documents, input), temporal)
				})
			}
		})
	}
}

// TestFlowInputsBySignal begins a flow without what it needs: it says so, refuses what is wrong, and goes on with what it is sent.
func TestFlowInputsBySignal(t *testing.T) {
	b := newBench(t)
	documents := b.record(b.anew(), "../../../examples/count.yaml")
	start := flowStart(documents, map[string]any{})
	start.Bound = false
	var before, after drive.State
	got := b.temporal(start, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() {
			before = state(t, env)
			env.SignalWorkflow(drive.InputSignal, map[string]any{"limit": "many"})
		}, time.Minute)
		env.RegisterDelayedCallback(func() {
			after = state(t, env)
			env.SignalWorkflow(drive.InputSignal, map[string]any{"limit": 3})
		}, time.Hour)
	})
	same(t, b.localFlow(documents, map[string]any{"limit": 3}), got)
	if before.Status != "waiting" || len(before.Waits) != 1 || before.Waits[0].Name != "limit" || before.Waits[0].Type != "integer" {
		t.Errorf("before: %+v", before)
	}
	if after.Refused != "limit: want an integer, got string" {
		t.Errorf("after: %+v", after)
	}
}

func state(t *testing.T, env *testsuite.TestWorkflowEnvironment) (s drive.State) {
	t.Helper()
	got, err := env.QueryWorkflow(drive.StateQuery)
	if err := errors.Join(err, got.Get(&s)); err != nil {
		t.Error(err)
	}
	return s
}
