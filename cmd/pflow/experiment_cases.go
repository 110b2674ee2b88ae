package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/atomicfile"
	"pflow/internal/experiment"
	"pflow/internal/library"
	"pflow/internal/planner"
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
	var out, since string
	var fromRuns bool
	earlier := .7
	c := &cobra.Command{
		Use:   "cases --from-runs",
		Short: "Make cases of the requests that were approved, with their plans as what is expected",
		Long: `Make an experiment of one's own use: a folder with a case for each request of the history whose plan was approved (or was run with
--yes, and its first run was done). The plan as it was approved, edits included, is what is expected; the workflows that were saved when it was made are put
beside it, as they were. Requests that ask the same are one case; those for one workflow are one group. The earlier ones are in cases.jsonl; the
later ones, in later.jsonl, are for judging what was tuned on the earlier. A request with a secret in it is left out, and so is one whose plan
was fixed afterwards.`,
		Example: `  pflow experiment cases --from-runs
  pflow experiment cases --from-runs --since 30d -o my-cases --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if !fromRuns {
				return usage("say where cases are to come from: pflow experiment cases --from-runs")
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
	if _, err := os.Lstat(folder); err == nil {
		return usage("-o %s: it is there already; name a folder that is not", folder)
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
	then := newLibraryThen(a.library(), list, made.started)
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
	a.printCases(made)
	return nil
}

func (a *app) printCases(made *casesMade) {
	fmt.Fprintf(a.stdout, "%s: %s, and %d later ones in %s\n", filepath.Join(made.Folder, casesFile), count(made.Cases, "case"), made.Later, laterFile)
	if made.Same > 0 {
		fmt.Fprintf(a.stdout, "%s what another case does\n", count(made.Same, "more request")+" asked")
	}
	for _, l := range made.LeftOut {
		fmt.Fprintf(a.stdout, "left out: %s (%s): %s\n", runs.Short(l.Run), shortened(oneLine(l.Request), 60), l.Why)
	}
	fmt.Fprintf(a.stdout, "run it: pflow experiment run %s\n", filepath.Join(made.Folder, casesDocument))
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

// approvedRequest is the run of a plan that was approved.
type approvedRequest struct {
	row     runs.Row
	request string
	stdin   any
	day     string
	plan    *planner.Result
}

func (r *approvedRequest) leftOut(why string) casesLeftOut {
	return casesLeftOut{r.row.ID, r.row.Request, why}
}

// approvedRequests reads the plans of the history that were approved, oldest first.
func (a *app) approvedRequests(ctx context.Context, q runs.Query) ([]approvedRequest, *casesMade, error) {
	made := &casesMade{Schema: experimentCasesSchema, LeftOut: []casesLeftOut{}}
	rows, err := a.history().List(q)
	if err != nil {
		return nil, nil, fail(exitFailed, "the runs in %s: %s", a.home().Path("runs"), fileError(err))
	}
	slices.Reverse(rows)
	made.started = map[string]time.Time{}
	var out []approvedRequest
	for _, row := range rows {
		made.started[row.ID] = row.Started
		r := approvedRequest{row: row}
		ok, why, err := a.wasApproved(ctx, &r)
		switch {
		case err != nil:
			made.LeftOut = append(made.LeftOut, r.leftOut(strings.TrimSpace(err.Error())))
		case why != "":
			made.LeftOut = append(made.LeftOut, r.leftOut(why))
		case ok:
			out = append(out, r)
		}
	}
	return out, made, nil
}

// wasApproved reads the plan of a run, if a person approved it. why says why an approved one is no case.
func (a *app) wasApproved(ctx context.Context, r *approvedRequest) (ok bool, why string, err error) {
	if r.row.Decided == runs.ByDeclining || r.row.Status != runs.Ready && r.row.Status != runs.NeedsInput {
		return false, "", nil
	}
	children, err := a.history().Children(r.row.ID)
	if err != nil {
		return false, "", err
	}
	children = slices.DeleteFunc(children, func(c runs.Row) bool { return c.Kind != journal.OfWorkflow })
	if r.row.Decided == "" && (len(children) == 0 || children[0].Status != runs.Done) {
		return false, "", nil // nobody was asked, and no run says that it was right
	}
	if fixed, err := a.wasFixed(children); fixed || err != nil {
		return false, "its workflow was fixed afterwards, so the plan was not right", err
	}
	s, err := a.showRun(r.row)
	if err != nil {
		return false, "", err
	}
	_, past, _, err := a.readRun(r.row.ID)
	if err != nil || s.Plan == nil || len(past.History.Events) == 0 {
		return false, "its journal does not tell the plan", err
	}
	start := past.History.Events[0]
	r.plan, r.stdin = s.Plan, start.Input["stdin_data"]
	r.request, _ = start.Input["user_input"].(string)
	if r.day, _ = start.Input["current_date"].(string); r.day == "" {
		r.day = start.Time.Format(time.DateOnly)
	}
	if r.row.Decided == runs.ByEditing {
		if len(children) == 0 {
			return false, "it was edited and never run, so what was approved is not in the history", nil
		}
		if err := a.takeEdited(r, children[0].ID); err != nil {
			return false, "", err
		}
	}
	if a.holdsSecret(ctx, r) {
		return false, "a secret stands in it", nil
	}
	return true, "", nil
}

// wasFixed reports whether one of the runs, or a retry of one, was mended by a fix.
func (a *app) wasFixed(list []runs.Row) (bool, error) {
	for _, row := range list {
		if row.By == journal.ByFix {
			return true, nil
		}
		more, err := a.history().Children(row.ID)
		if err != nil {
			return false, err
		}
		if fixed, err := a.wasFixed(more); fixed || err != nil {
			return fixed, err
		}
	}
	return false, nil
}

// takeEdited takes the workflow and its values from the run that was made of an edited plan.
func (a *app) takeEdited(r *approvedRequest, run string) error {
	saved, _, _, err := a.fromRun(run)
	if err != nil {
		return err
	}
	_, past, _, err := a.readRun(run)
	if err != nil {
		return err
	}
	doc, err := value.ParseJSON(saved.IR())
	if err != nil {
		return err
	}
	edited := *r.plan
	edited.Status, edited.Path, edited.WorkflowIR, edited.WorkflowName, edited.MissingParams = planner.Ready, "generate", doc, saved.Name, nil
	if len(past.History.Events) > 0 && past.History.Events[0].Kind == engine.EventStart {
		edited.ExecutionParams = past.History.Events[0].Input
	}
	r.plan = &edited
	return nil
}

// maskBegins is how what stands for a secret begins: mask.Env.
const maskBegins = `{"$env":`

// holdsSecret reports whether a secret stands, or stood, in what would become a case.
func (a *app) holdsSecret(ctx context.Context, r *approvedRequest) bool {
	found := a.withoutKeys(ctx, "the request", r.request) != nil
	look := func(text string) {
		found = found || strings.Contains(strings.ReplaceAll(text, " ", ""), maskBegins) || a.withoutKeys(ctx, "a value", text) != nil
	}
	look(r.request)
	for _, v := range []any{r.stdin, r.plan.WorkflowIR, r.plan.ExecutionParams} {
		value.EachText(v, look)
	}
	return found || strings.Contains(value.JSON(r.plan.ExecutionParams), `"$env"`)
}

// libraryThen gives the workflows that were saved at a time, as they were.
type libraryThen struct {
	versions map[string][]*library.Record // the newest first
	asked    map[string]time.Time         // when a request was first made, by its text
	started  map[string]time.Time         // of the runs of plans
	texts    map[string][]byte            // of the files that were named, by their names
}

func newLibraryThen(l *library.Library, list []approvedRequest, started map[string]time.Time) *libraryThen {
	out := &libraryThen{versions: map[string][]*library.Record{}, asked: map[string]time.Time{}, started: started, texts: map[string][]byte{}}
	for _, r := range l.List().Records {
		if versions, _, err := l.History(r.Name); err == nil {
			out.versions[r.Name] = versions
		}
	}
	for _, r := range list {
		if first, known := out.asked[r.request]; !known || r.row.Started.Before(first) {
			out.asked[r.request] = r.row.Started
		}
	}
	return out
}

// files names the files of the workflows that a plan could have found. Requests that were approved later are no examples of
// theirs: they would tell what is to be found.
func (l *libraryThen) files(row runs.Row, plan *planner.Result) ([]string, error) {
	reused := ""
	if plan.Path == "reuse" {
		reused, _ = plan.WorkflowName.(string)
	}
	out := []string{}
	for _, name := range value.SortedKeys(l.versions) {
		var was *library.Record
		for _, r := range l.versions[name] {
			if l.before(r, row.Started) {
				was = r
				break
			}
		}
		if was == nil && name == reused {
			was = l.versions[name][len(l.versions[name])-1]
		}
		if was == nil {
			continue
		}
		kept := *was
		kept.Examples = slices.DeleteFunc(slices.Clone(was.Examples), func(e string) bool {
			at, known := l.asked[e]
			return known && !at.Before(row.Started)
		})
		text := kept.Encode()
		sum := sha256.Sum256(text)
		file := path.Join(casesWorkflows, name+"."+hex.EncodeToString(sum[:4])+".json")
		l.texts[file] = text
		out = append(out, file)
	}
	if reused != "" && l.versions[reused] == nil {
		return nil, fmt.Errorf("the saved workflow %s that it found is not in the library any more", reused)
	}
	return out, nil
}

// before reports whether a version was there when a plan was begun. Files tell when they were saved by the second; the run that
// made one began before it was saved, and tells more.
func (l *libraryThen) before(r *library.Record, plan time.Time) bool {
	if at, known := l.started[savedBy(r)]; known && !at.Before(plan) {
		return false
	}
	return !r.UpdatedAt.After(plan)
}

// savedBy is the run of the plan that a workflow was saved from, "" if it is not known.
func savedBy(r *library.Record) string {
	var origin struct {
		Run string `json:"run_id"`
	}
	if len(r.Origin()) == 0 || value.Decode(r.Origin(), &origin) != nil {
		return ""
	}
	return origin.Run
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
	fmt.Fprintf(&b, "experiment: my-requests\ncases: %s\nvariants:\n  - {name: now, flow: %s}\n  # - {name: mine, flow: ./mine.yaml}\nscoring: {params: listed}   # what the request gave is held to what was approved\n", casesFile, value.JSON(flow))
	return b.Bytes()
}
