// Package settings reads settings.yaml of the home: the flow, or the flows, and the model where nobody names one, which components may
// be used, and how long runs are kept.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"pflow/engine/journal"
	"pflow/internal/diag"
	"pflow/internal/home"
	"pflow/internal/secret"
	"pflow/internal/yamltree"
)

// File is the name of the settings in the home.
const File = "settings.yaml"

// Settings are what settings.yaml says. What it does not say is the default.
//
//	flow: planner-offline        # the flow that plans
//	planner: {split: {planner-offline: 90, mine: 10}, stop: losing}  # or several, and the one that loses gets no more requests
//	model: openai/gpt-4.1-mini   # the model where a flow names none
//	allow: ["*-file", "list-*"]  # the only components there are; see Rule
//	deny: [shell, {effect: network}, {path: ~/.ssh}]
//	retention: {runs: 200, days: 30, size: 1GB}
//	secrets:                     # where secrets come from that are not in the environment
//	  GITHUB_TOKEN: {command: [pass, show, github]}
//	  DEPLOY_KEY: {keyring: {service: deploy, user: me}}
//	agents:                      # the programs of agent nodes; the first is the default
//	  claude: {command: [claude, -p], env: [ANTHROPIC_API_KEY]}
type Settings struct {
	Flow, Model string
	Planner     Planner
	Allow, Deny []Rule // nil: not set
	Retention   journal.Retention
	Secrets     []secret.Mapping
	Agents      []Agent               // DefaultAgents where the file names none
	Places      map[string]diag.Place // of each setting that the file has
}

// Default is what holds without a file.
func Default() *Settings {
	return &Settings{Retention: journal.DefaultRetention, Agents: DefaultAgents(), Places: map[string]diag.Place{}}
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
	d.Mapping(tree, "settings as a mapping: {flow, planner, model, allow, deny, retention, secrets, agents}", yamltree.Fields{
		"flow":    d.Text(&s.Flow),
		"planner": planners(d, &s.Planner),
		"model":   d.Text(&s.Model),
		"allow":   rules(d, &s.Allow),
		"deny":    rules(d, &s.Deny),
		"secrets": secrets(d, &s.Secrets),
		"agents": func(v *yamltree.Value) {
			s.Agents = nil
			agents(d, &s.Agents)(v)
		},
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
	if v := tree.Get("planner"); v != nil && s.Flow != "" && s.Planner.Split != nil {
		d.Report(v, yamltree.BadValue, "the flow at line %d and planner.split both say what plans: leave one out; --flow plans with one of them for once", s.Places["flow"].Line)
	}
	return s, d.Found
}

// UnknownComponent is the kind of the findings of Unknown.
const UnknownComponent = "unknown-component"

// Unknown warns of names in allow and deny that no component has. A pattern may stand for components that are still to
// come, a name that is misspelt turns off or on what nobody meant.
func (s *Settings) Unknown(names []string) diag.List {
	var found diag.List
	for _, r := range slices.Concat(s.Allow, s.Deny) {
		if r.Node == "" || strings.ContainsAny(r.Node, `*?[\`) || slices.Contains(names, r.Node) {
			continue
		}
		hint := "; pflow node list and pflow workflow list show those there are"
		if near := diag.Nearest(r.Node, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		found = append(found, diag.Finding{Severity: diag.Warning, Kind: UnknownComponent, Place: r.Place,
			Message: fmt.Sprintf("there is no component %q%s", r.Node, hint)})
	}
	return found
}
