package host

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/testsuite"
	temporalworkflow "go.temporal.io/sdk/workflow"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/flowtest"
	core "pflow/internal/host"
	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/nodes"
	"pflow/prompts"
	"pflow/temporal/drive"
)

// standIns have the ops of flows carried out in workflow code, in the order in which they are asked for, where a test's answers stand
// in for them.
type standIns struct {
	ctx  context.Context // of what runs for real
	by   *flowtest.Answers
	prep map[string]any // of the last
	err  error

	given  map[string]any // what the last node was given on one machine
	unseen int            // runs whose last node is a flow or has items: no op sees what that node is given
	inner  bool
}

// ops are those of a registry.
func (s *standIns) ops(of *engine.Registry) *engine.Registry {
	var ops []engine.Op
	for _, name := range of.Names() {
		real := of.Op(name)
		if real.New == nil { // the engine has it anyway
			continue
		}
		op := *real
		op.Instant, op.Tells, op.Asks = true, false, ""
		op.New = func(setup *engine.Setup) engine.Exec {
			exec := real.New(setup)
			return func(_ context.Context, in engine.Input) (engine.Output, error) { return s.exec(real, exec, in) }
		}
		ops = append(ops, op)
	}
	return engine.NewRegistry(ops...)
}

func (s *standIns) exec(op *engine.Op, exec engine.Exec, in engine.Input) (engine.Output, error) {
	s.prep, s.inner = in.Prep, in.Index() != "" || strings.Contains(in.Step(), "/")
	var ev engine.Event
	stands, err := s.by.Answer(in.Step(), in.Index(), op, &ev)
	switch {
	case err != nil:
		s.err = err
		return engine.Output{}, err
	case !stands:
		return exec(s.ctx, in)
	case ev.Err != nil:
		return engine.Output{Meters: ev.Meters}, ev.Err
	}
	return engine.Output{Result: ev.Result, Action: ev.Action, Meters: ev.Meters}, nil
}

// drive is a driver of flow tests: that of Temporal, in the SDK's test environment.
func (s *standIns) drive(flow *engine.Flow, input map[string]any, by *flowtest.Answers) (*engine.Result, map[string]any, error) {
	s.by, s.prep, s.inner, s.err = by, nil, false, nil
	if input == nil {
		input = map[string]any{}
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(flowtest.Began)
	runs := &drive.Runs{Programs: &drive.Programs{Compile: func([]byte) (drive.Program, error) { return flowProgram{flow, around{}}, nil }}}
	env.RegisterWorkflowWithOptions(runs.Run, temporalworkflow.RegisterOptions{Name: drive.WorkflowType})
	env.ExecuteWorkflow(drive.WorkflowType, identified(flowStart([]byte("{}"), input)))
	if s.err != nil {
		return nil, nil, s.err
	}
	ended, err := &drive.Ended{}, env.GetWorkflowError()
	if by := drive.EndedBy(err); by != nil {
		ended = by
	} else if err != nil {
		return nil, nil, err
	} else if err := env.GetWorkflowResult(ended); err != nil {
		return nil, nil, err
	}
	var res engine.Result
	var raw struct{ Store json.RawMessage }
	if err := json.Unmarshal(ended.Result, &res); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(ended.Result, &raw); err != nil {
		return nil, nil, err
	}
	store, err := value.ParseJSON(raw.Store) // encoding/json makes a float of every number
	res.Store, _ = store.(map[string]any)
	if s.inner {
		s.prep = s.given
		s.unseen++
	}
	return &res, s.prep, err
}

// TestFlowTests runs the tests beside the flows that are shipped and those of examples on both drivers: they pass on both, and the
// runs end the same.
func TestFlowTests(t *testing.T) {
	b := newBench(t)
	h := b.anew()
	offered, _, err := shelf.Gather(shelf.Sources{Builtin: core.Interfaces(h.core.Deps()), Shipped: nodes.Packs().Declared})
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, folder := range []string{"flows", "examples"} {
		found, err := filepath.Glob(filepath.Join("../../..", folder, "*_test.yaml"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no tests in %s: %v", folder, err)
		}
		files = append(files, found...)
	}
	ran, unseen := 0, 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			doc, err := engine.ReadDocument(engine.FlowDocument, file)
			if err != nil {
				t.Fatal(err)
			}
			cases, found := flowtest.Parse(file, doc.Data)
			if err := found.Err(); err != nil {
				t.Fatal(err)
			}
			s := &standIns{ctx: offered.Within(t.Context())}
			load := func(ops *engine.Registry) *engine.Flow {
				doc, err := engine.ReadDocument(engine.FlowDocument, strings.TrimSuffix(file, "_test.yaml")+".yaml")
				if err != nil {
					t.Fatal(err)
				}
				l := &engine.Loader{Ops: ops, Resources: engine.Folders{Home: h.core.Home().Dir(), Flows: flows.FS, Prompts: prompts.FS}}
				flow, found := l.Load(doc)
				if found.HasErrors() {
					t.Fatal(found.Text())
				}
				return flow
			}
			here, there := load(h.core.Ops()), load(s.ops(h.core.Ops()))
			for i := range cases {
				ended := map[string]any{}
				keep := func(name string, on flowtest.Driver) flowtest.Driver {
					return func(flow *engine.Flow, input map[string]any, by *flowtest.Answers) (*engine.Result, map[string]any, error) {
						res, prep, err := on(flow, input, by)
						if err == nil {
							ended[name], s.given = plain(t, res), prep
						}
						return res, prep, err
					}
				}
				check := func(name string, flow *engine.Flow, on flowtest.Driver) {
					if report := cases[i].CheckOn(flow, keep(name, on)); !report.Pass {
						t.Errorf("%s, %s: %s", report.Name, name, strings.Join(report.Faults, "\n"))
					}
				}
				check("here", here, flowtest.Here(s.ctx))
				check("on Temporal", there, s.drive)
				same(t, ended["here"], ended["on Temporal"])
				ran++
			}
			unseen += s.unseen
		})
	}
	t.Logf("%d tests of %d flows; in %d runs no op sees what the last node is given", ran, len(files), unseen)
}
