package nodes

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// trace finds the templates whose values reach a variable of the shell: by an assignment, a loop, the arguments of a
// function, read. A variable is one for the whole command, wherever it is set.
func (p *placer) trace(file *syntax.File) {
	p.flows = map[string][]slot{}
	if len(p.slots) == 0 {
		return
	}
	functions := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			functions[f.Name.Value] = true
		}
		return true
	})
	const rounds = 8 // as long as values are handed on; more would be a chain that nobody writes
	for range rounds {
		before := p.traced()
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil && n.Value != nil {
					p.holds(n.Name.Value, p.reach(n.Value))
				}
				if n.Name != nil && n.Array != nil {
					p.holds(n.Name.Value, p.reach(n.Array))
				}
			case *syntax.WordIter:
				for _, w := range n.Items {
					p.holds(n.Name.Value, p.reach(w))
				}
			case *syntax.CallExpr:
				if len(n.Args) == 0 {
					return true
				}
				switch name := n.Args[0].Lit(); {
				case functions[name] || name == "set":
					for _, w := range n.Args[1:] {
						p.holds("@", p.reach(w))
					}
				case name == "read" || name == "mapfile" || name == "readarray" || name == "getopts" || name == "printf":
					// What they read comes from anywhere.
					for i, w := range n.Args[1:] {
						if lit := w.Lit(); lit != "" && !strings.HasPrefix(lit, "-") && (name != "printf" || n.Args[i].Lit() == "-v") {
							p.holds(lit, p.slots)
						}
					}
				}
			}
			return true
		})
		if p.traced() == before {
			return
		}
	}
}

func (p *placer) traced() (n int) {
	for _, list := range p.flows {
		n += len(list)
	}
	return n
}

func (p *placer) holds(name string, slots []slot) {
	for _, s := range slots {
		if !slices.ContainsFunc(p.flows[name], func(o slot) bool { return o.from == s.from }) {
			p.flows[name] = append(p.flows[name], s)
		}
	}
}

// reach gives the templates inside a node, and those whose values its variables may hold.
func (p *placer) reach(n syntax.Node) []slot {
	out := p.within(n)
	if len(p.flows) == 0 {
		return out
	}
	out = slices.Clone(out)
	syntax.Walk(n, func(n syntax.Node) bool {
		if e, ok := n.(*syntax.ParamExp); ok && e.Param != nil {
			name := e.Param.Value
			if name == "*" || len(name) > 0 && '1' <= name[0] && name[0] <= '9' {
				name = "@"
			}
			out = append(out, p.flows[name]...)
		}
		return true
	})
	return out
}

// operands notes the templates with which operands begin, of programs that take --, where none stands before them.
func (p *placer) operands(name string, args []argument) {
	row := programs().row(name)
	if row == nil || !row.dashes {
		return
	}
	for i, a := range args {
		if a.text == "--" {
			return
		}
		valued := i > 0 && len(args[i-1].text) > 1 && args[i-1].text[0] == '-' &&
			(row.takesNext(args[i-1].text) || args[i-1].text[1] != '-' && row.takesNext("-"+args[i-1].text[len(args[i-1].text)-1:]))
		if a.open() && !valued {
			for at := range p.slots {
				if p.slots[at].from == a.slots[0].from {
					p.slots[at].operand = name
				}
			}
		}
	}
}

// codeArguments refuses the templates of options and operands that the table calls code.
func (p *placer) codeArguments(name string, args []argument) {
	row := programs().row(name)
	if row == nil || interpreterOf(name) != nil || name == "env" { // looked at by themselves
		return
	}
	for i, a := range args {
		option, _, _ := strings.Cut(a.text, "=")
		switch {
		case slices.Contains(row.code, a.text) && i+1 < len(args):
			p.refuse(args[i+1].slots, "in an argument of %s %s, which runs it as code; %s", name, a.text, shellAdvice)
		case strings.HasPrefix(option, "--") && slices.Contains(row.code, option):
			p.refuse(a.slots, "in an argument of %s %s, which runs it as code; %s", name, option, shellAdvice)
		case row.takes != nil && row.takes.MatchString(a.text), row.takes != nil && i > 0 && len(args[i-1].text) == 2 && row.takes.MatchString(args[i-1].text+a.text):
			p.refuse(a.slots, "in an argument of %s, which runs it as code; %s", name, shellAdvice)
		}
	}
	if row.runs == "filter" && row.skip > 0 {
		r := row.read(args, row.skip)
		for _, a := range r.rest {
			p.refuse(a.slots, "in the program of %s, which runs it as code; %s", name, shellAdvice)
		}
	}
}
