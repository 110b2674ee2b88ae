package workflow

import (
	"slices"
	"sync"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/value"
	"pflow/ir"
)

// envMarker is what stands for a secret in stores, journals and results.
func envMarker(name string) map[string]any { return map[string]any{"$env": name} }

// secretScope is the scope of a node's call: the values of its prep, and the secrets it uses, read now.
type secretScope struct {
	ir.Values
	from   capture
	getenv func(string) string
}

// Lookup implements ir.Scope.
func (s secretScope) Lookup(root string) (any, bool) {
	if f, ok := s.from[root]; ok && f.kind == fromSecret {
		v, err := readSecret(f.in, f.env, s.getenv)
		return v, err == nil
	}
	v, ok := s.Values.Lookup(root)
	return s.from[root].inTemplates(v), ok
}

func readSecret(in ir.Input, env string, getenv func(string) string) (any, error) {
	text := getenv(env)
	if text == "" {
		return nil, fault.New(fault.Authentication, "the secret %q is read from the environment variable %s, which is not set", in.Name, env)
	}
	v, err := ir.Coerce(in.Type, text)
	if err != nil { // the error would quote the value
		return nil, fault.New(fault.Type, "the secret %q, from the environment variable %s, is no %s", in.Name, env, in.Type)
	}
	return v, nil
}

// missingSecret is the error of the first secret that templates read and that cannot be had.
func (c capture) missingSecret(getenv func(string) string) error {
	for _, root := range value.SortedKeys(c) {
		if f := c[root]; f.kind == fromSecret {
			if _, err := readSecret(f.in, f.env, getenv); err != nil {
				return err
			}
		}
	}
	return nil
}

// secrets are the environment variables that a program and the workflows it calls keep secrets in, and those of the keys
// that are never shown.
type secrets struct {
	names []string
	keys  []string

	mu     sync.Mutex
	values []string // of names and keys, when masker was made
	masker *mask.Masker
}

func (s *secrets) add(name string) {
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
}

// withheld reports whether an environment variable holds a secret or a key: what a node starts is not given it unasked.
func (s *secrets) withheld(name string) bool {
	return slices.Contains(s.names, name) || slices.Contains(s.keys, name)
}

// ShortestKey is the length from which on a key is masked: a shorter one is a placeholder, and may be part of a word.
const ShortestKey = 8

// Mask gives what masks the secrets that the program uses, as the environment has them now, and keys.
func (p *Program) Mask() *mask.Masker { return p.shared.secrets.mask(p.shared.getenv()) }

// kept refuses a value that would be kept with the run and holds a secret: what reads it there could not tell it from
// any other text.
func (s *secrets) kept(what string, v any, getenv func(string) string) error {
	if m := s.mask(getenv); m == nil || value.Equal(m.Value(v), v) {
		return nil
	}
	for _, name := range slices.Concat(s.names, s.keys) {
		text := getenv(name)
		if len(text) < ShortestKey {
			continue
		}
		if m := mask.New(mask.Env(name, text)); !value.Equal(m.Value(v), v) {
			return fault.New(fault.InvalidRequest, "%s holds the secret in the environment variable %s and would be kept with the run; leave it out, and read it in the workflow by an input with \"secret\": true and \"from_env\": %q", what, name, name)
		}
	}
	return nil
}

// mask reads the secrets and makes what masks them; nil if there are none, so that nothing is searched.
func (s *secrets) mask(getenv func(string) string) *mask.Masker {
	var all []mask.Secret
	var values []string
	add := func(name string, shortest int) {
		v := getenv(name)
		values = append(values, v)
		if len(v) >= shortest {
			all = append(all, mask.Env(name, v))
		}
	}
	for _, name := range s.names {
		add(name, 1)
	}
	for _, name := range s.keys {
		add(name, ShortestKey)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil || !slices.Equal(values, s.values) {
		s.values, s.masker = values, mask.New(all...)
	}
	return s.masker
}

// maskedError masks a message. The cause is dropped: it may quote the value too.
func maskedError(m *mask.Masker, err error) error {
	if m == nil || err == nil {
		return err
	}
	e := fault.Of(err)
	return &fault.Error{Kind: e.Kind, Message: m.Text(e.Message)}
}
