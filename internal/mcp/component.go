package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/catalogue"
	"pflow/internal/diag"
	"pflow/internal/home"
	"pflow/internal/value"
	"pflow/ir"
)

// prefix begins the names of components that are tools: mcp.SERVER.TOOL.
const prefix = "mcp."

// Outputs of tools that do not say what they give.
const (
	TextOutput    = "text"    // all that it answered as text
	ContentOutput = "content" // all parts of the answer, as they came
	ResultOutput  = "result"  // the structured answer, where its parts have no names
)

var unnameable = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// ComponentName is what a tool is called as a component. Signs that no component's name can hold become _; which tool it is
// stands in the component.
func ComponentName(server, tool string) string {
	return prefix + server + "." + unnameable.ReplaceAllString(tool, "_")
}

// Unlisted is the kind of findings about servers whose tools are not known.
const Unlisted = "mcp-tools-unknown"

// Components are the tools of the servers of a home, as they were listed last. Nothing is started. Findings are warnings
// about servers and tools that are left out.
func Components(h home.Home) ([]*catalogue.Declared, diag.List) {
	servers, found, err := Servers(h)
	if err != nil {
		return nil, diag.List{{Severity: diag.Warning, Kind: Bad, Message: err.Error() + "; the tools of all MCP servers are left out"}}
	}
	var out []*catalogue.Declared
	for _, s := range servers {
		warn := func(format string, args ...any) {
			found = append(found, diag.Finding{Severity: diag.Warning, Kind: Unlisted, Message: fmt.Sprintf("the MCP server %s: ", s.Name) + fmt.Sprintf(format, args...)})
		}
		l, err := ReadListing(h, s.Name)
		switch {
		case err != nil:
			warn("%v; list its tools anew with: pflow mcp check %s", err, s.Name)
		case l == nil:
			warn("its tools are not known yet; list them with: pflow mcp check %s", s.Name)
		case l.Config != s.Digest():
			warn("it is started or reached otherwise than when its tools were listed; list them anew with: pflow mcp check %s", s.Name)
		default:
			out = append(out, l.Components()...)
		}
	}
	return out, found
}

// Components are the tools as components. Tools that cannot be one are left out; see Unusable.
func (l *Listing) Components() []*catalogue.Declared {
	out, _ := l.components()
	return out
}

// Unusable says of each tool that is no component why.
func (l *Listing) Unusable() []string {
	_, why := l.components()
	return append(append([]string{}, l.LeftOut...), why...)
}

func (l *Listing) components() (out []*catalogue.Declared, why []string) {
	taken := map[string]string{}
	for _, t := range l.Tools {
		name := ComponentName(l.Server, t.Name)
		if by, ok := taken[name]; ok {
			why = append(why, fmt.Sprintf("%q: as a component it would have the name of %q", t.Name, by))
			continue
		}
		taken[name] = t.Name
		s := schema{t.Input}
		props, odd := s.properties(t.Input)
		if len(odd) > 0 {
			why = append(why, fmt.Sprintf("%q: it requires a property whose name cannot be shown: %q", t.Name, cut(odd[0], 60)))
			continue
		}
		i := &ir.Interface{Name: name, Description: t.Description, Effects: t.effects(), Origin: "MCP server " + l.Server}
		for _, p := range props {
			port := s.port(p)
			if port.Structure != nil { // planners are told what is inside an output; of an input its words say it
				port.Description = strings.TrimSpace(port.Description + " Of the form " + cut(port.Structure.String(), maxShown) + ".")
			}
			if port.Required {
				i.Inputs = append(i.Inputs, port)
			} else {
				i.Params = append(i.Params, port)
			}
		}
		i.OpenParams = open(s.resolved(t.Input), len(props))
		i.Outputs = t.outputs()
		out = append(out, &catalogue.Declared{Interface: i, Run: &catalogue.Run{By: "mcp", Spec: map[string]any{
			"server": l.Server, "tool": t.Name, "config": l.Config, "form": t.Digest(),
		}}})
	}
	return out, why
}

// open reports whether a schema takes properties that it does not name, and is meant to: nearly all schemas take any, because
// nobody said that they do not.
func open(of map[string]any, named int) bool {
	switch more := of["additionalProperties"].(type) {
	case bool:
		return more
	case map[string]any:
		return true
	}
	return named == 0 && of["properties"] == nil && of["type"] == "object" && of["patternProperties"] != nil
}

// outputs are what a tool gives: the parts of its structured answer, or text.
func (t *Tool) outputs() []ir.Port {
	if t.Output == nil {
		return []ir.Port{
			{Key: TextOutput, Type: value.String, Description: "All that the tool answered as text."},
			{Key: ContentOutput, Type: value.Array, Description: "All parts of the answer.", Structure: contentStructure},
		}
	}
	s := schema{t.Output}
	if props, odd := s.properties(t.Output); len(props) > 0 && len(odd) == 0 {
		out := make([]ir.Port, len(props))
		for i, p := range props {
			out[i] = s.port(p)
			out[i].Required, out[i].Default, out[i].Enum = false, nil, nil // of what is given, not of what is taken
		}
		return out
	}
	whole := s.port(property{name: ResultOutput, schema: t.Output})
	whole.Default, whole.Enum = nil, nil
	return []ir.Port{whole}
}

var contentStructure = ir.MustStructure([]any{map[string]any{"type": map[string]any{"type": "string", "description": "text, image, audio, resource_link or resource"}}})

// effects are those that the hints state. What is not said is the worst: that the tool destroys, and reaches out.
func (t *Tool) effects() []ir.Effect {
	h := t.Hints
	var out []ir.Effect
	if h.ReadOnly {
		out = append(out, ir.Reads)
	} else {
		out = append(out, ir.Writes)
	}
	if h.OpenWorld == nil || *h.OpenWorld {
		out = append(out, ir.Network)
	}
	if !h.ReadOnly && (h.Destructive == nil || *h.Destructive) {
		out = append(out, ir.Destructive)
	}
	if h.ReadOnly || h.Idempotent { // what changes nothing may be done twice
		out = append(out, ir.Idempotent)
	}
	return out
}

// Target is what a declaration with run: {mcp: {server, tool}} calls.
type Target struct {
	Server, Tool string
	Config, Form string         // digests of the server and of the tool, as they were when it was planned; "": any
	Arguments    map[string]any // templates over the params of the node; nil: the params themselves
}

// ReadTarget reads what stands under mcp.
func ReadTarget(spec any) (Target, error) {
	m, ok := spec.(map[string]any)
	if !ok {
		return Target{}, fmt.Errorf("want {server: NAME, tool: NAME}, and arguments if they are not the params of the node")
	}
	var t Target
	for _, k := range value.SortedKeys(m) {
		text, isText := m[k].(string)
		to := map[string]*string{"server": &t.Server, "tool": &t.Tool, "config": &t.Config, "form": &t.Form}[k]
		switch {
		case k == "arguments":
			if t.Arguments, ok = m[k].(map[string]any); !ok {
				return t, fmt.Errorf("arguments: want an object, got %s", value.Describe(m[k]))
			}
		case to == nil:
			names := []string{"arguments", "server", "tool"}
			hint := "; it may have " + strings.Join(names, ", ")
			if near := diag.Nearest(k, names); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			return t, fmt.Errorf("there is no key %q here%s", k, hint)
		case !isText || text == "":
			return t, fmt.Errorf("%s: want text, got %s", k, value.Describe(m[k]))
		default:
			*to = text
		}
	}
	if t.Server == "" || t.Tool == "" {
		return t, fmt.Errorf("want a server and a tool: {server: NAME, tool: NAME}")
	}
	return t, nil
}

// Destroys says why a tool counts as one that destroys; "" if it is said to destroy nothing.
func (h *Host) Destroys(t Target) string {
	l, err := ReadListing(h.Home, t.Server)
	tool := l.Tool(t.Tool)
	switch {
	case err != nil || tool == nil:
		return "what the tool does is not known"
	case slices.Contains(tool.effects(), ir.Destructive):
		return "the tool may destroy"
	}
	return ""
}
