package ir

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// dataflow checks every expression: that its roots and paths exist, that what it reads is written before and for sure,
// and that a param which is one template gets a type it can use.
func (v *validator) dataflow() {
	var orders []order
	v.eachExpr(func(u use, e *Expr) {
		if u.node < 0 {
			return
		}
		if o := v.expression(u, e); len(o.refs) > 0 {
			orders = append(orders, o)
		}
	})
	orders = append(orders, v.bindings()...)
	v.orders(orders)
}

// expression checks all that one expression refers to but the order of the nodes, which it gives back.
func (v *validator) expression(u use, e *Expr) order {
	o := order{use: u, text: e.Text}
	for _, alt := range e.Alts {
		if alt.Ref == nil || v.cutShort(u, e) {
			o.sure = true
			continue
		}
		v.reference(u, alt.Ref, &o)
	}
	return o
}

// cutShort reports a bare name that stands for nothing and that a hyphen ends: names with hyphens need braces, and no
// input is made up of their first part.
func (v *validator) cutShort(u use, e *Expr) bool {
	if e.Longer == nil {
		return false
	}
	short := e.Alts[0].Ref
	kind, _ := v.root(short.Root, u.scope())
	if kind != rootNone && kind != rootImplied {
		return false
	}
	rest := strings.TrimPrefix(e.Longer.Root, short.Root)
	switch whole, _ := v.root(e.Longer.Root, u.scope()); {
	case whole != rootNone && whole != rootImplied:
		f := v.error(BadTemplate, u.path, u.node, "$%s is read as ${%s} and the text %q: a name with a hyphen needs braces; write ${%s}", e.Longer, short.Root, rest, e.Longer)
		f.Suggestion = "${" + e.Longer.String() + "}"
	case kind == rootImplied && slices.Contains(v.implied(), short.Root):
		return false
	default:
		v.error(BadTemplate, u.path, u.node, "$%s is read as ${%s} and the text %q, and there is no %s; write ${%s}%s if %s is an input, ${%s} if the whole is one name",
			e.Longer, short.Root, rest, short.Root, short.Root, rest, short.Root, e.Longer)
	}
	return true
}

// reference checks one reference and notes in o what needs the order of the nodes.
func (v *validator) reference(u use, r *Ref, o *order) {
	kind, at := v.root(r.Root, u.scope())
	switch kind {
	case rootNone, rootImplied:
		if v.unread.roots {
			o.sure = true
			return
		}
		if shellVariable(u, r, true) == "" && kind == rootImplied && len(r.Path) == 0 && (u.node >= 0 || slices.Contains(v.implied(), r.Root)) {
			v.fits(u, r, &Structure{Type: value.String})
			o.sure = true
			return
		}
		v.unresolved(u, r)
	case rootShared:
		v.ambiguous(u, r)
	case rootItem:
		o.sure = true
		item := v.itemStructure(u.node)
		v.inside(u, r, r.Path, item)
	case rootIndex:
		o.sure = true
		v.inside(u, r, r.Path, &Structure{Type: value.Integer})
	case rootPrevious:
		o.sure = true
		v.inside(u, r, r.Path, outputsStructure(v.rounds[u.node]))
	case rootInput:
		v.read(r.Root)
		o.sure = true
		if _, taken := v.g.ids[r.Root]; taken {
			return // a node bears the name, too, so it is not known what was meant
		}
		v.inside(u, r, r.Path, &Structure{Type: v.w.Inputs[at].Type})
	case rootStdin:
		o.sure = true
		v.inside(u, r, r.Path, &Structure{Type: value.String})
	case rootFlat:
		o.refs = append(o.refs, nodeRef{node: at, text: r.String()})
		port, _ := v.writes[at].Output(r.Root)
		v.inside(u, r, r.Path, port.structure())
	case rootNode:
		v.output(u, r, at, o)
	}
}

// ambiguous reports a flat key that several nodes write. What it offers is what can be read: outputs of nodes that run
// before.
func (v *validator) ambiguous(u use, r *Ref) {
	var offers []string
	if v.hints--; v.hints >= 0 {
		earlier := v.ancestors(u.node)
		for _, n := range v.writers[r.Root] {
			if earlier(n) && len(offers) < 20 {
				offers = v.offer(offers, u, v.w.Nodes[n].ID+"."+refText(r.Root, r.Path))
			}
		}
	}
	advice := "none of them runs before this node: add an edge from one of them, and say which one"
	if len(offers) > 0 {
		advice = "say which one, as in " + offers[0]
	}
	f := v.error(AmbiguousKey, u.path, u.node, "${%s}: several nodes write %q: %s; %s", r, r.Root, v.names(v.writers[r.Root]), advice)
	f.Alternatives = offers
}

// structure is what is known of a port's value, its type at least.
func (p *Port) structure() *Structure {
	if p.Structure != nil {
		return p.Structure
	}
	return &Structure{Type: p.Type}
}

// itemStructure is what is known of a batch node's item.
func (v *validator) itemStructure(node int) *Structure {
	e := v.items[node].Whole()
	if e == nil || len(e.Alts) != 1 || e.Alts[0].Ref == nil {
		return nil
	}
	r := e.Alts[0].Ref
	kind, at := v.root(r.Root, -1)
	var s *Structure
	path := r.Path
	switch {
	case kind == rootFlat:
		port, _ := v.writes[at].Output(r.Root)
		s = port.structure()
	case kind == rootNode && len(path) > 0 && !path[0].IsIndex && v.writes[at] != nil:
		port, ok := v.writes[at].Output(path[0].Key)
		if !ok {
			return nil
		}
		s, path = port.structure(), path[1:]
	default:
		return nil
	}
	for _, step := range path {
		if s, _ = s.step(step); s == nil {
			return nil
		}
	}
	return s.Items
}

// output checks a reference that begins with a node's id.
func (v *validator) output(u use, r *Ref, node int, o *order) {
	ref := nodeRef{node: node, text: r.String()}
	iface := v.writes[node]
	if len(r.Path) == 0 {
		o.refs = append(o.refs, ref)
		v.fits(u, r, &Structure{Type: value.Object})
		return
	}
	first := r.Path[0]
	var port *Port
	if iface != nil && !first.IsIndex {
		port, _ = iface.Output(first.Key)
	}
	switch {
	case first.IsIndex:
		v.error(UnknownPath, u.path, u.node, "${%s}: the outputs of %q are an object; write ${%s.KEY}", r, r.Root, r.Root)
		return
	case port == nil && first.Key == ErrorKey:
		ref.failed = true
		o.refs = append(o.refs, ref)
		v.inside(u, r, r.Path[1:], errorStructure)
		return
	case port == nil && iface != nil && !iface.OpenOutputs:
		code := UnresolvedTemplate
		if u.node < 0 {
			code = OutputWithoutSource
		}
		message := "${%s}: %q (%s) writes no %q"
		if len(iface.Outputs) == 0 {
			message += "; it has no outputs"
		}
		f := v.error(code, u.path, u.node, message, r, r.Root, iface.Name, first.Key)
		v.suggestRefs(f, u, first.Key, iface.OutputKeys(), func(k string) string { return refText(r.Root, append([]Step{{Key: k}}, r.Path[1:]...)) })
		return
	}
	o.refs = append(o.refs, ref)
	if port != nil {
		v.inside(u, r, r.Path[1:], port.structure())
	}
}

var errorStructure = &Structure{Type: value.Object, Fields: []Field{
	{"kind", Structure{Type: value.String}}, {"message", Structure{Type: value.String}}}}

// unresolved reports a root that nothing gives.
func (v *validator) unresolved(u use, r *Ref) {
	code := UnresolvedTemplate
	if u.node < 0 {
		code = OutputWithoutSource
	}
	message := fmt.Sprintf("${%s}: there is no node, output or input %q", r, r.Root)
	shell := shellVariable(u, r, false)
	if b := u.batch(v.w); b != nil && u.items && b.As == r.Root {
		message = fmt.Sprintf("${%s}: %s is settled once, before the first item, so there is no %q", r, strings.TrimPrefix(u.path, v.path(u.node, ".")), r.Root)
	} else if u.items && v.w.Nodes[u.node].Repeat != nil && (r.Root == IndexRoot || r.Root == PreviousRoot) {
		message = fmt.Sprintf("${%s}: %s is settled once, before the first round, so there is no %q", r, strings.TrimPrefix(u.path, v.path(u.node, ".")), r.Root)
	} else if shell != "" {
		message += fmt.Sprintf("; a variable of the shell is written %s, since $ begins a template", shell)
	} else if v.w.Inputs != nil && len(r.Path) == 0 {
		message += "; declare it in inputs, or read what an earlier node writes"
	} else if v.w.Inputs == nil && len(r.Path) > 0 && u.node >= 0 {
		message += "; read what an earlier node writes, or declare the input"
	}
	f := v.error(code, u.path, u.node, "%s", message)
	if f.Suggestion = shell; shell != "" {
		return
	}
	if v.hints--; v.hints >= 0 {
		reach := v.reach(u)
		f.Alternatives = reach
		var roots []string
		for _, alternative := range reach {
			roots = append(roots, strings.FieldsFunc(strings.Trim(alternative, "${}"), func(c rune) bool { return c == '.' || c == '[' })...)
		}
		if near := diag.Nearest(r.Root, sortedUnique(roots)); near != "" {
			if offers := v.offer(nil, u, refText(near, r.Path)); len(offers) > 0 {
				f.Suggestion = offers[0]
			}
		}
	}
}

// ancestors tells which nodes are decided before a node starts.
func (v *validator) ancestors(node int) func(int) bool {
	if node < 0 {
		return func(int) bool { return true }
	}
	seen := map[int]bool{}
	for stack := []int{node}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range v.g.in[n] {
			if from := v.g.from[e]; !seen[from] {
				seen[from] = true
				stack = append(stack, from)
			}
		}
	}
	return func(i int) bool { return seen[i] && i != node }
}

// suggestRefs offers other keys as whole templates.
func (v *validator) suggestRefs(f *diag.Finding, u use, name string, keys []string, ref func(string) string) {
	if v.hints--; v.hints < 0 {
		return
	}
	if near := diag.Nearest(name, keys); near != "" {
		if offers := v.offer(nil, u, ref(near)); len(offers) > 0 {
			f.Suggestion = offers[0]
		}
	}
	for _, k := range few(keys) {
		f.Alternatives = v.offer(f.Alternatives, u, ref(k))
	}
}

// inside follows a path into what is known of a value and checks the type that comes out.
func (v *validator) inside(u use, r *Ref, path []Step, s *Structure) {
	for i, step := range path {
		if s == nil {
			return
		}
		at := refText(r.Root, r.Path[:len(r.Path)-len(path)+i])
		next, problem := s.step(step)
		if problem != "" {
			f := v.error(UnknownPath, u.path, u.node, "${%s}: %s %s", r, at, problem)
			if !step.IsIndex && s.Fields != nil {
				var keys []string
				for _, field := range s.Fields {
					keys = append(keys, field.Key)
				}
				rest := path[i+1:]
				before := r.Path[:len(r.Path)-len(path)+i]
				v.suggestRefs(f, u, step.Key, keys, func(k string) string {
					return refText(r.Root, slices.Concat(before, []Step{{Key: k}}, rest))
				})
			}
			return
		}
		s = next
	}
	if s != nil {
		v.fits(u, r, s)
	}
}

// step goes one step into a structure. A nil next with no problem knows nothing further; text may hold JSON.
func (s *Structure) step(step Step) (next *Structure, problem string) {
	switch s.Type {
	case value.Any, value.String, "":
		return nil, ""
	case value.Object:
		if step.IsIndex {
			return nil, fmt.Sprintf("is an object, so it has no index [%d]", step.Index)
		}
		if s.Fields == nil {
			return nil, ""
		}
		for i := range s.Fields {
			if s.Fields[i].Key == step.Key {
				return &s.Fields[i].Structure, ""
			}
		}
		return nil, fmt.Sprintf("has no %q", step.Key)
	case value.Array:
		if !step.IsIndex {
			return nil, fmt.Sprintf("is an array, so it has no %q; write an index, [0]", step.Key)
		}
		return s.Items, ""
	}
	return nil, fmt.Sprintf("is %s, so there is nothing inside it", article(s.Type))
}

// fits checks the type of a param that is one template.
func (v *validator) fits(u use, r *Ref, s *Structure) {
	if u.span && s.Type != "" && s.Type != value.Any && s.Type != value.String {
		v.error(BadParamType, u.path, u.node, "%s wants a duration, a text such as \"30s\", but ${%s} is %s", u.port.Key, r, article(s.Type))
		return
	}
	if !u.whole || u.port == nil || s.Type == "" || assignable(s.Type, u.port.Type) {
		return
	}
	v.error(BadParamType, u.path, u.node, "%q wants %s, but ${%s} is %s", u.port.Key, article(u.port.Type), r, article(s.Type))
}

// bindings finds, for each required input that no param gives, the workflow input or earlier flat key of its name.
func (v *validator) bindings() []order {
	var out []order
	for i := range v.w.Nodes {
		component := v.components[i]
		if component == nil || v.unread.params(v.w, i) {
			continue
		}
		for n := range component.Inputs {
			p := &component.Inputs[n]
			if got, given := v.w.Nodes[i].Params[p.Key]; !p.Required || p.Default != nil || given && got != nil {
				continue
			}
			u := use{node: i, path: v.path(i, "."+paramPath(p.Key)), whole: true, port: p}
			if v.unread.at[u.path] {
				continue // it is given under a name that is probably meant for it
			}
			kind, at := v.root(p.Key, -1)
			switch {
			case kind == rootInput:
				v.read(p.Key)
				v.fits(u, &Ref{Root: p.Key}, &Structure{Type: v.w.Inputs[at].Type})
			case kind == rootFlat && at != i:
				port, _ := v.writes[at].Output(p.Key)
				v.fits(u, &Ref{Root: p.Key}, port.structure())
				out = append(out, order{use: u, refs: []nodeRef{{node: at, text: p.Key}}, bind: p})
			default:
				v.missing(u, p)
			}
		}
	}
	return out
}

func (v *validator) missing(u use, p *Port) {
	n := &v.w.Nodes[u.node]
	f := v.error(MissingInput, u.path, u.node, "%s needs the input %q (%s)%s; give it in params", n.Type, p.Key, p.Type, described(p.Description))
	if v.hints--; v.hints < 0 {
		return
	}
	f.Alternatives = v.reach(u)
}

// outputs checks the sources of the workflow's outputs. A source that may be dead is no error: it is null in the result.
func (v *validator) outputs() {
	for i, out := range v.w.Outputs {
		path := key(key("outputs", out.Name), "source")
		if v.unread.at[path] || v.unread.at[key("outputs", out.Name)] {
			continue
		}
		if out.Source == "" {
			v.error(OutputWithoutSource, path, -1, `the output %q has no source; write "source": "${node-id.key}"`, out.Name).Alternatives = v.reach(v.outputUse(i))
			continue
		}
		if _, fixed := v.sources[i].Literal(); fixed && !slices.ContainsFunc(v.list, func(f diag.Finding) bool { return f.Path == path }) {
			v.error(OutputWithoutSource, path, -1, `the source of the output %q is text without a template; write "${node-id.key}"`, out.Name).Alternatives = v.reach(v.outputUse(i))
			continue
		}
		u := v.outputUse(i)
		u.whole = v.sources[i].Whole() != nil
		v.sources[i].Walk(func(_ string, e *Expr) {
			for _, alt := range e.Alts {
				if alt.Ref != nil {
					v.reference(u, alt.Ref, &order{})
				}
			}
		})
	}
}

// outputUse is the place of an output's source that is one template.
func (v *validator) outputUse(i int) use {
	out := v.w.Outputs[i]
	return use{node: -1, path: key(key("outputs", out.Name), "source"), whole: true, port: &Port{Key: out.Name, Type: out.Type}}
}

// unused reports the inputs that nothing reads.
func (v *validator) unused() {
	for _, in := range v.w.Inputs {
		path := key("inputs", in.Name)
		if _, node := v.g.ids[in.Name]; !v.used[in.Name] && !v.unread.words[in.Name] && !node && !v.unread.at[path] {
			v.add(v.planned(), UnusedInput, path, -1, "nothing reads the input %q; write ${%s} where it is meant, or take it out", in.Name, in.Name)
		}
	}
}

// planned is the severity of what is a mistake where it was made for this request, and may be meant where a person wrote it.
func (v *validator) planned() diag.Severity {
	if v.o.Planning {
		return diag.Error
	}
	return diag.Warning
}
