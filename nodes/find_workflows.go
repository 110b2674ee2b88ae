package nodes

import (
	"context"
	"time"

	"pflow/internal/library"
)

// FoundWorkflow is a saved workflow that fits a request.
type FoundWorkflow struct {
	Record     *library.Record
	Confidence float64 // from 0 to 1; it means the same for every request
	Reason     string
	Problem    string // why it is not what is asked for, all the same; "" if nothing is known
}

// FindWorkflows ranks the saved workflows of the context's shelf by a request, the best first, as planners do. Those that
// share nothing with it are left out.
func FindWorkflows(ctx context.Context, d Deps, request string, now time.Time, most int) ([]FoundWorkflow, error) {
	shelf, err := d.candidates(ctx)
	if err != nil {
		return nil, err
	}
	read, err := d.reading(ctx, request, nil, now)
	if err != nil {
		return nil, err
	}
	ranked, made, err := shelf.rankWorkflows(ctx, read, most)
	if err != nil {
		return nil, err
	}
	var out []FoundWorkflow
	for _, r := range ranked[:min(most, len(ranked))] {
		if r.Confidence == 0 {
			break
		}
		rec := shelf.Records[r.Index]
		problem, _ := shelf.problem(rec, read, r.Index == made, true)
		out = append(out, FoundWorkflow{rec, r.Confidence, r.Reason + lastFailed(rec), problem})
	}
	return out, nil
}

// NearWorkflows gives the saved workflows that share most with a text, the best first.
func NearWorkflows(ctx context.Context, d Deps, text string, most int) ([]*library.Record, error) {
	shelf, err := d.candidates(ctx)
	if err != nil || len(shelf.Records) == 0 {
		return nil, err
	}
	index, err := shelf.workflowIndex()
	if err != nil {
		return nil, err
	}
	ranked, _, err := index.ByWords(ctx, text, most, nil)
	var out []*library.Record
	for _, r := range ranked {
		if r.Confidence > 0 {
			out = append(out, shelf.Records[r.Index])
		}
	}
	return out, err
}
