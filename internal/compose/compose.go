// Package compose makes a workflow of the interfaces of components, without a model.
//
// The request is cut into clauses; each takes the component whose words it shares most, in the order of mention. The
// values that the request has for a component's inputs become inputs of the workflow, so that the same workflow serves
// the next request too. What the request has no value for is led from an earlier step's output that fits by key, type
// and kind; where there is none, a component that gives it is put before, and so on backwards. Nothing here knows any
// component or any request: it goes by what interfaces state.
package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// Options bound what is made.
type Options struct {
	Now time.Time
	// Least is the confidence below which nothing is taken to fit, LeastStep that of a further step; from 0 to 1.
	Least, LeastStep float64
	// Confidence of an interface for the request as a whole, by name, if it was ranked among more than are given.
	Confidence map[string]float64
}

// Result is a workflow, nil where nothing fits, and why.
type Result struct {
	Workflow   *ir.Workflow
	Reason     string
	Confidence float64
	Templated  string // the request with {key} in the place of its values
	Title      string // a few words of it in kebab case
}

// Compose makes the workflow that a request asks for out of interfaces, which come best first.
func Compose(request string, interfaces []*ir.Interface, o Options) Result {
	c := &composer{request: request, interfaces: interfaces, o: o}
	c.index = retrieve.NewIndex(candidates(interfaces))
	if !c.choose() {
		return Result{Reason: c.reason, Confidence: c.best}
	}
	c.bind()
	c.prerequisites()
	text := c.templated()
	return Result{Workflow: c.workflow(), Confidence: c.best, Reason: c.reason, Templated: text, Title: title(text)}
}

func candidates(interfaces []*ir.Interface) []retrieve.Candidate {
	out := make([]retrieve.Candidate, len(interfaces))
	for i, c := range interfaces {
		out[i] = retrieve.Candidate{Name: c.Name, Description: c.Description}
		for _, ports := range [][]ir.Port{c.Inputs, c.OnlyParams(), c.Outputs} {
			for _, p := range ports {
				out[i].Keywords = append(out[i].Keywords, p.Key, p.Kind)
			}
		}
	}
	return out
}

// composer is one call of Compose.
type composer struct {
	request    string
	interfaces []*ir.Interface
	o          Options
	index      *retrieve.Index
	steps      []*step
	best       float64
	reason     string
	taken      []taken
	heads      map[string]int // how many interfaces say with a word what they do
}

// taken is a place of the request that gave a value.
type taken struct {
	start, end int
	key        string
}

// step is one node to be.
type step struct {
	of     *ir.Interface
	params map[string]binding
	clause [2]int
	score  float64
	op     *operation // what an expression computes
}

// binding is what a param gets: the output of an earlier step, or a value of the request, which becomes an input.
type binding struct {
	from   *step
	output string
	value  any // of this request; it decides which steps share an input, and stays out of the workflow
	asked  bool
}

// choose picks the components, in the order of mention. It reports whether anything fits.
func (c *composer) choose() bool {
	verbs := map[string]bool{}
	for _, i := range c.interfaces {
		for _, text := range []string{i.Name, i.Description} {
			if words := retrieve.Words(text); len(words) > 0 && !words[0].Stop {
				verbs[words[0].Stem] = true
			}
		}
	}
	text := Masked(c.request, c.o.Now)
	all := writtenValues(c.request, c.o.Now)
	whole := c.ranked(text, "", all, false)
	spans := retrieve.Clauses(c.request, func(w string) bool { return verbs[retrieve.Stem(w)] })
	if len(whole) > 0 {
		c.best = whole[0].Confidence
	}
	clauses := make([][]retrieve.Ranked, len(spans))
	for k, span := range spans {
		if clauses[k] = c.ranked(text[span[0]:span[1]], text, within(all, span), k > 0); len(clauses[k]) > 0 && len(spans) > 1 {
			c.best = max(c.best, 0.8*clauses[k][0].Confidence)
		}
	}
	if len(whole) == 0 || c.best < c.o.Least {
		c.reason = "nothing there is does what is asked for"
		if len(whole) > 0 && whole[0].Confidence > 0 {
			c.reason += fmt.Sprintf("; nearest is %s, which %s", whole[0].Name, whole[0].Reason)
		}
		return false
	}
	c.reason = whole[0].Name + " " + whole[0].Reason
	for k, span := range spans {
		ranked := clauses[k]
		op, given := c.operation(span), within(all, span)
		if op != nil && len(given) == 0 && len(c.steps) > 0 && (len(ranked) == 0 || ranked[0].Confidence < operationOver) {
			c.steps = append(c.steps, op)
			continue
		}
		if len(ranked) == 0 || ranked[0].Confidence < c.o.LeastStep {
			continue
		}
		i := c.interfaces[ranked[0].Index]
		if n := len(c.steps); n > 0 && c.steps[n-1].of == i {
			c.steps[n-1].clause[1] = span[1]
			continue
		}
		c.steps = append(c.steps, &step{of: i, clause: span, score: ranked[0].Confidence})
		if op != nil && len(given) > 0 && !given[0].target && !i.Has(ir.Writes) {
			c.steps = append(c.steps, op) // of what the step gives: count the lines of FILE
		}
	}
	if len(c.steps) == 0 {
		c.steps = []*step{{of: c.interfaces[whole[0].Index], clause: [2]int{0, len(c.request)}, score: whole[0].Confidence}}
	}
	if len(c.steps) == 1 {
		c.steps[0].clause = [2]int{0, len(c.request)}
	}
	return true
}

// ranked orders the interfaces for a clause. What they share with the rest of the request breaks ties.
func (c *composer) ranked(clause, whole string, values []written, later bool) []retrieve.Ranked {
	ranked := c.index.Rank(clause)
	ranked = slices.DeleteFunc(ranked, func(r retrieve.Ranked) bool { return !usable(c.interfaces[r.Index]) })
	if values != nil {
		for k := range ranked {
			i := c.interfaces[ranked[k].Index]
			ranked[k].Confidence = min(1, max(0, ranked[k].Confidence+suits(i, values, later)+c.headed(i, clause)))
		}
		slices.SortStableFunc(ranked, func(a, b retrieve.Ranked) int { return cmp.Compare(b.Confidence, a.Confidence) })
	}
	if whole == "" || len(ranked) < 2 {
		return ranked
	}
	rest := map[int]float64{}
	for _, r := range c.index.Rank(whole) {
		rest[r.Index] = r.Confidence
	}
	slices.SortStableFunc(ranked, func(a, b retrieve.Ranked) int {
		switch x, y := a.Confidence+0.25*rest[a.Index], b.Confidence+0.25*rest[b.Index]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return ranked
}

// usable reports whether a component can be filled in at all: text that is code is not to be had from a sentence.
func usable(i *ir.Interface) bool {
	if computes(i) {
		return false // operation chooses it
	}
	return i.Call == nil && !slices.ContainsFunc(append(slices.Clone(i.Inputs), i.Params...), func(p ir.Port) bool { return p.Raw && p.Required })
}

// bind gives the steps' params the values of the request.
func (c *composer) bind() {
	var inputs []mapparams.Input
	about := ""
	for n, s := range c.steps {
		s.params = map[string]binding{}
		text := s.of.Name + " " + s.of.Description
		about += text + "\n"
		for _, p := range s.ports() {
			if payload[lastPart(p.Key)] && (s.op != nil || n > 0 && !quotes(c.request[s.clause[0]:s.clause[1]])) {
				continue // what an earlier step gives
			}
			in := inputOf(fmt.Sprintf("%s_%d", p.Key, n+1), &p)
			in.Step, in.Order = text, n+1
			inputs = append(inputs, in)
		}
	}
	r := mapparams.Map(c.request, inputs, about, c.o.Now)
	for n, s := range c.steps {
		for _, p := range s.ports() {
			name := fmt.Sprintf("%s_%d", p.Key, n+1)
			if v, ok := r.Extracted[name]; ok {
				s.params[p.Key] = binding{value: v, asked: true}
			}
			if at, ok := r.Taken[name]; ok {
				c.taken = append(c.taken, taken{at[0], at[1], p.Key})
			}
		}
	}
}

// quotes reports whether a text quotes something.
func quotes(text string) bool {
	return strings.ContainsAny(text, "\"“`") || strings.Contains(text, " '")
}

// inputOf is a port as something that a request may have a value for.
func inputOf(name string, p *ir.Port) mapparams.Input {
	return mapparams.Input{Name: name, Type: p.Type, Kind: p.Kind, Description: p.Description, Required: p.Required, Default: p.Default, HasDefault: p.Default != nil, Enum: p.Enum}
}

// ports are all that can be given to a component, inputs first; raw ones left out.
func ports(i *ir.Interface) []ir.Port {
	return slices.DeleteFunc(append(slices.Clone(i.Inputs), i.OnlyParams()...), func(p ir.Port) bool { return p.Raw })
}

// prerequisites leads outputs to the inputs that have no value, and puts steps before where no earlier one gives it.
func (c *composer) prerequisites() {
	const most = 12 // steps in all
	for n := 0; n < len(c.steps); n++ {
		s := c.steps[n]
		for _, p := range s.ports() {
			b, given := s.params[p.Key]
			if !p.Required && given || !p.Required {
				continue
			}
			if from, out, score := c.source(n, &p); from != nil && (!given || score >= 3 && refersBack(c.request, s.clause)) {
				s.params[p.Key] = binding{from: from, output: out}
				continue
			}
			if given {
				continue
			}
			if b = c.shared(n, &p); b.asked {
				s.params[p.Key] = b
				continue
			}
			if len(c.steps) >= most {
				continue
			}
			if before, out := c.giver(s, &p); before != nil {
				c.steps = slices.Insert(c.steps, n, before)
				s.params[p.Key] = binding{from: before, output: out}
				c.fill(before)
				n = -1 // the new step has inputs of its own
				break
			}
		}
	}
}

// shared is the value of an input of the same key that another step has.
func (c *composer) shared(n int, p *ir.Port) binding {
	for k, s := range c.steps {
		if b, ok := s.params[p.Key]; ok && k != n && b.asked {
			return b
		}
	}
	return binding{}
}

// fill gives a step that was put before the values that the request has for it.
func (c *composer) fill(s *step) {
	s.params = map[string]binding{}
	var inputs []mapparams.Input
	for _, p := range s.ports() {
		inputs = append(inputs, inputOf(p.Key, &p))
	}
	r := mapparams.Map(c.request, inputs, s.of.Name+" "+s.of.Description, c.o.Now)
	for k, v := range r.Extracted {
		s.params[k] = binding{value: v, asked: true}
	}
	for _, k := range value.SortedKeys(r.Taken) {
		c.taken = append(c.taken, taken{r.Taken[k][0], r.Taken[k][1], k})
	}
}

// refersBack reports whether a clause speaks of what came before it.
func refersBack(request string, clause [2]int) bool {
	for _, w := range retrieve.Words(request[clause[0]:clause[1]]) {
		switch w.Text {
		case "it", "its", "them", "their", "this", "that", "those", "these", "result", "results", "output":
			return true
		}
	}
	return false
}

func lastPart(key string) string {
	if at := strings.LastIndexAny(key, "._"); at >= 0 {
		return key[at+1:]
	}
	return key
}
