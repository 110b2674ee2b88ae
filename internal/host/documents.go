package host

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"pflow/engine"
	"pflow/internal/library"
	"pflow/internal/shelf"
	"pflow/internal/workflow"
	"pflow/ir"
)

// Called finds workflows that others call: those of the shelf, as they were when it was loaded, older versions and files, whose
// names count from dir.
func (h *Host) Called(on *shelf.Shelf, dir string) func(string) (*ir.Workflow, error) {
	return func(name string) (*ir.Workflow, error) {
		if k := slices.IndexFunc(on.Records, func(r *library.Record) bool { return r.Name == name }); k >= 0 {
			return on.Records[k].Workflow(), nil
		}
		if !ir.IsFile(name) {
			r, _, err := h.Library().Get(name)
			if err != nil {
				return nil, err
			}
			return r.Workflow(), nil
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		data, err := ReadRegular(name)
		if err != nil {
			return nil, err
		}
		r, _, err := library.Parse(name, data)
		if err != nil {
			return nil, err
		}
		return r.Workflow(), nil
	}
}

// Flows finds flows that declared nodes run, and records them.
func (h *Host) Flows(from *engine.Recording) func(string) (*engine.Flow, error) {
	return func(name string) (*engine.Flow, error) {
		l := &engine.Loader{Ops: h.Ops(), Resources: from}
		flow, found := l.LoadNamed(name)
		if err := found.Err(); err != nil {
			return nil, err
		}
		return flow, nil
	}
}

// Env is what workflows are compiled and run in here, with the components of the shelf. Called workflows and relative paths count from
// dir; the flows that declared nodes run are recorded.
func (h *Host) Env(ctx context.Context, dir string, flows *engine.Recording) (workflow.Env, error) {
	on, err := h.Shelf(ctx)
	if err != nil {
		return workflow.Env{}, err
	}
	if _, err := h.Settings(); err != nil {
		return workflow.Env{}, err
	}
	env := workflow.Env{Catalogue: on.Catalogue, Types: h.Types(), Declared: on.Declared, Dir: dir, Load: h.Called(on, dir), Flow: h.Flows(flows)}
	h.surround(&env)
	return env, nil
}

// surround gives what a workflow is run in what is this process's own.
func (h *Host) surround(env *workflow.Env) {
	env.Getenv, env.Secrets, env.Keys, env.MCP = h.Getenv, h.Secrets(), h.KeyVariables(), h.MCP()
	if by, err := h.Settings(); err == nil { // whoever runs it says why
		env.Paths, env.Undestroyed = by.Bounds(env.Dir, h.Getenv("HOME")), by.RefusesDestruction()
	}
}

// Recorded compiles a flow from the documents that a run of it was begun with.
func (h *Host) Recorded(documents []byte) (*engine.Flow, error) {
	res, err := engine.LoadRecording(documents)
	if err != nil {
		return nil, err
	}
	doc, err := res.Given()
	if err != nil {
		return nil, err
	}
	l := &engine.Loader{Ops: h.Ops(), Resources: res, Set: res.Set}
	flow, found := l.Load(doc)
	if err := found.Err(); err != nil {
		return nil, err
	}
	return flow, nil
}

// Reload compiles a workflow from the exact documents that a run of it was begun with, id, in the surroundings of this process. The
// rules over what it may touch are those of now.
func (h *Host) Reload(id string, documents []byte, in func(*workflow.Env)) (*workflow.Reloaded, *workflow.Program, error) {
	r, err := workflow.Reload(documents, h.Types())
	if err != nil {
		return nil, nil, err
	}
	h.surround(&r.Env)
	r.Env.Written.Home, r.Env.Written.ID = h.Home().Dir(), id
	if r.Flows != nil {
		r.Env.Flow = h.Flows(r.Flows)
	}
	if in != nil {
		in(&r.Env)
	}
	program, found := workflow.Compile(r.Source, r.Env)
	if err := found.Err(); err != nil {
		return nil, nil, err
	}
	return r, program, nil
}

// Refused is why the settings do not let a workflow run here, or nil.
func (h *Host) Refused(r *workflow.Reloaded, p *workflow.Program) error {
	by, err := h.Settings()
	if err != nil {
		return err
	}
	for _, name := range p.Types() {
		if i := r.Env.Catalogue.Get(name); i != nil {
			if why := by.Refuses(i); why != "" {
				return fmt.Errorf("uses %q, which is turned off by %s", name, why)
			}
		}
	}
	return nil
}
