// Package planner turns a request into a plan by running a flow: any flow that takes user_input and leaves
// planner_output in its store. The plan has the same keys however the flow ended.
package planner

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/llm"
)

// MaxRequest is how long a request may be, in bytes.
const MaxRequest = 100 << 10

// Request is what a plan is wanted for.
type Request struct {
	Text   string
	Source string // args, stdin or file
	Stdin  any    // piped text, nil if there is none
	Date   string // the current date, 2024-01-31; "" is today
}

// Check refuses a request that no flow could plan: a fault of kind invalid_request.
func (r *Request) Check() error {
	switch {
	case strings.TrimSpace(r.Text) == "":
		return fault.New(fault.InvalidRequest, "the request is empty: say what is to be done")
	case len(r.Text) > MaxRequest:
		return fault.New(fault.InvalidRequest, "the request is %d KB long, more than %d KB", len(r.Text)>>10, MaxRequest>>10)
	}
	if at := invalidUTF8(r.Text); at >= 0 {
		return fault.New(fault.InvalidRequest, "the request is no text: byte %d (0x%02x) is not valid UTF-8; name a file that holds it, or write it as UTF-8", at+1, r.Text[at])
	}
	if r.Date != "" {
		if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
			return fault.New(fault.InvalidRequest, "the date %q is none: write one like 2024-01-31", r.Date)
		}
	}
	return nil
}

// invalidUTF8 is the place of the first byte that is no part of a character, -1 if there is none.
func invalidUTF8(text string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// Plan runs a planner flow. Whatever happens, there is a plan: a request that is refused and a flow that broke are
// plans of status failed.
func Plan(ctx context.Context, flow *engine.Flow, r Request, o engine.Options) *Result {
	began := time.Now()
	res := empty(flow)
	res.RunID = o.RunID
	took := func() time.Duration { return time.Since(began) }
	defer func() { res.DurationMS = float64(took().Microseconds()) / 1000 }()
	if err := r.Check(); err != nil {
		res.fail(fault.Of(err), "", "")
		return res
	}
	o.Came = Came(flow)
	ctx, calls := llm.InRun(ctx)
	run, err := engine.Execute(ctx, flow, input(flow, r), o)
	if err != nil {
		res.fail(fault.Of(err), "", "")
		return res
	}
	if o.Simulated {
		took = func() time.Duration { return run.Took }
	}
	res.read(run)
	if err := calls.Missed(); err != nil { // whatever the flow made of it, this is no replay
		broken := empty(flow)
		broken.RunID, broken.ExecutionPath, broken.Usage, broken.Steps = res.RunID, res.ExecutionPath, res.Usage, res.Steps
		broken.fail(fault.Of(err), "", "")
		*res = *broken
	}
	return res
}

// Came is what lists of runs say of a planner flow's run that is done: the status of its plan. It is nil of a flow that is no planner.
func Came(flow *engine.Flow) func(*engine.Result) string {
	if !Is(flow) {
		return nil
	}
	return func(run *engine.Result) string { return Of(flow, run).Status }
}

// Of is the plan of a planner flow's run that was begun elsewhere, such as one that was resumed.
func Of(flow *engine.Flow, run *engine.Result) *Result {
	res := empty(flow)
	res.read(run)
	return res
}

// Is reports whether a flow plans: whether it has a state key planner_output.
func Is(flow *engine.Flow) bool {
	return slices.ContainsFunc(flow.State(), func(k engine.StateKey) bool { return k.Name == "planner_output" })
}

// input is the first store of a planner flow: of what is known of a request, the keys that the flow declares.
func input(flow *engine.Flow, r Request) map[string]any {
	date := r.Date
	if date == "" {
		date = time.Now().Format(time.DateOnly)
	}
	known := map[string]any{"user_input": r.Text, "input_source": r.Source, "stdin_data": r.Stdin, "current_date": date}
	if r.Source == "" {
		known["input_source"] = "args"
	}
	in := map[string]any{}
	for _, k := range flow.State() {
		if v, ok := known[k.Name]; ok && v != nil {
			in[k.Name] = v
		}
	}
	return in
}
