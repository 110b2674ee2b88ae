package nodes

import (
	"context"
	"sync"

	"pflow/engine"
	"pflow/internal/compose"
	"pflow/internal/mapparams"
	"pflow/internal/value"
)

// What the ops that compose a workflow take: each is a stage of package compose, which takes a draft and gives another.
var (
	composeRequest    = engine.Field{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"}
	composeInterfaces = engine.Field{Name: "interfaces", Type: value.Array, Required: true,
		Doc: "[{name, description, inputs, outputs, params, forms?: [{says, inputs, with}]}], each port {key, type, kind?, description?, required?, default?, enum?}"}
	composeNow   = engine.Field{Name: "now", Type: value.Any, Doc: "the date that relative words count from; the run's own if not given"}
	composeDraft = engine.Field{Name: "draft", Type: value.Object, Required: true,
		Doc: "{steps: [{id, component, form?, start, end, given?}], skipped?, taken?} as choose-steps gives it; form counts the component's forms from 0; start and end in bytes"}
)

// lastGround keeps what a request and a list of interfaces were read as last: values are never written to, so the same ones
// read the same, and every stage asks for them.
type lastGround struct {
	mu      sync.Mutex
	request *mapparams.Request
	list    []any
	ground  *compose.Ground
}

// ground reads the request and the interfaces of a step that composes.
func (d Deps) ground(ctx context.Context, in engine.Input) (*compose.Ground, error) {
	text, _ := in.Prep["request"].(string)
	request, err := d.reading(ctx, text, in.Prep["now"], in.Now)
	if err != nil {
		return nil, err
	}
	list, _ := in.Prep["interfaces"].([]any)
	d.lastGround.mu.Lock()
	defer d.lastGround.mu.Unlock()
	last := d.lastGround
	if last.ground != nil && last.request == request && len(list) == len(last.list) && (len(list) == 0 || &list[0] == &last.list[0]) {
		return last.ground, nil
	}
	interfaces, err := compose.Interfaces(list)
	if err != nil {
		return nil, err
	}
	ground, err := compose.NewGround(ctx, request, interfaces)
	if err != nil {
		return nil, err
	}
	last.request, last.list, last.ground = request, list, ground
	return ground, nil
}

// drafted reads what a step that composes is given: the ground, and the draft of it.
func (d Deps) drafted(ctx context.Context, in engine.Input) (*compose.Ground, *compose.Draft, error) {
	ground, err := d.ground(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	draft, err := ground.Draft(in.Prep["draft"])
	return ground, draft, err
}

// share gives an option that is a number from 0 to 1.
func share(s *engine.Setup, name string, otherwise float64) float64 {
	var f float64
	switch v := s.Value(name).(type) {
	case int:
		f = float64(v)
	case float64:
		f = v
	default:
		return otherwise
	}
	if f < 0 || f > 1 {
		s.Report(name, 0, "bad-param", "%s is from 0 to 1", name)
	}
	return f
}
