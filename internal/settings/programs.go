package settings

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/secret"
	"pflow/internal/yamltree"
)

// Agent is a program that agent nodes hand prompts to, on its standard input.
type Agent struct {
	Name    string
	Command []string // the program and its arguments; no shell reads them
	Env     []string // the keys and secrets that it is given, by the names of their variables
	Place   diag.Place
}

// DefaultAgents are those where the settings name none.
func DefaultAgents() []Agent { return []Agent{{Name: "claude", Command: []string{"claude", "-p"}}} }

var (
	variable  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
)

const wantVariable = "want the name of an environment variable, such as GITHUB_TOKEN; secrets themselves are never written here"

// secrets reads where secrets come from that are not in the environment. The values of what is wrong are not shown: whoever
// makes a mistake here may have written the secret itself.
func secrets(d *yamltree.Decoder, to *[]secret.Mapping) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if v.Kind != yamltree.Map {
			d.Report(&yamltree.Value{Place: v.Place}, yamltree.WrongKind, "want the names of secrets with where each comes from, as in {GITHUB_TOKEN: {command: [pass, show, github]}}")
			return
		}
		for _, e := range v.Entries {
			m := secret.Mapping{Name: e.Key, Place: e.KeyPlace}
			at := &yamltree.Value{Place: e.Value.Place}
			switch {
			case !variable.MatchString(e.Key):
				d.Report(&yamltree.Value{Place: e.KeyPlace}, yamltree.BadValue, wantVariable)
				continue
			case e.Value.Kind != yamltree.Map || slices.ContainsFunc(e.Value.Entries, func(inner yamltree.Entry) bool { return inner.Key != "command" && inner.Key != "keyring" }):
				d.Report(at, yamltree.WrongKind, "want {command: [PROGRAM, …]} or {keyring: {service, user}}; secrets themselves are never written here")
				continue
			}
			keyring, program := e.Value.Get("keyring") != nil, e.Value.Get("command") != nil
			d.Mapping(e.Value, "{command} or {keyring}", yamltree.Fields{
				"command": command(d, &m.Command),
				"keyring": func(v *yamltree.Value) {
					d.Mapping(v, "an entry of the keyring: {service, user}", yamltree.Fields{"service": d.Text(&m.Service), "user": d.Text(&m.User)})
				},
			})
			switch {
			case keyring == program:
				d.Report(at, yamltree.BadValue, "want one of command and keyring")
			case keyring && (m.Service == "" || m.User == ""):
				d.Report(at, yamltree.MissingKey, "an entry of the keyring has a service and a user")
			case !program || m.Command != nil:
				*to = append(*to, m)
			}
		}
	}
}

// agents reads the programs of agent nodes. The first is the one where a node names none.
func agents(d *yamltree.Decoder, to *[]Agent) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		d.Named(v, "agents by name, as in {claude: {command: [claude, -p]}}", func(e yamltree.Entry) {
			a := Agent{Name: e.Key, Place: e.KeyPlace}
			if !agentName.MatchString(e.Key) {
				d.Report(e.Name, yamltree.BadValue, "want the name of an agent: letters, digits, _, . and -")
				return
			}
			d.Mapping(e.Value, "an agent: {command, env}", yamltree.Fields{
				"command": command(d, &a.Command),
				"env": func(v *yamltree.Value) {
					d.Each(v, "a list of environment variables, as in [ANTHROPIC_API_KEY]", func(item *yamltree.Value) {
						if item.Kind != yamltree.String || !variable.MatchString(item.Text) {
							d.Report(&yamltree.Value{Place: item.Place}, yamltree.BadValue, wantVariable)
							return
						}
						a.Env = append(a.Env, item.Text)
					})
				},
			})
			if e.Value.Kind == yamltree.Map && e.Value.Get("command") == nil {
				d.Report(&yamltree.Value{Place: e.KeyPlace}, yamltree.MissingKey, "an agent needs a command, as in [claude, -p]")
			}
			if a.Command != nil {
				*to = append(*to, a)
			}
		})
	}
}

// command reads a program and its arguments. A program is found on the PATH or named by an absolute path: in the working
// directory may lie a stranger's.
func command(d *yamltree.Decoder, to *[]string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		var words []string
		d.Each(v, "a program and its arguments, as in [pass, show, github]", func(item *yamltree.Value) {
			var word string
			d.Written(&word)(item)
			words = append(words, word)
		})
		if v.Kind != yamltree.Seq {
			return
		}
		switch {
		case len(words) == 0 || strings.TrimSpace(words[0]) == "":
			d.Report(v, yamltree.BadValue, "want a program and its arguments, as in [pass, show, github]")
		case strings.ContainsAny(words[0], `/\`) && !filepath.IsAbs(words[0]) && !strings.HasPrefix(words[0], "~/"):
			d.Report(v.Items[0], yamltree.BadValue, "want a program of the PATH, or an absolute path or one that begins with ~/: the working directory may be a stranger's")
		default:
			*to = words
		}
	}
}
