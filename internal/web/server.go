// Package web is the page of pflow serve, and the API that it is made of. Each call of the API is a command of pflow (endpoint.go), so
// that the page shows what the commands show; views render what calls give as HTML.
package web

import (
	"html/template"
	"net/http"
	"strings"
	"sync"

	"pflow/internal/fault"
)

// Options are what a server is made of.
type Options struct {
	Commands Commands
	Version  string
	Home     string // the folder of the home, to be shown
	Dir      string // the folder in which runs take place, to be shown
	Listening
	Log func(format string, args ...any) // what people should know who run the server
}

// Server answers the requests of the page and of the API.
type Server struct {
	commands  Commands
	o         Options
	mux       *routes
	templates *template.Template
	byName    map[string]*Endpoint
	jobs      *jobs
	guard     *guard
	hub       *hub
	viewers   viewers
	newest    newest
	closing   chan struct{} // closed: streams end
	close     func()
	reports   reportCache
	sent      sentForms
}

// Area is a part of the API.
type Area struct {
	Name      string
	Endpoints []Endpoint
}

// Areas are the calls of the API by what they are about.
func Areas() []Area {
	return []Area{
		{"Asking", askEndpoints}, {"Runs", runEndpoints}, {"Workflows and nodes", libraryEndpoints}, {"Schedules", scheduleEndpoints},
		{"Flows and prompts", plannerEndpoints}, {"Experiments", experimentEndpoints}, {"Settings", settingsEndpoints},
	}
}

// Endpoints are the calls of the API that are commands.
func Endpoints() []Endpoint {
	var all []Endpoint
	for _, a := range Areas() {
		all = append(all, a.Endpoints...)
	}
	return all
}

// New makes a server.
func New(o Options) *Server {
	s := &Server{commands: o.Commands, o: o, mux: &routes{ServeMux: http.NewServeMux()}, byName: map[string]*Endpoint{}, jobs: newJobs(), guard: newGuard(o.Listening),
		viewers: viewers{of: map[string]int{}}, closing: make(chan struct{}), sent: sentForms{of: map[[32]byte]*sentForm{}}}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	s.hub = &hub{commands: o.Commands, of: map[string]*topic{}}
	all := Endpoints()
	for i := range all {
		s.byName[all[i].Name] = &all[i]
		s.serveEndpoint(&all[i])
	}
	s.templates = s.parseTemplates()
	s.jobRoutes()
	s.eventRoutes()
	s.openAPIRoutes()
	s.assetRoutes()
	for _, routes := range []func(){s.askRoutes, s.runRoutes, s.libraryRoutes, s.plannerRoutes, s.experimentRoutes, s.settingsRoutes} {
		routes()
	}
	s.elsewhere()
	return s
}

// routes knows what it routes.
type routes struct {
	*http.ServeMux
	patterns []string
}

// Handle adds a route.
func (m *routes) Handle(pattern string, h http.Handler) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.Handle(pattern, h)
}

// HandleFunc adds a route.
func (m *routes) HandleFunc(pattern string, f func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, http.HandlerFunc(f))
}

// Routes are the patterns of all that is answered, as http.ServeMux has them.
func (s *Server) Routes() []string { return s.mux.patterns }

// Handler answers requests, once the guard lets them pass.
func (s *Server) Handler() http.Handler { return s.guard.wrap(s.survive(s.mux)) }

// survive answers where a request made the program panic. What was asked is not told: it may hold secrets.
func (s *Server) survive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := fault.Guard(func() error {
			next.ServeHTTP(w, r)
			return nil
		})
		if err != nil {
			s.o.Log("%s %s: %v", r.Method, r.Pattern, err)
			refuse(w, r, &Error{Status: http.StatusInternalServerError, Message: "this is a fault of pflow; what it is stands where pflow serve runs"}, nonceOf(r.Context()))
		}
	})
}

// Token is what lets a browser in, and what calls of the API carry.
func (s *Server) Token() string { return s.guard.token }

// Stop ends streams, stops all jobs as a signal stops commands, and waits for their ends. What begins after it is refused.
func (s *Server) Stop() {
	s.close()
	if open := s.jobs.going(); len(open) > 0 {
		s.o.Log("stopping what the page began, and waiting for it: %s", strings.Join(open, ", "))
	}
	s.jobs.end()
}
