// Package host is what a worker has: it compiles the documents of runs as the commands do that resume them, and offers their
// attempts the home, the environment and the secrets of the worker's machine.
package host

import (
	"context"
	"os"
	"strings"
	"sync"

	"pflow/internal/fault"
	"pflow/internal/home"
	core "pflow/internal/host"
	"pflow/internal/library"
	"pflow/internal/llm"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/internal/process"
	"pflow/internal/secret"
	"pflow/internal/settings"
	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/temporal/drive"
)

// Options say where a worker works.
type Options struct {
	Home    string                   // the folder of the home; "": what the environment says
	Getenv  func(name string) string // what inputs, secrets and settings are read from
	Environ []string                 // of the programs that nodes start, as NAME=value; nil: this process's own
	Log     func(level, message string)
	Version string // of this program
}

// Host is a worker's surroundings. It is safe for concurrent use.
type Host struct {
	core  core.Host
	log   func(level, message string)
	masks masks

	library *library.Library
	secrets *secret.Store
	types   map[string]nodetype.Type

	settings *settings.Settings
	shelf    func() (*shelf.Shelf, error)
	client   func() (*llm.Client, error)
}

// Open opens the surroundings. A worker needs a home: it is where what runs wrote is remembered, for none to replace what is not its own.
func Open(o Options) (*Host, error) {
	in := home.Find(o.Home, o.Getenv)
	if err := in.Err(); err != nil {
		return nil, err
	}
	s, err := settings.Read(in)
	if err != nil {
		return nil, err
	}
	h := &Host{log: o.Log, settings: s, library: shelf.Workflows(in)}
	h.secrets = secret.New(secret.Options{Getenv: o.Getenv, Environ: o.Environ, Mapped: s.Secrets})
	h.core = core.Host{
		Home: func() home.Home { return in }, Getenv: o.Getenv, Environ: o.Environ, Version: o.Version,
		Log: h.tell, ReadLine: nobody, Dir: os.Getwd,
		Settings: func() (*settings.Settings, error) { return s, nil },
		Secrets:  func() *secret.Store { return h.secrets },
		Shelf:    func(context.Context) (*shelf.Shelf, error) { return h.shelf() },
		Library:  func() *library.Library { return h.library },
		Types:    func() map[string]nodetype.Type { return h.types },
		Model:    h.callModel,
		Priced:   h.priced,
	}
	h.types = core.TypesOf(h.core.Deps())
	h.shelf = sync.OnceValues(h.loadShelf)
	h.client = sync.OnceValues(func() (*llm.Client, error) {
		o, err := h.core.ModelOptions(llm.Options{})
		if err != nil {
			return nil, err
		}
		return llm.New(o)
	})
	return h, nil
}

// nobody answers what asks for a line: the driver does that, by a signal.
func nobody(_ context.Context, prompt string) (string, error) {
	if prompt != "" {
		prompt = ": " + prompt
	}
	return "", fault.New(fault.InvalidRequest, "a worker has nobody to ask for a line%s", prompt)
}

// tell shows a line without the secrets of the runs.
func (h *Host) tell(level, message string) {
	if h.log != nil {
		h.log(level, h.masks.text(message))
	}
}

// loadShelf gathers what the settings allow, with a warning of what had to be left out.
func (h *Host) loadShelf() (*shelf.Shelf, error) {
	s, found, err := shelf.Load(h.core.Sources(), h.settings)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, found.Err()
	}
	for _, f := range found {
		h.tell("warning", strings.TrimSuffix(f.Text(), "\n"))
	}
	return s, nil
}

// modelKey is the key of the model that a run was begun with, where its flow or node names none.
type modelKey struct{}

func (h *Host) callModel(ctx context.Context, r llm.Request) (*llm.Reply, error) {
	c, err := h.client()
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%v", err)
	}
	if r.Model == "" {
		r.Model, _ = ctx.Value(modelKey{}).(string)
	}
	return c.Call(ctx, r)
}

func (h *Host) priced(model string) (bool, error) {
	c, err := h.client()
	if err != nil {
		return false, fault.New(fault.InvalidRequest, "%v", err)
	}
	return c.Priced(model)
}

// runKey is the key of the id of the run that an attempt is of.
type runKey struct{}

// Within gives the context of an attempt of a run: what it starts is known as the run's.
func (h *Host) Within(ctx context.Context, run string) context.Context {
	return process.InRun(context.WithValue(ctx, runKey{}, run), run)
}

// masks are what hides the secrets of the programs that were compiled last.
type masks struct {
	mu   sync.Mutex
	list []func() *mask.Masker
}

// maxMasks bounds them, as drive bounds the programs.
const maxMasks = 500

func (m *masks) add(of func() *mask.Masker) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == maxMasks {
		m.list = m.list[1:]
	}
	m.list = append(m.list, of)
}

func (m *masks) text(s string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, of := range m.list {
		s = of().Text(s)
	}
	return s
}

// ask is what a run is to be told of an input that nothing gives.
func ask(name string, t value.Type, description string) drive.Wait {
	w := drive.Wait{Kind: "input", For: "the input " + name, Name: name, Type: string(t), Description: description}
	if description != "" {
		w.For += ": " + description
	}
	return w
}
