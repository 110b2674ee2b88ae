package workflow

import (
	"context"
	"slices"
	"sync"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/secret"
	"pflow/internal/value"
	"pflow/ir"
)

// envMarker is what stands for a secret in stores, journals and results.
func envMarker(name string) map[string]any { return map[string]any{"$env": name} }

// secretScope is the scope of a node's call: the values of its prep, and the secrets it uses, read now.
type secretScope struct {
	ir.Values
	from  capture
	store *secret.Store
	ctx   context.Context // of the call
}

// Lookup implements ir.Scope.
func (s secretScope) Lookup(root string) (any, bool) {
	if f, ok := s.from[root]; ok && f.kind == fromSecret {
		v, err := readSecret(s.ctx, f.in, f.env, s.store)
		return v, err == nil
	}
	v, ok := s.Values.Lookup(root)
	return s.from[root].inTemplates(v), ok
}

func readSecret(ctx context.Context, in ir.Input, env string, store *secret.Store) (any, error) {
	text, err := store.Read(ctx, env)
	if err != nil {
		return nil, err
	}
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
func (c capture) missingSecret(ctx context.Context, store *secret.Store) error {
	for _, root := range value.SortedKeys(c) {
		if f := c[root]; f.kind == fromSecret {
			if _, err := readSecret(ctx, f.in, f.env, store); err != nil {
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

// Mask gives what masks the secrets that the program uses, as far as they are known now, and keys.
func (p *Program) Mask() *mask.Masker { return p.shared.secrets.mask(p.shared.secretStore()) }

// ReadSecrets reads the secrets that the settings map to somewhere else, before anything is run or kept: what fails, fails
// before the first effect, and what is read is masked from the beginning.
func (p *Program) ReadSecrets(ctx context.Context) error {
	for _, name := range p.shared.secrets.names {
		if _, err := p.shared.secretStore().Read(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// kept refuses a value that would be kept with the run and holds a secret: what reads it there could not tell it from
// any other text.
func (s *secrets) kept(what string, v any, store *secret.Store) error {
	if m := s.mask(store); m == nil || value.Equal(m.Value(v), v) {
		return nil
	}
	if name := s.heldBy(v, store); name != "" {
		return fault.New(fault.InvalidRequest, "%s holds the secret in the environment variable %s and would be kept with the run; leave it out, and read it in the workflow by an input with \"secret\": true and \"from_env\": %q", what, name, name)
	}
	return nil
}

// heldBy names a secret or a key that a value holds, "" if it holds none.
func (s *secrets) heldBy(v any, store *secret.Store) string {
	for _, name := range slices.Concat(s.names, s.keys) {
		if text := store.Known(name); len(text) >= ShortestKey && !value.Equal(mask.New(mask.Env(name, text)).Value(v), v) {
			return name
		}
	}
	return ""
}

// SecretIn names the environment variable of a secret or a key that a text holds, "" if it holds none.
func (p *Program) SecretIn(text string) string {
	return p.shared.secrets.heldBy(text, p.shared.secretStore())
}

// mask makes what masks the secrets that are known; nil if there are none, so that nothing is searched.
func (s *secrets) mask(store *secret.Store) *mask.Masker {
	all := store.Learned()
	values := []string{}
	for _, secret := range all {
		values = append(values, secret.Value)
	}
	add := func(name string, shortest int) {
		v := store.Known(name)
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

// maskedError masks a message. The cause is dropped: it may quote the value too. What it tells of a name that is not there is kept.
func maskedError(m *mask.Masker, err error) error {
	if err == nil {
		return nil
	}
	e := fault.Of(err)
	if m == nil {
		if absent := e.Absent(); e.Details == nil && absent != nil {
			told := *e
			told.Details = absent
			return &told
		}
		return err
	}
	details, _ := m.Value(e.Absent()).(map[string]any)
	return &fault.Error{Kind: e.Kind, Message: m.Text(e.Message), Details: details}
}
