package web

import "net/http"

func (s *Server) askRoutes() {
	s.page("GET /{$}", func(r *http.Request) (view, error) {
		return view{Template: "ask", Title: "Ask", Section: "ask"}, nil
	})
}
