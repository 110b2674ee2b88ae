package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"pflow/internal/outcome"
)

// maxBody bounds what a call is sent, in bytes.
const maxBody = 8 << 20

// serveEndpoint adds the route of an endpoint.
func (s *Server) serveEndpoint(e *Endpoint) {
	s.mux.HandleFunc(e.Method+" "+e.Path, func(w http.ResponseWriter, r *http.Request) {
		if err := s.answer(w, r, e); err != nil {
			writeError(w, err)
		}
	})
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, e *Endpoint) error {
	given, err := e.params(r)
	if err != nil {
		return err
	}
	if e.Job {
		return s.answerJob(w, r, e, given)
	}
	result, err := s.carry(r.Context(), e, given, nil)
	if err != nil {
		return err
	}
	return result.write(w, e)
}

// write answers with what the command printed. A command that printed none failed, or had nothing to print.
func (res *Result) write(w http.ResponseWriter, e *Endpoint) error {
	document := len(bytes.TrimSpace(res.Stdout)) > 0
	if !document && res.Exit != outcome.Done {
		return res.failure()
	}
	kind := "application/json"
	switch {
	case e.Lines:
		kind = "application/x-ndjson"
	case !document:
		writeJSON(w, http.StatusOK, map[string]any{"schema": "pflow.done/v1", "messages": res.Messages})
		return nil
	case !json.Valid(res.Stdout):
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Pflow-Exit", strconv.Itoa(res.Exit))
	w.WriteHeader(statusOf(res.Exit, document))
	_, _ = w.Write(res.Stdout)
	return nil
}

// params reads what a call is given: of the path, the query, and an object of JSON.
func (e *Endpoint) params(r *http.Request) (Params, error) {
	given := Params{}
	for i := range e.Params {
		p := &e.Params[i]
		switch p.In {
		case "path":
			given[p.Name] = r.PathValue(p.Name)
		case "query":
			if values, ok := r.URL.Query()[p.Name]; ok {
				v, err := p.ofTexts(values)
				if err != nil {
					return nil, err
				}
				given[p.Name] = v
			}
		}
	}
	for name := range r.URL.Query() {
		if !e.has(name, "query") && !(e.Job && name == "wait") {
			return nil, &Error{Status: http.StatusBadRequest, Message: "there is no such parameter", Where: name, Do: "it takes " + e.takes()}
		}
	}
	if !e.Changes() {
		return given, nil
	}
	d := json.NewDecoder(r.Body) // which the guard has read, within bounds
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err == io.EOF {
		return given, nil
	} else if err != nil {
		return nil, &Error{Status: http.StatusBadRequest, Message: "the body is no JSON object: " + err.Error()}
	}
	if d.More() {
		return nil, &Error{Status: http.StatusBadRequest, Message: "the body is more than one JSON object"}
	}
	for name, v := range object {
		if !e.has(name, "body") {
			return nil, &Error{Status: http.StatusBadRequest, Message: "there is no such parameter", Where: name, Do: "it takes " + e.takes()}
		}
		given[name] = v
	}
	return given, nil
}

func (e *Endpoint) has(name, in string) bool {
	for i := range e.Params {
		if e.Params[i].Name == name && e.Params[i].In == in {
			return true
		}
	}
	return false
}

// ofTexts is a value of a query.
func (p *Param) ofTexts(values []string) (any, error) {
	switch p.Type {
	case "strings":
		var list []any
		for _, v := range values {
			if v != "" {
				list = append(list, v)
			}
		}
		return list, nil
	case "integer":
		return json.Number(values[0]), nil
	case "boolean":
		b, err := strconv.ParseBool(values[0])
		if err != nil {
			return nil, &Error{Status: http.StatusBadRequest, Message: "want true or false", Where: p.Name}
		}
		return b, nil
	}
	if values[0] == "" {
		return nil, nil // a field of a form that was left empty
	}
	return values[0], nil
}

// answerJob begins a job and answers with it; with wait=true it answers with its result, and stops it if nobody waits any more.
func (s *Server) answerJob(w http.ResponseWriter, r *http.Request, e *Endpoint, given Params) error {
	j, err := s.Begin(e.Name, given)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("wait") == "true" {
		result, err := j.Wait(r.Context())
		if err != nil {
			j.cancel()
			return err
		}
		return result.write(w, e)
	}
	w.Header().Set("Location", "/api/v1/jobs/"+j.ID)
	writeJSON(w, http.StatusAccepted, j.document())
	return nil
}

// jobRoutes adds the calls about jobs: what is under way, its result, and stopping it.
func (s *Server) jobRoutes() {
	s.mux.HandleFunc("GET /api/v1/jobs/{job}", func(w http.ResponseWriter, r *http.Request) {
		j, err := s.job(r)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, j.document())
	})
	s.mux.HandleFunc("DELETE /api/v1/jobs/{job}", func(w http.ResponseWriter, r *http.Request) {
		j, err := s.job(r)
		if err != nil {
			writeError(w, err)
			return
		}
		j.cancel()
		writeJSON(w, http.StatusOK, j.document())
	})
}

// document is a job as the API gives it.
func (j *Job) document() map[string]any {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := map[string]any{"schema": "pflow.job/v1", "id": j.ID, "call": j.Endpoint, "began": j.Began.UTC(), "runs": append([]string{}, j.runs...),
		"messages": linesOf(j.messages.String()), "done": j.result != nil, "exit": nil, "result": nil}
	if j.result == nil {
		return out
	}
	out["exit"], out["result"] = j.result.Exit, j.result.document()
	return out
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // whoever asked may have gone
}

// writeError answers with why not.
func writeError(w http.ResponseWriter, err error) {
	e := asError(err)
	writeJSON(w, e.Status, map[string]any{"schema": "pflow.error/v1", "error": map[string]any{"message": strings.TrimSpace(e.Message), "where": e.Where, "do": cmp.Or(e.Do, e.Terminal), "exit": e.Exit}})
}
