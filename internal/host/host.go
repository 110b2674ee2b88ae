// Package host is what a process that carries runs out offers them: what ops and node types reach the outside through, and
// what compiles the documents that a run is made of. The commands are such a process, and so are the workers of other drivers.
package host

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/home"
	"pflow/internal/library"
	"pflow/internal/llm"
	"pflow/internal/mcp"
	"pflow/internal/nodetype"
	"pflow/internal/secret"
	"pflow/internal/settings"
	"pflow/internal/shelf"
	"pflow/internal/workflow"
	"pflow/internal/workflowtest"
	"pflow/ir"
	"pflow/nodes"
)

// Host is what differs between such processes. What it is asked for often, its functions keep.
type Host struct {
	Home    func() home.Home
	Getenv  func(name string) string
	Environ []string // of what runs start, as NAME=value; nil: this process's own
	Version string   // of this program

	Log      func(level, message string) // shows a line
	ReadLine func(ctx context.Context, prompt string) (string, error)
	Dir      func() (string, error) // the working directory

	Settings func() (*settings.Settings, error)
	Secrets  func() *secret.Store
	Shelf    func(ctx context.Context) (*shelf.Shelf, error)
	Library  func() *library.Library
	Types    func() map[string]nodetype.Type // built in, by name: of TypesOf
	Model    func(ctx context.Context, r llm.Request) (*llm.Reply, error)
	Priced   func(model string) (bool, error)
}

// Deps is what ops and node types reach the outside through.
func (h *Host) Deps() nodes.Deps {
	return nodes.Deps{
		ReadLine: h.ReadLine, Log: h.Log, Shelf: h.Shelf, Model: h.Model, Priced: h.Priced, Zone: h.Zone, Environ: h.Environ,
		Agents: func() ([]settings.Agent, error) {
			s, err := h.Settings()
			if err != nil {
				return nil, err
			}
			return s.Agents, nil
		},
		Check: func(data []byte, c *ir.Catalogue, o ir.Options) diag.List {
			_, found := workflow.Check(data, c, h.Types(), o)
			return found
		},
		Rehearse: func(ctx context.Context, w *ir.Workflow, on *shelf.Shelf) (diag.List, error) {
			dir, err := h.Dir()
			if err != nil {
				return nil, err
			}
			return workflowtest.Rehearse(ctx, w, workflow.Env{Catalogue: on.Catalogue, Types: h.Types(), Declared: on.Declared, Load: h.Called(on, dir)})
		},
		Phrases: func() fs.FS {
			if folder := h.Home().Path("phrases"); folder != "" {
				return os.DirFS(folder)
			}
			return nil
		},
	}
}

// TypesOf are the built-in node types by name.
func TypesOf(d nodes.Deps) map[string]nodetype.Type {
	out := map[string]nodetype.Type{}
	for _, t := range nodes.Types(d) {
		out[t.Interface.Name] = t
	}
	return out
}

// Interfaces are the interfaces of the built-in node types, in their order.
func Interfaces(d nodes.Deps) (out []*ir.Interface) {
	for _, t := range nodes.Types(d) {
		out = append(out, t.Interface)
	}
	return out
}

// Ops is the registry of every op that flows may use.
func (h *Host) Ops() *engine.Registry { return engine.NewRegistry(nodes.All(h.Deps())...) }

// Sources say where the shelf of a process comes from: what the program has, and the home.
func (h *Host) Sources() shelf.Sources {
	from := shelf.Sources{Builtin: Interfaces(h.Deps()), Shipped: nodes.Packs().Declared, Home: h.Home()}
	if h.Home().Dir() != "" {
		from.Library, from.Index = h.Library(), shelf.DiscoveryIndex(h.Home())
	}
	return from
}

// MCP is what MCP servers are started and reached from.
func (h *Host) MCP() *mcp.Host {
	return &mcp.Host{Home: h.Home(), Version: h.Version, Getenv: h.Getenv, Environ: h.environ(), Log: func(line string) { h.Log("info", line) }}
}

// ModelOptions are those of the client that calls models. What o leaves open is that of the home: its models.yaml, and the
// model of its settings.
func (h *Host) ModelOptions(o llm.Options) (llm.Options, error) {
	s, err := h.Settings()
	if err != nil {
		return o, err
	}
	if o.Models, err = llm.ReadModels(h.Home().Dir()); err != nil {
		return o, err
	}
	if o.Model == "" {
		o.Model = s.Model
	}
	o.Getenv, o.Secrets, o.Home, o.Environ = h.Getenv, h.Secrets(), h.Home().Dir(), h.environWithoutKeys
	return o, nil
}

func (h *Host) environ() []string {
	if h.Environ != nil {
		return h.Environ
	}
	return os.Environ()
}

// ReadRegular reads a regular file: opening a pipe without a writer would wait for ever.
func ReadRegular(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", file)
	}
	return os.ReadFile(file)
}
