package main

import (
	"context"

	"pflow/internal/mask"
	"pflow/internal/secret"
	"pflow/internal/workflow"
)

// secrets are what is read by the names of variables that hold keys and secrets: the environment, and where settings.yaml maps
// a name to.
func (a *app) secrets() *secret.Store {
	a.secretsOnce.Do(func() {
		o := secret.Options{Getenv: a.getenv, Terminal: a.interactive}
		if s, err := a.settings(); err == nil { // whoever relies on the settings says why
			o.Mapped = s.Secrets
		}
		a.secretsGot = secret.New(o)
	})
	return a.secretsGot
}

// readSecrets reads the secrets of a workflow that the settings map to somewhere else, before it is run.
func (a *app) readSecrets(ctx context.Context, l *loaded) error {
	if err := l.program.ReadSecrets(ctx); err != nil {
		return fail(exitMissing, "%s needs more to run: %v", l.program.Name, err)
	}
	return nil
}

// keyFinder says which key, or which of the secrets that are named, stands in a text. It is for many texts.
func (a *app) keyFinder() func(text string, secrets []string) (name string, found bool) {
	masks := map[string]*mask.Masker{}
	holds := func(text, name string, shortest int) bool {
		m, known := masks[name]
		if !known {
			if v := a.secrets().Known(name); len(v) >= shortest {
				m = mask.New(mask.Env(name, v))
			}
			masks[name] = m
		}
		return m != nil && m.Has(text)
	}
	keys := a.host().KeyVariables()
	return func(text string, secrets []string) (string, bool) {
		for _, name := range keys {
			if holds(text, name, workflow.ShortestKey) {
				return name, true
			}
		}
		for _, name := range secrets {
			if holds(text, name, 1) {
				return name, true
			}
		}
		return "", false
	}
}

// withoutKeys refuses text of a request that would be kept and sent with a key in it, or with a secret of a saved workflow.
func (a *app) withoutKeys(ctx context.Context, what, text string) error {
	holds := func(name string, shortest int) bool {
		v := a.secrets().Known(name)
		return len(v) >= shortest && mask.New(mask.Env(name, v)).Has(text)
	}
	for _, name := range a.host().KeyVariables() {
		if holds(name, workflow.ShortestKey) {
			return usage("%s holds the key in %s, which would be kept and sent to a model: leave it out", what, name)
		}
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	for _, name := range shelf.Secrets {
		if holds(name, 1) {
			return usage("%s holds the secret in %s, which would be kept and sent to a model: leave it out, a saved workflow reads it there", what, name)
		}
	}
	return nil
}
