package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/consent"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/printable"
	"pflow/internal/value"
	"pflow/ir"
)

func (a *app) workflowCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "workflow",
		Short:   "Write, list, show, save, test, edit, rename and delete workflows",
		Long:    `Saved workflows are files in your home, NAME.json each, with their earlier versions beside them. Nothing is overwritten: NAME@2 reads the second version of NAME, also after it was deleted. A file NAME.yaml that you put there is read as well.`,
		Example: "  pflow workflow list\n  pflow workflow show greet\n  pflow workflow save ./greet.json --name hello",
	}
	c.AddCommand(a.workflowDeleteCommand(), a.workflowEditCommand(), a.workflowHistoryCommand(), a.workflowListCommand(),
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

func (a *app) workflowListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the saved workflows",
		Example: "  pflow workflow list\n  pflow workflow list --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			l := a.library().List()
			items := []workflowItem{}
			for _, r := range l.Records {
				items = append(items, a.workflowItem(r))
			}
			if a.asJSON {
				return a.printJSON(map[string]any{"schema": "pflow.workflows/v1", "workflows": items, "skipped": append(diag.List{}, l.Found...)})
			}
			a.showFindings(l.Found)
			if len(items) == 0 && !a.quiet {
				fmt.Fprintf(a.stderr, "there are no saved workflows in %s yet; pflow workflow save FILE saves one\n", a.home().Path("workflows"))
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, i := range items {
				fmt.Fprintf(w, "%s\tversion %d\t%s\n", i.Name, i.Version, oneLine(i.Description))
			}
			return w.Flush()
		},
	}
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
}

func (a *app) workflowDocument(r *library.Record, valid bool) workflowDocument {
	d := workflowDocument{Schema: "pflow.workflow/v1", workflowItem: a.workflowItem(r), Examples: append([]string{}, r.Examples...),
		IR: r.Workflow(), IRHash: r.Hash(), Valid: valid}
	if n, err := a.library().Notices(r.Name); err == nil {
		d.Notices = n
	}
	if r.Origin() != nil {
		d.Origin, _ = value.ParseJSON(r.Origin())
	}
	return d
}

func (a *app) workflowShowCommand() *cobra.Command {
	var document bool
	c := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a saved workflow in CLI notation, with nothing hidden",
		Long:              `Show a saved workflow: NAME, or NAME@2 for a version of it. --ir prints its document, ready to be edited and saved.`,
		Example:           "  pflow workflow show greet\n  pflow workflow show greet@1 --json\n  pflow workflow show greet --ir",
		Args:              one("a saved workflow"),
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(c *cobra.Command, args []string) error {
			r, src, err := a.findWorkflow(args[0])
			if err != nil {
				return err
			}
			if document {
				_, err := a.results.Write(printable.JSON(r.Workflow().Indented()))
				return err
			}
			list, err := a.checkWorkflow(c.Context(), r, src)
			if err != nil {
				return err
			}
			if a.asJSON {
				return a.printJSON(a.workflowDocument(r, !list.HasErrors()))
			}
			fmt.Fprintf(a.stdout, "%s (version %d): %s\n\n", r.Name, r.Version, oneLine(r.Description))
			_, err = io.WriteString(a.stdout, ir.Display(r.Workflow(), ir.DisplayOptions{Catalogue: a.shelf.Catalogue}))
			if notices, unread := a.library().Notices(r.Name); unread != nil {
				a.warn("%v", unread)
			} else if lines := noticeLines(notices); len(lines) > 0 {
				fmt.Fprintf(a.stdout, "\n%s\n", strings.Join(lines, "\n"))
			}
			a.showFindings(list)
			return err
		},
	}
	c.Flags().BoolVar(&document, "ir", false, "print the document alone")
	a.nodeFlags(c)
	return c
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
				items = append(items, item)
			}
			if a.asJSON {
				return a.printJSON(map[string]any{"schema": "pflow.workflow-history/v1", "name": args[0], "versions": items})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, i := range items {
				fmt.Fprintf(w, "%s@%d\t%s\t%s\t%s\n", i.Name, i.Version, i.UpdatedAt, cameOf(&i.Runs), oneLine(i.Description))
			}
			return w.Flush()
		},
	}
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
