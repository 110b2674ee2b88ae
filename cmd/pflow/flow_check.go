package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/prompt"
)

// checked is one flow of `flow check --json`.
type checked struct {
	File  string `json:"file"`
	Name  string `json:"name"`
	Valid bool   `json:"valid"`
	Hash  string `json:"hash,omitempty"`
	diag.Report
	text string
}

func (a *app) flowCheckCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check [FLOW...]",
		Short: "Check flows without running them",
		Long: `Check flows without running them: names, types, conditions, routes, and that no path reads what nothing wrote.
Without an argument every flow of your home and of pflow itself is checked. Exit status 1 if a flow has errors.

With --draft a text is checked before it is saved: without an argument, the flow that it is and each flow that uses it.

Of a flow with more than 50 findings the first 50 are shown, and how many more there are; with --json that is "omitted".`,
		Example:           "  pflow flow check\n  pflow flow check planner-offline\n  pflow flow check ./my.yaml --json\n  pflow prompt show map | pflow flow check --draft prompts/map.tmpl=-",
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.readDrafts(c.Context()); err != nil {
				return err
			}
			return a.checkFlows(args)
		},
	}
	a.setFlag(c)
	a.draftFlag(c)
	return c
}

func checkedFlow(doc engine.Document, flow *engine.Flow, found diag.List) checked {
	r := checked{File: doc.Path, Name: doc.Name, Valid: flow != nil, Report: found.Report(), text: found.Text()}
	if flow != nil {
		r.Name, r.Hash = flow.Name, flow.Hash
	}
	return r
}

// checkDraft checks a draft in the flows that use it, itself first. A prompt that none uses is checked alone.
func (a *app) checkDraft(res engine.Resources, d engine.Document) []checked {
	var out []checked
	for _, u := range a.users(res, d.Path) {
		c := checkedFlow(u.doc, u.flow, u.found)
		if u.doc.Path == d.Path {
			out = append([]checked{c}, out...)
		} else {
			out = append(out, c)
		}
	}
	if d.Kind == engine.PromptDocument && len(out) == 0 {
		_, found := prompt.Parse(d.Path, d.Data, a.partOf(res))
		out = append(out, checked{File: d.Path, Name: d.Name, Valid: !found.HasErrors(), Report: found.Report(), text: found.Text()})
	}
	return out
}

// partOf finds the prompts that a prompt includes.
func (a *app) partOf(res engine.Resources) func(name string) (string, []byte, error) {
	return func(name string) (string, []byte, error) {
		doc, err := res.Find(engine.PromptDocument, name, nil)
		return doc.Path, doc.Data, err
	}
}

// count is a number of things, in words for one and for many.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (a *app) checkFlows(args []string) error {
	set, err := a.setFlags()
	if err != nil {
		return err
	}
	res := a.resources()
	results := []checked{}
	faults := 0
	if len(args) == 0 && len(a.drafted) == 0 {
		args = res.Names(engine.FlowDocument, nil)
	}
	for _, d := range a.drafted {
		if len(args) > 0 {
			break
		}
		for _, c := range a.checkDraft(res, d) {
			if !slices.ContainsFunc(results, func(other checked) bool { return other.File == c.File }) {
				results = append(results, c)
			}
		}
	}
	for _, arg := range args {
		doc, err := a.document(res, arg)
		if err != nil {
			return err
		}
		l := &engine.Loader{Ops: a.host().Ops(), Resources: res, Set: set}
		flow, found := l.Load(doc)
		results = append(results, checkedFlow(doc, flow, found))
	}
	for _, r := range results {
		if !r.Valid {
			faults++
		}
	}
	if a.asJSON {
		places := []string{}
		for _, d := range a.drafted {
			places = append(places, d.Path)
		}
		if err := a.printJSON(struct {
			Schema string    `json:"schema"`
			Drafts []string  `json:"drafts,omitempty"` // the places that they stand for
			Flows  []checked `json:"flows"`
		}{"pflow.check/v1", places, results}); err != nil {
			return err
		}
	} else {
		for _, r := range results {
			fmt.Fprint(a.stdout, r.text)
			if r.Valid && !a.quiet {
				fmt.Fprintf(a.stdout, "%s: ok\n", r.File)
			}
		}
	}
	if faults > 0 {
		return fail(exitFailed, "%s with errors, of %d", count(faults, "flow"), len(results))
	}
	return nil
}
