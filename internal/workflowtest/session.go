package workflowtest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/flowtest"
	"pflow/internal/nodetype"
	"pflow/internal/secret"
	"pflow/internal/workflow"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// stage is a workflow that is compiled for runs that touch nothing.
type stage struct {
	program *workflow.Program
	env     workflow.Env
	fakes   *fakes // nil: nothing is made up
	canned  func(step string) bool
	known   func(input string) bool // that is given
	certain map[*ir.Node]certainty  // of the nodes of the workflow itself; those of the ones that it calls are all uncertain
	now     *session                // the run that is under way
}

// session is one run.
type session struct {
	*stage
	outcomes map[string][]outcome // by step
	used     map[string]int
	seen     map[string][]seen // by step, also of those that nothing is canned for
	fakes    []string          // nodes whose outputs were made up, in order
	failed   []failure         // of nodes that see what is made up
	reached  map[*ir.Node]bool
	fault    error // what ends the test: a node that reaches outside and has no outcome
	left     int   // attempts, so that every run ends soon
}

// outcome is what a canned attempt gives.
type outcome struct {
	outputs map[string]any
	action  string
	err     *fault.Error
	expect  *expectedParams
	given   *yamltree.Value // outputs, as the test has them
}

// seen is one attempt as it was: with what, and what it gave.
type seen struct {
	params map[string]any
	err    error // why there were no params
}

// failure is one of a node that would run.
type failure struct {
	node *ir.Node
	err  *fault.Error
}

// maxAttempts bounds the attempts of one run.
const maxAttempts = 2000

// prepare compiles a workflow. Of env only what is needed to compile is used: nothing that reaches outside.
func prepare(src workflow.Source, env workflow.Env, fake bool, known func(input string) bool, canned func(step string) bool) (*stage, error) {
	st := &stage{canned: canned}
	st.env = workflow.Env{
		Catalogue: env.Catalogue, Types: env.Types, Declared: env.Declared, Load: env.Load,
		// Secrets are of the environment: each holds a text of its own, and is masked as a real one is.
		Secrets: secret.Environment(func(name string) string { return "fake secret " + name }),
		StandIn: &workflow.StandIn{
			Answer: func(ctx context.Context, u workflow.Use) (nodetype.Outcome, error) { return st.now.answer(ctx, u) },
			Ends:   func(n *ir.Node) bool { return st.fakes != nil && !st.certain[n].gives && !st.canned(n.ID) },
		},
	}
	program, found := workflow.Compile(src, st.env)
	if err := found.Err(); err != nil {
		return nil, err
	}
	st.program = program
	if fake {
		st.fakes = newFakes(src.Workflow, env.Catalogue)
		st.known = known
		st.settle()
	}
	return st, nil
}

// settle says what is uncertain, once it is known which inputs are given.
func (st *stage) settle() {
	w := st.program.Workflow
	st.certain = certain(w, st.env.Catalogue, func(n *ir.Node) bool { return !st.canned(n.ID) && !st.env.Types[n.Type].Pure }, st.known)
}

// bind makes the first store of a run. What is not given and needed is made up; all tells that what is not needed is, too.
func (st *stage) bind(given workflow.Given, all bool) (map[string]any, error) {
	values := map[string]any{}
	maps.Copy(values, given.Values)
	for _, in := range st.program.Inputs {
		if _, there := values[in.Name]; there || in.Secret || st.fakes == nil {
			continue
		}
		v := st.fakes.variant
		if in.Required && !in.HasDefault || all && v != 1 && (v != 5 || in.HasDefault) {
			values[in.Name] = st.fakes.value(in.Type, nil, st.fakes.wanted[ofInputs][in.Name], "fake "+in.Name)
		}
	}
	given.Values = values
	if st.program.Piped && given.Stdin == nil && st.fakes != nil {
		text := st.fakes.text(nil, "fake piped text")
		given.Stdin = &text
	}
	store, missing, err := st.program.Bind(given)
	if err == nil && len(missing) > 0 {
		var names []string
		for _, in := range missing {
			names = append(names, in.Name)
		}
		err = fmt.Errorf("inputs: the workflow needs %s", strings.Join(names, ", "))
	}
	return store, err
}

// run takes one run to its end.
func (st *stage) run(ctx context.Context, store map[string]any, outcomes map[string][]outcome) (*workflow.Result, *session, error) {
	s := &session{stage: st, outcomes: outcomes, used: map[string]int{}, seen: map[string][]seen{}, reached: map[*ir.Node]bool{}, left: maxAttempts}
	st.now = s
	res, err := st.program.Run(ctx, store, workflow.Options{
		Approve: func(context.Context, workflow.Approval) bool { return true },
		Drive: func(ctx context.Context, flow *engine.Flow, input map[string]any) (*engine.Result, error) {
			return flowtest.Drive(ctx, flow, input, func(r *engine.Run, c *engine.Command, ev *engine.Event) error {
				c.Perform(ctx, r, ev)
				if s.fault != nil {
					return s.fault
				}
				return nil
			}, nil)
		},
	})
	return res, s, err
}

// rounds are what a step's name says of the rounds of its node and of visits around it.
var rounds = regexp.MustCompile(`#\d+`)

// stepOf names a step as tests do: fetch, each[1], outer/inner.
func stepOf(u *workflow.Use) string { return stepName(u.Step, u.Index) }

func stepName(step, index string) string {
	name := rounds.ReplaceAllString(step, "")
	if index != "" {
		name += "[" + index + "]"
	}
	return name
}

// answer gives the outcome of one attempt: what is canned, what the node computes, or what is made up.
func (s *session) answer(ctx context.Context, u workflow.Use) (nodetype.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nodetype.Outcome{}, err
	}
	if s.left--; s.left < 0 {
		s.fault = fault.New(fault.Limit, "the run takes more than %d attempts", maxAttempts)
		return nodetype.Outcome{}, s.fault
	}
	s.reached[u.Node] = true
	step := stepOf(&u)
	if _, own := s.outcomes[step]; !own {
		step = u.Name()
	}
	list := s.outcomes[step]
	at := s.used[step]
	s.used[step]++
	s.seen[step] = append(s.seen[step], seen{params: u.Params, err: u.Err})
	if u.Err != nil {
		return s.failing(&u, u.Err)
	}
	if len(list) > 0 {
		if o := list[min(at, len(list)-1)]; o.gives() {
			if o.err != nil {
				return nodetype.Outcome{}, o.err
			}
			return nodetype.Outcome{Outputs: o.outputs, Action: o.action}, nil
		}
	}
	switch {
	case u.Run != nil:
		got, err := u.Run()
		if err != nil {
			return s.failing(&u, err)
		}
		return got, nil
	case s.stage.fakes != nil:
		return s.madeUp(&u), nil
	}
	s.fault = fmt.Errorf("the node %q (%s) reaches outside: say what it gives under nodes, or make it up with --fake", u.Name(), u.Interface.Name)
	return nodetype.Outcome{}, s.fault
}

// gives reports whether the outcome says what the attempt gives, and not only what is expected of it.
func (o *outcome) gives() bool { return o.outputs != nil || o.err != nil || o.action != "" }

func (s *session) madeUp(u *workflow.Use) nodetype.Outcome {
	s.fakes = append(s.fakes, stepOf(u))
	return nodetype.Outcome{Outputs: s.stage.fakes.outputs(u.Name(), u.Interface)}
}

// failing is what becomes of a node that failed: where it sees what is made up it goes on with outputs that are made up, too,
// since real values might do.
func (s *session) failing(u *workflow.Use, err error) (nodetype.Outcome, error) {
	if s.stage.fakes == nil || s.certain[u.Node].sees {
		return nodetype.Outcome{}, err
	}
	s.failed = append(s.failed, failure{u.Node, fault.Of(err)})
	return s.madeUp(u), nil
}
