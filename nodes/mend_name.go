package nodes

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/ir"
)

// mendNameOp takes a key that was renamed.
func mendNameOp() engine.Op {
	return engine.Op{
		Name: "mend-name",
		Summary: "Mends a workflow that failed since a value has no such key, or a table no such column: takes the one name that is alike among those that there " +
			"are and that the workflow does not use already.",
		Prep: []engine.Field{mendWorkflow, mendNode, mendParams, mendInputs,
			{Name: "missing", Type: value.String, Required: true, Doc: "the name that is not there"},
			{Name: "there", Type: value.Array, Required: true, Doc: "those that are"},
			{Name: "within", Type: value.String, Doc: "of a template: the reference up to what lacks the name, such as read.value"},
			{Name: "param", Type: value.String, Doc: "of an expression: the param that it is"},
			{Name: "place", Type: value.Any, Doc: "of an expression: {line, column} at which it asks for the name"},
		},
		Result:     value.Object,
		ResultDoc:  mendResult,
		Idempotent: true,
		Instant:    true,
		Example: `flow: mend-name-example
version: 1
description: Take the key that there is now.
state:
  workflow:
    type: object
    default:
      ir_version: 0.1.0
      inputs: {order: {type: object, required: true}}
      nodes: [{id: say, type: template, params: {template: "for ${order.customer}"}}]
      edges: []
  why: {type: string, default: ""}
nodes:
  mend:
    op: mend-name
    prep: {workflow: store.workflow, node: '"say"', missing: '"customer"', there: '["customer_name", "total"]', within: '"order"'}
    post: {why: result.why}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				m, err := newMended(in.Prep)
				if err != nil {
					return engine.Output{}, err
				}
				missing, _ := in.Prep["missing"].(string)
				within, _ := in.Prep["within"].(string)
				there := texts(in.Prep["there"])
				free := slices.DeleteFunc(slices.Clone(there), func(name string) bool { return name == missing || m.reads(within, name) })
				near := namesAlike(missing, free, true)
				of := ""
				if within != "" {
					of = " in " + within
				}
				switch len(near) {
				case 0:
					return m.output("", fmt.Sprintf("there is no %s%s, and of what there is (%s) nothing is alike", quote(missing), of, quotedNames(there))), nil
				case 1:
				default:
					return m.output("", fmt.Sprintf("there is no %s%s, and several names are alike: %s", quote(missing), of, quotedNames(sorted(near)))), nil
				}
				param, _ := in.Prep["param"].(string)
				places := 0
				switch {
				case within != "":
					places = m.renameKey(within, missing, near[0])
				case param != "" && in.Prep["place"] != nil:
					places = m.renameMember(param, in.Prep["place"], missing, near[0])
				}
				if places == 0 && within == "" {
					places = m.renameText(missing, near[0])
				}
				if places == 0 {
					return m.output("", fmt.Sprintf("%s may be called %s now, but where the step names it no rule can tell", quote(missing), quote(near[0]))), nil
				}
				return m.output(fmt.Sprintf("there is no %s%s any more; of what there is (%s) only %s is alike", quote(missing), of, quotedNames(there), quote(near[0])), ""), nil
			}
		},
	}
}

// namesAlike lists the names that a name may have become: those that differ in case and separators only, else those with few other
// letters, else, with words, those whose words hold all of its words or are among them.
func namesAlike(name string, names []string, words bool) []string {
	pick := func(fits func(other string) bool) (out []string) {
		for _, n := range names {
			if n != name && fits(n) {
				out = append(out, n)
			}
		}
		return out
	}
	if out := pick(func(other string) bool {
		return strings.Join(nameWords(other), "") == strings.Join(nameWords(name), "")
	}); len(out) > 0 {
		return out
	}
	const part = 4 // one letter of so many may be another one
	if out := pick(func(other string) bool { return diag.Distance(name, other) <= max(1, len(name)/part) && len(name) > 2 }); len(out) > 0 || !words {
		return out
	}
	own := nameWords(name)
	return pick(func(other string) bool {
		theirs := nameWords(other)
		return holdsAll(theirs, own) || holdsAll(own, theirs)
	})
}

func holdsAll(list, part []string) bool {
	for _, w := range part {
		if !slices.Contains(list, w) {
			return false
		}
	}
	return len(part) > 0
}

// nameWords are the words of a name: customerName, customer_name and Customer Name have the same.
func nameWords(name string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && !unicode.IsUpper(before):
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Fields(b.String())
}

// parts calls f for each value of the workflow that may hold templates: in the node that failed only, or in all of it.
func (m *mended) parts(all bool, f func(v any) any) {
	nodes, _ := m.workflow["nodes"].([]any)
	for _, n := range nodes {
		n, _ := n.(map[string]any)
		if !all && n["id"] != m.node["id"] {
			continue
		}
		for _, key := range []string{"params", "batch", "repeat", "retry", "timeout"} {
			if v, ok := n[key]; ok {
				n[key] = f(v)
			}
		}
	}
	outputs, _ := m.workflow["outputs"].(map[string]any)
	for _, o := range outputs {
		if o, ok := o.(map[string]any); ok && all && o["source"] != nil {
			o["source"] = f(o["source"])
		}
	}
}

// reads reports whether the workflow reads a key of the same value already: then it is no new name of another.
func (m *mended) reads(within, name string) (found bool) {
	if within == "" {
		m.texts(func(_, text string, _ any) string {
			found = found || text == name
			return text
		})
		return found
	}
	m.parts(true, func(v any) any {
		return rewrite("", v, nil, func(_, text string, _ any) string {
			for _, e := range expressionsOf(text) {
				for _, alt := range e.Alts {
					_, is := keyAt(alt.Ref, within, name)
					found = found || is
				}
			}
			return text
		})
	})
	return found
}

// keyAt finds the key of a reference that begins with within.
func keyAt(r *ir.Ref, within, key string) (at int, ok bool) {
	if r == nil {
		return 0, false
	}
	for i, s := range r.Path {
		before := ir.Ref{Root: r.Root, Path: r.Path[:i]}
		if !s.IsIndex && s.Key == key && before.String() == within {
			return i, true
		}
	}
	return 0, false
}

// renameKey writes a key anew wherever templates read it of the same value. What only the node itself has, such as its item, is
// another value elsewhere.
func (m *mended) renameKey(within, old, new string) (places int) {
	root, _, _ := strings.Cut(strings.SplitN(within, "[", 2)[0], ".")
	m.parts(m.shared(root), func(v any) any {
		return rewrite("", v, nil, func(_, text string, _ any) string {
			exprs := expressionsOf(text)
			slices.Reverse(exprs) // those behind keep their places
			for _, e := range exprs {
				hit := false
				for _, alt := range e.Alts {
					if at, ok := keyAt(alt.Ref, within, old); ok {
						alt.Ref.Path[at].Key = new
						hit = true
					}
				}
				if hit {
					text = text[:e.Offset] + e.String() + text[e.Offset+len(e.Text):]
					places++
				}
			}
			return text
		})
	})
	m.changed = m.changed || places > 0
	return places
}

// shared reports whether a root of references means the same in every node: it is a node or an input.
func (m *mended) shared(root string) bool {
	inputs, _ := m.workflow["inputs"].(map[string]any)
	if _, ok := inputs[root]; ok {
		return true
	}
	nodes, _ := m.workflow["nodes"].([]any)
	return slices.ContainsFunc(nodes, func(n any) bool {
		of, _ := n.(map[string]any)
		return of["id"] == root
	})
}

// chain is what stands before a member of an expression: inputs.order. of inputs.order.customer.
var chain = regexp.MustCompile(`[\w.?\[\]]*$`)

// renameMember writes a member of an expression anew at its place, and where the same is asked of the same.
func (m *mended) renameMember(param string, place any, old, new string) (places int) {
	at, _ := place.(map[string]any)
	line, _ := at["line"].(int)
	column, _ := at["column"].(int)
	m.texts(func(path, text string, _ any) string {
		if "params."+path != param {
			return text
		}
		lines := strings.SplitAfter(text, "\n")
		if line < 1 || line > len(lines) || !nameOnly.MatchString(new) {
			return text
		}
		of := []rune(lines[line-1])
		if column < 1 || column > len(of) {
			return text
		}
		before := chain.FindString(string(of[:column-1]))
		member, err := regexp.Compile(`(^|[^\w.?\]])` + regexp.QuoteMeta(before+old) + `\b`)
		if err != nil || !strings.HasPrefix(string(of[column-1:]), old) {
			return text
		}
		return member.ReplaceAllStringFunc(text, func(hit string) string {
			places++
			return strings.TrimSuffix(hit, old) + new
		})
	})
	m.changed = m.changed || places > 0
	return places
}

var nameOnly = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// renameText writes the one text of the params anew that is the name, or a path of keys with it. Of several nobody knows which
// is meant.
func (m *mended) renameText(old, new string) int {
	is := func(text string) bool {
		return text == old || slices.Contains(strings.Split(text, "."), old) && !strings.ContainsAny(text, " \n")
	}
	found := 0
	m.texts(func(_, text string, resolved any) string {
		if was, ok := resolved.(string); ok && is(was) {
			found++
		}
		return text
	})
	if found != 1 {
		return 0
	}
	places := 0
	m.texts(func(_, text string, resolved any) string {
		was, ok := resolved.(string)
		if !ok || !is(was) {
			return text
		}
		steps := strings.Split(was, ".")
		for i := range steps {
			if steps[i] == old {
				steps[i] = new
			}
		}
		now, ok := m.put(text, was, strings.Join(steps, "."))
		if ok {
			places++
		}
		return now
	})
	return places
}
