package workflow

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// Given is what a run is given.
type Given struct {
	Values map[string]any
	Stdin  *string // the piped text; nil: nothing is piped

	// Elsewhere says that other processes carry the run out: whether a secret can be had is theirs to see.
	Elsewhere bool

	handed bool           // by a calling workflow: secrets are settled by it
	env    map[string]any // for a called workflow: the environment as it was when the run began
}

// ParseInput reads the text of an input as its type says: a string stays as it is, of any other type the text is JSON.
// Keys of an object may lack their quotes, which a shell takes away.
func ParseInput(in ir.Input, text string) (any, error) {
	if in.Type == value.Any {
		if v, err := value.ParseJSON([]byte(text)); err == nil {
			return v, nil
		}
		return text, nil
	}
	v, err := ir.Coerce(in.Type, text)
	if err != nil && (in.Type == value.Object || in.Type == value.Array) {
		if again, e := ir.Coerce(in.Type, quoteKeys(text)); e == nil {
			return again, nil
		}
		return nil, fault.New(fault.Type, "%s: %v; write it as JSON, and for a shell in single quotes: %s", in.Name, err, jsonExample(in))
	}
	if err != nil {
		return nil, fault.New(fault.Type, "%s: %v", in.Name, err)
	}
	return v, nil
}

// bareKey is a string, or a key of an object without its quotes.
var bareKey = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[{,]\s*[\pL_][\pL\d_-]*\s*:`)

// quoteKeys puts the keys of JSON's objects into quotes where they have none.
func quoteKeys(text string) string {
	return bareKey.ReplaceAllStringFunc(text, func(m string) string {
		if m[0] == '"' {
			return m
		}
		return m[:1] + strconv.Quote(strings.TrimSpace(strings.TrimSuffix(m[1:], ":"))) + ":"
	})
}

func jsonExample(in ir.Input) string {
	if in.Type == value.Array {
		return "'" + in.Name + `=["a", "b"]'`
	}
	return "'" + in.Name + `={"key": "text"}'`
}

// Input finds an input of the program; the error says which there are.
func (p *Program) Input(name string) (ir.Input, error) {
	var names []string
	for _, in := range p.Inputs {
		if in.Name == name {
			return in, nil
		}
		names = append(names, in.Name)
	}
	switch near := diag.Nearest(name, names); {
	case len(names) == 0:
		return ir.Input{}, fault.New(fault.InvalidRequest, "%s has no input %q; it takes none", p.Name, name)
	case near != "":
		return ir.Input{}, fault.New(fault.InvalidRequest, "%s has no input %q; did you mean %q? It takes: %s", p.Name, name, near, strings.Join(names, ", "))
	}
	return ir.Input{}, fault.New(fault.InvalidRequest, "%s has no input %q; it takes: %s", p.Name, name, strings.Join(names, ", "))
}

// Bind makes the first store of a run: what is given, then the piped text, the environment and defaults. missing lists
// the inputs that nothing gives. The error is of what is given: an unknown name, a wrong type, a secret.
func (p *Program) Bind(g Given) (store map[string]any, missing []ir.Input, err error) {
	for _, name := range value.SortedKeys(g.Values) {
		in, err := p.Input(name)
		if err != nil {
			return nil, nil, err
		}
		if in.Secret && !g.handed {
			return nil, nil, fault.New(fault.InvalidRequest, "%s is a secret and is never taken from a command line or a document; set the environment variable %s", name, in.FromEnv)
		}
	}
	inputs := make(map[string]any, len(p.Inputs))
	paths := pathInputs(p.Workflow)
	for _, in := range p.Inputs {
		v, there, err := p.input(in, g)
		if err != nil {
			return nil, nil, err
		}
		if paths[in.Name] && !g.handed { // what a workflow hands on had its place already
			v = atHome(v, p.shared.getenv()("HOME"))
		}
		switch {
		case there:
			inputs[in.Name] = v
			if _, secret := p.handed[in.Name]; !secret && !in.Secret && !g.handed {
				if err := p.shared.secrets.kept("the input "+in.Name, v, p.shared.secretStore()); err != nil {
					return nil, nil, err
				}
			}
		case in.Required:
			missing = append(missing, in)
		default:
			inputs[in.Name] = nil
		}
	}
	store = map[string]any{inputsKey: inputs}
	if len(p.shared.environ) > 0 && !g.handed {
		store[environKey] = p.environment()
	}
	if g.Stdin != nil {
		if err := p.shared.secrets.kept("the piped text", *g.Stdin, p.shared.secretStore()); err != nil && !g.handed {
			return nil, nil, err
		}
		store[stdinKey] = *g.Stdin
	}
	return store, missing, nil
}

// Found gives the inputs of a store that Bind made of less than all, by name: what it can be made of again with what was
// missing. Secrets are not among them.
func (p *Program) Found(store map[string]any) map[string]any {
	out := map[string]any{}
	inputs, _ := store[inputsKey].(map[string]any)
	for _, in := range p.Inputs {
		if v := inputs[in.Name]; v != nil && !in.Secret {
			out[in.Name] = v
		}
	}
	return out
}

// input finds the value of one input.
func (p *Program) input(in ir.Input, g Given) (v any, there bool, err error) {
	getenv := p.shared.getenv()
	if g.env != nil {
		getenv = func(name string) string { text, _ := g.env[name].(string); return text }
	}
	if v, ok := g.Values[in.Name]; ok && v != nil {
		if _, secret := p.handed[in.Name]; secret {
			return v, true, nil // a marker, which stays one
		}
		if v, err = ir.Coerce(in.Type, v); err != nil {
			return nil, false, fault.New(fault.Type, "%s: %v", in.Name, err)
		}
		return v, true, nil
	}
	if in.Secret {
		// In a called workflow it is missed by the node that uses it, so that a resumed run takes the same way.
		return envMarker(in.FromEnv), g.handed || g.Elsewhere || p.shared.secretStore().Has(in.FromEnv), nil
	}
	if in.FromStdin && g.Stdin != nil && *g.Stdin != "" {
		if v, err = ParseInput(in, *g.Stdin); err != nil {
			return nil, false, fmt.Errorf("%w (from the piped text)", err)
		}
		return v, true, nil
	}
	if in.FromEnv != "" {
		if text := getenv(in.FromEnv); text != "" {
			if v, err = ParseInput(in, text); err != nil {
				return nil, false, fmt.Errorf("%w (from the environment variable %s)", err, in.FromEnv)
			}
			return v, true, nil
		}
	}
	if in.HasDefault {
		v, err = ir.Coerce(in.Type, in.Default)
		return v, true, err
	}
	return nil, false, nil
}

// environment is what the inputs of the program and of the workflows it calls read from environment variables, secrets
// apart. It is kept with the run, so that a resumed run sees the same.
func (p *Program) environment() map[string]any {
	getenv := p.shared.getenv()
	out := map[string]any{}
	for _, name := range p.shared.environ {
		out[name] = getenv(name)
	}
	return out
}
