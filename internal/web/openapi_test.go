package web

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEndpoints: each endpoint says all that a route and a command line of it need, and no more.
func TestEndpoints(t *testing.T) {
	all := Endpoints()
	names, routes := map[string]bool{}, map[string]bool{}
	for i := range all {
		e := &all[i]
		if names[e.Name] || routes[e.Method+" "+e.Path] || !regexp.MustCompile(`^[a-z][a-zA-Z]+$`).MatchString(e.Name) {
			t.Errorf("%s %s %s is there twice, or is no name", e.Name, e.Method, e.Path)
		}
		names[e.Name], routes[e.Method+" "+e.Path] = true, true
		if e.Summary == "" || strings.HasSuffix(e.Summary, ".") || !strings.HasPrefix(e.Path, "/api/v1/") {
			t.Errorf("%s: want a summary without a full stop, and a path below /api/v1/: %q, %s", e.Name, e.Summary, e.Path)
		}
		used := map[string]bool{e.Stdin: true}
		ended := false
		for _, part := range e.Args {
			ended = ended || part == "--"
			m := hole.FindStringSubmatch(part)
			if m == nil {
				continue
			}
			used[m[1]] = true
			p := slices.IndexFunc(e.Params, func(p Param) bool { return p.Name == m[1] })
			if p < 0 {
				t.Errorf("%s: %s names no parameter", e.Name, part)
				continue
			}
			canBeFlag := e.Params[p].Pattern == "" || e.Params[p].text("-a") == nil || e.Params[p].text("--all") == nil || e.Params[p].text("--a=b") == nil
			if !strings.HasPrefix(part, "--") && !ended && canBeFlag {
				t.Errorf("%s: %s could become a flag: it stands before --", e.Name, part)
			}
			want := map[string]string{"": "", "...": "strings", "=": "object"}[m[2]]
			if strings.Contains(part, "?{") {
				want = "boolean"
			}
			if want != "" && e.Params[p].Type != want {
				t.Errorf("%s: %s of a parameter that is %s", e.Name, part, e.Params[p].Type)
			}
		}
		for _, p := range e.Params {
			in := map[string]bool{"path": strings.Contains(e.Path, "{"+p.Name+"}"), "query": true, "body": e.Changes()}[p.In]
			known := slices.Contains([]string{"string", "integer", "boolean", "strings", "object", "text", "json"}, p.Type)
			if !used[p.Name] || !in || !known {
				t.Errorf("%s: the parameter %s: used %v, in %s, a %s", e.Name, p.Name, used[p.Name], p.In, p.Type)
			}
			if _, err := regexp.Compile(p.Pattern); err != nil {
				t.Errorf("%s: %s: %v", e.Name, p.Name, err)
			}
		}
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(e.Path, -1) {
			if !slices.ContainsFunc(e.Params, func(p Param) bool { return p.Name == m[1] && p.In == "path" }) {
				t.Errorf("%s: the path names %s, which is no parameter", e.Name, m[1])
			}
		}
	}
}

// TestOpenAPI: the description of the API holds together: every reference leads somewhere, names are there once, and each call says how it
// is answered.
func TestOpenAPI(t *testing.T) {
	text, err := OpenAPI("1")
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(v any, at string)
	walk = func(v any, at string) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				if ref, ok := inner.(string); ok && key == "$ref" {
					if !resolves(document, ref) {
						t.Errorf("%s: %s leads nowhere", at, ref)
					}
					continue
				}
				walk(inner, at+"/"+key)
			}
		case []any:
			for _, inner := range v {
				walk(inner, at)
			}
		}
	}
	walk(document, "")
	ids := map[string]bool{}
	operations := 0
	for path, item := range document["paths"].(map[string]any) {
		for method, o := range item.(map[string]any) {
			op := o.(map[string]any)
			operations++
			id, _ := op["operationId"].(string)
			if ids[id] || id == "" || op["summary"] == "" {
				t.Errorf("%s %s: the operation %q is there twice, or has no name", method, path, id)
			}
			ids[id] = true
			said := map[string]bool{}
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				p := p.(map[string]any)
				name, in := p["name"].(string), p["in"].(string)
				if said[in+name] || p["schema"] == nil || in == "path" && p["required"] != true {
					t.Errorf("%s: the parameter %v", id, p)
				}
				said[in+name] = true
			}
			for _, m := range regexp.MustCompile(`\{([^}]+)\}`).FindAllStringSubmatch(path, -1) {
				if !said["path"+m[1]] {
					t.Errorf("%s %s: %s is not described", method, path, m[1])
				}
			}
			responses, _ := op["responses"].(map[string]any)
			if responses["200"] == nil || responses["default"] == nil {
				t.Errorf("%s: answers %v", id, responses)
			}
		}
	}
	if want := len(Endpoints()) + len(OwnCalls()); operations != want {
		t.Errorf("%d operations of %d calls", operations, want)
	}
	for _, route := range New(Options{}).Routes() { // what is answered is described
		method, path, _ := strings.Cut(route, " ")
		if at, _ := document["paths"].(map[string]any)[path].(map[string]any); strings.HasPrefix(path, "/api/") && at[strings.ToLower(method)] == nil {
			t.Errorf("%s is not described", route)
		}
	}
}

func resolves(document any, ref string) bool {
	parts := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
	for _, part := range parts {
		m, ok := document.(map[string]any)
		if !ok {
			return false
		}
		document, ok = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		if !ok {
			return false
		}
	}
	return strings.HasPrefix(ref, "#/")
}
