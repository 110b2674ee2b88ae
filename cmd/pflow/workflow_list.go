package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/internal/diag"
	"pflow/internal/library"
)

// listedWorkflow is one workflow of `workflow list --json`.
type listedWorkflow struct {
	workflowItem
	Runs library.Outcome `json:"runs"` // of its present version
}

// workflowPart is the part of the library that is listed.
type workflowPart struct {
	match, after string
	limit        int
}

func (a *app) workflowListCommand() *cobra.Command {
	var p workflowPart
	c := &cobra.Command{
		Use:   "list",
		Short: "List the saved workflows",
		Long: `List the saved workflows by name, with what came of their runs with --json. --match leaves those whose name, description or keywords
have each of the WORDS in them. --limit lists so many, and says which NAME the rest comes --after.`,
		Example: "  pflow workflow list\n  pflow workflow list --json\n  pflow workflow list --match \"weekly report\" --limit 20",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			return a.listWorkflows(p)
		},
	}
	c.Flags().StringVar(&p.match, "match", "", "only workflows that have these `WORDS` in their names, descriptions or keywords")
	c.Flags().IntVar(&p.limit, "limit", 0, "how many at most; 0: all")
	c.Flags().StringVar(&p.after, "after", "", "only workflows that come after this `NAME`")
	return c
}

// of gives the records that are listed, how many match in all, and the name that the rest comes after, "" if there is none.
func (p *workflowPart) of(records []*library.Record) (part []*library.Record, total int, next string) {
	words := strings.Fields(strings.ToLower(p.match))
	for _, r := range records {
		if len(words) > 0 {
			text := strings.ToLower(r.Name + "\n" + r.Description + "\n" + strings.Join(r.Keywords, "\n"))
			if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
				continue
			}
		}
		total++
		switch {
		case p.after != "" && r.Name <= p.after:
		case p.limit > 0 && len(part) == p.limit:
			next = part[len(part)-1].Name
		default:
			part = append(part, r)
		}
	}
	return part, total, next
}

func (a *app) listWorkflows(p workflowPart) error {
	if p.limit < 0 {
		return ofFlag("limit", strconv.Itoa(p.limit), "want a number from 0")
	}
	l := a.library().List()
	part, total, next := p.of(l.Records)
	if a.asJSON {
		items := []listedWorkflow{}
		for _, r := range part {
			item := listedWorkflow{workflowItem: a.workflowItem(r)}
			if r.Outcome != nil {
				item.Runs = *r.Outcome
			}
			items = append(items, item)
		}
		return a.printJSON(map[string]any{"schema": "pflow.workflows/v1", "workflows": items, "total": total, "next": next, "skipped": append(diag.List{}, l.Found...)})
	}
	a.showFindings(l.Found)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, r := range part {
		fmt.Fprintf(w, "%s\tversion %d\t%s\n", r.Name, r.Version, oneLine(r.Description))
	}
	if err := w.Flush(); err != nil || a.quiet {
		return err
	}
	switch {
	case len(l.Records) == 0:
		fmt.Fprintf(a.stderr, "there are no saved workflows in %s yet; pflow workflow save FILE saves one\n", a.home().Path("workflows"))
	case total == 0:
		fmt.Fprintf(a.stderr, "none of %s has all of these words: %s\n", count(len(l.Records), "saved workflow"), oneLine(p.match))
	case next != "":
		fmt.Fprintf(a.stderr, "these are %d of %d; the rest is listed with: --after %s\n", len(part), total, next)
	}
	return nil
}
