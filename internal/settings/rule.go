package settings

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// Rule is one item of allow or deny. It names one of:
//
//	shell, "github-*"      a component, or a pattern in which * stands for any letters
//	{effect: network}      components by what they do to the world; see ir.Effects
//	{server: github}       the tools of an MCP server
//	{path: ~/.ssh}         files and folders by where they lie
//
// deny wins over allow. What is allowed by component, effect or server is the only thing there is; an effect allows the
// components that have no other effect than those allowed. Paths are a matter of their own: allow and deny paths say nothing
// of components, and the others nothing of paths.
type Rule struct {
	Node   string
	Effect ir.Effect
	Server string
	Path   string
	Place  diag.Place
}

// String is a rule as it is written.
func (r Rule) String() string {
	switch {
	case r.Effect != "":
		return "{effect: " + string(r.Effect) + "}"
	case r.Server != "":
		return "{server: " + r.Server + "}"
	case r.Path != "":
		return "{path: " + r.Path + "}"
	}
	return r.Node
}

// rules reads a list of rules.
func rules(d *yamltree.Decoder, to *[]Rule) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		*to = []Rule{}
		d.Each(v, `a list of rules, as in [shell, "github-*", {effect: network}]`, func(item *yamltree.Value) {
			r := Rule{Place: item.Place}
			if item.Kind == yamltree.Map {
				effects := ir.Effects()
				names := make([]string, len(effects))
				for i, e := range effects {
					names[i] = string(e)
				}
				d.Mapping(item, "a component, or {effect}, {server} or {path}", yamltree.Fields{
					"effect": d.OneOf((*string)(&r.Effect), names...), "server": d.Text(&r.Server), "path": d.Text(&r.Path),
				})
				if len(item.Entries) != 1 {
					d.Report(item, yamltree.BadValue, "want one of effect, server and path: each rule says one thing")
					return
				}
				*to = append(*to, r)
				return
			}
			text, ok := item.Scalar.(string)
			if _, err := path.Match(text, ""); !ok || text == "" || err != nil {
				d.Report(item, yamltree.BadValue, "want the name of a component, a pattern such as github-*, or {effect: …}, {server: …} or {path: …}")
				return
			}
			r.Node = text
			*to = append(*to, r)
		})
	}
}

// toolPrefix begins the names of the tools of MCP servers, mcp.SERVER.TOOL.
const toolPrefix = "mcp."

// denies reports whether a rule of deny is about a component.
func (r Rule) denies(i *ir.Interface) bool {
	switch {
	case r.Effect != "":
		return i.Has(r.Effect)
	case r.Server != "":
		return strings.HasPrefix(i.Name, toolPrefix+r.Server+".")
	case r.Path != "":
		return false
	}
	ok, _ := path.Match(r.Node, i.Name)
	return ok
}

// Refuses gives the place and the rule by which a component is not to be used, or "". allow is about node types: saved
// workflows are made of them.
func (s *Settings) Refuses(i *ir.Interface) string {
	for _, r := range s.Deny {
		if r.denies(i) {
			return fmt.Sprintf("%s (deny %s)", r.Place, r)
		}
	}
	if s.Allow == nil || i.Workflow {
		return ""
	}
	var effects []ir.Effect
	only := len(s.Allow) == 0 // nothing is allowed
	for _, r := range s.Allow {
		switch {
		case r.Path != "":
			continue
		case r.Effect != "":
			effects = append(effects, r.Effect)
		case r.denies(i): // the same question
			return ""
		}
		only = true
	}
	if !only || effects != nil && !slices.ContainsFunc(i.Effects, func(e ir.Effect) bool { return e != ir.Idempotent && !slices.Contains(effects, e) }) {
		return ""
	}
	return fmt.Sprintf("%s (allow)", s.Places["allow"])
}

// RefusesDestruction gives the rule by which nothing may be destroyed, or "": also not by a component that only some of
// its uses make destructive, such as a shell command.
func (s *Settings) RefusesDestruction() string {
	for _, r := range s.Deny {
		if r.Effect == ir.Destructive {
			return fmt.Sprintf("%s (deny %s)", r.Place, r)
		}
	}
	return ""
}
