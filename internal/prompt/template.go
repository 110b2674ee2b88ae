package prompt

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"pflow/internal/value"
)

// parsed is a template with the variables that it uses, in order.
type parsed struct {
	*template.Template
	uses  []use
	calls []use // of templates that it does not define, with all there is
	lead  int   // bytes before the template's own text
}

// use is a variable at a byte offset of the template.
type use struct {
	name   string
	offset int
}

// leadEnd stands before the first line of a template that lines precede.
const leadEnd = "*/}}"

// parseTemplate parses a text that begins after some lines of its file, so that errors tell the lines of the file.
func parseTemplate(name, body string, linesBefore int) (*parsed, error) {
	lead := ""
	if linesBefore > 0 {
		lead = "{{/*" + strings.Repeat("\n", linesBefore) + leadEnd
	}
	t, err := template.New(name).Option("missingkey=error").Funcs((&meter{}).functions()).Parse(lead + body)
	if err != nil {
		return nil, err
	}
	if name := circle(t); name != "" {
		return nil, fmt.Errorf("the template %q calls itself; that would not end", name)
	}
	p := &parsed{Template: t, lead: len(lead)}
	w := walker{t: t, done: map[string]bool{t.Name(): true}}
	if t.Tree != nil {
		w.walk(t.Tree.Root, true)
	}
	for _, u := range w.uses {
		p.uses = append(p.uses, use{u.name, max(0, u.offset-len(lead))})
	}
	for _, c := range w.calls {
		p.calls = append(p.calls, use{c.name, max(0, c.offset-len(lead))})
	}
	for _, sub := range t.Templates() {
		if sub.Tree != nil {
			asText(sub.Tree.Root)
			watch(sub.Tree.Root)
		}
	}
	return p, nil
}

// circle names a template that calls itself, also over others, or "".
func circle(t *template.Template) string {
	calls := map[string][]string{}
	for _, sub := range t.Templates() {
		if sub.Tree != nil {
			calls[sub.Name()] = called(sub.Tree.Root)
		}
	}
	done := map[string]bool{}
	var visit func(name string, above []string) string
	visit = func(name string, above []string) string {
		if slices.Contains(above, name) {
			return name
		}
		if done[name] {
			return ""
		}
		done[name] = true
		for _, next := range calls[name] {
			if found := visit(next, append(above, name)); found != "" {
				return found
			}
		}
		return ""
	}
	for _, name := range value.SortedKeys(calls) {
		if found := visit(name, nil); found != "" {
			return found
		}
	}
	return ""
}

// called lists the templates that a part of one calls.
func called(n parse.Node) (names []string) {
	eachCall(n, func(n *parse.TemplateNode) { names = append(names, n.Name) })
	return names
}

// names lists the variables, sorted.
func (p *parsed) names() []string {
	var names []string
	for _, u := range p.uses {
		names = append(names, u.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// New parses a template without front matter, whose variables are those it uses.
func New(name, body string) (*Prompt, error) {
	t, err := parseTemplate(name, body, 0)
	if err != nil {
		return nil, err
	}
	return &Prompt{Name: name, Variables: t.names(), text: t.Template}, nil
}

// text is how a value is inserted.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	v, err := value.Normalize(v)
	if err != nil {
		return fmt.Sprint(v) // what a function of text/template gave
	}
	return value.JSON(v)
}

// asText makes what a template inserts pass text.
func asText(n parse.Node) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, c := range n.Nodes {
				asText(c)
			}
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{
				NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{parse.NewIdentifier(insert).SetPos(n.Pos)},
			})
		}
	case *parse.IfNode:
		asText(n.List)
		asText(n.ElseList)
	case *parse.RangeNode:
		asText(n.List)
		asText(n.ElseList)
	case *parse.WithNode:
		asText(n.List)
		asText(n.ElseList)
	}
}

// walker collects the variables: the members of the root, which the dot is at first and $ always.
type walker struct {
	t     *template.Template
	uses  []use
	calls []use
	done  map[string]bool // the templates that were walked with the root
}

func (w *walker) walk(n parse.Node, root bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, c := range n.Nodes {
				w.walk(c, root)
			}
		}
	case *parse.ActionNode:
		w.walk(n.Pipe, root)
	case *parse.PipeNode:
		if n != nil {
			for _, c := range n.Cmds {
				w.walk(c, root)
			}
		}
	case *parse.CommandNode:
		for _, a := range n.Args {
			w.walk(a, root)
		}
	case *parse.ChainNode:
		w.walk(n.Node, root)
	case *parse.FieldNode:
		if root {
			at := int(n.Pos)
			if len(n.Ident) > 1 {
				at -= len(n.Ident[0]) + 1 // the parser gives the place of the second name
			}
			w.add(n.Ident[0], at)
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			w.add(n.Ident[1], int(n.Pos))
		}
	case *parse.IfNode:
		w.branch(&n.BranchNode, root, root)
	case *parse.RangeNode:
		w.branch(&n.BranchNode, root, false)
	case *parse.WithNode:
		w.branch(&n.BranchNode, root, false)
	case *parse.TemplateNode:
		w.walk(n.Pipe, root)
		sub := w.t.Lookup(n.Name)
		if root && isDot(n.Pipe) && (sub == nil || sub.Tree == nil) {
			w.calls = append(w.calls, use{n.Name, int(n.Pos)})
		} else if root && isDot(n.Pipe) && !w.done[n.Name] {
			w.done[n.Name] = true
			w.walk(sub.Tree.Root, true)
		}
	}
}

func (w *walker) branch(n *parse.BranchNode, root, inside bool) {
	w.walk(n.Pipe, root)
	w.walk(n.List, inside)
	w.walk(n.ElseList, root)
}

func (w *walker) add(name string, offset int) { w.uses = append(w.uses, use{name, offset}) }

// isDot reports whether a pipeline is the dot alone.
func isDot(p *parse.PipeNode) bool {
	if p == nil || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	_, ok := p.Cmds[0].Args[0].(*parse.DotNode)
	return ok
}
