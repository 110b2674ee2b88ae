package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/workflow"
	"pflow/internal/workflowfile"
	"pflow/internal/workflowtest"
	"pflow/ir"
)

func (a *app) workflowSaveCommand() *cobra.Command {
	var name, description, run string
	var keywords []string
	yes, asYAML := false, false
	c := &cobra.Command{
		Use:   "save FILE | save NAME --from-run RUN",
		Short: "Save the workflow in a file, or that of a run",
		Long: `Save the workflow in a FILE, JSON or YAML: an IR document, or a saved record; or, under NAME, the one that a
RUN was made of. It is checked first. What is saved is JSON; with --yaml the text of a FILE in YAML is kept as it is, with its comments.
A name that is taken is asked about; with --yes the workflow becomes its next version.`,
		Example: "  pflow workflow save ./greet.json\n  pflow workflow save ./greet.json --name hello --description 'Say hello'",
		Args:    one("a file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			r, src, ended, err := a.toSave(args[0], run)
			if err != nil {
				return err
			}
			if name != "" {
				r.Name = name
			}
			o := library.SaveOptions{Next: yes}
			if asYAML {
				if run != "" || description != "" || len(keywords) > 0 || !workflowfile.IsYAML(src.File) {
					return usage("--yaml keeps the text of a file in YAML as it is: give one, without --from-run, --description and --keywords")
				}
				o.YAML, o.AsYAML = src.Data, true
			}
			if description != "" {
				r.Description = description
			}
			if len(keywords) > 0 {
				r.Keywords = keywords
			}
			if err := a.library().ValidName(r.Name); err != nil {
				return usage("%v; --name gives another", err)
			}
			list, err := a.checkWorkflow(c.Context(), r, src)
			if err != nil {
				return err
			}
			if err := list.Err(); err != nil {
				return err
			}
			a.showFindings(list)
			if err := a.save(c.Context(), r, o); err != nil || ended == nil {
				return err
			}
			return a.library().Note(c.Context(), r.Name, r.Workflow().Hash(), *ended)
		},
	}
	f := c.Flags()
	f.StringVar(&run, "from-run", "", "save the workflow of this `RUN`")
	f.StringVar(&name, "name", "", "the name (default the record's, else the file's)")
	f.StringVar(&description, "description", "", "what it does, for people and for planning")
	f.StringSliceVar(&keywords, "keywords", nil, "words it is found by, separated by commas")
	f.BoolVar(&asYAML, "yaml", false, "keep the text of a FILE in YAML as it is")
	f.BoolVar(&yes, "yes", false, "make the next version if the name is taken")
	a.nodeFlags(c)
	return c
}

// toSave reads what is to be saved: the workflow of a file, or, under a name, that of a run and how the run ended.
func (a *app) toSave(arg, run string) (*library.Record, workflow.Source, *library.Ended, error) {
	if run != "" {
		r, src, ended, err := a.fromRun(run)
		if err == nil {
			r.Name = arg
		}
		return r, src, ended, err
	}
	if !ir.IsFile(arg) {
		arg = "./" + arg
	}
	r, src, err := a.findWorkflow(arg)
	return r, src, nil, err
}

// save saves a record; whether a name that is taken gets a next version is asked, or said by the options.
func (a *app) save(ctx context.Context, r *library.Record, o library.SaveOptions) error {
	l := a.library()
	o.Now = time.Now()
	got, err := l.Save(ctx, r, o)
	if isTaken(err) && !o.Next {
		if !a.interactive() || !a.agreed(ctx, fmt.Sprintf("There is a workflow %q%s. Save this one as its next version? [y/N]", r.Name, a.doing(r.Name))) {
			return fail(exitDeclined, "there is a saved workflow %q; --yes makes this its next version, --name saves it beside", r.Name)
		}
		o.Now, o.Next = time.Now(), true
		got, err = l.Save(ctx, r, o)
	}
	if err != nil {
		return notSaved(err)
	}
	return a.saved(got)
}

// doing says in brackets what the saved workflow of a name does; "" if it cannot be read.
func (a *app) doing(name string) string {
	now, _, err := a.library().Get(name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (%s; %s)", oneLine(now.Description), stepsOf(now.Workflow()))
}

func (a *app) workflowRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rename OLD NEW",
		Short:             "Give a saved workflow, with its versions and its tests, another name",
		Example:           "  pflow workflow rename greet hello",
		Args:              two("the old and the new name"),
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			l := a.library()
			if err := l.Rename(c.Context(), args[0], args[1], time.Now()); err != nil {
				if isTaken(err) {
					return usage("%v", err)
				}
				return a.noWorkflow(args[0], err)
			}
			r, _, err := l.Get(args[1])
			if err != nil {
				return a.noWorkflow(args[1], err)
			}
			a.testsNaming(args[0], l.TestsPath(args[1]))
			a.warnDependents(args[0])
			if a.asJSON {
				return a.printJSON(a.workflowDocument(r, true))
			}
			if !a.quiet {
				fmt.Fprintf(a.stdout, "%s is %s now\n", args[0], args[1])
			}
			return nil
		},
	}
}

// testsNaming warns of tests that name the workflow as it was called before.
func (a *app) testsNaming(old, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		return // there are none
	}
	if tests, _ := workflowtest.Parse(file, data); tests != nil && tests.Workflow == old {
		a.warn("%s: the tests name %s; write the new name there, or take the line out", tests.Place, old)
	}
}

func two(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 2 {
			return usage("%s: give %s; see %s --help", c.CommandPath(), what, c.CommandPath())
		}
		return tooMany(c, args, 2)
	}
}

func (a *app) workflowDeleteCommand() *cobra.Command {
	yes := false
	c := &cobra.Command{
		Use:               "delete NAME",
		Short:             "Delete a saved workflow; its versions and tests are kept",
		Example:           "  pflow workflow delete greet --yes",
		Args:              one("a saved workflow"),
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			l := a.library()
			if err := l.ValidName(args[0]); err != nil {
				return usage("%v", err)
			}
			if _, _, err := l.Get(args[0]); err != nil && fault.Of(err).Kind == fault.NotFound { // what cannot be read can be deleted
				return a.noWorkflow(args[0], err)
			}
			if !yes && !(a.interactive() && a.agreed(c.Context(), fmt.Sprintf("Delete %s? [y/N]", args[0]))) {
				return fail(exitDeclined, "nothing was deleted; confirm with: pflow workflow delete %s --yes", args[0])
			}
			records, _, _ := l.History(args[0])
			tests, err := l.Delete(c.Context(), args[0])
			if err != nil {
				return a.noWorkflow(args[0], err)
			}
			a.warnDependents(args[0])
			last := 1
			for _, r := range records {
				last = max(last, r.Version)
			}
			if a.asJSON {
				return a.printJSON(map[string]any{"schema": "pflow.deleted/v1", "name": args[0], "kept": fmt.Sprintf("%s@%d", args[0], last), "tests": tests})
			}
			if !a.quiet {
				fmt.Fprintf(a.stdout, "deleted %s; pflow workflow show %s@%d still shows it\n", args[0], args[0], last)
				if tests != "" {
					fmt.Fprintf(a.stdout, "its tests are kept, too: %s\n", tests)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}
