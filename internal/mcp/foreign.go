package mcp

import (
	"fmt"
	"regexp"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Found is one server in the file of another client.
type Found struct {
	Server *Server
	Notes  []string // what of it is another than it was there, or is left out
	Err    error    // why it cannot be taken over; nil: it can
}

// Foreign reads the servers in the configuration of another client: what stands under mcpServers, or under servers as
// others call it. Values of variables and headers are not taken over; variables of their names stand for them.
func Foreign(data []byte) ([]Found, error) {
	doc, err := value.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	top, _ := doc.(map[string]any)
	if inner, ok := top["mcp"].(map[string]any); ok && top[section] == nil {
		top = inner
	}
	entries, ok := top[section].(map[string]any)
	if !ok {
		entries, ok = top["servers"].(map[string]any)
	}
	if !ok {
		return nil, fmt.Errorf(`there are no servers in it: want {"%s": {NAME: {"command": …} or {"url": …}}}`, section)
	}
	out := []Found{}
	for _, name := range value.SortedKeys(entries) {
		out = append(out, foreign(name, entries[name]))
	}
	return out, nil
}

var (
	unfitName    = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	otherSyntax  = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)
	askedFor     = regexp.MustCompile(`\$\{input:([^}]+)\}`)
	schemeOfAuth = regexp.MustCompile(`(?i)^(Bearer|Basic|Token) `)
)

func foreign(name string, entry any) Found {
	var f Found
	note := func(format string, args ...any) { f.Notes = append(f.Notes, fmt.Sprintf(format, args...)) }
	m, ok := entry.(map[string]any)
	if !ok {
		return Found{Server: &Server{Name: name}, Err: fmt.Errorf("want an object, got %s", value.Describe(entry))}
	}
	own := map[string]any{}
	var left []string
	for _, k := range value.SortedKeys(m) {
		switch k {
		case "disabled":
			if m[k] == true {
				f.Err = fmt.Errorf("it is turned off there")
			}
		case "type", "transport":
			if text, _ := m[k].(string); text == "sse" {
				f.Err = fmt.Errorf("it is reached by the old way of server-sent events (sse), which is not known here; add the address of its streamable HTTP endpoint by --url")
			}
		case "command", "args", "env", "url", "headers":
			own[k] = m[k]
		case "serverUrl", "httpUrl":
			own["url"] = m[k]
		default:
			left = append(left, k)
		}
	}
	if len(left) > 0 {
		note("left out, for pflow knows nothing of it: %s", diag.Names(left, 10))
	}
	if t, ok := own["command"].(string); ok && t == "" {
		delete(own, "command")
	}
	s, err := read(name, own)
	if err != nil {
		return Found{Server: &Server{Name: name}, Err: err}
	}
	if fit := strings.Trim(unfitName.ReplaceAllString(name, "-"), "-"); fit != name {
		s.Name = fit
		note("it is called %s here", fit)
	}
	f.Server = s
	text := func(t string) string {
		t = otherSyntax.ReplaceAllStringFunc(t, func(ref string) string {
			p := otherSyntax.FindStringSubmatch(ref)
			if p[2] != "" {
				note("%s has no default here: set the environment variable %s", p[1], p[1])
			}
			return "${" + p[1] + "}"
		})
		return askedFor.ReplaceAllStringFunc(t, func(ref string) string {
			v := VariableFor(s.Name, askedFor.FindStringSubmatch(ref)[1])
			note("nothing is asked here: set the environment variable %s", v)
			return "${" + v + "}"
		})
	}
	for i := range s.Args {
		s.Args[i] = text(s.Args[i])
	}
	s.URL = text(s.URL)
	for _, k := range value.SortedKeys(s.Env) {
		if s.Env[k] = text(s.Env[k]); !reference.MatchString(s.Env[k]) {
			s.Env[k] = "${" + k + "}"
			note("the value of env.%s is not kept: set the environment variable %[1]s", k)
		}
	}
	for _, k := range value.SortedKeys(s.Headers) {
		if s.Headers[k] = text(s.Headers[k]); !reference.MatchString(s.Headers[k]) {
			v := VariableFor(s.Name, k)
			s.Headers[k] = schemeOfAuth.FindString(s.Headers[k]) + "${" + v + "}"
			note("the value of headers.%s is not kept: set the environment variable %s to what stands in %s", k, v, s.Headers[k])
		}
	}
	if f.Err == nil {
		f.Err = s.Check()
	}
	return f
}
