package nodes

import (
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// What the ops that mend a workflow by a rule are given and give.
var (
	mendWorkflow = engine.Field{Name: "workflow", Type: value.Object, Required: true, Doc: "the IR of the workflow that failed"}
	mendNode     = engine.Field{Name: "node", Type: value.String, Required: true, Doc: "the id of the node that failed"}
	mendParams   = engine.Field{Name: "params", Type: value.Object, Doc: "its params as they were, resolved"}
	mendInputs   = engine.Field{Name: "inputs", Type: value.Object, Doc: "the inputs of the run"}
)

const mendResult = "{workflow, inputs, why, reason}: workflow is the mended IR, null where nothing of it is to be changed; inputs are those that a run of it is to be given instead; " +
	"why says what was changed and by which evidence, reason why the rule does not apply, empty if it does"

// mended is what a rule makes of a workflow that failed. It changes copies only.
type mended struct {
	workflow map[string]any
	node     map[string]any // in workflow
	params   map[string]any
	given    map[string]any // the inputs of the run
	inputs   map[string]any // those that change
	changed  bool           // the workflow
}

func newMended(prep map[string]any) (*mended, error) {
	copied, err := value.ParseWritten(value.AppendJSON(nil, prep["workflow"]))
	if err != nil {
		return nil, err
	}
	m := &mended{inputs: map[string]any{}}
	m.workflow, _ = copied.(map[string]any)
	m.params, _ = prep["params"].(map[string]any)
	m.given, _ = prep["inputs"].(map[string]any)
	id, _ := prep["node"].(string)
	nodes, _ := m.workflow["nodes"].([]any)
	for _, n := range nodes {
		if n, ok := n.(map[string]any); ok && n["id"] == id {
			m.node = n
		}
	}
	if m.node == nil {
		return nil, fault.New(fault.InvalidRequest, "the workflow has no node %q", id)
	}
	return m, nil
}

// output is the result of the op. A reason makes nothing of what was changed.
func (m *mended) output(why, reason string) engine.Output {
	out := map[string]any{"workflow": nil, "inputs": map[string]any{}, "why": "", "reason": reason}
	if reason == "" {
		out["why"], out["inputs"] = why, m.inputs
		if m.changed {
			out["workflow"] = m.workflow
		}
	}
	return engine.Output{Result: out}
}

// rewrite gives a value in which f stands for each text, with its path; resolved is the same value with its templates filled
// in, as far as it is known.
func rewrite(path string, v, resolved any, f func(path, text string, resolved any) string) any {
	switch v := v.(type) {
	case string:
		return f(path, v, resolved)
	case []any:
		list, _ := resolved.([]any)
		for i := range v {
			var of any
			if i < len(list) {
				of = list[i]
			}
			v[i] = rewrite(fmt.Sprintf("%s[%d]", path, i), v[i], of, f)
		}
	case map[string]any:
		object, _ := resolved.(map[string]any)
		for k := range v {
			v[k] = rewrite(strings.TrimPrefix(path+"."+k, "."), v[k], object[k], f)
		}
	}
	return v
}

// texts calls f for each text in the params of the node that failed; what it gives stands there from then on.
func (m *mended) texts(f func(path, text string, resolved any) string) {
	if params, ok := m.node["params"].(map[string]any); ok {
		rewrite("", params, m.params, f)
	}
}

// unknownPart stands for what a template gives that is no text of an input.
const unknownPart = "\x00"

// everyText calls f for each text in the params and batches of the workflow, with what it was, as far as the inputs tell; what f
// gives stands there from then on.
func (m *mended) everyText(f func(node map[string]any, path, text, was string, known bool) string) {
	nodes, _ := m.workflow["nodes"].([]any)
	for _, n := range nodes {
		n, _ := n.(map[string]any)
		for _, key := range []string{"params", "batch"} {
			var resolved any
			if key == "params" && n["id"] == m.node["id"] {
				resolved = m.params
			}
			rewrite(key, n[key], resolved, func(path, text string, resolved any) string {
				was, known := m.filled(text)
				if told, ok := resolved.(string); ok {
					was, known = told, true
				}
				return f(n, path, text, was, known)
			})
		}
	}
}

// filled is a text with what its inputs were given; known is false where it has other templates, which are unknown in it.
func (m *mended) filled(text string) (was string, known bool) {
	var b strings.Builder
	end := 0
	known = true
	for _, e := range expressionsOf(text) {
		b.WriteString(text[end:e.Offset])
		v, is := m.inputOf(e)
		if !is {
			v, known = unknownPart, false
		}
		b.WriteString(v)
		end = e.Offset + len(e.Text)
	}
	b.WriteString(text[end:])
	return b.String(), known
}

// put makes a text of a param, which was resolved to old, come to new: in the text itself, or in the input that it is of. It
// gives the text as it is then. ok is false where old comes of neither.
func (m *mended) put(text, old, new string) (now string, ok bool) {
	exprs := expressionsOf(text)
	switch {
	case len(exprs) == 0:
		m.changed = true
		return ir.Escape(new), true
	case len(exprs) == 1 && exprs[0].Text == strings.TrimSpace(text):
		return text, m.give(exprs[0], old, new)
	}
	part, instead := difference(old, new)
	at, found := -1, 0
	end := 0
	for _, e := range append(exprs, &ir.Expr{Offset: len(text)}) {
		if n := strings.Count(text[end:e.Offset], part); n > 0 && part != "" {
			found += n
			at = end + strings.Index(text[end:e.Offset], part)
		}
		end = e.Offset + len(e.Text)
	}
	if found == 1 {
		m.changed = true
		return text[:at] + ir.Escape(instead) + text[at+len(part):], true
	}
	for _, e := range exprs { // the part that differs is what one input gave
		if v, is := m.inputOf(e); is && found == 0 && v == part && m.usesOf(e.Alts[0].Ref.Root) == 1 { // elsewhere it may lead to what is there
			return text, m.give(e, part, instead)
		}
	}
	return text, false
}

// give makes an expression that is an input give new in the place of old: by its default, if old is that, else by what the run is
// given.
func (m *mended) give(e *ir.Expr, old, new string) bool {
	if v, is := m.inputOf(e); !is || v != old {
		return false
	}
	name := e.Alts[0].Ref.Root
	if now, given := m.inputs[name]; given && now != new {
		return false
	}
	declared, _ := m.workflow["inputs"].(map[string]any)
	if in, ok := declared[name].(map[string]any); ok && in["default"] == old {
		in["default"] = new
		m.changed = true
	}
	m.inputs[name] = new
	return true
}

// usesOf counts the templates of the workflow that are of an input.
func (m *mended) usesOf(input string) (n int) {
	m.parts(true, func(v any) any {
		value.EachText(v, func(text string) {
			for _, e := range expressionsOf(text) {
				if slices.ContainsFunc(e.Alts, func(alt ir.Alt) bool { return alt.Ref != nil && alt.Ref.Root == input }) {
					n++
				}
			}
		})
		return v
	})
	return n
}

// inputOf is what an expression that is an input was given, a text.
func (m *mended) inputOf(e *ir.Expr) (string, bool) {
	if len(e.Alts) == 0 || e.Alts[0].Ref == nil || len(e.Alts[0].Ref.Path) > 0 {
		return "", false
	}
	name := e.Alts[0].Ref.Root
	declared, _ := m.workflow["inputs"].(map[string]any)
	if _, ok := declared[name]; !ok {
		return "", false
	}
	v, ok := m.given[name].(string)
	return v, ok
}

// expressionsOf lists the templates of a text.
func expressionsOf(text string) (out []*ir.Expr) {
	p, problems := ir.Compile(text)
	if len(problems) > 0 {
		return nil
	}
	p.Walk(func(_ string, e *ir.Expr) { out = append(out, e) })
	return out
}

// difference gives the segments of a path in which two differ, at least one of the old.
func difference(old, new string) (part, instead string) {
	a, b := strings.SplitAfter(old, "/"), strings.SplitAfter(new, "/")
	begin, end := 0, 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	for end < min(len(a), len(b))-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	if begin == len(a)-end { // folders were put in: what follows stands for the place
		end = max(end-1, 0)
	}
	part, instead = strings.Join(a[begin:len(a)-end], ""), strings.Join(b[begin:len(b)-end], "")
	if strings.HasSuffix(part, "/") && strings.HasSuffix(instead, "/") {
		part, instead = strings.TrimSuffix(part, "/"), strings.TrimSuffix(instead, "/")
	}
	return part, instead
}

// quotedNames lists names for a message, not too many.
func quotedNames(names []string) string {
	const most = 5
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, quote(n))
	}
	text := strings.Join(out, ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// nearNames says which names are near what is not there, and not alike.
func nearNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; near: " + quotedNames(sorted(names))
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
