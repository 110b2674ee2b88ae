package web

import "net/http"

func (s *Server) runRoutes() {
	s.page("GET /runs", s.listRuns)
}

// runRow is a run in lists.
type runRow struct {
	ID         string  `json:"id"`
	Status     string  `json:"status"`
	Kind       string  `json:"kind"`
	Name       string  `json:"name"`
	Request    string  `json:"request"`
	DurationMS float64 `json:"duration_ms"`
}

func (s *Server) listRuns(r *http.Request) (view, error) {
	var got struct {
		Runs []runRow `json:"runs"`
		More bool     `json:"more"`
	}
	if err := s.Call(r.Context(), "listRuns", Params{"limit": 50}, &got); err != nil {
		return view{}, err
	}
	return view{Template: "runs_list", Title: "Runs", Section: "runs", Data: got}, nil
}
