package prompt

import (
	"text/template/parse"

	"pflow/internal/diag"
)

// include adds the prompts that a template calls and does not define. What one uses that is called with all there is,
// the including prompt must declare, too; one that is called with a part of it finds its variables there, or fails. An
// included prompt includes none.
func (p *parsed) include(from position, find Find) (found diag.List) {
	for _, t := range p.Templates() {
		if t.Tree == nil {
			continue
		}
		eachCall(t.Tree.Root, func(n *parse.TemplateNode) {
			if sub := p.Lookup(n.Name); sub != nil && sub.Tree != nil {
				return // its own, or included already
			}
			at := max(0, int(n.Pos)-p.lead)
			if find == nil {
				found = append(found, from.finding(at, "bad-prompt", "there is no template %q here, and a prompt that is included includes none", n.Name))
				return
			}
			part, ok := p.part(n.Name, at, from, find, &found)
			if !ok {
				return
			}
			for _, call := range p.calls {
				if call.name == n.Name {
					for _, name := range part.Variables {
						p.uses = append(p.uses, use{name, call.offset})
					}
				}
			}
		})
	}
	return found
}

// part reads an included prompt and adds its templates.
func (p *parsed) part(name string, at int, from position, find Find, found *diag.List) (*Prompt, bool) {
	file, data, err := find(name)
	if err != nil {
		*found = append(*found, from.finding(at, "unknown-prompt", "the template %q is neither defined here nor a prompt: %v", name, err))
		return nil, false
	}
	part, wrong := Parse(file, data, nil)
	*found = append(*found, wrong...)
	if part == nil {
		return nil, false
	}
	for _, t := range part.text.Templates() {
		as := t.Name()
		if as == part.text.Name() {
			as = name
		} else if p.Lookup(as) != nil {
			*found = append(*found, from.finding(at, "bad-prompt", "the prompt %q defines the template %q, which there is already", name, as))
			continue
		}
		if _, err := p.AddParseTree(as, t.Tree); err != nil {
			*found = append(*found, from.finding(at, "bad-prompt", "the prompt %q cannot be included: %v", name, err))
		}
	}
	return part, true
}

// eachCall gives every call of a template in a part of one.
func eachCall(n parse.Node, f func(*parse.TemplateNode)) {
	branch := func(b *parse.BranchNode) {
		eachCall(b.List, f)
		eachCall(b.ElseList, f)
	}
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, c := range n.Nodes {
				eachCall(c, f)
			}
		}
	case *parse.TemplateNode:
		f(n)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}
