package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/library"
	"pflow/internal/workflow"
	"pflow/internal/workflowfile"
	"pflow/internal/workflowtest"
	"pflow/ir"
)

// testedWorkflow is one file of `workflow test --json`.
type testedWorkflow struct {
	File     string                `json:"file"`
	Workflow string                `json:"workflow"`
	Tests    []workflowtest.Report `json:"tests"`
}

// workflowTestFlags are those of `workflow test`.
type workflowTestFlags struct {
	tests   string
	fake    bool
	fromRun string // the run that a test is made of
	output  string
	force   bool
}

func (a *app) workflowTestCommand() *cobra.Command {
	f := &workflowTestFlags{}
	c := &cobra.Command{
		Use:   "test NAME|FILE... | test [NAME|FILE] --from-run RUN",
		Short: "Run the tests of a workflow, NAME_test.yaml, or write one of what a run was",
		Long: `Run the tests of a workflow. Each gives inputs and canned results for nodes, and expects params, outputs, an error, the steps
that ran. Nothing is touched: what reaches outside and has no canned result is a fault of the test, or made up of its declared
outputs with --fake; what only computes runs as it is, and waits pass at once. The tests of a saved workflow are
workflows/NAME_test.yaml in your home, those of a FILE lie beside it; FILE may be the tests themselves. Exit status 1 if a test fails.

--from-run writes the tests of a workflow: one, of what a RUN was given, what its nodes gave and what came of it. It passes as it is
and is yours to change. Secrets are not in it; long values are cut, and remarks say where.`,
		Example: "  pflow workflow test ./report.yaml\n  pflow workflow test report --fake --json\n  pflow workflow test --from-run last -o hello_test.yaml",
		Args: func(c *cobra.Command, args []string) error {
			if f.fromRun != "" {
				return tooMany(c, args, 1)
			}
			return some("a saved workflow, a file of one or its tests")(c, args)
		},
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(c *cobra.Command, args []string) error {
			if f.fromRun != "" {
				return a.writeTest(c.Context(), strings.Join(args, ""), f)
			}
			if f.output != "" || f.force {
				return usage("-o and --force go with --from-run RUN, of which a test is written")
			}
			if f.tests != "" && len(args) > 1 {
				return usage("--tests are those of one workflow; name one")
			}
			results := []testedWorkflow{}
			n := tally{}
			for _, arg := range args {
				r, err := a.testWorkflow(c.Context(), arg, f)
				if err != nil {
					return err
				}
				for _, t := range r.Tests {
					a.showWorkflowTest(r.Workflow, t)
					n.add(t.Pass)
				}
				results = append(results, r)
			}
			return a.tested("pflow.workflowtest/v1", n, results)
		},
	}
	c.Flags().StringVar(&f.tests, "tests", "", "read the tests from this `FILE`")
	c.Flags().BoolVar(&f.fake, "fake", false, "make up what nodes give that have no canned result")
	c.Flags().StringVar(&f.fromRun, "from-run", "", "write the tests, of what this `RUN` was")
	c.Flags().StringVarP(&f.output, "output", "o", "", "write them to this `FILE` instead of beside the workflow")
	c.Flags().BoolVar(&f.force, "force", false, "replace the file that is there")
	a.nodeFlags(c)
	return c
}

// testWorkflow runs the tests of one workflow.
func (a *app) testWorkflow(ctx context.Context, arg string, f *workflowTestFlags) (testedWorkflow, error) {
	ref, file, err := a.testsOf(arg, f.tests)
	if err != nil {
		return testedWorkflow{}, err
	}
	data, err := a.readRegular(file)
	if err != nil {
		return testedWorkflow{}, err
	}
	tests, found := workflowtest.Parse(file, data)
	if err := found.Err(); err != nil {
		return testedWorkflow{}, err
	}
	if named := tests.Workflow; named != "" {
		if ir.IsFile(named) && !filepath.IsAbs(named) {
			named = filepath.Join(filepath.Dir(file), named)
		}
		if ref != "" && filepath.Clean(ref) != filepath.Clean(named) {
			return testedWorkflow{}, usage("%s: these are tests of %s, not of %s", tests.Place, tests.Workflow, ref)
		}
		ref = named
	}
	if ref == "" {
		return testedWorkflow{}, usage("%s has no workflow beside it; say which these are tests of, by workflow: NAME", file)
	}
	src, env, err := a.rehearsed(ctx, ref)
	if err != nil {
		return testedWorkflow{}, err
	}
	reports, err := tests.Run(ctx, src, env, f.fake)
	return testedWorkflow{File: file, Workflow: src.Name, Tests: reports}, err
}

// rehearsed finds a valid workflow, and what it is compiled in to run without touching anything.
func (a *app) rehearsed(ctx context.Context, ref string) (src workflow.Source, env workflow.Env, err error) {
	r, src, err := a.findWorkflow(ref)
	if err != nil {
		return src, env, err
	}
	list, err := a.checkWorkflow(ctx, r, src)
	if err == nil {
		err = list.Err()
	}
	if err != nil {
		return src, env, err
	}
	a.showFindings(list)
	on, err := a.shelfOf(ctx)
	if err != nil {
		return src, env, err
	}
	dir, err := workingDir()
	return src, workflow.Env{Catalogue: on.Catalogue, Types: a.nodeTypes(), Declared: on.Declared, Load: a.host().Called(on, dir)}, err
}

// testsOf finds the workflow and the tests that an argument names. The workflow is "" where the tests have to say it.
func (a *app) testsOf(arg, tests string) (ref, file string, err error) {
	if !ir.IsFile(arg) {
		if err := a.needsHome(); err != nil {
			return "", "", err
		}
		name, _, _ := strings.Cut(arg, "@")
		if tests != "" {
			return arg, tests, nil
		}
		file = a.library().TestsPath(name)
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			if _, _, err := a.library().Get(arg); err != nil {
				return "", "", a.noWorkflow(arg, err)
			}
			return "", "", usage("the workflow %s has no tests: there is no %s; --tests FILE names others", name, file)
		}
		return arg, file, nil
	}
	stem := strings.TrimSuffix(arg, filepath.Ext(arg))
	if of, own := strings.CutSuffix(arg, library.TestsEnding); own && tests == "" {
		for _, ending := range workflowfile.Endings {
			if info, err := os.Stat(of + ending); err == nil && info.Mode().IsRegular() {
				return of + ending, arg, nil
			}
		}
		return "", arg, nil
	}
	if tests == "" {
		tests = stem + library.TestsEnding
	}
	return arg, tests, nil
}

func (a *app) showWorkflowTest(name string, r workflowtest.Report) {
	if a.asJSON || (r.Pass && a.quiet) {
		return
	}
	a.showTest(name, r.Name, r.Pass, r.Faults)
	if a.verbose && len(r.Fakes) > 0 {
		fmt.Fprintf(a.stdout, "     made up: %s\n", strings.Join(r.Fakes, ", "))
	}
}
