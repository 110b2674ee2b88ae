package nodes

import (
	"context"
	"time"

	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// waitType lets time pass between two nodes.
func waitType() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "wait",
			Description: "Waits, sleeps or pauses for some time before the workflow goes on.",
			Params:      []ir.Port{{Key: "duration", Type: value.Any, Required: true, Description: "How long: seconds, or a duration such as 500ms, 30s or 5m."}},
			Outputs:     []ir.Port{{Key: "seconds", Type: value.Number, Description: "How long it was to wait."}},
			Effects:     []ir.Effect{ir.Idempotent},
		},
		Check: func(params map[string]any) []ir.Problem { return checkDuration(params, "duration") },
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			d, err := duration(c.Params["duration"], "duration", 0)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
				return nodetype.Outcome{Outputs: map[string]any{"seconds": d.Seconds()}}, nil
			case <-ctx.Done():
				return nodetype.Outcome{}, ctx.Err()
			}
		},
		Example: nodetype.Example{
			Params:  map[string]any{"duration": "250ms"},
			Outputs: map[string]any{"seconds": 0.25},
		},
	}
}
