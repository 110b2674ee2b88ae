package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/consent"
	"pflow/internal/library"
	"pflow/internal/value"
	"pflow/ir"
)

func (a *app) workflowCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "workflow",
		Short:   "Write, list, show, compare, save, test, edit, rename and delete workflows",
		Long:    `Saved workflows are files in your home, NAME.json each, with their earlier versions beside them. Nothing is overwritten: NAME@2 reads the second version of NAME, also after it was deleted. A file NAME.yaml that you put there is read as well.`,
		Example: "  pflow workflow list\n  pflow workflow show greet\n  pflow workflow save ./greet.json --name hello",
	}
	c.AddCommand(a.workflowDeleteCommand(), a.workflowDiffCommand(), a.workflowEditCommand(), a.workflowHistoryCommand(), a.workflowListCommand(),
		a.workflowNewCommand(), a.workflowNotifyCommand(), a.workflowRenameCommand(), a.workflowSaveCommand(), a.workflowShowCommand(), a.workflowTestCommand())
	return c
}

// completeWorkflows offers the names of saved workflows.
func (a *app) completeWorkflows(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.library().List().Names(), cobra.ShellCompDirectiveNoFileComp
}

// workflowItem is one workflow of `workflow list --json`.
type workflowItem struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Keywords    []string `json:"keywords"`
	Version     int      `json:"version"`
	CreatedAt   string   `json:"created_at"` // "" if unknown
	UpdatedAt   string   `json:"updated_at"`
	File        string   `json:"file"`
}

// versionItem is one version of `workflow history --json`.
type versionItem struct {
	workflowItem
	Runs library.Outcome `json:"runs"`
	Same []int           `json:"same,omitempty"` // the other versions with the same steps; Runs are those of all of them
}

func (a *app) workflowItem(r *library.Record) workflowItem {
	return workflowItem{r.Name, r.Description, append([]string{}, r.Keywords...), r.Version, stamp(r.CreatedAt), stamp(r.UpdatedAt), a.library().Path(r.Name)}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// oneLine makes text that others wrote safe for a line of a list.
func oneLine(s string) string {
	if s == "" {
		return "-"
	}
	quoted := value.JSON(s)
	return quoted[1 : len(quoted)-1]
}

// workflowDocument is the document of `workflow show --json`, and of what changes a workflow.
type workflowDocument struct {
	Schema string `json:"schema"`
	workflowItem
	Examples []string     `json:"examples"`
	Origin   any          `json:"origin"`
	IR       *ir.Workflow `json:"ir"`
	IRHash   string       `json:"ir_hash"`
	Valid    bool         `json:"valid"`
	consent.Notices
	Gone []string `json:"gone,omitempty"` // the workflows of the notices that are saved no more, and its own name where it is a version of one
}

func (a *app) workflowDocument(r *library.Record, valid bool) workflowDocument {
	d := workflowDocument{Schema: "pflow.workflow/v1", workflowItem: a.workflowItem(r), Examples: append([]string{}, r.Examples...),
		IR: r.Workflow(), IRHash: r.Hash(), Valid: valid}
	if n, err := a.library().Notices(r.Name); err == nil {
		d.Notices, d.Gone = n, a.goneNotices(&n, r.Name)
	}
	if r.Origin() != nil {
		d.Origin, _ = value.ParseJSON(r.Origin())
	}
	return d
}

func (a *app) workflowHistoryCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "history NAME",
		Short:             "List the versions of a workflow, the newest first",
		Example:           "  pflow workflow history greet\n  pflow workflow history greet --json",
		Args:              one("a saved workflow"),
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			records, found, err := a.library().History(args[0])
			if err != nil {
				return a.noWorkflow(args[0], err)
			}
			a.showFindings(found)
			items := []versionItem{}
			for _, r := range records {
				item := versionItem{workflowItem: a.workflowItem(r)}
				if r.Outcome != nil {
					item.Runs = *r.Outcome
				}
				for _, other := range records {
					if other != r && other.Traits().Hash == r.Traits().Hash {
						item.Same = append(item.Same, other.Version)
					}
				}
				items = append(items, item)
			}
			if a.asJSON {
				return a.printJSON(map[string]any{"schema": "pflow.workflow-history/v1", "name": args[0], "versions": items})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, i := range items {
				fmt.Fprintf(w, "%s@%d\t%s\t%s\t%s\n", i.Name, i.Version, i.UpdatedAt, cameOf(&i.Runs)+withSame(&i), oneLine(i.Description))
			}
			return w.Flush()
		},
	}
}

// withSame names the versions that share the runs of one.
func withSame(i *versionItem) string {
	if len(i.Same) == 0 || i.Runs.Done+i.Runs.Failed == 0 {
		return ""
	}
	var names []string
	for _, n := range i.Same {
		names = append(names, fmt.Sprintf("@%d", n))
	}
	return ", with those of " + strings.Join(names, ", ") + ", of the same steps"
}

// cameOf says what came of the runs of a version.
func cameOf(o *library.Outcome) string {
	text := fmt.Sprintf("%d done, %d failed", o.Done, o.Failed)
	if o.Done+o.Failed == 0 {
		text = "no runs"
	}
	if last := o.LastFailed(); last != nil {
		text += " (the last: " + oneLine(last.Why()) + ")"
	}
	return text
}

// saved tells of a workflow that was saved.
func (a *app) saved(r *library.Record) error {
	defer a.warnDependents(r.Name)
	if a.asJSON {
		return a.printJSON(a.workflowDocument(r, true))
	}
	if !a.quiet {
		fmt.Fprintf(a.stdout, "saved %s, version %d: run it with pflow run %s\n", r.Name, r.Version, r.Name)
	}
	return nil
}

// isTaken reports whether a workflow was not saved because its name is taken.
func isTaken(err error) bool { return errors.Is(err, library.ErrExists) }

// notSaved is any other error of saving: of the name, or of the home.
func notSaved(err error) error {
	if errors.Is(err, library.ErrUnwritable) {
		return fail(exitFailed, "%v", err)
	}
	return usage("%v", err)
}
