package workflow

import (
	"fmt"
	"slices"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/nodetype"
	"pflow/internal/secret"
	"pflow/internal/workflowfile"
	"pflow/ir"
)

// The kinds of findings that only compiling has: the document is valid, but cannot be run here.
const (
	NotRunnable = "not-runnable" // a component without a program, or one that is not there
	BadSecret   = "bad-secret"   // a secret where only a value can stand
)

// Program is a compiled workflow: immutable, and safe for concurrent runs.
type Program struct {
	Name     string
	Workflow *ir.Workflow
	// Inputs are the declared ones, or those that templates imply.
	Inputs []ir.Input
	// Piped tells that the piped text is used, as $stdin or for an input.
	Piped bool
	// Approvals lists the nodes that want a decision when their turn comes. What a run destroys is DryRun's to say.
	Approvals []Approval

	shared  *shared
	source  *Source
	flow    *engine.Flow
	outputs *outputs
	steps   map[string]toldStep
	handed  map[string]string // inputs that the calling workflow hands a secret to -> environment variable
}

// Approval is a node that wants a decision. Destructive ones are decided on before the run, the others when their turn
// comes.
type Approval struct {
	Node        string `json:"node"` // as steps name it: outer/inner
	Type        string `json:"type"`
	Destructive bool   `json:"destructive"`
	Why         string `json:"why,omitempty"` // of a destructive one: what it destroys, or why that is not known

	// Params are those that the node would get, of one that is asked for when its turn comes: a secret is {"$env": NAME}, and what only
	// an item or a round of the node says stands as its template.
	Params map[string]any `json:"params,omitempty"`
}

// maxAtOnce is how many nodes of one workflow may be at work at once.
const maxAtOnce = 8

// maxDepth is how deep workflows may call each other, at compile time and while they run.
const maxDepth = 20

// Source is a workflow to compile. Name is shown, and what a workflow that calls itself is known by; File and Data, if
// they are known, give findings and errors their places. The name of a file in YAML says that it is.
type Source struct {
	Name     string
	Workflow *ir.Workflow
	File     string
	Data     []byte
	Draft    []byte // the record that is saved once it has run; nil: it is saved, or nobody wants that
}

// Compile makes a program of a workflow that Check found valid. What it reports is what keeps it from running here.
func Compile(s Source, env Env) (*Program, diag.List) {
	shared := &shared{env: env, secrets: &secrets{keys: env.Keys}, programs: map[string]*Program{}, granted: env.granted}
	if env.Secrets == nil {
		shared.env.Secrets = secret.Environment(shared.getenv())
	}
	p := shared.compile(s.Name, s.Workflow, nil, nil, &s)
	if shared.found.HasErrors() {
		return nil, shared.found.Sort()
	}
	return p, shared.found.Sort()
}

// place finds a node in the file. It is looked for when an error needs it: in a document of one long line every place
// costs time.
func (s *Source) place(node int) diag.Place {
	if node < 0 {
		return diag.Place{}
	}
	return s.placeOf(fmt.Sprintf("nodes[%d]", node))
}

// placeOf finds the value at a JSON path of the IR in the file.
func (s *Source) placeOf(path string) diag.Place {
	if s == nil || s.Data == nil {
		return diag.Place{}
	}
	file, err := workflowfile.Read(s.File, s.Data)
	if err != nil {
		return diag.Place{File: s.File}
	}
	return file.Locate(diag.List{{Path: path}})[0].Place
}

// shared is what the compilations of a workflow and of those it calls have in common.
type shared struct {
	env      Env
	secrets  *secrets
	programs map[string]*Program // called workflows, by name and by the secrets handed to them
	environ  []string            // environment variables that inputs read, secrets apart
	calls    []called            // the workflows it calls, in order of first use
	found    diag.List
	granted  grants // before the run begins
}

// called is a workflow that another one calls, as it was when it was compiled.
type called struct {
	name     string
	workflow *ir.Workflow
}

// compiler compiles one workflow.
type compiler struct {
	*shared
	name    string
	w       *ir.Workflow
	chain   []string // the workflows that call this one, outermost first, and this one
	depth   int
	sources *sources
	program *Program
	source  *Source // nil of a called workflow
}

func (s *shared) compile(name string, w *ir.Workflow, chain []string, given map[string]string, source *Source) *Program {
	p := &Program{Name: name, Workflow: w, Inputs: w.EffectiveInputs(s.env.Catalogue), shared: s, handed: given, source: source, steps: map[string]toldStep{}}
	c := &compiler{shared: s, name: name, w: w, chain: append(slices.Clone(chain), name), depth: len(chain), program: p, source: source,
		sources: newSources(w, p.Inputs, given, s.env.Catalogue)}
	for _, in := range p.Inputs {
		if in.Secret {
			s.secrets.add(in.FromEnv)
		} else if in.FromEnv != "" && !slices.Contains(s.environ, in.FromEnv) {
			s.environ = append(s.environ, in.FromEnv)
		}
		p.Piped = p.Piped || in.FromStdin
	}
	d := engine.DAG{Name: name, Concurrency: maxAtOnce}
	gated := map[string]bool{}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		node, ok := c.node(i)
		if !ok {
			continue
		}
		if n.Approval {
			gated[n.ID] = true
			d.Nodes = append(d.Nodes, c.gate(n))
			d.Edges = append(d.Edges, engine.DAGEdge{From: n.ID + GateSuffix, Action: engine.DefaultAction, To: n.ID})
		}
		d.Nodes = append(d.Nodes, node)
	}
	entrance := func(id string) string {
		if gated[id] {
			return id + GateSuffix
		}
		return id
	}
	for _, e := range w.Edges {
		d.Edges = append(d.Edges, engine.DAGEdge{From: e.From, Action: e.Action, To: entrance(e.To)})
	}
	for _, at := range w.Starts() {
		d.Starts = append(d.Starts, entrance(w.Nodes[at].ID))
	}
	p.outputs = c.outputs()
	if s.found.HasErrors() {
		return p
	}
	d.Hash = w.Hash()
	flow, err := engine.NewDAG(d)
	if err != nil {
		c.report(-1, NotRunnable, "%v", err)
		return p
	}
	p.flow = flow
	return p
}

func (s *shared) getenv() func(string) string {
	if s.env.Getenv != nil {
		return s.env.Getenv
	}
	return func(string) string { return "" }
}

// secretStore is where secrets are read.
func (s *shared) secretStore() *secret.Store { return s.env.Secrets }

func (c *compiler) report(node int, kind, format string, args ...any) {
	f := diag.Finding{Severity: diag.Error, Kind: kind, Message: fmt.Sprintf(format, args...)}
	if node >= 0 {
		f.Node, f.Path = c.w.Nodes[node].ID, fmt.Sprintf("nodes[%d]", node)
		f.Place = c.source.place(node)
	}
	if c.depth > 0 {
		f.Message = fmt.Sprintf("in the workflow %s: %s", c.name, f.Message)
	}
	c.found = append(c.found, f)
}

// node compiles one node.
func (c *compiler) node(at int) (engine.DAGNode, bool) {
	n := &c.w.Nodes[at]
	i := c.env.Catalogue.Get(n.Type)
	if i == nil {
		c.report(at, NotRunnable, "there is no node type %q", n.Type)
		return engine.DAGNode{}, false
	}
	d := engine.DAGNode{ID: n.ID}
	c.settings(at, &d)
	if b := n.Batch; b != nil {
		items, _ := ir.Compile(b.Items)
		list := itemList{c: c.shared, reads: capture{}, value: items}
		c.read(list.reads, items, n, false)
		c.noSecrets(at, batchItems, list.reads)
		d.Batch = &engine.Batch{Items: list, KeepGoing: b.OnError == "continue"}
	}
	inner, ok := c.component(at, i, &d)
	if n.Repeat != nil {
		inner = c.repeat(at, i, &d, inner)
	}
	if d.Batch != nil {
		d.Result = batchResult{inner}
	} else if inner != nil {
		d.Result = innerResult(inner)
	}
	return d, ok
}

// component settles what a node runs: a workflow, a node type, or a declared node. inner, if not nil, reads the node's
// outputs off the store of an inner flow.
func (c *compiler) component(at int, i *ir.Interface, d *engine.DAGNode) (inner func(map[string]any) any, ok bool) {
	n := &c.w.Nodes[at]
	if n.Approval {
		c.program.Approvals = append(c.program.Approvals, Approval{Node: n.ID, Type: n.Type})
	}
	switch t, builtin := c.env.Types[n.Type]; {
	case i.Workflow:
		return c.workflow(at, i, n.Type, n.Params, d)
	case i.Call != nil:
		return c.caller(at, i, d)
	case builtin:
		return nil, c.perform(d, &call{c: c, node: n, iface: i, params: c.params(n, n.Params, i, t.Late), run: t.Run, pure: t.Pure,
			foresee: func(in nodetype.Call) nodetype.Foreseen { return foreseeStep(t, i, in) }})
	case c.env.StandIn != nil:
		return nil, c.perform(d, &call{c: c, node: n, iface: i, params: c.params(n, n.Params, i, nil)})
	case c.env.Declared[n.Type] != nil:
		return c.declared(at, c.env.Declared[n.Type], d)
	}
	c.report(at, NotRunnable, "%q can be planned with, but not run", n.Type)
	return nil, false
}

// perform makes a node run a call.
func (c *compiler) perform(d *engine.DAGNode, to *call) bool {
	d.Op, d.Exec = to.op(), to.exec
	c.program.steps[to.node.ID] = toldStep{params: to.params}
	d.Prep = []engine.Binding{{Name: valuesKey, Expr: to.params.reads}}
	c.piped(to.params.reads)
	return true
}

// piped notes that the piped text is read. A called workflow has none but what it is handed.
func (c *compiler) piped(reads capture) {
	for _, f := range reads {
		c.program.Piped = c.program.Piped || f.kind == fromStdin
	}
}

// noSecrets reports a secret where the value would be kept.
func (c *compiler) noSecrets(at int, where string, reads capture) {
	for root, f := range reads {
		if f.kind == fromSecret {
			c.report(at, BadSecret, "%s: the secret %q cannot stand here, where its value would be kept; give it to the node that uses it, in a param", where, root)
		}
	}
	c.piped(reads)
}
