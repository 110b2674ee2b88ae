package host

import (
	"context"
	"encoding/json"
	"fmt"

	"pflow/engine"
	core "pflow/internal/host"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
	"pflow/temporal/drive"
)

// Compile makes a program of the documents of a run: of a workflow, or of a flow. The error says what keeps it from running on this
// machine.
func (h *Host) Compile(documents []byte) (drive.Program, error) {
	var begun struct{ Invocation struct{ Model string } }
	if err := json.Unmarshal(documents, &begun); err != nil {
		return nil, fmt.Errorf("the documents of the run cannot be read: %w", err)
	}
	with := around{model: begun.Invocation.Model}
	if !workflow.IsDocuments(documents) {
		flow, err := h.core.Recorded(documents)
		if err != nil {
			return nil, err
		}
		return flowProgram{flow, with}, nil
	}
	r, program, err := h.core.Reload("", documents, func(env *workflow.Env) { env.ReadBack = true })
	if err != nil {
		return nil, err
	}
	if err := h.core.Refused(r, program); err != nil {
		return nil, fmt.Errorf("the workflow %s %w", program.Name, err)
	}
	h.masks.add(program.Mask)
	return workflowProgram{program, with}, nil
}

// around is what the attempts of a program have in common.
type around struct{ model string }

func (a around) within(ctx context.Context) context.Context {
	if a.model == "" {
		return ctx
	}
	return context.WithValue(ctx, modelKey{}, a.model)
}

// workflowProgram is a workflow as the driver runs it.
type workflowProgram struct {
	*workflow.Program
	around
}

// Perform implements drive.Program.
func (p workflowProgram) Perform(ctx context.Context, c engine.Call) (engine.Event, []string, error) {
	run, _ := ctx.Value(runKey{}).(string)
	return p.Program.Perform(p.within(ctx), run, c)
}

// Bind implements drive.Program. What is given are the inputs and, as stdin, the piped text.
func (p workflowProgram) Bind(given map[string]any) (map[string]any, []drive.Wait, error) {
	g := workflow.Given{Values: map[string]any{}}
	for name, v := range given {
		if _, input := p.Workflow.Input(name); !input && name == ir.StdinRoot {
			if text, ok := v.(string); ok {
				g.Stdin = &text
				continue
			}
		}
		g.Values[name] = v
	}
	store, missing, err := p.Program.Bind(g)
	if err != nil {
		return nil, nil, err
	}
	var waits []drive.Wait
	for _, in := range missing {
		waits = append(waits, ask(in.Name, in.Type, in.Description))
	}
	return store, waits, nil
}

// Result implements drive.Program.
func (p workflowProgram) Result(res *engine.Result, warnings []string) any {
	return p.Told(res, warnings)
}

// flowProgram is a flow as the driver runs it.
type flowProgram struct {
	flow *engine.Flow
	around
}

// Flow implements drive.Program.
func (p flowProgram) Flow() *engine.Flow { return p.flow }

// Perform implements drive.Program.
func (p flowProgram) Perform(ctx context.Context, c engine.Call) (engine.Event, []string, error) {
	ev, err := p.flow.Perform(p.within(ctx), c)
	return ev, nil, err
}

// Bind implements drive.Program. What is given are keys of the state.
func (p flowProgram) Bind(given map[string]any) (map[string]any, []drive.Wait, error) {
	store := map[string]any{}
	for _, name := range value.SortedKeys(given) {
		key, err := core.StateKey(p.flow, name)
		if err != nil {
			return nil, nil, err
		}
		if store[name], err = core.StateValue(key, given[name]); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var waits []drive.Wait
	for _, key := range p.flow.State() {
		if _, there := store[key.Name]; key.Required && !there {
			waits = append(waits, ask(key.Name, key.Type, ""))
		}
	}
	return store, waits, nil
}

// Result implements drive.Program.
func (p flowProgram) Result(res *engine.Result, warnings []string) any {
	res.Warnings = append(append([]string{}, warnings...), res.Warnings...)
	return res
}
