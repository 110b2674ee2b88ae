package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/flowtest"
	"pflow/internal/shelf"
	"pflow/nodes"
)

// testEnding ends the name of the tests that lie beside a flow: NAME_test.yaml.
const testEnding = "_test"

// tested is one file of `flow test --json`.
type tested struct {
	File  string            `json:"file"`
	Tests []flowtest.Report `json:"tests"`
}

func (a *app) flowTestCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "test FLOW...",
		Short: "Run the tests beside a flow: NAME_test.yaml beside NAME.yaml",
		Long: `Run the tests of a flow. Each gives a first store and canned results for nodes, and expects a path, actions and a
store; or runs one node alone (prep, post, action). Ops that reach outside never run, and waits pass at once.
What they choose from are the built-in nodes, whatever your home holds. FLOW is a flow or its test file. Exit status 1 if a test fails.`,
		Example:           "  pflow flow test ./retry.yaml\n  pflow flow test ./retry_test.yaml --json",
		Args:              some("a flow or its test file"),
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			a.noLog = !a.verbose
			var results []tested
			n := tally{}
			for _, arg := range args {
				r, err := a.testFlow(c, arg)
				if err != nil {
					return err
				}
				for _, report := range r.Tests {
					n.add(report.Pass)
				}
				results = append(results, r)
			}
			return a.tested("pflow.flowtest/v1", n, results)
		},
	}
	a.setFlag(c)
	return c
}

// testFlow runs the tests of one flow.
func (a *app) testFlow(c *cobra.Command, arg string) (tested, error) {
	name, doc, err := a.tests(arg)
	if err != nil {
		return tested{}, err
	}
	cases, found := flowtest.Parse(doc.Path, doc.Data)
	if err := found.Err(); err != nil {
		return tested{}, err
	}
	flow, _, err := a.load(name)
	if err != nil {
		return tested{}, err
	}
	// What the ops that run may choose from is what every pflow has, whatever the home holds and allows.
	offered, _, err := shelf.Gather(shelf.Sources{Builtin: a.builtin(), Shipped: nodes.Packs().Declared})
	if err != nil {
		return tested{}, err
	}
	ctx := offered.Within(c.Context())
	r := tested{File: doc.Path, Tests: []flowtest.Report{}}
	for i := range cases {
		report := cases[i].Check(ctx, flow)
		if err := c.Context().Err(); err != nil {
			return tested{}, err
		}
		r.Tests = append(r.Tests, report)
		a.showTest(flow.Name, report.Name, report.Pass, report.Faults)
	}
	return r, nil
}

// tests finds the tests that an argument names, itself or by their flow, and the flow. The tests of a shipped flow hold
// for an ejected copy that has none of its own.
func (a *app) tests(arg string) (flow string, doc engine.Document, err error) {
	if !engine.IsPath(arg) {
		flow = strings.TrimSuffix(arg, testEnding)
		if _, err := a.document(a.folders(), flow); err != nil {
			return "", doc, err
		}
		doc, err = a.folders().Find(engine.FlowDocument, flow+testEnding, nil)
		if errors.Is(err, engine.ErrNoDocument) {
			return "", doc, usage("the flow %q has no tests: there is no %s%s.yaml beside it", flow, flow, testEnding)
		}
		return flow, doc, err
	}
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return "", doc, usage("%s is a directory; name a flow or its test file", arg)
	}
	stem, ending := strings.TrimSuffix(arg, filepath.Ext(arg)), filepath.Ext(arg)
	stem = strings.TrimSuffix(stem, testEnding)
	flow = stem + ending
	doc, err = engine.ReadDocument(engine.FlowDocument, stem+testEnding+ending)
	if err != nil {
		return "", doc, usage("%s", fileError(err))
	}
	return flow, doc, nil
}

// tally is how many tests passed, and how many failed.
type tally struct{ passed, failed int }

func (n *tally) add(pass bool) {
	if pass {
		n.passed++
	} else {
		n.failed++
	}
}

// tested ends the tests of flows or workflows: files is what is printed of them as JSON, as schema names it.
func (a *app) tested(schema string, n tally, files any) error {
	if !a.asJSON {
		fmt.Fprintf(a.stdout, "%d passed, %d failed\n", n.passed, n.failed)
	} else if err := a.printJSON(struct {
		Schema string `json:"schema"`
		Passed int    `json:"passed"`
		Failed int    `json:"failed"`
		Files  any    `json:"files"`
	}{schema, n.passed, n.failed, files}); err != nil {
		return err
	}
	if n.failed > 0 {
		return fail(exitFailed, "%s failed", count(n.failed, "test"))
	}
	return nil
}

// showTest prints whether a test of a flow or a workflow passed, and its faults.
func (a *app) showTest(of, test string, pass bool, faults []string) {
	if a.asJSON || (pass && a.quiet) {
		return
	}
	mark := "ok  "
	if !pass {
		mark = "FAIL"
	}
	fmt.Fprintf(a.stdout, "%s %s: %s\n", mark, of, test)
	for _, f := range faults {
		fmt.Fprintf(a.stdout, "     %s\n", f)
	}
}
