package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"pflow/engine/journal"
	"pflow/internal/diag"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// settings are what settings.yaml in the home says. What it does not say is the default.
//
//	flow: planner-offline        # the flow that plans
//	model: openai/gpt-4.1-mini   # the model where a flow names none
//	allow: ["*-file", "list-*"]  # the only components there are; a pattern's * stands for any letters
//	deny: [shell]                # components there are not
//	retention: {runs: 200, days: 30}
type settings struct {
	Flow, Model string
	Allow, Deny []pattern // nil: not set
	Retention   journal.Retention
	Places      map[string]diag.Place // of each setting that the file has
}

// pattern is a name of components, or a pattern such as github-*, and where it stands.
type pattern struct {
	Text  string
	Place diag.Place
}

// settingNames are the keys of the file.
var settingNames = []string{"allow", "deny", "flow", "model", "retention"}

// settingsFile is where the settings are; "" without a home.
func (a *app) settingsFile() string {
	if a.homeDir() == "" {
		return ""
	}
	return filepath.Join(a.homeDir(), "settings.yaml")
}

// settings reads settings.yaml once. With an error the defaults hold, and whoever relies on one of the settings must not go on.
func (a *app) settings() (*settings, error) {
	a.settingsOnce.Do(func() { a.settingsGot, a.settingsErr = readSettings(a.settingsFile()) })
	return a.settingsGot, a.settingsErr
}

func readSettings(file string) (*settings, error) {
	defaults := &settings{Retention: journal.DefaultRetention}
	data, err := os.ReadFile(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return defaults, nil
	}
	if err != nil {
		return defaults, usage("%s", fileError(err))
	}
	tree, found := yamltree.Parse(file, data)
	if err := found.Err(); err != nil {
		return defaults, usage("%s", strings.TrimSpace(err.Error()))
	}
	s := &settings{Retention: journal.DefaultRetention, Places: map[string]diag.Place{}}
	if err := s.read(tree); err != nil {
		return defaults, usage("%v", err)
	}
	return s, nil
}

func (s *settings) read(tree *yamltree.Value) error {
	if tree.Kind != yamltree.Map && tree.Kind != yamltree.Null {
		return fmt.Errorf("%s: want settings as a mapping, got %s", tree.Place, tree.Kind)
	}
	for _, e := range tree.Entries {
		s.Places[e.Key] = e.KeyPlace
		var err error
		switch e.Key {
		case "flow":
			s.Flow, err = settingText(e)
		case "model":
			s.Model, err = settingText(e)
		case "allow":
			s.Allow, err = settingPatterns(e)
		case "deny":
			s.Deny, err = settingPatterns(e)
		case "retention":
			err = s.readRetention(e.Value)
		default:
			hint := didYouMean(e.Key, settingNames)
			if hint == "" {
				hint = "; there are: " + strings.Join(settingNames, ", ")
			}
			err = fmt.Errorf("%s: there is no setting %q%s", e.KeyPlace, e.Key, hint)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func settingText(e yamltree.Entry) (string, error) {
	text, ok := e.Value.Scalar.(string)
	if !ok || text == "" {
		return "", fmt.Errorf("%s: %s: want a name", e.Value.Place, e.Key)
	}
	return text, nil
}

// settingPatterns reads a list of patterns over names of components.
func settingPatterns(e yamltree.Entry) ([]pattern, error) {
	if e.Value.Kind != yamltree.Seq {
		return nil, fmt.Errorf("%s: %s: want a list of components, as in [shell, \"github-*\"]", e.Value.Place, e.Key)
	}
	out := []pattern{}
	for _, item := range e.Value.Items {
		text, ok := item.Scalar.(string)
		if _, err := path.Match(text, ""); !ok || text == "" || err != nil {
			return nil, fmt.Errorf("%s: %s: want the name of a component, or a pattern such as github-*", item.Place, e.Key)
		}
		out = append(out, pattern{text, item.Place})
	}
	return out, nil
}

func (s *settings) readRetention(v *yamltree.Value) error {
	if v.Kind != yamltree.Map {
		return fmt.Errorf("%s: retention: want {runs: N, days: N}", v.Place)
	}
	for _, e := range v.Entries {
		n, ok := e.Value.Scalar.(int)
		switch {
		case e.Key != "runs" && e.Key != "days":
			return fmt.Errorf("%s: retention has no key %q; it has: days, runs", e.KeyPlace, e.Key)
		case !ok || n < 0 || n > maxKept:
			return fmt.Errorf("%s: retention.%s: want a whole number from 0 to %d", e.Value.Place, e.Key, maxKept)
		case e.Key == "runs":
			s.Retention.Runs = n
		default:
			s.Retention.Age = time.Duration(n) * 24 * time.Hour
		}
	}
	return nil
}

// maxKept bounds both settings of retention, so that days fit a time.Duration.
const maxKept = 100_000

// refuses gives the place and name of the setting by which a component is not to be used, or "". allow is about node
// types: saved workflows are made of them.
func (s *settings) refuses(i *ir.Interface) string {
	switch {
	case matchesAny(s.Deny, i.Name):
		return fmt.Sprintf("%s (deny)", s.Places["deny"])
	case s.Allow != nil && !i.Workflow && !matchesAny(s.Allow, i.Name):
		return fmt.Sprintf("%s (allow)", s.Places["allow"])
	}
	return ""
}

func matchesAny(patterns []pattern, name string) bool {
	return slices.ContainsFunc(patterns, func(p pattern) bool {
		ok, _ := path.Match(p.Text, name)
		return ok
	})
}

// unknown warns of names in allow and deny that no component has. A pattern may stand for components that are still to
// come, a name that is misspelt turns off or on what nobody meant.
func (s *settings) unknown(names []string) diag.List {
	var found diag.List
	for _, p := range slices.Concat(s.Allow, s.Deny) {
		if strings.ContainsAny(p.Text, `*?[\`) || slices.Contains(names, p.Text) {
			continue
		}
		hint := didYouMean(p.Text, names)
		if hint == "" {
			hint = "; pflow node list and pflow workflow list show those there are"
		}
		found = append(found, diag.Finding{Severity: diag.Warning, Kind: unknownComponent, Place: p.Place,
			Message: fmt.Sprintf("there is no component %q%s", p.Text, hint)})
	}
	return found
}

// unknownComponent is the kind of the findings about settings.
const unknownComponent = "unknown-component"
