package nodes

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// overrides matches the names of headers and query parameters by which servers take another method than that of the
// request.
var overrides = regexp.MustCompile(`(?i)^(x-http-method(-override)?|x-method-override|_method)$`)

// foreseeHTTP says whether a request deletes or replaces what the server has. The methods are those of the rows for curl
// and its like in node_shell_programs.yaml.
func foreseeHTTP(c nodetype.Call, pending []string) nodetype.Foreseen {
	if isPending(pending, "method") {
		return nodetype.Foreseen{Destroys: "its method is not known before it runs, and may be DELETE"}
	}
	if why := destroysMethod(c.Text("method")); why != "" {
		return nodetype.Foreseen{Destroys: why}
	}
	asked := map[string]any{}
	if u, err := url.Parse(c.Text("url")); err == nil {
		for name, values := range u.Query() {
			asked["url?"+name] = strings.Join(values, ",")
		}
	}
	for _, key := range []string{"headers", "params"} {
		for name, v := range c.Object(key) {
			asked[key+"."+name] = v
		}
	}
	for _, path := range value.SortedKeys(asked) {
		name := path[strings.IndexAny(path, ".?")+1:]
		if !overrides.MatchString(name) {
			continue
		}
		if isPending(pending, path) {
			return nodetype.Foreseen{Destroys: "the method that " + name + " asks for is not known before it runs, and may be DELETE"}
		}
		for _, method := range strings.FieldsFunc(ir.Text(asked[path]), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }) {
			if why := destroysMethod(method); why != "" {
				return nodetype.Foreseen{Destroys: why}
			}
		}
	}
	return nodetype.Foreseen{}
}

// destroysMethod says what a method does to what the server has, "" if it destroys nothing.
func destroysMethod(method string) string {
	switch method = strings.ToUpper(strings.TrimSpace(method)); method {
	case http.MethodDelete:
		return "DELETE deletes what the server has"
	case http.MethodPut, http.MethodPatch:
		return method + " replaces what the server has"
	}
	return ""
}
