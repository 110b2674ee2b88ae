package otlp

import (
	"context"
	"time"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/value"
)

// here is the span that is under way in a context.
type here struct {
	run *run
	id  spanID
}

type hereKey struct{}

// run follows a run.
type run struct {
	e         *Exporter
	of        engine.TracedRun
	lineage   lineage
	trace     traceID
	id        spanID
	parent    spanID
	remote    bool
	began     time.Time // in this process
	attempted map[engine.Part][]event
	begun     begun
	secrets   func() *mask.Masker
}

// begun says of the runs that are begun in a context who began them, and which run they come of.
type begun struct{ by, parent string }

type begunKey struct{}

// Begun says of the run that is begun in a context who begins it, and which run it comes of: the one that is run again, or that
// made its plan. "" is none.
func Begun(ctx context.Context, by, parent string) context.Context {
	return context.WithValue(ctx, begunKey{}, begun{by, parent})
}

// Run implements engine.Tracer.
func (e *Exporter) Run(ctx context.Context, of engine.TracedRun) engine.RunTracer {
	if !e.ready() {
		return nil
	}
	r := &run{e: e, of: of, lineage: lineageOf(of.ID), began: of.Began, attempted: map[engine.Part][]event{}}
	r.trace, r.id = r.lineage.trace(), r.lineage.run(of.Events)
	if of.Events > 0 {
		r.began = time.Now()
	}
	if in, ok := ctx.Value(hereKey{}).(here); ok {
		r.trace, r.parent = in.run.trace, in.id
	} else {
		r.begun, _ = ctx.Value(begunKey{}).(begun)
		if p := e.config.parent; p != nil {
			r.trace, r.parent, r.remote = p.trace, p.id, true
		}
	}
	r.secrets = func() *mask.Masker { return mask.From(ctx) }
	return r
}

// Within implements engine.RunTracer.
func (r *run) Within(ctx context.Context, p engine.Part) context.Context {
	return context.WithValue(ctx, hereKey{}, here{r, r.lineage.span(p)})
}

// mostAttempts bounds the events of a span.
const mostAttempts = 100

// Failed implements engine.RunTracer.
func (r *run) Failed(p engine.Part, attempt int, at time.Duration, err *fault.Error) {
	if len(r.attempted[p]) < mostAttempts {
		about := append(exception(err.Kind, err.Message), attribute{"pflow.attempt", attempt})
		r.attempted[p] = append(r.attempted[p], event{"exception", r.of.Began.Add(at), about})
	}
}

// Ended implements engine.RunTracer.
func (r *run) Ended(t engine.Traced) {
	p := part{run: r, Traced: t}
	if len(r.attempted) > 0 {
		p.events = r.attempted[t.Part]
		delete(r.attempted, t.Part)
	}
	r.e.put(p)
}

// Done implements engine.RunTracer.
func (r *run) Done(at time.Duration, res *engine.Result, err error) {
	s := r.span()
	s.id, s.parent, s.remote, s.name = r.id, r.parent, r.remote, invokeWorkflow+" "+r.of.Flow
	s.began, s.took = r.began, r.of.Began.Add(at).Sub(r.began)
	kind := "flow"
	if r.of.Workflow {
		kind = "workflow"
	}
	s.attributes = append(invokes(r.of.Flow), attribute{"pflow.run.kind", kind})
	if r.of.ID != "" {
		s.attributes = append(s.attributes, attribute{"pflow.run.id", r.of.ID})
	}
	if r.of.Events > 0 {
		s.attributes = append(s.attributes, attribute{"pflow.run.resumed", true})
		s.links = append(s.links, link{r.trace, r.lineage.run(0)})
	}
	if r.begun.by != "" {
		s.attributes = append(s.attributes, attribute{"pflow.run.by", r.begun.by})
	}
	if parent := r.begun.parent; parent != "" {
		s.attributes = append(s.attributes, attribute{"pflow.run.parent", parent})
		if of := lineageOf(parent); !r.remote { // else nobody knows in which trace it was
			s.links = append(s.links, link{of.trace(), of.run(0)})
		}
	}
	if res != nil {
		s.attributes = append(s.attributes, attribute{"pflow.run.status", string(res.Status)}, attribute{"pflow.run.steps", len(res.Steps)})
		for _, name := range value.SortedKeys(res.Usage) {
			s.attributes = append(s.attributes, attribute{"pflow.usage." + name, res.Usage[name]})
		}
		if res.Error != nil {
			s.fail(fault.Kind(res.Error.Kind), res.Error.Message)
		}
	}
	if err != nil {
		s.fail(fault.Of(err).Kind, err.Error())
	}
	r.e.put(s)
}

// span is what all spans of the run have in common.
func (r *run) span() *span { return &span{trace: r.trace, kind: kindInternal, secrets: r.secrets} }

func invokes(flow string) []attribute {
	return []attribute{{operationName, invokeWorkflow}, {workflowName, flow}, {agentName, flow}}
}

func (s *span) fail(kind fault.Kind, message string) {
	s.failed, s.message = true, told(kind, message)
	s.attributes = append(s.attributes, attribute{errorType, string(kind)})
}

// part is a part of a run whose span is yet to be made, which the run does not wait for.
type part struct {
	engine.Traced
	run    *run
	events []event
}

func (p part) made() *span {
	s := p.run.span()
	s.id, s.parent = p.run.lineage.span(p.Part), p.run.id
	if p.In != (engine.Part{}) {
		s.parent = p.run.lineage.span(p.In)
	}
	s.began, s.took, s.events = p.run.of.Began.Add(p.Began), p.Took, p.events
	switch {
	case p.Tool != "":
		s.name = executeTool + " " + p.Tool
		s.attributes = []attribute{{operationName, executeTool}, {toolName, p.Tool}, {toolType, typeOfTool(p.Tool)}}
	case p.Flow != "":
		s.name = invokeWorkflow + " " + p.Flow
		s.attributes = invokes(p.Flow)
	case p.Index != "":
		s.name = "item " + p.Node
	default:
		s.name = "step " + p.Node
	}
	add := func(key string, v any) { s.attributes = append(s.attributes, attribute{key, v}) }
	add("pflow.step.name", p.Name)
	if p.Op != "" && p.Tool == "" {
		add("pflow.step.op", p.Op)
	}
	if p.Visit > 1 {
		add("pflow.step.visit", int(p.Visit))
	}
	if p.Index != "" {
		add("pflow.step.index", p.Index)
	}
	if p.Items > 0 {
		add("pflow.step.items", p.Items)
	}
	if p.Attempts > 1 {
		add("pflow.step.attempts", p.Attempts)
	}
	if p.Kept != "" {
		add("pflow.step.kept", p.Kept)
	}
	if p.Action != "" {
		add("pflow.step.action", p.Action)
	}
	if p.Err != nil {
		s.fail(p.Err.Kind, p.Err.Message)
	}
	return s
}

func (s *span) made() *span { return s }
