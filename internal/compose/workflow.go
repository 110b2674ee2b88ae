package compose

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// workflow writes the steps as a document. Piped text goes to an input that the request has no value for. Every value of the request is an input; steps that were given the same value
// for the same key share one.
func (c *composer) workflow(piped bool) *ir.Workflow {
	w := &ir.Workflow{Version: "0.1.0", Inputs: []ir.Input{}, Nodes: []ir.Node{}}
	ids := map[*step]string{}
	taken := map[string]bool{"stdin": true}
	hidden := map[string]bool{} // outputs: an input of such a name would hide one
	for _, s := range c.steps {
		ids[s] = Unique(idOf(s.of.Name), taken, "-")
		for _, out := range s.of.Outputs {
			hidden[out.Key] = true
		}
	}
	var open []int // the inputs that the request has no value for, and piped text may be
	type asked struct{ key, value string }
	shared := map[asked]string{}
	for n, s := range c.steps {
		node := ir.Node{ID: ids[s], Type: s.of.Name, Purpose: firstSentence(s.does)}
		params := map[string]any{}
		for _, p := range s.inputs {
			b, given := s.given[p.Key]
			switch {
			case given && b.from != nil:
				params[p.Key] = "${" + ids[b.from] + "." + b.output + "}"
				continue
			case !given && (!p.Required || p.Default != nil):
				continue
			case !given && len(p.Enum) == 1: // nothing is to be asked: what it does is approved before it runs
				params[p.Key] = p.Enum[0]
				continue
			}
			if flag, ok := b.value.(bool); ok && given {
				params[p.Key] = flag // wording, not a value: all .go files is recursive
				continue
			}
			k := asked{p.Key, value.JSON(b.value)}
			name, ok := shared[k]
			if !ok || !given {
				name = inputName(p.Key)
				if taken[name] || hidden[name] {
					verb, _, _ := strings.Cut(inputName(ids[s]), "_")
					name = verb + "_" + name
				}
				name = Unique(name, taken, "_")
				if given {
					shared[k] = name
				}
				w.Inputs = append(w.Inputs, input(name, &p))
				if !given && (!s.of.Has(ir.Writes) || speaksOfPiped(c.Text)) {
					open = append(open, len(w.Inputs)-1)
				}
			}
			params[p.Key] = "${" + name + "}"
		}
		node.Params = s.params(params)
		w.Nodes = append(w.Nodes, node)
		if n > 0 {
			w.Edges = append(w.Edges, ir.Edge{From: ids[c.steps[n-1]], To: node.ID, Action: ir.ActionDefault})
		}
	}
	if piped {
		takePiped(w.Inputs, open)
	}
	last := c.steps[len(c.steps)-1]
	for _, out := range last.of.Outputs {
		if out.Detail {
			continue
		}
		w.Outputs = append(w.Outputs, ir.Output{Name: out.Key, Type: out.Type, Source: "${" + ids[last] + "." + out.Key + "}", Description: out.Description})
	}
	return w
}

// speaksOfPiped reports whether a request can mean what is piped in. Nothing else may be written anywhere only because
// something is lacking.
func speaksOfPiped(request string) bool {
	return slices.ContainsFunc(retrieve.Words(request), func(w retrieve.Word) bool { return lexicon().piped[w.Text] })
}

// takePiped has piped text given to one of the open inputs: one that takes anything, else data, else text.
func takePiped(inputs []ir.Input, open []int) {
	for _, t := range []value.Type{value.Any, value.Object, value.Array, value.String} {
		for _, i := range open {
			if inputs[i].Type == t && inputs[i].Required {
				inputs[i].FromStdin = true
				return
			}
		}
	}
}

func input(name string, p *ir.Port) ir.Input {
	in := ir.Input{Name: name, Type: p.Type, Required: p.Required, Description: p.Description}
	if p.Default != nil {
		in.Required, in.HasDefault, in.Default = false, true, p.Default
	}
	return in
}

// Unique gives a name that is not taken: the name itself, else with a number behind it.
func Unique(name string, taken map[string]bool, sep string) string {
	got := name
	for n := 2; taken[got]; n++ {
		got = fmt.Sprintf("%s%s%d", name, sep, n)
	}
	taken[got] = true
	return got
}

// idOf makes a node id of a component's name.
func idOf(name string) string {
	id := strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return r
		}
		return '-'
	}, name)
	if strings.Trim(id, "-_") == "" {
		return "step"
	}
	return id
}

// inputName makes the name of an input of a key.
func inputName(key string) string { return strings.ReplaceAll(idOf(key), "-", "_") }

// firstSentence is what a description says first.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if at := strings.Index(s, ". "); at >= 0 {
		s = s[:at+1]
	}
	const most = 160
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
