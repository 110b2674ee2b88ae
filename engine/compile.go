package engine

import (
	"slices"
	"strings"

	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// compiler settles one flow: it turns the tree into a Flow and reports what does not hold together. One mistake should
// give one finding: what depends on something that was reported is taken to be right.
type compiler struct {
	s     *session
	src   *syntax.Flow
	flow  *Flow
	chain []string // paths of the document and its bases, for looking up prompts
	parts []string // what the hash covers beside the tree

	store  cond.Record
	params cond.Record
	funcs  []*cond.Func
	envs   map[string]*cond.Env
	seen   int // the names in them
	index  map[string]int
	facts  []nodeFacts // what later checks need to know of each node
	node   string      // the id of the node that is being compiled, for findings

	inputs  []string // the declared state keys, sorted
	targets []string // what next can lead to

	meterReads []meterRead // of run.usage
	runReads   int         // how often expressions read run

	openMeters bool // an op or a flow is not known, and so are its meters
	openGraph  bool // some edges are not known
	crowded    bool // there are too many environments
}

// nodeFacts is what the checks of routes and of the store's use need.
type nodeFacts struct {
	src     *syntax.Node
	known   bool     // it is known which actions the node can leave with
	returns []string // those actions; nil if they are data
	dynamic bool     // they are data
	reads   []read   // before post is written
	late    []read   // after it
	writes  []string
}

// read is a use of a store key by an expression.
type read struct {
	key string
	at  *yamltree.Value
	off int
}

func (c *compiler) compile() {
	c.envs = map[string]*cond.Env{}
	c.compileState()
	c.compileParams()
	c.compileFunctions()
	c.index = make(map[string]int, len(c.src.Nodes))
	for i, n := range c.src.Nodes {
		c.index[n.ID.Text] = i
		c.targets = append(c.targets, n.ID.Text)
		c.openGraph = c.openGraph || n.ID.Text == End // a bad name: edges to it are not what they seem
	}
	c.targets = append(c.targets, End)
	c.flow.nodes = make([]node, len(c.src.Nodes))
	c.facts = make([]nodeFacts, len(c.src.Nodes))
	for i, n := range c.src.Nodes {
		c.node = n.ID.Text
		c.compileNode(i, n)
	}
	c.node = ""
	c.compileLimits()
	c.checkMeterReads()
	c.compileStart()
	if c.route() {
		c.checkGraph()
		c.checkStoreUse()
	}
	c.flow.ends = c.endActions()
	c.compileSearch()
	for _, n := range c.src.Nodes {
		for _, t := range n.Target {
			c.flow.targets = append(c.flow.targets, Target{n.ID.Text, t.Percent, t.Within})
		}
	}
}

func (c *compiler) compileState() {
	c.flow.keys = map[string]stateKey{lastError: {typ: value.Object, hasValue: true, nullable: true}}
	c.store = cond.Record{lastError: value.Any}
	for _, k := range c.src.State {
		key := stateKey{typ: k.Type, required: k.Required, hasValue: k.HasDefault, def: k.Default, nullable: k.HasDefault && k.Default == nil}
		c.flow.keys[k.Name.Text] = key
		c.store[k.Name.Text] = key.typ
		if key.nullable {
			c.store[k.Name.Text] = value.Any
		}
	}
	c.inputs = c.flow.Inputs()
}

func (c *compiler) compileParams() {
	c.flow.params, c.params = map[string]any{}, cond.Record{}
	if c.src.Params == nil {
		return
	}
	for _, e := range c.src.Params.Entries {
		v := e.Value.Plain()
		c.flow.params[e.Key] = v
		c.params[e.Key] = value.TypeOf(v)
	}
}

// compileLimits checks that each meter with a limit is one that some op of the flow, or of an inner flow, declares.
func (c *compiler) compileLimits() {
	l := c.src.Limits
	c.flow.limits = limits{steps: l.Steps, timeout: l.Timeout}
	known := c.s.metersOf(c.flow)
	for _, m := range l.Meters {
		if !slices.Contains(known, m.Name.Text) {
			if !c.openMeters {
				c.report(whole(m.Name.V), "unknown-meter", choice{m.Name.Text, append([]string{"steps", "timeout"}, known...)},
					"no op of this flow has the meter %s, so the limit would never hold; remove it", quoted(m.Name.Text))
			}
			continue
		}
		if c.flow.limits.meters == nil {
			c.flow.limits.meters = map[string]float64{}
		}
		c.flow.limits.meters[m.Name.Text] = m.Max
	}
}

// metersOf lists the meters that a flow's ops declare, inner flows' too, sorted.
func (s *session) metersOf(f *Flow) []string {
	if names, done := s.meters[f]; done {
		return names
	}
	var names []string
	for i := range f.nodes {
		for _, u := range f.nodes[i].units {
			switch {
			case u.flow != nil:
				names = append(names, s.metersOf(u.flow)...)
			case u.op != nil:
				names = append(names, u.op.Meters...)
			}
		}
	}
	slices.Sort(names)
	s.meters[f] = slices.Compact(names)
	return s.meters[f]
}

func (c *compiler) compileStart() {
	if c.src.Start == nil {
		return
	}
	i, ok := c.index[c.src.Start.Text]
	if !ok {
		nodes := c.targets[:len(c.targets)-1]
		c.report(whole(c.src.Start.V), "unknown-node", choice{c.src.Start.Text, nodes}, "start names %s, which is no node of this flow", quoted(c.src.Start.Text))
		c.openGraph = true
		return
	}
	c.flow.start = i
}

// report adds an error of the node that is being compiled.
func (c *compiler) report(at spot, kind string, could choice, format string, args ...any) {
	c.s.reportIn(c.node, at, kind, could, format, args...)
}

// expression compiles an expression of the document; nil if it has findings, which are reported. A nil env stands for
// one that is not known, because what makes it has findings.
func (c *compiler) expression(e *syntax.Expr, env *cond.Env, want value.Type) *cond.Program {
	return c.compileAs(e, env, want, cond.BadExpression)
}

// condition is expression for what decides: retry.on, and the entries of actions.
func (c *compiler) condition(e *syntax.Expr, env *cond.Env) *cond.Program {
	return c.compileAs(e, env, value.Boolean, "bad-condition")
}

func (c *compiler) compileAs(e *syntax.Expr, env *cond.Env, want value.Type, broken string) *cond.Program {
	if env == nil || c.s.full() {
		return nil
	}
	p, problems := c.s.cond.Compile(e.Lang, e.Source, env, want)
	for _, bad := range problems {
		if bad.Kind == cond.BadExpression {
			bad.Kind = broken
		}
		bad.Message += cutOff(e)
		at := inside(e.V, bad.Offset)
		c.s.looked += len(bad.Alternatives)
		f := at.v.Error(bad.Kind, bad.Message)
		f.Place, f.Snippet, f.Node = at.place, at.v.Snippet(at.place), c.node
		f.Suggestion, f.Alternatives = bad.Suggestion, bad.Alternatives
		c.s.add(f)
	}
	if len(problems) > 0 {
		return nil
	}
	p.At(e.V.At)
	c.noteRun(p, e.V)
	return p
}

// value compiles what may be an expression, or a mapping or a list of such values, and adds what it reads of the store.
// It is nil if there are findings, which are reported.
func (c *compiler) value(e *syntax.Expr, env *cond.Env, reads *[]read) *cond.Program {
	switch e.V.Kind {
	case yamltree.Map:
		names, parts := make([]string, len(e.Fields)), make([]*cond.Program, len(e.Fields))
		for i := range e.Fields {
			names[i], parts[i] = e.Fields[i].Name.Text, c.value(&e.Fields[i].Expr, env, reads)
		}
		return c.built(cond.Object(names, parts), parts, e)
	case yamltree.Seq:
		parts := make([]*cond.Program, len(e.Items))
		for i := range e.Items {
			parts[i] = c.value(&e.Items[i], env, reads)
		}
		return c.built(cond.List(parts), parts, e)
	}
	p := c.expression(e, env, value.Any)
	*reads = append(*reads, readsOf(p, e.V)...)
	return p
}

func (c *compiler) built(p *cond.Program, parts []*cond.Program, e *syntax.Expr) *cond.Program {
	if slices.Contains(parts, nil) {
		return nil
	}
	p.At(e.V.At)
	return p
}

// cutOff tells an expression that YAML cut at a blank and a #, where a comment begins: brackets or quotes are open.
func cutOff(e *syntax.Expr) string {
	open := func(s string) int { return strings.Count(e.Source, s) }
	comment := e.V.Comment()
	if comment == "" || open("(") == open(")") && open("[") == open("]") && open("{") == open("}") && open(`"`)%2 == 0 && open("'")%2 == 0 {
		return ""
	}
	return "; YAML reads a # after a blank as a comment: quote the whole expression"
}

// readsOf lists the store keys that an expression uses.
func readsOf(p *cond.Program, at *yamltree.Value) []read {
	var out []read
	if p == nil {
		return nil
	}
	for _, r := range p.Reads() {
		if r.Record == "store" {
			out = append(out, read{r.Member, at, r.Offset})
		}
	}
	return out
}

// canFit reports whether a value of one static type may fit another: an integral number fits integer.
func canFit(want, got value.Type) bool {
	number := func(t value.Type) bool { return t == value.Number || t == value.Integer }
	return want == value.Any || want == "" || got == value.Any || want == got || number(want) && number(got)
}
