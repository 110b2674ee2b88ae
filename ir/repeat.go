package ir

import (
	"fmt"
	"slices"
	"strings"

	"pflow/engine/cond"
	"pflow/internal/value"
)

// Repeat runs a node again until a condition holds. Its retry and its timeout are those of each round.
type Repeat struct {
	Until string // an expression over result, previous, index and inputs
	Max   Count  // rounds
	Wait  Span   // between two rounds
}

// What a node that repeats reads and writes beside what its type does.
const (
	IndexRoot     = "index"    // the round, from 0
	PreviousRoot  = "previous" // the outputs of the round before; null in the first
	RepeatResults = "results"  // the outputs of each round
)

// Nothing stands in a Scope for a value that is null and has null at every path into it: what the first round reads of
// the one before.
var Nothing any = nothing{}

type nothing struct{}

func (d *decoder) repeat(path string, v any) *Repeat {
	r := &Repeat{Max: Count{Value: 1}}
	d.object(path, v, "repeat", []field{
		{"until", true, func(p string, v any) { r.Until = d.text(p, v) }},
		{"max", true, func(p string, v any) { r.Max = d.count(p, v) }},
		{"wait", false, func(p string, v any) { r.Wait = d.span(p, v, true) }},
	})
	return r
}

func (r *Repeat) write(o *writer) {
	o.text("until", r.Until)
	setting(o, "max", r.Max)
	if r.Wait.Given() {
		setting(o, "wait", r.Wait)
	}
}

// repeatOutputs are what a node writes that repeats: the outputs of its last round, and those of each.
func repeatOutputs(of *Interface) *Interface {
	out := *of
	out.Outputs = slices.DeleteFunc(slices.Clone(of.Outputs), func(p Port) bool { return p.Key == RepeatResults })
	out.Outputs = append(out.Outputs, Port{Key: RepeatResults, Type: value.Array,
		Structure: &Structure{Type: value.Array, Items: outputsStructure(of)}})
	return &out
}

// outputsStructure is the object of a component's outputs.
func outputsStructure(of *Interface) *Structure {
	s := &Structure{Type: value.Object}
	if of == nil || of.OpenOutputs {
		return s
	}
	s.Fields = []Field{}
	for i := range of.Outputs {
		s.Fields = append(s.Fields, Field{of.Outputs[i].Key, *of.Outputs[i].structure()})
	}
	return s
}

// CompileUntil compiles the condition of a repeat over what a round writes (nil: not known), what the round before wrote
// (null in the first) and the inputs. Names are
// checked; of types only that it is a condition, since an output may be null whatever its type is.
func CompileUntil(source string, writes *Interface, inputs []Input) (*cond.Program, []cond.Problem) {
	compile := func(typed bool) (*cond.Program, []cond.Problem) {
		of := func(t value.Type) value.Type {
			if typed && t != "" {
				return t
			}
			return value.Any
		}
		env := &cond.Env{Records: map[string]cond.Record{"inputs": {}}, Vars: map[string]value.Type{IndexRoot: value.Integer, PreviousRoot: value.Any}}
		for _, in := range inputs {
			env.Records["inputs"][in.Name] = of(in.Type)
		}
		if writes == nil || writes.OpenOutputs {
			env.Vars["result"] = value.Any
		} else {
			env.Records["result"] = cond.Record{}
			for _, o := range writes.Outputs {
				env.Records["result"][o.Key] = of(o.Type)
			}
		}
		return cond.NewCompiler().Compile(cond.Expr, source, env, value.Boolean)
	}
	program, problems := compile(false)
	if problems != nil {
		return nil, problems
	}
	_, problems = compile(true)
	problems = slices.DeleteFunc(problems, func(p cond.Problem) bool { return p.Kind != cond.ConditionNotBool })
	if len(problems) > 0 {
		return nil, problems
	}
	return program, nil
}

// conditions checks what ends the rounds of nodes that repeat, and notes the inputs that it reads.
func (v *validator) conditions() {
	inputs := v.w.Inputs
	if inputs == nil {
		for _, name := range v.implied() {
			inputs = append(inputs, Input{Name: name, Type: value.String})
		}
	}
	for i := range v.w.Nodes {
		repeat := v.w.Nodes[i].Repeat
		if repeat == nil {
			continue
		}
		path := v.path(i, ".repeat.until")
		if v.unread.at[path] || v.unread.at[v.path(i, ".repeat")] {
			continue
		}
		program, problems := CompileUntil(repeat.Until, v.rounds[i], inputs)
		if v.unread.at["inputs"] {
			problems = nil // which there are is not known
		}
		for _, p := range problems {
			v.badCondition(path, i, repeat.Until, p)
		}
		if program == nil {
			for _, in := range v.w.Inputs { // what it was meant to read is not known
				if strings.Contains(repeat.Until, in.Name) {
					v.read(in.Name)
				}
			}
			continue
		}
		for _, read := range program.Reads() {
			if read.Record != "inputs" {
				continue
			}
			v.read(read.Member)
			if in, ok := v.w.Input(read.Member); ok && in.Secret {
				v.error(BadTemplate, path, i, "the secret %q cannot be read in a condition, which is no place for its value; give it to the node in a param, and compare what the node writes", in.Name)
			}
		}
	}
}

func (v *validator) badCondition(path string, node int, source string, p cond.Problem) {
	message := p.Message
	if before := source[:min(p.Offset, len(source))]; p.Offset > 0 {
		line := before[strings.LastIndexByte(before, '\n')+1:]
		message = fmt.Sprintf("column %d: %s", len([]rune(line))+1, message)
		if n := strings.Count(before, "\n"); n > 0 {
			message = fmt.Sprintf("line %d, %s", n+1, message)
		}
	}
	if strings.Contains(source, "${") {
		message += "; templates are not expanded in an expression: read what the round wrote as result.KEY, an input as inputs.NAME"
	}
	f := v.error(BadTemplate, path, node, "%s", message)
	f.Suggestion, f.Alternatives = p.Suggestion, few(p.Alternatives)
}

// hidden reports inputs and nodes that a node cannot read because it gives their names another meaning.
func (v *validator) hidden() {
	for i := range v.w.Nodes {
		n := &v.w.Nodes[i]
		if b := n.Batch; b != nil {
			v.hides(i, b.As, v.path(i, ".batch.as"), "the item of its batch", `give "as" another name, or rename the %s`)
			if n.Repeat != nil && (b.As == IndexRoot || b.As == PreviousRoot) {
				v.error(AmbiguousKey, v.path(i, ".batch.as"), i, `%q is the name of what repeat gives; give "as" another name, such as "item"`, b.As)
			}
		}
		if n.Repeat != nil {
			v.hides(i, IndexRoot, v.path(i, ".repeat"), "the round", "rename the %s")
			v.hides(i, PreviousRoot, v.path(i, ".repeat"), "what the round before wrote", "rename the %s")
		}
	}
}

func (v *validator) hides(node int, name, path, means, advice string) {
	if !isID(name) {
		return
	}
	what := "input"
	if _, ok := v.declared[name]; !ok {
		what = "node"
		if _, ok := v.g.ids[name]; !ok {
			return
		}
	}
	v.error(AmbiguousKey, path, node, "in this node ${%s} is %s, which hides the %s %q; "+advice, name, means, what, name, what)
}
