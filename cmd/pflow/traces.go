package main

import (
	"sync"
	"time"

	"pflow/internal/mask"
	"pflow/internal/otlp"
	"pflow/internal/workflow"
)

// collector is the value of --otlp.
type collector string

func (c *collector) String() string { return string(*c) }
func (c *collector) Type() string   { return "URL" }

func (c *collector) Set(text string) error {
	if err := otlp.CheckURL(text); err != nil {
		return err
	}
	*c = collector(text)
	return nil
}

// lastTraces is how long a process waits at most for the collector to take what is left.
const lastTraces = time.Second

// newTraces makes what follows the runs of this process. Where to is read when the first run begins: the flags of a request are
// not known before.
func (a *app) newTraces() *otlp.Exporter {
	names := sync.OnceValue(func() []string { return a.host().KeyVariables() })
	return otlp.New(otlp.Options{
		URL: func() string { return string(a.otlp) }, Getenv: a.getenv, Version: buildVersion(),
		Masks: func() *mask.Masker {
			var keys []mask.Secret
			for _, name := range names() {
				if key := a.secrets().Known(name); len(key) >= workflow.ShortestKey {
					keys = append(keys, mask.Env(name, key))
				}
			}
			return mask.New(keys...)
		},
	})
}

// sendTraces sends what is left, and says what could not be.
func (a *app) sendTraces() {
	if warning := a.traces.Close(lastTraces); warning != "" {
		a.warn("%s", warning)
	}
}
