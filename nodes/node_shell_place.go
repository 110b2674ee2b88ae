package nodes

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// node looks at one node of the syntax tree, which stands below others.
func (p *placer) node(n syntax.Node, above []syntax.Node) {
	// The place of a node is asked for only where it is needed: a long pipeline finds its own by going down all of it.
	switch n := n.(type) {
	case *syntax.Comment:
		slots := p.within(n)
		for i := range slots {
			slots[i].quoting = comment
		}
	case *syntax.Lit:
		if slots := p.within(n); len(slots) > 0 {
			p.literal(slots, above)
		}
	case *syntax.SglQuoted:
		slots := p.within(n)
		for i := range slots {
			slots[i].quoting = single
		}
		if n.Dollar {
			p.refuse(slots, "in $'…'; write '…'")
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		p.refuse(p.within(n), "in arithmetic, where a value is read as an expression; %s", shellAdvice)
	case *syntax.ParamExp:
		slots := p.within(n)
		if n.Param != nil && len(p.within(n.Param)) > 0 {
			p.refuse(slots, "where a variable's name must stand; a dollar before a template is written \\$$, as in \\$$${name}")
		}
		p.refuse(slots, "in an expansion of the shell; %s", shellAdvice)
	case *syntax.Assign:
		if n.Index != nil {
			p.refuse(p.within(n.Index), "in an index, which is arithmetic; %s", shellAdvice)
		}
	case *syntax.ArrayElem:
		if n.Index != nil {
			p.refuse(p.within(n.Index), "in an index, which is arithmetic; %s", shellAdvice)
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			p.refuse(p.within(n), "in arithmetic, where a value is read as an expression; compare with [ … ] instead")
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			p.refuse(p.within(n), "where a variable's name must stand; %s", shellAdvice)
		}
	case *syntax.CmdSubst:
		if n.Backquotes {
			p.refuse(p.within(n), "in backquotes; write $(…)")
		}
	case *syntax.DeclClause:
		for _, a := range n.Args {
			if a.Naked && a.Value != nil {
				p.refuse(p.within(a.Value), "where a variable's name must stand; %s", shellAdvice)
			}
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			if name := p.reader(n.Y); name != "" {
				p.refuse(p.within(n.X), "in what is piped into %s, which runs it as code; %s", name, shellAdvice)
			}
		}
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if r.Hdoc == nil && r.Op != syntax.WordHdoc {
				continue
			}
			from := r.Hdoc
			if from == nil {
				from = r.Word
			}
			if name := p.reader(n); name != "" {
				p.refuse(p.within(from), "in what %s reads, which runs it as code; %s", name, shellAdvice)
			}
		}
	}
}

// literal places templates in plain text: of a word, of double quotes or of a here-document.
func (p *placer) literal(slots []slot, above []syntax.Node) {
	in := double
	switch parent := above[len(above)-1].(type) {
	case *syntax.DblQuoted:
	case *syntax.Word:
		r, _ := above[len(above)-2].(*syntax.Redirect)
		switch {
		case r != nil && r.Hdoc == parent:
			if isQuotedWord(r.Word) {
				p.refuse(slots, "in a here-document whose end is quoted, where nothing is filled in; write <<%s without the quotes, or use stdin", strings.Trim(wordSource(p.text, r.Word), `'"\`))
			}
		case r != nil && (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc):
			p.refuse(slots, "where a here-document's end is named")
		default:
			in = bare
		}
	default:
		p.refuse(slots, "where a name must stand; %s", shellAdvice)
	}
	for i := range slots {
		slots[i].quoting = in
		before := p.text[:slots[i].from]
		if (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1 {
			p.refuse(slots[i:i+1], "behind a backslash, which would take its quotes away; a dollar that is text is written $$")
		}
	}
}

func wordSource(text string, w *syntax.Word) string { return text[w.Pos().Offset():w.End().Offset()] }

func isQuotedWord(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return !ok || strings.Contains(lit.Value, `\`)
	})
}

// argument is a word of a command. text is what it comes to, as far as that is known, with hole for a template and
// unknown for what the shell fills in.
type argument struct {
	text   string
	slots  []slot
	source string // as it is written
	// Of a word that is one of args and nothing else, as "$1" is, which one, from 1 on.
	position int
	loose    bool // it may come to be several words, or none
	glob     bool // it stands for the names of files
}

const (
	hole    = '\x00'
	unknown = '\x01'
)

// fixed reports whether all of the word is known.
func (a argument) fixed() bool { return !strings.ContainsAny(a.text, "\x00\x01") }

// open reports whether it begins with a template: it may come to be an option, or any name.
func (a argument) open() bool { return strings.HasPrefix(a.text, string(hole)) }

func (p *placer) words(list []*syntax.Word) []argument {
	out := make([]argument, len(list))
	for i, w := range list {
		var b strings.Builder
		p.known(&b, w.Parts)
		out[i] = argument{text: b.String(), slots: p.reach(w), position: position(w)}
		if within := p.within(w); len(within) > 0 {
			out[i].text = filling(within, func(slot) string { return string(hole) }).Replace(out[i].text)
		}
	}
	return out
}

// position gives which of args a word is, 0 if it is none, or more than one.
func position(w *syntax.Word) int {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return 0
	}
	e, ok := parts[0].(*syntax.ParamExp)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(plainParam(e))
	if err != nil {
		return 0
	}
	return n
}

func (p *placer) known(b *strings.Builder, parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			for i := 0; i < len(part.Value); i++ {
				if part.Value[i] == '\\' && i+1 < len(part.Value) {
					i++
				}
				b.WriteByte(part.Value[i])
			}
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			p.known(b, part.Parts)
		default:
			b.WriteRune(unknown)
			if len(p.within(part)) > 0 {
				b.WriteRune(hole)
			}
		}
	}
}
