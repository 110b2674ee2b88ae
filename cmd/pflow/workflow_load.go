package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/host"
	"pflow/internal/library"
	"pflow/internal/nodetype"
	"pflow/internal/outcome"
	"pflow/internal/planner"
	"pflow/internal/workflow"
	"pflow/internal/workflowfile"
	"pflow/internal/written"
	"pflow/ir"
)

// loaded is a workflow that is ready to run.
type loaded struct {
	record  *library.Record
	source  workflow.Source
	program *workflow.Program
	flows   *engine.Recording // flows that its declared nodes run
	written *written.Run

	request    string   // that it was planned for, "" if there was none
	instead    []string // the inputs that were given beside the request, or against it
	parent, by string   // of its run, where it came of another or this process does not start it for itself
	journalled bool     // it does not run without a journal

	began time.Time // its run, by the clock

	retry *workflow.Retry // of a run that runs its parent again, nil of any other
	day   time.Time       // on which the parent ran
}

// nodeTypes are the built-in node types by name. They are made once, since every plan is checked by them; nobody changes them.
func (a *app) nodeTypes() map[string]nodetype.Type {
	a.typesOnce.Do(func() { a.types = host.TypesOf(a.deps()) })
	return a.types
}

// findWorkflow reads a workflow from a file or the library. The source has no Workflow yet.
func (a *app) findWorkflow(ref string) (*library.Record, workflow.Source, error) {
	if !ir.IsFile(ref) {
		if err := a.needsHome(); err != nil {
			return nil, workflow.Source{}, err
		}
		r, found, err := a.library().Get(ref)
		if err != nil {
			return nil, workflow.Source{}, a.noWorkflow(ref, err)
		}
		a.showFindings(found)
		src := workflow.Source{Name: r.Name, Workflow: r.Workflow()}
		if file := a.library().Path(r.Name); !strings.Contains(ref, "@") {
			if data, err := os.ReadFile(file); err == nil {
				src.File, src.Data = file, data
			}
		}
		return r, src, nil
	}
	doc, err := a.readRegular(ref)
	if err != nil {
		return nil, workflow.Source{}, err
	}
	r, found, err := library.Parse(ref, doc)
	if err != nil {
		if isFlow(ref, doc) {
			return nil, workflow.Source{}, notWorkflow(ref)
		}
		if isPlan(doc) {
			return nil, workflow.Source{}, usage("%s is a plan file, not a workflow; save and run what it says with: pflow apply %s", ref, shellQuote(ref))
		}
		return nil, workflow.Source{}, invalid(ref, err)
	}
	a.showFindings(found)
	if r.Name == "" {
		r.Name = strings.TrimSuffix(filepath.Base(ref), filepath.Ext(ref))
	}
	return r, workflow.Source{Name: r.Name, Workflow: r.Workflow(), File: ref, Data: doc}, nil
}

// isPlan reports whether a document is a plan.
func isPlan(doc []byte) bool {
	var p struct {
		Schema string `json:"schema"`
	}
	return json.Unmarshal(doc, &p) == nil && p.Schema == planner.Schema
}

// readRegular reads a regular file, or what stands for one in this command.
func (a *app) readRegular(file string) ([]byte, error) {
	if data, ok := a.files[file]; ok {
		return data, nil
	}
	return readRegular(file)
}

// readRegular reads a regular file.
func readRegular(file string) ([]byte, error) {
	data, err := host.ReadRegular(file)
	if err != nil {
		return nil, usage("%s", fileError(err))
	}
	return data, nil
}

// invalid keeps findings as they are and names the file of any other error.
func invalid(file string, err error) error {
	var findings *diag.Err
	if errors.As(err, &findings) {
		return err
	}
	return usage("%s is no workflow document: %v", file, err)
}

// noWorkflow is the error of a saved workflow that cannot be had.
func (a *app) noWorkflow(ref string, err error) error {
	var findings *diag.Err
	if errors.As(err, &findings) {
		return err
	}
	if errors.Is(err, library.ErrUnwritable) {
		return notSaved(err)
	}
	hint := ""
	var unknown *library.Unknown
	if errors.As(err, &unknown) && unknown.Near == "" {
		hint = "; pflow workflow list shows those there are"
		if _, e := os.Stat(ref); e == nil {
			hint = "; for the file in this directory say ./" + ref
		}
	}
	if fault.Of(err).Kind == fault.InvalidRequest { // of its name
		if info, e := os.Stat(ref); e == nil && info.Mode().IsRegular() {
			if doc, e := a.readRegular(ref); e == nil && isFlow(ref, doc) {
				return notWorkflow("./" + ref)
			}
			return usage("%q is neither a saved workflow nor a workflow document: those are JSON or YAML, in files that end in .json, .yaml or .yml; if it is one in JSON, say ./%s", ref, ref)
		}
	}
	if k := fault.Of(err).Kind; k == fault.Malformed || k == fault.Permission { // of the file, not of its name
		name, _, _ := strings.Cut(ref, "@")
		return usage("%s: %v", a.library().Path(name), err)
	}
	return outcome.Advise(usage("%v", err), "%s", hint)
}

// checkWorkflow validates a workflow and gives its findings their places.
func (a *app) checkWorkflow(ctx context.Context, r *library.Record, src workflow.Source) (diag.List, error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return nil, err
	}
	_, list := workflow.Check(r.IR(), shelf.Catalogue, a.nodeTypes(), ir.Options{})
	if src.Data == nil {
		return list, nil
	}
	file, err := workflowfile.Read(src.File, src.Data)
	if err != nil {
		return nil, err
	}
	return file.Locate(list).Sort(), nil
}

// loadWorkflow finds, validates and compiles a workflow.
func (a *app) loadWorkflow(ctx context.Context, ref string) (*loaded, error) {
	r, src, err := a.findWorkflow(ref)
	if err != nil {
		return nil, err
	}
	return a.compileWorkflow(ctx, r, src)
}

// compileWorkflow validates and compiles a workflow.
func (a *app) compileWorkflow(ctx context.Context, r *library.Record, src workflow.Source) (*loaded, error) {
	list, err := a.checkWorkflow(ctx, r, src)
	if err != nil {
		return nil, err
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	a.showFindings(list)
	return a.program(ctx, r, src)
}

// program compiles a workflow that is valid.
func (a *app) program(ctx context.Context, r *library.Record, src workflow.Source) (*loaded, error) {
	l := &loaded{record: r, source: src, flows: engine.NewRecording(a.folders()), written: a.writtenBy(r, src)}
	env, err := l.env(ctx, a)
	if err != nil {
		return nil, err
	}
	program, found := workflow.Compile(src, env)
	if err := found.Err(); err != nil {
		return nil, err
	}
	l.program = program
	a.screen.hide(program.Mask)
	return l, nil
}

// writtenBy is what a run of a workflow may replace: a saved workflow is known by its name, any other by its hash.
func (a *app) writtenBy(r *library.Record, src workflow.Source) *written.Run {
	sum := sha256.Sum256(src.Workflow.Encode())
	out := &written.Run{Home: a.homeDir(), Workflow: r.Name, Draft: "sha256:" + hex.EncodeToString(sum[:])}
	if saved := src.File == "" && r.Version > 0 || src.File == a.library().Path(r.Name); !saved { // NAME@2 has no file
		out.Workflow = out.Draft
	}
	return out
}

// env is what the workflow is compiled and run in.
func (l *loaded) env(ctx context.Context, a *app) (workflow.Env, error) {
	dir, err := a.runDir()
	if err != nil {
		return workflow.Env{}, err
	}
	env, err := a.host().Env(ctx, dir, l.flows)
	env.Written = l.written
	return env, err
}

// given types the inputs of a command line.
func (l *loaded) given(in *invocation) (workflow.Given, error) {
	g := workflow.Given{Values: map[string]any{}}
	for _, pair := range in.inputs {
		input, err := l.program.Input(pair[0])
		if err != nil {
			return g, usage("%v", err)
		}
		if input.Secret {
			return g, usage("%s is a secret and is never taken from a command line; set the environment variable %s", input.Name, input.FromEnv)
		}
		v, err := workflow.ParseInput(input, pair[1])
		if err != nil {
			return g, usage("%v", err)
		}
		g.Values[input.Name] = v
	}
	return g, nil
}
