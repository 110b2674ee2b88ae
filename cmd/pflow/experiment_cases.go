package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/atomicfile"
	"pflow/internal/experiment"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// experimentCasesSchema names the shape of `pflow experiment cases --json`.
const experimentCasesSchema = "pflow.experiment-cases/v1"

// casesMade is what came of the history.
type casesMade struct {
	Schema  string         `json:"schema"`
	Folder  string         `json:"folder"`
	Cases   int            `json:"cases"` // in cases.jsonl: the earlier ones
	Later   int            `json:"later"` // in later.jsonl
	Same    int            `json:"same"`  // requests that ask what another case does
	LeftOut []casesLeftOut `json:"left_out"`

	started map[string]time.Time // of the runs of plans
}

// casesLeftOut is an approved request that is no case.
type casesLeftOut struct {
	Run     string `json:"run"`
	Request string `json:"request"`
	Why     string `json:"why"`
}

func (a *app) experimentCasesCommand() *cobra.Command {
	var out, since, keep string
	var fromRuns bool
	earlier := .7
	c := &cobra.Command{
		Use:   "cases",
		Short: "Make cases of the requests that were approved, with their plans as what is expected; or list those that are kept",
		Long: `Make an experiment of one's own use: a folder with a case for each request of the history whose plan was approved (or was run with
--yes, and its first run was done). The plan as it was approved, edits included, is what is expected; the workflows that were saved when it was made are put
beside it, as they were. Requests that ask the same are one case; those for one workflow are one group. The earlier ones are in cases.jsonl; the
later ones, in later.jsonl, are for judging what was tuned on the earlier. A request with a secret in it is left out, and so is one whose plan
was mended afterwards: by pflow runs fix, or by a retry of a run that failed, with other inputs or another workflow.

With --keep NAME the folder is one of the home: experiment run --cases home:NAME takes its cases, and home:NAME/later the later ones. Without --from-runs the
cases of the home are listed, to which a file NAME.jsonl in its folder cases belongs, too.`,
		Example: `  pflow experiment cases --from-runs
  pflow experiment cases --from-runs --since 30d -o my-cases --json
  pflow experiment cases`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if !fromRuns {
				for _, flag := range []string{"output", "keep", "since", "earlier"} {
					if c.Flags().Changed(flag) {
						return usage("--%s goes with --from-runs", flag)
					}
				}
				return a.listCases()
			}
			if keep != "" {
				if c.Flags().Changed("output") {
					return usage("--keep makes a folder of the home, and -o one that it names: give one of them")
				}
				dir, err := a.casesFolder()
				if err != nil {
					return err
				}
				if !keptName.MatchString(keep) {
					return usage("--keep %s: want letters, digits, hyphens and underscores", keep)
				}
				if err := os.MkdirAll(dir, 0o700); err != nil {
					return usage("%s", fileError(err))
				}
				out = filepath.Join(dir, keep)
			}
			if !(earlier >= 0 && earlier <= 1) {
				return usage("--earlier %v: want a share from 0 to 1", earlier)
			}
			q := runs.Query{Kind: journal.OfPlan}
			if err := a.needsHome(); err != nil {
				return err
			}
			if since != "" {
				var err error
				if q.Since, err = readSince(since, time.Now()); err != nil {
					return err
				}
			}
			return a.makeCases(c.Context(), q, out, earlier)
		},
	}
	fl := c.Flags()
	fl.BoolVar(&fromRuns, "from-runs", false, "make cases of the approved requests in the history")
	fl.StringVarP(&out, "output", "o", "my-cases", "the `FOLDER` to make; it must not be there yet")
	fl.StringVar(&keep, "keep", "", "make the folder of this `NAME` in the home, for experiment run --cases home:NAME")
	fl.StringVar(&since, "since", "", "only requests since this `TIME`, as in pflow runs list")
	fl.Float64Var(&earlier, "earlier", earlier, "the share of the cases, by their time, that cases.jsonl has; later.jsonl has the others")
	return c
}

// casesFiles are what the folder of an experiment of one's own holds.
const (
	casesFile      = "cases.jsonl"
	laterFile      = "later.jsonl"
	casesDocument  = "experiment.yaml"
	casesWorkflows = "library"
)

func (a *app) makeCases(ctx context.Context, q runs.Query, folder string, earlier float64) error {
	if _, err := os.Lstat(folder); err == nil || folder == "" {
		return usage("-o %s: it is there already; name a folder that is not", shellQuote(folder))
	}
	if info, err := os.Stat(filepath.Dir(folder)); err != nil || !info.IsDir() {
		return usage("-o %s: there is no folder %s to make it in", shellQuote(folder), shellQuote(filepath.Dir(folder)))
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	list, made, err := a.approvedRequests(ctx, q)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return usage("no request of the history was approved%s: make and approve plans with pflow \"…\", and they become cases%s", sinceText(q), leftOutText(made.LeftOut))
	}
	then := newLibraryThen(a.library(), list, made.started, func(text string) bool { return a.withoutKeys(ctx, "a workflow", text) != nil })
	var approved []experiment.Approved
	for _, r := range list {
		files, err := then.files(r.row, r.plan)
		if err != nil {
			made.LeftOut = append(made.LeftOut, r.leftOut(err.Error()))
			continue
		}
		approved = append(approved, experiment.Approved{ID: runs.Short(r.row.ID), Request: r.request, Stdin: r.stdin, Date: r.day, At: r.row.Started, Plan: r.plan, Library: files})
	}
	first, later := experiment.Cases(approved, shelf.Catalogue, earlier)
	made.Cases, made.Later, made.Same, made.Folder = len(first), len(later), len(approved)-len(first)-len(later), folder
	flow, _, err := a.plannerName()
	if err != nil {
		return err
	}
	err = atomicfile.Folder(folder, func(temp string) error {
		files := map[string][]byte{casesFile: jsonLines(first), laterFile: jsonLines(later), casesDocument: casesSpec(flow, first, later, list)}
		for name, data := range then.texts {
			files[name] = data
		}
		if err := os.Mkdir(filepath.Join(temp, casesWorkflows), 0o700); err != nil {
			return err
		}
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(temp, filepath.FromSlash(name)), data, 0o600); err != nil {
				return err
			}
		}
		return nil
	}, func(temp string) error {
		if _, err := os.Lstat(folder); err == nil {
			return fs.ErrExist
		}
		return os.Rename(temp, folder)
	})
	if err != nil {
		return usage("-o %s: %s", folder, fileError(err))
	}
	if a.asJSON {
		return a.printJSON(made)
	}
	a.printCases(made, earlier)
	return nil
}

func (a *app) printCases(made *casesMade, earlier float64) {
	fmt.Fprintf(a.stdout, "%s: %s, and %d later ones in %s\n", filepath.Join(made.Folder, casesFile), count(made.Cases, "case"), made.Later, laterFile)
	if made.Later == 0 && made.Cases > 1 && earlier < 1 {
		fmt.Fprintln(a.stdout, "none is later: requests for one workflow stay in one file; cases for more workflows, or a smaller --earlier, give later ones")
	}
	if made.Same > 0 {
		fmt.Fprintf(a.stdout, "%s what another case does\n", count(made.Same, "more request")+" asked")
	}
	for _, l := range made.LeftOut {
		fmt.Fprintf(a.stdout, "left out: %s (%s): %s\n", runs.Short(l.Run), shortened(oneLine(l.Request), 60), l.Why)
	}
	fmt.Fprintf(a.stdout, "run it: pflow experiment run %s\n", shellQuote(filepath.Join(made.Folder, casesDocument)))
}

func sinceText(q runs.Query) string {
	if q.Since.IsZero() {
		return ""
	}
	return " since " + q.Since.Format(time.DateTime)
}

func leftOutText(list []casesLeftOut) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("; left out: %s", list[0].Why)
}

func jsonLines(cases []map[string]any) []byte {
	var b bytes.Buffer
	for _, c := range cases {
		b.WriteString(value.JSON(c))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// casesSpec is the document of the experiment.
func casesSpec(flow string, first, later []map[string]any, list []approvedRequest) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Requests that were approved from %s to %s, with their plans as they were approved: made by pflow experiment cases --from-runs.\n",
		list[0].row.Started.Format(time.DateOnly), list[len(list)-1].row.Started.Format(time.DateOnly))
	fmt.Fprintf(&b, "# %s has the earlier ones. %s has the later ones: judge with them what was tuned on the earlier, once.\n", casesFile, laterFile)
	fmt.Fprintf(&b, "experiment: my-requests\ncases: %s\nvariants:\n  - {name: now, flow: %s}\n  # - {name: mine, flow: ./mine.yaml}\n", casesFile, value.JSON(flow))
	return b.Bytes()
}
