package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"pflow/internal/fault"
	"pflow/internal/outcome"
	"pflow/temporal/drive"
)

// The schemas of what show prints with --json.
const (
	shownSchema = "pflow.temporal-run/v1"
	listSchema  = "pflow.temporal-runs/v1"
)

// shown is a run as it is shown. State is what it said itself; null where no worker answers for it, or it is over.
type shown struct {
	Schema  string          `json:"schema,omitempty"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Status  string          `json:"status"`
	Started *time.Time      `json:"started"`
	Ended   *time.Time      `json:"ended"`
	State   *drive.State    `json:"state"`
	Result  json.RawMessage `json:"result"`
}

func (a *app) showCommand() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:     "show [RUN]",
		Short:   "List the runs, or show how far one has come",
		Long:    `List the runs, the last first, or show how far one has come and what it waits for; of one that is over, its result.`,
		Example: "  pflow-temporal show\n  pflow-temporal show 20240115-120000-1a2b3c4d --json",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s: name one run, or none", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			t, err := a.connect(c.Context(), silent{})
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return a.showRun(c.Context(), t, args[0])
			}
			return a.list(c.Context(), t, limit)
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many runs to list")
	return c
}

// row tells of a run what lists have.
func (a *app) row(info *workflowpb.WorkflowExecutionInfo) shown {
	s := shown{ID: info.GetExecution().GetWorkflowId(), Name: nameIn(a, info.GetMemo()), Status: statusWord(info.GetStatus())}
	if at := info.GetStartTime(); at != nil {
		began := at.AsTime()
		s.Started = &began
	}
	if at := info.GetCloseTime(); at != nil {
		ended := at.AsTime()
		s.Ended = &ended
	}
	return s
}

// nameIn is the name in a memo, "" if it cannot be read.
func nameIn(a *app, m *commonpb.Memo) string {
	var got memo
	if p := m.GetFields()[memoKey]; p != nil {
		_ = a.converter().FromPayload(p, &got)
	}
	return got.Name
}

// statusWord is a status in pflow's words.
func statusWord(s enumspb.WorkflowExecutionStatus) string {
	switch s {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return "done"
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return "cancelled"
	case enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return "timed out"
	}
	return strings.ToLower(s.String())
}

// list prints the runs. A run whose history was cut is one run.
func (a *app) list(ctx context.Context, t client.Client, limit int) error {
	out := []shown{}
	query := fmt.Sprintf("WorkflowType = '%s' AND ExecutionStatus != 'ContinuedAsNew'", drive.WorkflowType)
	for next := []byte(nil); len(out) < limit; {
		page, err := t.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: int32(min(limit, 1000)), NextPageToken: next})
		if err != nil {
			return fail(outcome.Failed, "the runs cannot be listed: %v", err)
		}
		for _, info := range page.GetExecutions() {
			if len(out) < limit {
				out = append(out, a.row(info))
			}
		}
		if next = page.GetNextPageToken(); len(next) == 0 {
			break
		}
	}
	if there, err := a.served(ctx, t); err == nil && there {
		askOpen(ctx, t, out)
	}
	if a.asJSON {
		return a.printJSON(struct {
			Schema string  `json:"schema"`
			Runs   []shown `json:"runs"`
		}{listSchema, out})
	}
	if len(out) == 0 {
		a.say("there are no runs; begin one with: pflow run NAME --on temporal")
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTATUS\tNAME\tBEGAN\tTOOK")
	for _, s := range out {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.ID, s.Status, s.Name, s.Started.Local().Format(time.DateTime), s.took())
	}
	return w.Flush()
}

// atOnce is how many runs are asked at the same time.
const atOnce = 8

// askOpen asks those runs that are open whether they wait for somebody.
func askOpen(ctx context.Context, t client.Client, list []shown) {
	var open []*shown
	for i := range list {
		if list[i].Ended == nil {
			open = append(open, &list[i])
		}
	}
	for some := range slices.Chunk(open, atOnce) {
		states := make([]<-chan fault.Outcome[*drive.State], len(some))
		for i, s := range some {
			states[i] = fault.Async(func() (*drive.State, error) { return ask(ctx, t, s.ID) })
		}
		for i, s := range some {
			if got := <-states[i]; got.Err == nil {
				s.Status, s.State = got.Value.Status, got.Value
			}
		}
	}
}

// took is how long a run took that is over.
func (s *shown) took() string {
	if s.Ended == nil || s.Started == nil {
		return ""
	}
	return s.Ended.Sub(*s.Started).Round(10 * time.Millisecond).String()
}

// describe tells of a run what the server knows of it.
func (a *app) describe(ctx context.Context, t client.Client, id string) (*shown, error) {
	got, err := t.DescribeWorkflowExecution(ctx, id, "")
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		return nil, usage("there is no run %q; pflow-temporal show lists those there are", id)
	case err != nil:
		return nil, fail(outcome.Failed, "run %s: %v", id, err)
	}
	s := a.row(got.GetWorkflowExecutionInfo())
	s.Schema = shownSchema
	return &s, nil
}

// showRun shows one run.
func (a *app) showRun(ctx context.Context, t client.Client, id string) error {
	s, err := a.describe(ctx, t, id)
	if err != nil {
		return err
	}
	var why error
	if s.Ended == nil {
		if s.State, why = ask(ctx, t, id); why == nil {
			s.Status = s.State.Status
		}
	} else if ended, err := result(ctx, t, id); err == nil {
		s.Status, s.Result = string(ended.Status), ended.Result
	} else {
		why = a.lost(id, err)
	}
	if a.asJSON {
		return a.printJSON(s)
	}
	a.printShown(s)
	if s.Ended == nil && why != nil {
		return a.unanswered(ctx, t, id, why)
	}
	if why != nil {
		fmt.Fprintln(a.stdout, why)
	}
	return nil
}

func (a *app) printShown(s *shown) {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, value)
		}
	}
	row("run", s.ID)
	row("name", s.Name)
	row("status", s.Status)
	row("began", s.Started.Local().Format(time.DateTime))
	row("took", s.took())
	if s.State != nil {
		row("steps", fmt.Sprint(s.State.Steps))
		row("under way", strings.Join(s.State.Under, ", "))
		for _, wait := range s.State.Waits {
			row("waits for", wait.For)
		}
		row("refused", s.State.Refused)
	}
	var res told
	if s.Result != nil && json.Unmarshal(s.Result, &res) == nil {
		if res.Error != nil {
			row("error", outcome.Failure(res.Error))
		}
		for _, text := range res.Warnings {
			row("warning", text)
		}
	}
	w.Flush()
	if s.Status == "done" && s.Result != nil {
		_ = a.printResult(&res)
	}
}
