package compose

import (
	"maps"
	"slices"

	"pflow/internal/value"
)

// Draft is what is known of a workflow before it is written.
type Draft struct {
	steps   []*step
	skipped [][2]int // clauses that say what to do and made no step
	taken   []taken
	ranked  [][]fit // the best for each clause
	best    float64
	reason  string
	partial bool // it is empty since it would have done only a part
}

// step is one node to be.
type step struct {
	*usage
	id     string // in the draft
	clause [2]int // what speaks of it: byte offsets
	given  map[string]binding
	stems  map[string]bool // of all that its interface says, once asked for
}

// binding is what an input gets: the output of an earlier step, or a value of the request, which becomes an input of the
// workflow.
type binding struct {
	from   *step
	output string
	value  any    // of this request; it decides which steps share an input, and stays out of the workflow
	at     [2]int // where the request says the value; empty if it is not said in one place
}

// taken is a place of the request that gave a value.
type taken struct {
	start, end int
	key        string
	anyway     bool // it names what is done anyway, and is no input
}

// Empty reports whether nothing was chosen.
func (d *Draft) Empty() bool { return len(d.steps) == 0 }

// Reason says why the steps were chosen, or none.
func (d *Draft) Reason() string { return d.reason }

// Confidence is how surely the steps are what is asked for, from 0 to 1.
func (d *Draft) Confidence() float64 { return d.best }

// clone is a draft that can be changed without the other; wires lead to its own steps.
func (d *Draft) clone() *Draft {
	out := *d
	out.steps, out.taken = make([]*step, len(d.steps)), slices.Clone(d.taken)
	at := map[*step]*step{}
	for k, s := range d.steps {
		own := *s
		own.given = maps.Clone(s.given)
		out.steps[k], at[s] = &own, &own
	}
	for _, s := range out.steps {
		for key, b := range s.given {
			b.from = at[b.from]
			s.given[key] = b
		}
	}
	return &out
}

// without is a draft without some of its steps.
func (d *Draft) without(ids []string) *Draft {
	out := *d
	out.steps = slices.DeleteFunc(slices.Clone(d.steps), func(s *step) bool { return slices.Contains(ids, s.id) })
	return &out
}

// name gives the steps that have no id one of their own.
func (d *Draft) name() {
	used := map[string]bool{}
	for _, s := range d.steps {
		used[s.id] = true
	}
	for _, s := range d.steps {
		if s.id == "" {
			s.id = Unique(idOf(s.of.Name), used, "-")
		}
	}
}

// Plain writes a draft as a value for the store of a flow: {steps: [{id, component, form?, start, end, given}], skipped: [{start, end}],
// taken: [{start, end, key, anyway}]}. What is given to an input is {step, output} or {value, start, end}; form counts the forms of the
// component from 0; start and end are in bytes.
func (d *Draft) Plain() map[string]any {
	steps, skipped, takes := make([]any, len(d.steps)), make([]any, len(d.skipped)), make([]any, len(d.taken))
	for k, s := range d.steps {
		given := map[string]any{}
		for key, b := range s.given {
			if b.from != nil {
				given[key] = map[string]any{"step": b.from.id, "output": b.output}
			} else {
				given[key] = map[string]any{"value": b.value, "start": b.at[0], "end": b.at[1]}
			}
		}
		m := map[string]any{"id": s.id, "component": s.of.Name, "start": s.clause[0], "end": s.clause[1], "given": given}
		if s.form != nil {
			m["form"] = s.formIndex()
		}
		steps[k] = m
	}
	for k, span := range d.skipped {
		skipped[k] = map[string]any{"start": span[0], "end": span[1]}
	}
	for k, t := range d.taken {
		takes[k] = map[string]any{"start": t.start, "end": t.end, "key": t.key, "anyway": t.anyway}
	}
	return map[string]any{"steps": steps, "skipped": skipped, "taken": takes}
}

// Ranked writes which components fit each of the clauses best: [{name, form?, confidence, reason}] for each.
func (d *Draft) Ranked() []any {
	out := make([]any, len(d.ranked))
	for k, fits := range d.ranked {
		list := make([]any, len(fits))
		for n, f := range fits {
			m := map[string]any{"name": f.of.Name, "confidence": f.confidence, "reason": f.reason}
			if f.form != nil {
				m["form"] = f.formIndex()
			}
			list[n] = m
		}
		out[k] = list
	}
	return out
}

// Draft reads a draft as Plain writes it. The error says where it is none.
func (g *Ground) Draft(v any) (*Draft, error) {
	r := draftReader{text: len(g.Text)}
	d := &Draft{}
	m := r.object("draft", v)
	byID := map[string]*step{}
	given := map[*step]map[string]any{}
	for k, item := range r.list("draft.steps", m["steps"]) {
		at := place("draft.steps", k)
		m := r.object(at, item)
		s := &step{id: r.string(at+".id", m["id"]), clause: r.span(at, m), given: map[string]binding{}}
		form := -1
		if m["form"] != nil {
			form = r.int(at+".form", m["form"])
		}
		name := r.string(at+".component", m["component"])
		if s.usage = g.usage(name, form); s.usage == nil {
			r.report("%s: there is no component %q of that form among the interfaces", at, name)
			s.usage = &usage{}
		}
		if m["given"] != nil {
			given[s] = r.object(at+".given", m["given"])
		}
		if byID[s.id] != nil {
			r.report("%s.id: %q is the id of another step", at, s.id)
		}
		byID[s.id] = s
		d.steps = append(d.steps, s)
	}
	for k, s := range d.steps {
		for _, key := range value.SortedKeys(given[s]) {
			at := place("draft.steps", k) + ".given." + key
			m := r.object(at, given[s][key])
			if m["step"] == nil {
				s.given[key] = binding{value: m["value"], at: r.span(at, m)}
				continue
			}
			from := byID[r.string(at+".step", m["step"])]
			if from == nil {
				r.report("%s.step: there is no step %q", at, m["step"])
			}
			s.given[key] = binding{from: from, output: r.string(at+".output", m["output"])}
		}
	}
	for k, item := range r.list("draft.skipped", m["skipped"]) {
		at := place("draft.skipped", k)
		d.skipped = append(d.skipped, r.span(at, r.object(at, item)))
	}
	for k, item := range r.list("draft.taken", m["taken"]) {
		at := place("draft.taken", k)
		m := r.object(at, item)
		span := r.span(at, m)
		anyway, _ := m["anyway"].(bool)
		d.taken = append(d.taken, taken{span[0], span[1], r.string(at+".key", m["key"]), anyway})
	}
	if r.err == nil && len(d.steps) == 0 {
		r.report("draft.steps: there is none")
	}
	return d, r.err
}

// usage is the way of using a component that a draft names; form counts from 0, -1 is none.
func (g *Ground) usage(component string, form int) *usage {
	for _, p := range g.usages {
		if p.of.Name == component && p.formIndex() == form {
			return p
		}
	}
	return nil
}

// formIndex is the place of a form among those of its component, -1 if the usage is of none.
func (p *usage) formIndex() int {
	for n := range p.of.Forms {
		if p.form == &p.of.Forms[n] {
			return n
		}
	}
	return -1
}

// Spans reads the clauses of the request: [{start, end}] in bytes. at names the list in errors.
func (g *Ground) Spans(at string, v any) ([][2]int, error) {
	r := draftReader{text: len(g.Text)}
	var out [][2]int
	for k, item := range r.list(at, v) {
		out = append(out, r.span(place(at, k), r.object(place(at, k), item)))
	}
	return out, r.err
}
