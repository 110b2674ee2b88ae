package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/consent"
	"pflow/internal/diag"
	"pflow/internal/host"
	"pflow/internal/library"
	"pflow/internal/printable"
	"pflow/internal/value"
	"pflow/internal/workflowfile"
	"pflow/ir"
)

// shownWorkflow is the document of `workflow show --json`.
type shownWorkflow struct {
	workflowDocument
	Text        string         `json:"text"`     // what `workflow edit` edits
	Language    string         `json:"language"` // of the text: json or yaml
	Revision    string         `json:"revision"` // of the text: what `workflow edit --base` takes
	Notation    string         `json:"notation"`
	Effects     []string       `json:"effects"`
	Diagnostics []diag.Finding `json:"diagnostics"`
	UsedBy      []usedBy       `json:"used_by"`
	Tests       *testsText     `json:"tests"` // null: it has none
}

// usedBy is what a workflow is run by.
type usedBy struct {
	Kind string `json:"kind"` // workflow: it is a step there; schedule; notice: it tells of runs
	Name string `json:"name"` // of the workflow or the schedule
	When string `json:"when,omitempty"`
}

// testsText are the tests beside a saved workflow.
type testsText struct {
	File string `json:"file"`
	Text string `json:"text"`
}

func (a *app) workflowShowCommand() *cobra.Command {
	var document, text bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a saved workflow in CLI notation, with nothing hidden",
		Long: `Show a saved workflow: NAME, or NAME@2 for a version of it, and what runs it: schedules, workflows that have it as a step, and those whose
runs it tells of. --ir prints its document, ready to be edited and saved; --text the text that pflow workflow edit edits.`,
		Example:           "  pflow workflow show greet\n  pflow workflow show greet@1 --json\n  pflow workflow show greet --ir\n  pflow workflow show greet --text",
		Args:              one("a saved workflow"),
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(c *cobra.Command, args []string) error {
			if document && text {
				return usage("--ir and --text print two different texts; give one of them")
			}
			r, src, err := a.findWorkflow(args[0])
			if err != nil {
				return err
			}
			if document {
				_, err := a.results.Write(printable.JSON(r.Workflow().Indented()))
				return err
			}
			draft, ending, err := draft(r, src)
			if err != nil {
				return err
			}
			if text {
				_, err := a.results.Write(draft)
				return err
			}
			list, err := a.checkWorkflow(c.Context(), r, src)
			if err != nil {
				return err
			}
			return a.showSaved(r, list, string(draft), ending, strings.Contains(args[0], "@"))
		},
	}
	c.Flags().BoolVar(&document, "ir", false, "print the document alone")
	c.Flags().BoolVar(&text, "text", false, "print the text that is edited alone")
	a.nodeFlags(c)
	return c
}

func (a *app) showSaved(r *library.Record, list diag.List, text, ending string, version bool) error {
	notation := ir.Display(r.Workflow(), ir.DisplayOptions{Catalogue: a.shelf.Catalogue})
	uses := a.runsIt(r.Name)
	if a.asJSON {
		out := shownWorkflow{workflowDocument: a.workflowDocument(r, !list.HasErrors()), Text: text, Language: "json", Revision: revisionOf(r, text),
			Notation: notation, Effects: []string{}, Diagnostics: append([]diag.Finding{}, list...), UsedBy: uses}
		if workflowfile.IsYAML("x" + ending) {
			out.Language = "yaml"
		}
		for _, e := range r.Workflow().Effects(a.shelf.Catalogue) {
			out.Effects = append(out.Effects, string(e))
		}
		if !version {
			var err error
			if out.Tests, err = a.testsText(r.Name); err != nil {
				a.warn("%v", err)
			}
		}
		return a.printJSON(out)
	}
	fmt.Fprintf(a.stdout, "%s (version %d): %s\n\n", r.Name, r.Version, oneLine(r.Description))
	_, err := io.WriteString(a.stdout, notation)
	if notices, unread := a.library().Notices(r.Name); unread != nil {
		a.warn("%v", unread)
	} else if lines := noticeLines(notices); len(lines) > 0 {
		fmt.Fprintf(a.stdout, "\n%s\n", strings.Join(lines, "\n"))
	}
	if len(uses) > 0 {
		fmt.Fprintln(a.stdout)
	}
	for _, u := range uses {
		fmt.Fprintln(a.stdout, u.words())
	}
	a.showFindings(list)
	return err
}

func (u usedBy) words() string {
	switch u.Kind {
	case "schedule":
		return "run by the schedule " + u.Name
	case "notice":
		return fmt.Sprintf("tells of the runs of %s (%s)", u.Name, u.When)
	}
	return "a step of the workflow " + u.Name
}

// revisionOf stands for a text of a version: it is another once anybody changed either.
func revisionOf(r *library.Record, text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%d-%s", r.Version, hex.EncodeToString(sum[:8]))
}

// runsIt lists what runs a saved workflow. What cannot be read is left out: those who list it tell of it.
func (a *app) runsIt(name string) []usedBy {
	out := []usedBy{}
	for _, r := range a.library().List().Records {
		if r.Name != name && a.calls(r, name) {
			out = append(out, usedBy{Kind: "workflow", Name: r.Name})
		}
	}
	add := func(of string, n consent.Notices) {
		for _, kind := range consent.Kinds {
			if c := n.Of(kind); c != nil && c.Workflow == name {
				out = append(out, usedBy{Kind: "notice", Name: of, When: kind})
			}
		}
	}
	for _, named := range a.schedules().Names() {
		one, err := a.schedules().Get(named)
		if err != nil {
			continue
		}
		if one.Workflow == name {
			out = append(out, usedBy{Kind: "schedule", Name: named})
		}
		add("the schedule "+named, one.Notices)
	}
	all, err := a.library().AllNotices()
	if err != nil {
		a.warn("%v", err)
	}
	for _, of := range value.SortedKeys(all) {
		add(of, all[of])
	}
	return out
}

// calls reports whether a node of a workflow runs a saved workflow by its name.
func (a *app) calls(r *library.Record, name string) bool {
	for _, t := range r.Traits().Types {
		if t == name {
			return true
		}
		i := a.shelf.Catalogue.Get(t)
		if i == nil || i.Call == nil {
			continue
		}
		if slices.ContainsFunc(r.Workflow().Nodes, func(n ir.Node) bool { return n.Type == t && n.Params[i.Call.Name] == name }) {
			return true
		}
	}
	return false
}

// testsText reads the tests beside a saved workflow; nil if there are none.
func (a *app) testsText(name string) (*testsText, error) {
	file := a.library().TestsPath(name)
	data, err := host.ReadRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, errors.New(fileError(err))
	}
	return &testsText{file, string(data)}, nil
}
