package workflow

import (
	"maps"
	"regexp"
	"strings"

	"pflow/ir"
)

// wholeInput is a param that is one template of one name.
var wholeInput = regexp.MustCompile(`^\$(?:\{([A-Za-z0-9_-]+)\}|([A-Za-z0-9_]+))$`)

// pathInputs are the inputs of a workflow that some node takes whole as a path.
func pathInputs(w *ir.Workflow) map[string]bool {
	out := map[string]bool{}
	for _, n := range w.Nodes {
		for key, param := range n.Params {
			if !isPath(key) {
				continue
			}
			list, ok := param.([]any)
			if !ok {
				list = []any{param}
			}
			for _, v := range list {
				if text, ok := v.(string); ok {
					if m := wholeInput.FindStringSubmatch(text); m != nil {
						out[m[1]+m[2]] = true
					}
				}
			}
		}
	}
	return out
}

// AtHome gives values with the home folder in place of ~ and of ~/ at the beginning of those that are paths, as shells do: so they
// are shown as what they are, and every program can open them. Without a home folder they stay as they are.
func AtHome(w *ir.Workflow, values map[string]any, home string) map[string]any {
	out := maps.Clone(values)
	for name := range pathInputs(w) {
		if v, given := out[name]; given {
			out[name] = atHome(v, home)
		}
	}
	return out
}

// atHome is a path, or a list of them.
func atHome(v any, home string) any {
	switch v := v.(type) {
	case string:
		if home != "" && (v == "~" || strings.HasPrefix(v, "~/")) {
			return strings.TrimSuffix(home, "/") + v[1:]
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = atHome(v[i], home)
		}
		return out
	}
	return v
}
