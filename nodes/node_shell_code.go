package nodes

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call refuses the templates of a command that it would run as code. It gives the name of the program if that runs, as it
// stands here, what it reads from its standard input.
func (p *placer) call(args []argument) (stdin string) {
	if len(args) == 0 {
		return ""
	}
	name, rest := path.Base(args[0].text), args[1:]
	p.codeArguments(name, rest)
	p.operands(name, rest)
	switch {
	case strings.ContainsRune(name, hole):
		for _, a := range rest {
			p.refuse(a.slots, "behind a program whose name comes from a template: it may run it as code; write the program's name out, or %s", shellAdvice)
		}
	case codeCommands[name]:
		for _, a := range rest {
			p.refuse(a.slots, "in an argument of %s, which runs it as code; %s", name, shellAdvice)
		}
		if name == "ssh" && operands(rest, "BbcDEeFIiJLlmOopQRSWw") < 2 || name == "at" || name == "batch" || name == "crontab" || name == "parallel" {
			return name
		}
	case shells[name]:
		return p.shell(name, rest)
	case interpreterOf(name) != nil:
		return p.interpreter(name, rest, interpreterOf(name))
	case filters[name]:
		p.filter(name, rest)
	case wrappers[name]:
		return p.wrapper(name, rest)
	case name == "." || name == "source":
		if len(rest) > 0 && rest[0].text == "/dev/stdin" {
			return name
		}
	case naming[name]:
		p.naming(name, rest)
	}
	return ""
}

// shell looks at the arguments of sh: options, -c CODE, or a script with its arguments.
func (p *placer) shell(name string, args []argument) (stdin string) {
	for i, a := range args {
		switch {
		case a.open() || a.position > 0:
			p.script(name, a)
			return ""
		case a.text == "--":
			return ""
		case a.text == "-" || a.text == "/dev/stdin":
			return name
		case strings.HasPrefix(a.text, "--"):
		case a.text != "" && (a.text[0] == '-' || a.text[0] == '+'):
			if strings.ContainsRune(a.text, 'c') || len(a.slots) > 0 {
				for _, code := range args[i:] {
					p.refuse(code.slots, "in an argument of %s -c, which runs it as code; %s", name, shellAdvice)
				}
				return ""
			}
			if strings.ContainsRune(a.text, 's') {
				return name
			}
		case i > 0 && (args[i-1].text == "-o" || args[i-1].text == "+o" || args[i-1].text == "--rcfile" || args[i-1].text == "--init-file"):
		default:
			return ""
		}
	}
	return name
}

// interpreter looks at the arguments of perl and its like.
func (p *placer) interpreter(name string, args []argument, in *interpreter) (stdin string) {
	for i, a := range args {
		cluster := len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text[1:], in.letters)
		option, _, _ := strings.Cut(a.text, "=")
		switch {
		case cluster || slices.Contains(in.options, option):
			p.refuse(a.slots, "in an argument of %s %s, which runs it as code; %s", name, option, shellAdvice)
			if i+1 < len(args) {
				p.refuse(args[i+1].slots, "in an argument of %s %s, which runs it as code; %s", name, option, shellAdvice)
			}
			return ""
		case a.text == "--":
			return ""
		case a.open() || a.position > 0:
			p.script(name, a)
			return ""
		case a.text == "-" || a.text == "/dev/stdin":
			return name
		case !strings.HasPrefix(a.text, "-") && (i == 0 || !takesValue(args[i-1].text)):
			return ""
		case a.text == "-m":
			return ""
		}
	}
	return name
}

// script notes a value that stands where a program takes the path of its script. Which script runs is the workflow's to say,
// as it is which program does; but a value that the program would read as an option may make the next one its code, so
// such a value is refused when the node runs, whether it is a template or one of args.
func (p *placer) script(name string, a argument) {
	if a.position > 0 && !p.moved {
		p.scripts[a.position] = name
	}
	for at := range p.slots {
		if a.open() && p.slots[at].from == a.slots[0].from {
			p.slots[at].script = name
		}
	}
}

// isScriptOption reports whether a value in the place of a script would be read as something else.
func isScriptOption(text string) bool { return text != "" && (text[0] == '-' || text[0] == '+') }

// takesValue reports whether an interpreter's option is followed by a value, such as -W error.
func takesValue(option string) bool {
	return slices.Contains([]string{"-W", "-X", "-I", "-r", "--require", "--import", "-d", "-M"}, option)
}

// filter looks at sed and awk, whose first operand is a program unless options give it: both can start other programs.
func (p *placer) filter(name string, args []argument) {
	given := false
	for i, a := range args {
		follows := i > 0 && slices.Contains([]string{"-e", "-f", "-v", "-F", "-l", "--expression", "--file"}, args[i-1].text)
		switch {
		case follows && (args[i-1].text == "-e" || args[i-1].text == "--expression"),
			strings.HasPrefix(a.text, "-e") && len(a.slots) > 0, strings.HasPrefix(a.text, "--expression="):
			p.program(name, a)
			given = true
		case follows && (args[i-1].text == "-f" || args[i-1].text == "--file"):
			given = true
		case follows, strings.HasPrefix(a.text, "-") && len(a.text) > 1:
		case !given:
			p.program(name, a)
			given = true
		}
	}
}

func (p *placer) program(name string, a argument) {
	p.refuse(a.slots, "in the program of %s, which runs it as code; %s", name, shellAdvice)
}

// wrapper looks at the command that env, sudo, xargs and their like run. Their options are many, so the first word that
// names a program of these lists counts as the command.
func (p *placer) wrapper(name string, args []argument) (stdin string) {
	if name == "env" {
		p.env(args)
	}
	named, open := false, []argument(nil)
	for i, a := range args {
		if name == "find" || name == "fd" {
			if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}, a.text) {
				continue
			}
			p.call(args[i+1:])
			return ""
		}
		if a.fixed() && runsCode(path.Base(a.text)) {
			stdin = p.call(args[i:])
			if base := path.Base(a.text); stdin == "" && name == "xargs" && (codeCommands[base] || shells[base] && p.hasCode(args[i+1:])) {
				stdin = name + " " + base
			}
			return stdin
		}
		if a.text == "" || a.text[0] == '-' || strings.ContainsRune(a.text, '=') && !a.open() {
			continue
		}
		if !a.open() {
			named = true
		} else if !named {
			open = append(open, a)
		}
	}
	if !named && len(open) > 1 {
		for _, a := range open[1:] {
			p.refuse(a.slots, "behind %s and another template, which may name the program to run; write the program's name out", name)
		}
	}
	return ""
}

// env looks at what only env does: -S cuts an argument into a command line.
func (p *placer) env(args []argument) {
	for i, a := range args {
		split := strings.HasPrefix(a.text, "-S") || strings.HasPrefix(a.text, "--split-string") || strings.HasPrefix(a.text, "-vS")
		switch {
		case split:
			for _, code := range args[i:] {
				p.refuse(code.slots, "in an argument of env -S, which cuts it into a command; %s", shellAdvice)
			}
			return
		case a.open():
			p.refuse(a.slots, "where env takes options and the program's name; write NAME= before it, or the program's name out")
			return
		case strings.HasPrefix(a.text, "-"), strings.ContainsRune(a.text, '='):
		default:
			return
		}
	}
}

func (p *placer) hasCode(args []argument) bool {
	return slices.ContainsFunc(args, func(a argument) bool {
		return len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsRune(a.text, 'c')
	})
}

// naming looks at builtins that take names of variables, which bash evaluates when they hold an index.
func (p *placer) naming(name string, args []argument) {
	for i, a := range args {
		switch name {
		case "printf", "test", "[", "wait":
			if i > 0 && (args[i-1].text == "-v" && name != "wait" || args[i-1].text == "-p" && name == "wait") {
				p.refuse(a.slots, "where a variable's name must stand; %s", shellAdvice)
			}
		case "[[":
			for _, op := range args {
				if slices.Contains([]string{"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"}, op.text) {
					p.refuse(a.slots, "in arithmetic, where a value is read as an expression; compare with [ … ] instead")
				}
			}
		default:
			if a.open() {
				p.refuse(a.slots, "where a variable's name must stand; %s", shellAdvice)
			}
		}
	}
}

// reader is a command that runs as code what it reads from its standard input.
type reader struct {
	offset uint
	name   string
}

// calls looks at every command and keeps the readers, by their places.
func (p *placer) calls(file *syntax.File) {
	p.readers = nil
	p.moved = movesArgs(file)
	p.trace(file)
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			if name := p.call(p.words(c.Args)); name != "" {
				p.readers = append(p.readers, reader{c.Pos().Offset(), name})
			}
		}
		return true
	})
	slices.SortFunc(p.readers, func(a, b reader) int { return cmp.Compare(a.offset, b.offset) })
}

// movesArgs reports whether "$1" may be another one than the first of args: in a function, and behind set and shift.
func movesArgs(file *syntax.File) (moves bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			moves = true
		case *syntax.CallExpr:
			moves = moves || len(n.Args) > 0 && (n.Args[0].Lit() == "set" || n.Args[0].Lit() == "shift")
		}
		return !moves
	})
	return moves
}

// reader gives the name of the first reader inside a node, "" if there is none.
func (p *placer) reader(n syntax.Node) string {
	i, _ := slices.BinarySearchFunc(p.readers, n.Pos().Offset(), func(r reader, at uint) int { return cmp.Compare(r.offset, at) })
	if i < len(p.readers) && p.readers[i].offset < n.End().Offset() {
		return p.readers[i].name
	}
	return ""
}

// operands counts the arguments that are no options; the options in valued take the next argument.
func operands(args []argument, valued string) (n int) {
	for i := 0; i < len(args); i++ {
		switch a := args[i].text; {
		case len(a) == 2 && a[0] == '-' && strings.ContainsRune(valued, rune(a[1])):
			i++
		case !strings.HasPrefix(a, "-"):
			n++
		}
	}
	return n
}
