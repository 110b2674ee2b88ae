package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/host"
	"pflow/internal/outcome"
	"pflow/internal/printable"
	"pflow/internal/process"
	"pflow/internal/runs"
	"pflow/internal/value"
)

func (a *app) flowRunCommand() *cobra.Command {
	var inputs []string
	var state string
	var on backend
	c := &cobra.Command{
		Use:   "run FLOW",
		Short: "Run a flow",
		Long: `Run a flow. --input gives a key of its state: a value is read as the declared type of the key, and key=@FILE.json reads
it from a file. A run that is killed can be resumed.

--on BACKEND has the program pflow-BACKEND of the PATH run it, and --prepare prints what that is handed: see pflow run --help.`,
		Example:           "  pflow flow run ./retry.yaml --input user_input=hello --json\n  pflow flow run ./each.yaml --input items=@items.json\n  pflow flow run ./retry.yaml --input user_input=hello --on temporal",
		Args:              one("the flow to run"),
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := on.find(); err != nil {
				return err
			}
			flow, docs, err := a.load(args[0])
			if err != nil {
				return err
			}
			input, missing, err := flowInput(flow, state, inputs)
			if err != nil {
				return err
			}
			if on.elsewhere() {
				r, err := a.prepareFlow(flow, docs, input, missing)
				if err != nil {
					return err
				}
				return a.handOn(c.Context(), r, &on)
			}
			if len(missing) > 0 {
				return lacksKeys(flow, missing)
			}
			return a.runFlow(c.Context(), flow, docs, input)
		},
	}
	c.Flags().StringArrayVarP(&inputs, "input", "i", nil, "a key of the state: `KEY=VALUE` or KEY=@FILE.json (repeatable)")
	c.Flags().StringVar(&state, "state", "", "a JSON `FILE` with the first state; --input wins over it")
	on.flags(a, c)
	a.setFlag(c)
	a.modelFlags(c)
	return c
}

// flowInput builds the first store of a flow from the command line. missing are the keys that nothing gives.
func flowInput(flow *engine.Flow, stateFile string, inputs []string) (input map[string]any, missing []engine.StateKey, err error) {
	input = map[string]any{}
	if stateFile != "" {
		v, err := readJSONFile(stateFile)
		if err != nil {
			return nil, nil, err
		}
		object, ok := v.(map[string]any)
		if !ok {
			return nil, nil, usage("%s: want a JSON object of state keys, got %s", stateFile, value.Name(v))
		}
		for _, name := range value.SortedKeys(object) {
			key, err := host.StateKey(flow, name)
			if err != nil {
				return nil, nil, usage("%s: %v", stateFile, err)
			}
			if input[name], err = host.StateValue(key, object[name]); err != nil {
				return nil, nil, usage("%s: %s: %v", stateFile, name, err)
			}
		}
	}
	for _, in := range inputs {
		name, text, ok := strings.Cut(in, "=")
		if !ok {
			return nil, nil, usage("--input %q: want key=value", in)
		}
		key, err := host.StateKey(flow, name)
		if err != nil {
			return nil, nil, usage("--input %s: %v", in, err)
		}
		if input[name], err = inputValue(key, text); err != nil {
			return nil, nil, usage("--input %s: %v", in, err)
		}
	}
	for _, k := range flow.State() {
		if _, given := input[k.Name]; k.Required && !given {
			missing = append(missing, k)
		}
	}
	return input, missing, nil
}

// lacksKeys is the error of a flow whose state keys nothing gives.
func lacksKeys(flow *engine.Flow, missing []engine.StateKey) error {
	words := make([]string, len(missing))
	for i, k := range missing {
		words[i] = fmt.Sprintf("--input %s=%s", k.Name, strings.ToUpper(string(k.Type)))
	}
	return fail(exitMissing, "the flow %q needs more to start: give %s", flow.Name, strings.Join(words, " "))
}

// inputValue reads the text of an input as its type says: a string stays as it is, anything else is JSON.
func inputValue(key engine.StateKey, text string) (any, error) {
	if file, ok := strings.CutPrefix(text, "@"); ok {
		v, err := readJSONFile(file)
		if err != nil {
			return nil, err
		}
		return host.StateValue(key, v)
	}
	if key.Type == value.String {
		return text, nil
	}
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		if key.Type == value.Any {
			return text, nil
		}
		return nil, fmt.Errorf("want %s", host.Article(key.Type))
	}
	return host.StateValue(key, v)
}

func readJSONFile(file string) (any, error) {
	data, err := readRegular(file)
	if err != nil {
		return nil, err
	}
	v, err := value.ParseJSON(data)
	if err != nil {
		return nil, usage("%s: %v", file, err)
	}
	return v, nil
}

// runFlow runs a flow with a journal and prints its result.
func (a *app) runFlow(ctx context.Context, flow *engine.Flow, docs *engine.Recording, input map[string]any) error {
	id := journal.NewID(time.Now())
	o := engine.Options{RunID: id, Observe: a.observer()}
	w, unkept := a.newJournal(id, a.about(journal.OfFlow, flow.Name, ""), nil, docs.Marshal)
	if unkept == nil {
		defer w.Close()
		o.Journal = w
		ctx = a.withExchanges(ctx, id)
	}
	p := a.followFlow(flow.Name)
	defer p.stop()
	o.Progress = p.told()
	res, err := engine.Execute(process.InRun(p.within(ctx), id), flow, input, o)
	p.stop()
	if err != nil {
		return err
	}
	if unkept != nil {
		res.Lost = unkept
		res.Warnings = append(res.Warnings, "the run cannot be resumed: "+fileError(unkept))
	}
	return a.finish(res)
}

// newJournal makes the journal of a run and lays its documents beside it; runs that are no longer kept go.
func (a *app) newJournal(id string, about journal.About, r *keptRequest, documents func() ([]byte, error)) (*runs.Writer, error) {
	if err := a.home().Err(); err != nil {
		return nil, err
	}
	data, err := documents()
	if err == nil {
		data, err = a.invoked(r).with(data)
	}
	if err != nil {
		return nil, err
	}
	w, err := a.history().Create(id, about, data)
	if err != nil {
		return nil, err
	}
	a.prune()
	return w, nil
}

// about is what the journal of a run that this process begins says of it.
func (a *app) about(kind journal.Kind, name, request string) journal.About {
	by := cmp.Or(a.by, journal.ByPerson)
	return journal.About{Kind: kind, Name: name, Request: request, By: by, Began: time.Now().UTC()}
}

// prune removes the runs that are no longer kept.
func (a *app) prune() {
	s, err := a.settings()
	if err != nil {
		a.warn("%v", err)
	}
	if err := a.history().PruneSometimes(s.Retention, time.Now()); err != nil {
		a.warn("old runs: %v", err)
	}
}

// observer shows the steps as they end, if that is wanted, and tells who watches.
func (a *app) observer() func(engine.Transition) {
	if !a.verbose {
		return a.watch
	}
	return func(t engine.Transition) {
		if a.watch != nil {
			a.watch(t)
		}
		action := "failed"
		if t.Action != nil {
			action = "-> " + *t.Action
		}
		line := fmt.Sprintf("%s %s (%.0f ms", t.Node, action, t.DurationMS)
		if t.Attempts > 1 {
			line += fmt.Sprintf(", %d attempts", t.Attempts)
		}
		line += ")"
		if t.Because != "" {
			line += ": " + t.Because
		}
		fmt.Fprintln(a.stderr, printable.Line(line))
	}
}

// resumeHint is the command that goes on with a run.
func (a *app) resumeHint(id string) string {
	return (&invocation{path: "pflow resume", subject: id, flags: a.homeFlags()}).command()
}

// goOnHint is the command that goes on with a run that this process began: with --retry where resume would leave it to
// whoever runs it whether a step that was under way is to run again.
func (a *app) goOnHint(id string) string {
	data, err := os.ReadFile(a.home().Path("runs", id, "journal.jsonl"))
	if err != nil {
		return a.resumeHint(id)
	}
	past, err := journal.Fold(data)
	if err != nil {
		return a.resumeHint(id)
	}
	for _, step := range past.History.Started {
		if !step.Idempotent {
			return a.resumeHint(id) + " --retry"
		}
	}
	return a.resumeHint(id)
}

// finish prints how a run ended and gives the error that stands for it.
func (a *app) finish(res *engine.Result) error {
	for _, w := range res.Warnings {
		a.warn("%s", w)
	}
	if a.asJSON {
		if err := a.printJSON(res); err != nil {
			return err
		}
	} else if res.Status == engine.Done {
		if err := a.printJSON(res.Store); err != nil {
			return err
		}
	}
	switch res.Status {
	case engine.Done:
		return nil
	case engine.Cancelled:
		hint := ""
		if res.Lost == nil {
			hint = "; go on with: " + a.goOnHint(res.RunID)
		}
		return fail(exitFailed, "the run was cancelled%s", hint)
	case engine.Waiting:
		return fail(exitDeclined, "the run waits for the approval of %s; go on with: %s", res.Waits[0].For, a.goOnHint(res.RunID))
	}
	return fail(exitFailed, "%s", outcome.Failure(res.Error))
}
