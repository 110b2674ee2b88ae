package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"pflow/engine/journal"
	"pflow/internal/outcome"
	"pflow/internal/prepared"
	"pflow/temporal/drive"
)

func (a *app) runCommand() *cobra.Command {
	b := &begins{}
	var detach bool
	c := &cobra.Command{
		Use:   "run -|FILE|NAME [key=value...] [-- FLAGS OF pflow run...]",
		Short: "Begin a run and wait for its result",
		Long: `Begin a run and wait for its result: of what pflow run --prepare printed, on standard input (-) or in a FILE, or of the workflow
that pflow run NAME names, with its inputs. What is printed and the exit status are those of pflow run. The run goes on, on the
server, also when this command is stopped; if it waits for an approval, an input or a decision, the command says so and ends, and
pflow-temporal resume answers.`,
		Example: "  pflow-temporal run greet name=Ada\n  pflow-temporal run report --detach\n  pflow run greet name=Ada --prepare | pflow-temporal run -",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: name a workflow, or - for what is prepared", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			r, err := a.prepare(ctx, args, b)
			if err != nil {
				return err
			}
			s, err := b.start(r)
			if err != nil {
				return err
			}
			id, err := a.begin(ctx, r, s)
			if err != nil {
				return err
			}
			if detach {
				if a.asJSON {
					return a.printJSON(struct {
						Schema string `json:"schema"`
						ID     string `json:"id"`
					}{begunSchema, id})
				}
				return outcome.Outputs(a.stdout, map[string]any{"id": id})
			}
			a.say("run %s has begun on %s", id, a.queue)
			return a.await(ctx, id)
		},
	}
	c.Flags().BoolVar(&detach, "detach", false, "print the id of the run and do not wait")
	b.flags(a, c)
	return c
}

// begunSchema names the shape of run --detach --json.
const begunSchema = "pflow.temporal-begun/v1"

// memo is what lists tell of a run without asking it.
type memo struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// memoKey is under which it stands.
const memoKey = "pflow"

// begin begins a run and gives its id.
func (a *app) begin(ctx context.Context, r *prepared.Run, s *drive.Start) (string, error) {
	c, err := a.connect(ctx, silent{})
	if err != nil {
		return "", err
	}
	id := journal.NewID(time.Now())
	_, err = c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: a.queue, StaticSummary: r.Name, Memo: map[string]any{memoKey: memo{r.Name, r.Kind}},
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
	}, drive.WorkflowType, s)
	if err != nil {
		return "", fail(outcome.Failed, "the run cannot be begun: %v", err)
	}
	if there, err := a.served(ctx, c); err == nil && !there {
		a.warn("no worker takes runs from the queue %s, so that it waits until one does: pflow-temporal worker%s", a.queue, a.onQueue())
	}
	return id, nil
}

// usualQueue is the task queue where nothing says another.
const usualQueue = "pflow"

// onQueue are the words that name the queue, if it is not the usual one.
func (a *app) onQueue() string {
	if a.queue == usualQueue {
		return ""
	}
	return " --queue " + a.queue
}

// served reports whether a worker takes runs from the queue.
func (a *app) served(ctx context.Context, c client.Client) (bool, error) {
	got, err := c.DescribeTaskQueue(ctx, a.queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return false, err
	}
	return len(got.GetPollers()) > 0, nil
}
