package drive

import (
	"encoding/json"
	"slices"

	"go.temporal.io/sdk/workflow"

	"pflow/engine"
	"pflow/internal/value"
)

// listen has the selector take what happens and what is signalled.
func (d *driver) listen() {
	d.selector = workflow.NewSelector(d.ctx)
	d.selector.AddReceive(d.happens, func(in workflow.ReceiveChannel, _ bool) {
		var happened func()
		in.Receive(d.ctx, &happened)
		happened()
	})
	signal(d, ApproveSignal, d.approve)
	signal(d, DecideSignal, d.decide)
	signal(d, AnswerSignal, d.answer)
	signal(d, InputSignal, d.input)
}

func signal[T any](d *driver, name string, take func(T)) {
	d.selector.AddReceive(workflow.GetSignalChannel(d.ctx, name), func(in workflow.ReceiveChannel, _ bool) {
		var got T
		in.Receive(d.ctx, &got)
		take(got)
	})
}

// approve opens gates. What was not asked for yet is remembered.
func (d *driver) approve(what Approve) {
	opened := false
	for _, c := range d.held() {
		step, _, _ := c.Step()
		node := gated(step)
		if what.Step == "" || what.Step == node {
			opened = true
			d.carryOut(d.step(engine.Event{Kind: engine.EventApprove, ID: c.ID, Result: approval()}))
		}
	}
	if !opened && what.Step != "" && !slices.Contains(d.approved, what.Step) {
		d.approved = append(d.approved, what.Step)
	}
}

// held are the attempts that wait for approval.
func (d *driver) held() []engine.Command {
	if !d.began {
		return nil
	}
	return d.run.Held()
}

// input gives inputs that were missing.
func (d *driver) input(values json.RawMessage) {
	if d.began {
		return
	}
	v, err := value.ParseJSON(values)
	given, object := v.(map[string]any)
	if err != nil || !object {
		d.refused = "the inputs are no JSON object"
		return
	}
	d.sent = value.Merge(d.sent, given)
}

func (d *driver) ids() []int {
	out := make([]int, 0, len(d.attempts))
	for id := range d.attempts {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// state answers the query.
func (d *driver) state() (State, error) {
	s := State{Status: d.status, Under: []string{}, Waits: slices.Clone(d.missing), Refused: d.refused, Cuts: d.cuts}
	if !d.began {
		s.Status = "waiting"
		return s, nil
	}
	s.Waits = []Wait{}
	s.Steps = len(d.run.Result().Steps)
	for _, c := range d.held() {
		step, _, _ := c.Step()
		node := gated(step)
		s.Waits = append(s.Waits, Wait{Kind: "approval", Step: node, For: "approve " + node})
	}
	for _, id := range d.ids() {
		switch a := d.attempts[id]; a.state {
		case lost:
			s.Waits = append(s.Waits, Wait{Kind: "decision", Step: a.name(), For: a.name() + " was under way when its worker was lost, and running it again may repeat its effects"})
		case asking:
			prompt, _ := a.command.Call(d.run).Prep["prompt"].(string)
			s.Waits = append(s.Waits, Wait{Kind: "line", Step: a.name(), For: prompt})
		default:
			s.Under = append(s.Under, a.name())
		}
	}
	if s.Status == "running" && len(s.Waits) > 0 && len(s.Under) == 0 {
		s.Status = "waiting"
	}
	return s, nil
}
