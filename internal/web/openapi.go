package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"pflow/docs/schemas"
)

type object = map[string]any

// OwnCall is a call that is no command: of the API itself.
type OwnCall struct {
	Name, Method, Path, Summary string
	Params                      []Param
	Kind                        string // of the answer: application/json, text/event-stream
	Schema                      string
	About                       string // what the answer is
}

var jobParam = Param{Name: "job", In: "path", Type: "string", Required: true, Description: "the id of a job"}

// OwnCalls are the calls that are no commands.
func OwnCalls() []OwnCall {
	return append(editorCalls, []OwnCall{
		{"showJob", "GET", "/api/v1/jobs/{job}", "Show a job: its runs, its messages, and what it came to", []Param{jobParam}, "application/json", "job", "the job"},
		{"stopJob", "DELETE", "/api/v1/jobs/{job}", "Stop a job as Ctrl-C stops its command", []Param{jobParam}, "application/json", "job", "the job, which may not have ended yet"},
		{"watchJob", "GET", "/api/v1/jobs/{job}/events", "Tell of a job while it goes on", []Param{jobParam}, "text/event-stream", "",
			"events: run {id}, message {line}, end {exit}; stop where pflow serve ends"},
		{"watchRun", "GET", "/api/v1/runs/{id}/events", "Tell of a run while it goes on, whichever process works on it",
			[]Param{{Name: "id", In: "path", Type: "string", Pattern: RunID, Required: true},
				{Name: "Last-Event-ID", In: "header", Type: "integer", Description: "the id of the last event that was heard: what happened since is told"}}, "text/event-stream", "",
			"events: state {steps, status}, how all steps stand; step {step, label, state, attempt, action, at}; refresh, where there is more to see; end {status}; stop where pflow serve ends"},
		{"watchRuns", "GET", "/api/v1/runs/events", "Tell when the newest runs, or how they stand, are others",
			[]Param{{Name: "seen", In: "query", Type: "string", Description: "how they stood when whoever asks looked at them, as a page of pflow serve says: told at once, if it is otherwise by now"}}, "text/event-stream", "",
			"events: refresh; stop where pflow serve ends"},
		{"describe", "GET", "/api/v1/openapi.json", "Give this document", nil, "application/json", "", "an OpenAPI document"},
	}...)
}

// OpenAPI is the description of the API.
func OpenAPI(version string) ([]byte, error) {
	components := object{}
	for _, name := range []string{"error", "job", "carried-out"} {
		components[name] = nil
	}
	paths := object{}
	add := func(method, path string, op object) {
		at, _ := paths[path].(object)
		if at == nil {
			at = object{}
			paths[path] = at
		}
		at[strings.ToLower(method)] = op
	}
	all := Endpoints()
	for i := range all {
		e := &all[i]
		if e.Schema != "" {
			components[e.Schema] = nil
		}
		add(e.Method, e.Path, e.operation())
	}
	for _, c := range OwnCalls() {
		content := object{c.Kind: object{}}
		if c.Schema != "" {
			content[c.Kind] = object{"schema": componentOf(c.Schema)}
		}
		op := object{"operationId": c.Name, "summary": c.Summary, "responses": object{"200": object{"description": c.About, "content": content}, "default": failed}}
		if parameters := parametersOf(c.Params); len(parameters) > 0 {
			op["parameters"] = parameters
		}
		add(c.Method, c.Path, op)
	}
	for name := range components {
		schema, err := component(name)
		if err != nil {
			return nil, err
		}
		components[name] = schema
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{"title": "pflow", "version": version,
			"description": "Each call is a command of pflow (x-pflow-command) and answers with what that prints with --json."},
		"servers":  []object{{"url": "/"}},
		"security": []object{{"token": []string{}}, {"cookie": []string{}}},
		"paths":    paths,
		"components": object{
			"schemas": components,
			"securitySchemes": object{
				"token":  object{"type": "http", "scheme": "bearer", "description": "the token in the address that pflow serve prints"},
				"cookie": object{"type": "apiKey", "in": "cookie", "name": "pflow_7353", "description": "of browsers, named after the port; with it, what changes anything needs the header X-Pflow-Token"},
			},
		},
	}, "", " ")
}

var failed = object{"description": "why it was refused or failed", "content": object{"application/json": object{"schema": componentOf("error")}}}

func componentOf(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// component is a schema of docs/schemas as a part of the document.
func component(name string) (any, error) {
	data, err := schemas.FS.ReadFile(name + ".json")
	if err != nil {
		return nil, err
	}
	var schema object
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, fmt.Errorf("docs/schemas/%s.json: %w", name, err)
	}
	delete(schema, "$schema") // that of all of the document
	return moved(schema, "#/components/schemas/"+name), nil
}

// moved is a part of a schema whose references go to where the schema is now.
func moved(v any, to string) any {
	switch v := v.(type) {
	case object:
		for key, inner := range v {
			if text, ok := inner.(string); ok && key == "$ref" && strings.HasPrefix(text, "#") {
				v[key] = to + strings.TrimPrefix(text, "#")
				continue
			}
			v[key] = moved(inner, to)
		}
	case []any:
		for i := range v {
			v[i] = moved(v[i], to)
		}
	}
	return v
}

// operation is an endpoint as OpenAPI describes it.
func (e *Endpoint) operation() object {
	op := object{"operationId": e.Name, "summary": e.Summary, "x-pflow-command": e.CommandLine()}
	parameters := parametersOf(e.Params)
	if e.Job {
		parameters = append(parameters, object{"name": "wait", "in": "query", "schema": object{"type": "boolean", "default": false}, "description": "true: answer with the result, and stop where nobody waits any more"})
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if body := e.body(); body != nil {
		op["requestBody"] = body
	}
	content := object{}
	switch {
	case e.Lines:
		content["application/x-ndjson"] = object{}
	case e.Schema != "":
		content["application/json"] = object{"schema": componentOf(e.Schema)}
	default:
		content["application/json"] = object{}
		if e.Changes() {
			content["application/json"] = object{"schema": object{"anyOf": []object{componentOf("carried-out"), {}}}}
		}
	}
	responses := object{"200": object{"description": "what the command printed", "content": content, "headers": object{"X-Pflow-Exit": object{"description": "the exit status of the command", "schema": object{"type": "integer"}}}}, "default": failed}
	if e.Job {
		responses["202"] = object{"description": "the job that was begun", "content": object{"application/json": object{"schema": componentOf("job")}},
			"headers": object{"Location": object{"description": "where the job is shown", "schema": object{"type": "string"}}}}
	}
	op["responses"] = responses
	return op
}

// CommandLine is the command that a call carries out, with its parameters in braces; parts whose parameter is not given are left out.
func (e *Endpoint) CommandLine() string {
	line := "pflow " + strings.Join(e.Args, " ")
	if e.Stdin != "" {
		line += " < {" + e.Stdin + "}"
	}
	return line
}

func parametersOf(params []Param) []object {
	var out []object
	for i := range params {
		p := &params[i]
		if p.In == "body" {
			continue
		}
		o := object{"name": p.Name, "in": p.In, "schema": p.schema()}
		if p.Required || p.In == "path" {
			o["required"] = true
		}
		if p.Description != "" {
			o["description"] = p.Description
		}
		out = append(out, o)
	}
	return out
}

func (e *Endpoint) body() object {
	properties, required := object{}, []string{}
	for i := range e.Params {
		p := &e.Params[i]
		if p.In != "body" {
			continue
		}
		schema := p.schema()
		if p.Description != "" {
			schema["description"] = p.Description
		}
		properties[p.Name] = schema
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if len(properties) == 0 {
		return nil
	}
	schema := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return object{"required": len(required) > 0, "content": object{"application/json": object{"schema": schema}}}
}

// schema is what values of a parameter are.
func (p *Param) schema() object {
	text := object{"type": "string"}
	if p.Pattern != "" {
		text["pattern"] = p.whole()
	}
	if len(p.Enum) > 0 {
		text["enum"] = p.Enum
	}
	switch p.Type {
	case "integer", "boolean", "object":
		return object{"type": p.Type}
	case "strings":
		return object{"type": "array", "items": text}
	case "json":
		return object{}
	}
	return text
}

// openAPIRoutes adds the description of the API.
func (s *Server) openAPIRoutes() {
	text := sync.OnceValues(func() ([]byte, error) { return OpenAPI(s.o.Version) })
	s.mux.HandleFunc("GET /api/v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		data, err := text()
		if err != nil {
			writeError(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data) // whoever asked may have gone
	})
}
