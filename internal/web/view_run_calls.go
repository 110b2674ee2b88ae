package web

import (
	"context"
	"net/http"
)

// modelCall is what a run sent to a model, and what came back.
type modelCall struct {
	Step     string `json:"step"`
	Prompt   string `json:"prompt"`
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Reply     string  `json:"reply"`
	Error     string  `json:"error"`
	Replayed  bool    `json:"replayed"`
	LatencyNS float64 `json:"latency_ns"`
	Usage     struct {
		Prompt     int     `json:"prompt_tokens"`
		Completion int     `json:"completion_tokens"`
		CostUSD    float64 `json:"cost_usd"`
	} `json:"usage"`
}

// Took is how long the model took.
func (c *modelCall) Took() string { return took(c.LatencyNS / 1e6) }

// calls fetches what a run, or one step of it, sent to models; none where it sent nothing.
func (s *Server) calls(ctx context.Context, id, step string) ([]modelCall, error) {
	var got struct {
		Exchanges []modelCall `json:"exchanges"`
	}
	p := Params{"id": id}
	if step != "" {
		p["step"] = step
	}
	return got.Exchanges, s.Call(ctx, "callsOfRun", p, &got)
}

const callsOfPage = 25

func (s *Server) showCalls(r *http.Request) (view, error) {
	d, err := s.run(r.Context(), r.PathValue("id"), Params{"limit": 1, "cut": 1}, "", 0)
	if err != nil {
		return view{}, err
	}
	all, err := s.calls(r.Context(), d.Run.ID, "")
	if err != nil {
		return view{}, err
	}
	skip := min(numberOr(r.URL.Query().Get("skip"), 0), len(all))
	part := all[skip:min(len(all), skip+callsOfPage)]
	page := d.Run.Page() + "/calls"
	earlier, later := pagesAround(page, "", skip, len(part), len(all))
	data := map[string]any{"Top": runTop{&d.Run, "calls"}, "Run": &d.Run, "Calls": part, "Total": len(all), "From": skip + 1, "To": skip + len(part), "Earlier": earlier, "Later": later}
	return view{Template: "run_calls", Title: "Model calls of " + shortText(d.Run.What(), 50), Section: "runs", Data: data}, nil
}
