// Package settings reads settings.yaml of the home: the flow and the model where nobody names one, which components may
// be used, and how long runs are kept.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"pflow/engine/journal"
	"pflow/internal/diag"
	"pflow/internal/home"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// File is the name of the settings in the home.
const File = "settings.yaml"

// Settings are what settings.yaml says. What it does not say is the default.
//
//	flow: planner-offline        # the flow that plans
//	model: openai/gpt-4.1-mini   # the model where a flow names none
//	allow: ["*-file", "list-*"]  # the only components there are; a pattern's * stands for any letters
//	deny: [shell]                # components there are not
//	retention: {runs: 200, days: 30, size: 1GB}
type Settings struct {
	Flow, Model string
	Allow, Deny []Pattern // nil: not set
	Retention   journal.Retention
	Places      map[string]diag.Place // of each setting that the file has
}

// Pattern is a name of components, or a pattern such as github-*, and where it stands.
type Pattern struct {
	Text  string
	Place diag.Place
}

// Default is what holds without a file.
func Default() *Settings {
	return &Settings{Retention: journal.DefaultRetention, Places: map[string]diag.Place{}}
}

// Read reads the settings of a home. The error is a *diag.Err, or of the file; whoever relies on a setting must not go on
// then. What it gives beside an error is the defaults.
func Read(h home.Home) (*Settings, error) {
	file := h.Path(File)
	if file == "" {
		return Default(), nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Default(), nil
	}
	if err != nil {
		return Default(), err
	}
	s, found := Parse(file, data)
	if err := found.Err(); err != nil {
		return Default(), err
	}
	return s, nil
}

// maxKept bounds the numbers of retention, so that days fit a time.Duration and sizes fit 64 bits.
const maxKept = 100_000

// Parse reads the text of settings; file names it in findings.
func Parse(file string, data []byte) (*Settings, diag.List) {
	s := Default()
	tree, found := yamltree.Parse(file, data)
	if found.HasErrors() || tree.Kind == yamltree.Null {
		return s, found
	}
	d := &yamltree.Decoder{Found: found}
	d.Mapping(tree, "settings as a mapping: {flow, model, allow, deny, retention}", yamltree.Fields{
		"flow":  d.Text(&s.Flow),
		"model": d.Text(&s.Model),
		"allow": patterns(d, &s.Allow),
		"deny":  patterns(d, &s.Deny),
		"retention": func(v *yamltree.Value) {
			days := int(s.Retention.Age / (24 * time.Hour))
			d.Mapping(v, "{runs, days, size}", yamltree.Fields{
				"runs": d.Within(&s.Retention.Runs, 0, maxKept), "days": d.Within(&days, 0, maxKept), "size": size(d, &s.Retention.Bytes),
			})
			s.Retention.Age = time.Duration(days) * 24 * time.Hour
		},
	})
	for _, e := range tree.Entries {
		s.Places[e.Key] = e.KeyPlace
	}
	return s, d.Found
}

// patterns reads a list of patterns over names of components.
func patterns(d *yamltree.Decoder, to *[]Pattern) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		*to = []Pattern{}
		d.Each(v, `a list of components, as in [shell, "github-*"]`, func(item *yamltree.Value) {
			text, ok := item.Scalar.(string)
			if _, err := path.Match(text, ""); !ok || text == "" || err != nil {
				d.Report(item, yamltree.BadValue, "want the name of a component, or a pattern such as github-*")
				return
			}
			*to = append(*to, Pattern{text, item.Place})
		})
	}
}

// Refuses gives the place and name of the setting by which a component is not to be used, or "". allow is about node
// types: saved workflows are made of them.
func (s *Settings) Refuses(i *ir.Interface) string {
	switch {
	case matchesAny(s.Deny, i.Name):
		return fmt.Sprintf("%s (deny)", s.Places["deny"])
	case s.Allow != nil && !i.Workflow && !matchesAny(s.Allow, i.Name):
		return fmt.Sprintf("%s (allow)", s.Places["allow"])
	}
	return ""
}

func matchesAny(patterns []Pattern, name string) bool {
	return slices.ContainsFunc(patterns, func(p Pattern) bool {
		ok, _ := path.Match(p.Text, name)
		return ok
	})
}

// UnknownComponent is the kind of the findings of Unknown.
const UnknownComponent = "unknown-component"

// Unknown warns of names in allow and deny that no component has. A pattern may stand for components that are still to
// come, a name that is misspelt turns off or on what nobody meant.
func (s *Settings) Unknown(names []string) diag.List {
	var found diag.List
	for _, p := range slices.Concat(s.Allow, s.Deny) {
		if strings.ContainsAny(p.Text, `*?[\`) || slices.Contains(names, p.Text) {
			continue
		}
		hint := "; pflow node list and pflow workflow list show those there are"
		if near := diag.Nearest(p.Text, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		found = append(found, diag.Finding{Severity: diag.Warning, Kind: UnknownComponent, Place: p.Place,
			Message: fmt.Sprintf("there is no component %q%s", p.Text, hint)})
	}
	return found
}
