package nodes

import (
	"context"
	"fmt"
	"path/filepath"
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
      nodes: [{id: say, type: template, params: {template: "for ${order.customer_name}"}}]
      edges: []
  why: {type: string, default: ""}
nodes:
  mend:
    op: mend-name
    prep: {workflow: store.workflow, node: '"say"', missing: '"customer_name"', there: '["customerName", "total"]', within: '"order"'}
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
				near := namesAlike(missing, free)
				of := ""
				if within != "" {
					of = " in " + within
				}
				switch len(near) {
				case 0:
					return m.output("", fmt.Sprintf("there is no %s%s, and of what there is (%s) nothing is alike%s", quote(missing), of, quotedNames(there), nearNames(namesNear(missing, free)))), nil
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
					places = m.renameText(strings.TrimPrefix(param, "params."), missing, near[0])
				}
				if places == 0 {
					return m.output("", fmt.Sprintf("%s may be called %s now, but where the step names it no rule can tell", quote(missing), quote(near[0]))), nil
				}
				return m.output(fmt.Sprintf("there is no %s%s; of what there is (%s) only %s is alike", quote(missing), of, quotedNames(there), quote(near[0])), ""), nil
			}
		},
	}
}

// namesNear lists the names that somebody may have meant: those that differ in a few letters, and those whose words hold all of its
// words or are among them. No rule takes one of them.
func namesNear(name string, names []string) (out []string) {
	const part = 4 // one letter of so many may be another one
	own := nameWords(name)
	for _, n := range names {
		theirs := nameWords(n)
		if n != name && (len(name) > 2 && diag.Distance(name, n) <= max(1, len(name)/part) || holdsAll(theirs, own) || holdsAll(own, theirs)) {
			out = append(out, n)
		}
	}
	return out
}

func holdsAll(list, part []string) bool {
	for _, w := range part {
		if !slices.Contains(list, w) {
			return false
		}
	}
	return len(part) > 0
}

// namesAlike lists the names that a name may have become: those that differ in case and separators only, else those in which words
// have an s more or less, or one word a slip.
func namesAlike(name string, names []string) []string {
	return alikeWords(name, names, func(a, b string) bool { return a == b || plural(a, b) || plural(b, a) })
}

// fileAlike lists the names of files that one may have become: with the same ending, those that differ in case and separators only,
// else those with a slip in one word.
func fileAlike(name string, names []string) (out []string) {
	stem := func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
	var kept, stems []string
	for _, n := range names {
		if strings.EqualFold(filepath.Ext(n), filepath.Ext(name)) && n != name {
			kept, stems = append(kept, n), append(stems, stem(n))
		}
	}
	near := alikeWords(stem(name), stems, func(a, b string) bool { return a == b })
	for i, s := range stems {
		if slices.Contains(near, s) {
			out = append(out, kept[i])
		}
	}
	return out
}

func alikeWords(name string, names []string, same func(a, b string) bool) (out []string) {
	own := nameWords(name)
	digits := func(words []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !unicode.IsDigit([]rune(w)[0]) }), " ")
	}
	for _, n := range names {
		if theirs := nameWords(n); len(own) > 0 && strings.Join(theirs, "") == strings.Join(own, "") && digits(theirs) == digits(own) {
			out = append(out, n)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, n := range names {
		theirs := nameWords(n)
		if len(theirs) != len(own) {
			continue
		}
		slips := 0
		for i := range own {
			switch {
			case own[i] == theirs[i] || same(own[i], theirs[i]):
			case slip(own[i], theirs[i]):
				slips++
			default:
				slips = 2
			}
		}
		if len(own) > 0 && slips <= 1 {
			out = append(out, n)
		}
	}
	return out
}

func plural(one, many string) bool { return many == one+"s" && len(one) > 1 }

// slip reports whether two words, each of at least five letters, differ in one letter that is another, is missing or has changed
// places with its neighbour.
func slip(a, b string) bool {
	const least = 5
	long := func(s string) bool {
		r := []rune(s)
		return len(r) >= least && !slices.ContainsFunc(r, func(r rune) bool { return !unicode.IsLetter(r) })
	}
	return long(a) && long(b) && diag.Distance(a, b) == 1
}

// nameWords are the words of a name: customerName, customer_name and Customer Name have the same. Digits are words of their own, and
// so is what is neither a letter nor a separator: 50% is not 50.
func nameWords(name string) []string {
	var b strings.Builder
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r):
			return 1
		case unicode.IsDigit(r):
			return 2
		}
		return 3
	}
	before := ' '
	for _, r := range name {
		if strings.ContainsRune("-_ ", r) {
			b.WriteByte(' ')
		} else {
			if kind(r) != kind(before) || unicode.IsUpper(r) && !unicode.IsUpper(before) {
				b.WriteByte(' ')
			}
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

// columnPlace is where a table's ops name a column that the table has.
var columnPlace = regexp.MustCompile(`^(filter\[\d+\]\.column|(columns|sort_by|unique_by|without)\[\d+\])$`)

// renameText writes the one text of the params anew that is the name, a path of keys with it, or a column with its order. Where the
// error names a param it is one of that, and goes with it where a table is told of the same column; else, of several nobody knows
// which is meant.
func (m *mended) renameText(param, old, new string) int {
	renamed := func(text string) (string, bool) {
		if text == old {
			return new, true
		}
		for _, order := range []string{" asc", " desc"} {
			if column, ok := strings.CutSuffix(text, order); ok && column == old {
				return new + order, true
			}
		}
		if strings.ContainsAny(text, " \n") {
			return text, false
		}
		steps := strings.Split(text, ".")
		if !slices.Contains(steps, old) {
			return text, false
		}
		for i := range steps {
			if steps[i] == old {
				steps[i] = new
			}
		}
		return strings.Join(steps, "."), true
	}
	under := func(path string) bool {
		return param == "" || path == param || strings.HasPrefix(path, param+".") || strings.HasPrefix(path, param+"[")
	}
	params, _ := m.node["params"].(map[string]any)
	final := params["rename"] != nil || params["add"] != nil // a column may be called so then
	found, places := 0, 0
	m.texts(func(path, text string, resolved any) string {
		was, ok := resolved.(string)
		if _, is := renamed(was); ok && is && under(path) {
			found++
		}
		return text
	})
	if found != 1 {
		return 0
	}
	m.texts(func(path, text string, resolved any) string {
		was, _ := resolved.(string)
		now, is := renamed(was)
		if !is || !under(path) && (final || !columnPlace.MatchString(path) || !columnPlace.MatchString(param+"[0]") && param != "filter") {
			return text
		}
		now, ok := m.put(text, was, now)
		if ok && under(path) {
			places++
		}
		return now
	})
	return places
}
