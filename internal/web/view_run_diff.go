package web

import (
	"net/http"
)

// runDiff is where two runs part.
type runDiff struct {
	A           runRow          `json:"a"`
	B           runRow          `json:"b"`
	PartsAt     string          `json:"parts_at"`
	Differences []runDifference `json:"differences"`
}

type runDifference struct {
	Step string `json:"step"`
	What string `json:"what"`
	A    any    `json:"a"`
	B    any    `json:"b"`
}

// Was and Is are the two values.
func (d runDifference) Was() shownValue { return valueOf("", d.A) }
func (d runDifference) Is() shownValue  { return valueOf("", d.B) }

// diffGroup are the differences of a step.
type diffGroup struct {
	Step        string // "" of the run itself
	Differences []runDifference
}

func (s *Server) diffRuns(r *http.Request) (view, error) {
	var d runDiff
	if err := s.Call(r.Context(), "diffRuns", Params{"id": r.PathValue("id"), "other": r.PathValue("other")}, &d); err != nil {
		return view{}, err
	}
	groups := []diffGroup{{}} // of the run itself first
	at := map[string]int{"": 0}
	for _, x := range d.Differences {
		i, ok := at[x.Step]
		if !ok {
			i, at[x.Step] = len(groups), len(groups)
			groups = append(groups, diffGroup{Step: x.Step})
		}
		groups[i].Differences = append(groups[i].Differences, x)
	}
	if len(groups[0].Differences) == 0 {
		groups = groups[1:]
	}
	left := max(0, len(groups)-100)
	groups = groups[:len(groups)-left]
	return view{Template: "run_diff", Title: "Two runs compared", Section: "runs", Data: map[string]any{"A": &d.A, "B": &d.B, "PartsAt": d.PartsAt, "Groups": groups, "Left": left}}, nil
}
