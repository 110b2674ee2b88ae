package web

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"pflow/internal/web/assets"
)

//go:embed templates
var templateFiles embed.FS

// view is a page: a template of the folder templates, and what it shows.
type view struct {
	Template string // "runs_list"
	Title    string
	Section  string // of the navigation: "runs"
	Events   string // the address of the events that change it, "" if it stands still
	Data     any
	Status   int // 0: 200
}

// frame is what layout.html is given.
type frame struct {
	view
	Token, Nonce, Version, Home string
}

func (s *Server) frame(r *http.Request, v view) frame {
	return frame{view: v, Token: s.guard.form, Nonce: nonceOf(r.Context()), Version: s.o.Version, Home: s.o.Home}
}

func (s *Server) parseTemplates() *template.Template {
	own := template.FuncMap{"token": func() string { return s.guard.form }, "once": rand.Text, "asset": assets.URL}
	return template.Must(template.New("").Funcs(templateFuncs).Funcs(own).ParseFS(templateFiles, "templates/*.html"))
}

// page adds a page.
func (s *Server) page(pattern string, f func(r *http.Request) (view, error)) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		if err != nil {
			v = errorView(r, err)
		}
		s.render(w, r, v)
	})
}

// slowPage adds a page whose calls read much: its frame is sent before they are made. What fails stands in the frame, with status 200.
func (s *Server) slowPage(pattern string, of view, f func(r *http.Request) (view, error)) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if s.templates.ExecuteTemplate(w, "frame_top", s.frame(r, of)) != nil {
			return // whoever asked has gone
		}
		_ = http.NewResponseController(w).Flush()
		v, err := f(r)
		if err != nil {
			v = errorView(r, err)
		}
		var body bytes.Buffer
		if err := s.templates.ExecuteTemplate(&body, v.Template, v.Data); err != nil {
			body.Reset()
			v = errorView(r, fmt.Errorf("this page cannot be shown: %w", err))
			_ = s.templates.ExecuteTemplate(&body, v.Template, v.Data)
		}
		_, _ = w.Write(body.Bytes())
		_ = s.templates.ExecuteTemplate(w, "frame_bottom", s.frame(r, of))
	})
}

// elsewhere answers what has no route: by the API's error or by a page.
func (s *Server) elsewhere() {
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		err := &Error{Status: http.StatusNotFound, Message: "there is no such page", Do: "the sections above have all there are"}
		if isAPI(r) {
			err.Message, err.Do = "there is no such call", "GET /api/v1/openapi.json lists them"
		}
		var methods []string
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			if _, pattern := s.mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host}); pattern != "/" && pattern != "" {
				methods = append(methods, method)
			}
		}
		if len(methods) > 0 {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			err = &Error{Status: http.StatusMethodNotAllowed, Message: "this does not take " + r.Method, Do: "it takes " + strings.Join(methods, ", ")}
		}
		if isAPI(r) {
			writeError(w, err)
			return
		}
		s.render(w, r, errorView(r, err))
	})
}

// errorPage is why a page is not shown, or what was asked for not done, and where to go on.
type errorPage struct {
	*Error
	Lists link // what there is of the kind that was asked for
}

// Missing reports whether what was asked for is not there.
func (e errorPage) Missing() bool { return e.Status == http.StatusNotFound }

type link struct{ Href, Label string }

// lists are the pages that list what the pages below an address are of.
var lists = []struct {
	below string
	link
}{
	{"/runs/", link{"/runs", "All runs"}}, {"/plans/", link{"/runs?kind=plan", "All plans"}}, {"/library/_nodes/", link{"/library/_nodes", "All components"}},
	{"/library/", link{"/library", "All saved workflows"}}, {"/schedules/", link{"/schedules", "All schedules"}}, {"/planner/", link{"/planner", "All flows and prompts"}},
	{"/experiments/", link{"/experiments", "All experiments"}}, {"/settings/", link{"/settings", "Settings"}},
}

func errorView(r *http.Request, err error) view {
	p := errorPage{Error: asError(err)}
	for _, l := range lists {
		if strings.HasPrefix(r.URL.Path, l.below) {
			p.Lists = l.link
			break
		}
	}
	title := "That did not work"
	if p.Missing() {
		title = "It is not there"
	}
	return view{Template: "error", Title: title, Status: p.Status, Data: p}
}

func (s *Server) render(w http.ResponseWriter, r *http.Request, v view) {
	var page bytes.Buffer
	f := s.frame(r, v)
	err := errors.Join(s.templates.ExecuteTemplate(&page, "frame_top", f), s.templates.ExecuteTemplate(&page, v.Template, v.Data), s.templates.ExecuteTemplate(&page, "frame_bottom", f))
	if err != nil {
		http.Error(w, "pflow: this page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if v.Status != 0 {
		w.WriteHeader(v.Status)
	}
	_, _ = w.Write(page.Bytes()) // whoever asked may have gone
}
