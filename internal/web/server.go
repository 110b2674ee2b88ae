// Package web is the page of pflow serve, and the API that it is made of. Each call of the API is a command of pflow (endpoint.go), so
// that the page shows what the commands show; views render what calls give as HTML.
package web

import (
	"html/template"
	"net/http"
	"slices"
)

// Options are what a server is made of.
type Options struct {
	Commands Commands
	Version  string
	Home     string // the folder of the home, to be shown
}

// Server answers the requests of the page and of the API.
type Server struct {
	commands  Commands
	o         Options
	mux       *http.ServeMux
	templates *template.Template
	byName    map[string]*Endpoint
	jobs      *jobs
	guard     *guard
}

// Endpoints are the calls of the API, by areas.
func Endpoints() []Endpoint {
	return slices.Concat(askEndpoints, runEndpoints, libraryEndpoints, scheduleEndpoints, plannerEndpoints, experimentEndpoints, settingsEndpoints)
}

// New makes a server.
func New(o Options) *Server {
	s := &Server{commands: o.Commands, o: o, mux: http.NewServeMux(), byName: map[string]*Endpoint{}, jobs: newJobs(), guard: newGuard()}
	all := Endpoints()
	for i := range all {
		s.byName[all[i].Name] = &all[i]
		s.serveEndpoint(&all[i])
	}
	s.templates = s.parseTemplates()
	s.jobRoutes()
	s.assetRoutes()
	for _, routes := range []func(){s.askRoutes, s.runRoutes, s.libraryRoutes, s.plannerRoutes, s.experimentRoutes, s.settingsRoutes} {
		routes()
	}
	return s
}

// Handler answers requests, once the guard lets them pass.
func (s *Server) Handler() http.Handler { return s.guard.wrap(s.mux) }

// Token is what lets a browser in, and what calls of the API carry.
func (s *Server) Token() string { return s.guard.token }
