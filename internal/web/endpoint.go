package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Endpoint is one call of the API, as data: which command line it is. Routes, checks of parameters, the OpenAPI file and its
// documentation are made of it.
type Endpoint struct {
	Name    string // the operationId: "listRuns"
	Method  string
	Path    string // "/api/v1/runs/{id}"
	Summary string
	Params  []Param

	// Args is the command line. "--flag={param}" is left out where the param is absent, and "--flag" written so that "--flag?{param}" is
	// there where a boolean param is true; "--flag={param...}" is repeated for each value. What follows "--" is taken for arguments only:
	// "{param}" is one, "{param...}" one each, "{param=}" an object as key=value each. "@{param}.json", or "--flag=@{param}.json", is a file that holds the param.
	Args  []string
	Stdin string // the param that is the standard input of the command

	Schema string // of the result: a file of docs/schemas without .json, "" where it has none
	Lines  bool   // the result is a document a line
	Job    bool   // it takes long: 202 and a job, unless wait=true asks for the result
}

// Changes reports whether a call may change anything.
func (e *Endpoint) Changes() bool { return e.Method != "GET" }

// Param is what a call is given.
type Param struct {
	Name        string
	In          string // path, query or body
	Type        string // string, integer, boolean, strings (a list), object, text (may have many lines)
	Pattern     string // what a string must match as a whole
	Enum        []string
	Required    bool
	Description string
}

// Params are the values of a call: strings, json.Number or integers, booleans, []any of strings, maps.
type Params map[string]any

// Command is a command line of pflow, without the program's name, and its surroundings.
type Command struct {
	Args           []string
	Files          []File // what arguments of the form "@N" stand for
	Stdin          []byte
	Stdout, Stderr io.Writer
	Begun          func(run string)        // told the id of each run that the command begins or goes on with; may be nil
	Experiment     func(experiment string) // told the id of the experiment that the command runs; may be nil
}

// File is a document that a command reads from a file.
type File struct {
	Name string // its last element: "flow.yaml"
	Data []byte
	Arg  int // the index of the argument that ends in its path
}

// Commands carries commands out, as processes of their own would.
type Commands interface {
	// Carry carries a command out. Where ctx ends, the command is stopped as by a signal.
	Carry(ctx context.Context, c Command) Ended
}

// Ended is how a command ended.
type Ended struct {
	Exit    int    // its exit status
	Message string // why it failed, "" where it only showed that
	Do      string // what to do about it at a terminal
	Absent  bool   // what it was asked about is not there
	Flag    string // the flag that the message is of, "" if it is of none

	Repeats, Destroys bool // it was declined until somebody agrees that it may repeat effects, or destroy what is there
}

// names of workflows, flows, runs: none can be a path or a flag.
const (
	WorkflowName = `[a-z0-9][a-z0-9-]*(@[0-9]+)?`
	FlowName     = `(shipped:)?[a-zA-Z0-9][a-zA-Z0-9_-]*`
	RunID        = `[0-9a-z][0-9a-z-]*`
	AnyName      = `[a-zA-Z0-9][a-zA-Z0-9_.:@-]*`
)

// command makes the command line of a call. The error says which param is wrong.
func (e *Endpoint) command(given Params) (Command, error) {
	var c Command
	if err := e.check(given); err != nil {
		return c, err
	}
	for _, part := range e.Args {
		if err := e.part(&c, part, given); err != nil {
			return c, err
		}
	}
	if e.Stdin != "" {
		c.Stdin = []byte(asText(given[e.Stdin]))
	}
	return c, nil
}

// paramOf is the param that a flag of the command is given; "" where there is none.
func (e *Endpoint) paramOf(flag string) string {
	for _, part := range e.Args {
		if m := hole.FindStringSubmatch(part); m != nil && flag != "" && (strings.HasPrefix(part, "--"+flag+"=") || strings.HasPrefix(part, "--"+flag+"?")) {
			return m[1]
		}
	}
	return ""
}

var hole = regexp.MustCompile(`\{([a-z_]+)(\.\.\.|=)?\}`)

func (e *Endpoint) part(c *Command, part string, given Params) error {
	m := hole.FindStringSubmatchIndex(part)
	if m == nil {
		c.Args = append(c.Args, part)
		return nil
	}
	name, kind := part[m[2]:m[3]], ""
	if m[4] >= 0 {
		kind = part[m[4]:m[5]]
	}
	v, ok := given[name]
	if !ok || v == nil {
		return nil
	}
	before, after := part[:m[0]], part[m[1]:]
	switch {
	case strings.HasSuffix(before, "@"):
		c.Files = append(c.Files, File{Name: name + after, Data: []byte(asText(v)), Arg: len(c.Args)})
		c.Args = append(c.Args, strings.TrimSuffix(before, "@"))
	case strings.HasSuffix(before, "?"):
		if v == true {
			c.Args = append(c.Args, strings.TrimSuffix(before, "?"))
		}
	case kind == "...":
		list, _ := v.([]any)
		for _, item := range list {
			c.Args = append(c.Args, before+asText(item)+after)
		}
	case kind == "=":
		object, _ := v.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if strings.ContainsRune(key, '=') || key == "" {
				return &Error{Status: 400, Message: fmt.Sprintf("%q is no name of an input", key), Where: name}
			}
			c.Args = append(c.Args, key+"="+asText(object[key]))
		}
	default:
		c.Args = append(c.Args, before+asText(v)+after)
	}
	return nil
}

// asText is a value as an argument of a command: a text as it is, anything else as JSON.
func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	}
	data, _ := json.Marshal(v)
	return string(data)
}

// check compares what a call is given with what it takes.
func (e *Endpoint) check(given Params) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(e.Params, func(p Param) bool { return p.Name == name }) {
			return &Error{Status: 400, Message: "there is no such parameter", Where: name, Do: "it takes " + e.takes()}
		}
	}
	for i := range e.Params {
		p := &e.Params[i]
		v, ok := given[p.Name]
		if !ok || v == nil {
			if p.Required {
				return &Error{Status: 400, Message: "it is missing", Where: p.Name}
			}
			continue
		}
		if err := p.check(v); err != nil {
			if p.In == "path" { // an address of nothing
				return &Error{Status: 404, Message: err.Error(), Where: p.Name}
			}
			return &Error{Status: 400, Message: err.Error(), Where: p.Name}
		}
	}
	return nil
}

func (e *Endpoint) takes() string {
	var names []string
	for _, p := range e.Params {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (p *Param) check(v any) error {
	switch p.Type {
	case "integer":
		switch n := v.(type) {
		case int:
			return nil
		case json.Number:
			if _, err := n.Int64(); err == nil {
				return nil
			}
		}
		return fmt.Errorf("want an integer")
	case "boolean":
		if _, ok := v.(bool); !ok {
			return fmt.Errorf("want true or false")
		}
	case "object":
		if _, ok := v.(map[string]any); !ok {
			return fmt.Errorf("want an object")
		}
	case "strings":
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("want a list of strings")
		}
		for _, item := range list {
			if err := p.text(item); err != nil {
				return err
			}
		}
	case "json":
		return nil
	default:
		return p.text(v)
	}
	return nil
}

// patterns are the patterns of all params of the API, compiled.
var patterns = sync.OnceValue(func() map[string]*regexp.Regexp {
	of := map[string]*regexp.Regexp{}
	for _, e := range Endpoints() {
		for _, p := range e.Params {
			of[p.Pattern] = regexp.MustCompile(p.whole())
		}
	}
	return of
})

// whole is the pattern with its ends.
func (p *Param) whole() string { return "^(?:" + p.Pattern + ")$" }

func (p *Param) text(v any) error {
	s, ok := v.(string)
	switch {
	case !ok:
		return fmt.Errorf("want a string")
	case strings.ContainsRune(s, 0):
		return fmt.Errorf("it holds a NUL character")
	case p.Type != "text" && strings.ContainsAny(s, "\r\n"):
		return fmt.Errorf("want one line")
	case len(p.Enum) > 0 && !slices.Contains(p.Enum, s):
		return fmt.Errorf("want one of %s", strings.Join(p.Enum, ", "))
	case p.Pattern != "" && !patterns()[p.Pattern].MatchString(s):
		return fmt.Errorf("%q is no such name", s)
	}
	return nil
}
