// Package secret reads secrets by the names of their environment variables: from the environment, else as settings.yaml
// maps the name, to what a command prints or to an entry of the system's keyring. A workflow says a name and nothing
// else, so that no file of a stranger's chooses what is run.
//
// What was read is kept as long as the process lives and nowhere else. Whoever shows or keeps text masks what is Known.
package secret

import (
	"context"
	"slices"
	"sync"

	"pflow/internal/diag"
	"pflow/internal/mask"
	"pflow/internal/value"
)

// Mapping says where a secret comes from that is not in the environment: from a command, or from the keyring.
type Mapping struct {
	Name          string
	Command       []string // the program and its arguments; no shell reads them
	Service, User string   // of the keyring's entry, where there is no command
	Place         diag.Place
}

// Options are a Store's surroundings.
type Options struct {
	Getenv   func(string) string
	Environ  []string // of the commands, as NAME=value; nil: this process's own
	Mapped   []Mapping
	Terminal func() bool // whether somebody is there whom a command may ask; nil: nobody
}

// Store holds secrets. It is safe for concurrent use.
type Store struct {
	o       Options
	asking  chan struct{} // one command at a time: it may ask for a passphrase
	mu      sync.Mutex
	values  map[string]string // that were read as mapped, or given
	learned []mask.Secret
}

// New makes a Store.
func New(o Options) *Store {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	return &Store{o: o, asking: make(chan struct{}, 1), values: map[string]string{}}
}

// Environment is a Store of nothing but the environment.
func Environment(getenv func(string) string) *Store { return New(Options{Getenv: getenv}) }

// Read gives a secret, "" if nothing gives it. The error says which mapping failed, and not what it printed.
func (s *Store) Read(ctx context.Context, name string) (string, error) {
	if v := s.Known(name); v != "" {
		return v, nil
	}
	m, ok := s.Mapping(name)
	if !ok {
		return "", nil
	}
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if v := s.Known(name); v != "" { // somebody else read it meanwhile
		return v, nil
	}
	v, err := s.read(ctx, m)
	if err != nil {
		return "", err
	}
	s.Give(name, v)
	return v, nil
}

// Known gives a secret without running anything: from the environment, or as it was read or given before; "" otherwise.
func (s *Store) Known(name string) string {
	if v := s.o.Getenv(name); v != "" {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[name]
}

// Has reports whether Read has somewhere to read a secret from. It runs nothing, so a mapping may still fail.
func (s *Store) Has(name string) bool {
	_, mapped := s.Mapping(name)
	return mapped || s.Known(name) != ""
}

// Mapping gives how the settings map a name.
func (s *Store) Mapping(name string) (Mapping, bool) {
	if i := slices.IndexFunc(s.o.Mapped, func(m Mapping) bool { return m.Name == name }); i >= 0 {
		return s.o.Mapped[i], true
	}
	return Mapping{}, false
}

// Mapped lists the mappings, in the order of the settings.
func (s *Store) Mapped() []Mapping { return s.o.Mapped }

// Give keeps a secret that somebody typed.
func (s *Store) Give(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = text
}

// Learn has a secret masked that no variable holds, such as a token that another program keeps; who names that program.
func (s *Store) Learn(who, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if secret := (mask.Secret{Value: text, Mark: value.JSON(map[string]any{"$secret": who})}); !slices.Contains(s.learned, secret) {
		s.learned = append(s.learned, secret)
	}
}

// Learned are the secrets that Learn was told.
func (s *Store) Learned() []mask.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.learned)
}
