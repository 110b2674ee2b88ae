package nodes

import (
	"fmt"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"pflow/ir"
)

// shellCommand is a command whose templates have become variables: no value is ever part of the text that the shell
// parses. The value of exprs[i] is handed over in the environment as shellVar(i).
type shellCommand struct {
	text     string
	exprs    []*ir.Expr
	operands []string // of each expr, the program that would read a value with a - in front as an option; "": none
	scripts  []string // of each expr, the program that takes it as the path of its script; "": none
	// Of args, from 1 on, those that stand where a program takes the path of its script.
	scriptArgs map[int]string
}

func shellVar(i int) string { return fmt.Sprintf("PFLOW_%d", i+1) }

// maxCommand is what Linux takes as one argument, which the command is.
const maxCommand = 128<<10 - 1

// parseShell puts a variable in the place of each template of a command:
//
//	cp ${a} ${b}.txt      cp "$PFLOW_1" "$PFLOW_2".txt
//	echo "Hello, ${a}!"   echo "Hello, ${PFLOW_1}!"
//	echo 'Hello, ${a}!'   echo 'Hello, '"$PFLOW_1"'!'
//
// and refuses the places where the shell, or a program that it runs, would read the value as code. The problems' offsets
// count in source. A command without templates is not looked at.
func parseShell(source string) (*shellCommand, []ir.Problem) {
	switch {
	case len(source) > maxCommand:
		return nil, []ir.Problem{{Message: fmt.Sprintf("the command is %d KiB long, at most 127 are possible; hand data over by stdin", len(source)>>10)}}
	case strings.ContainsRune(source, 0):
		return nil, []ir.Problem{{Message: "the command holds a NUL character, which no command can"}}
	}
	late, problems := readLate(source)
	if problems != nil {
		return nil, problems
	}
	if len(late.exprs) == 0 {
		return &shellCommand{text: late.literals[0], scriptArgs: scriptArgs(late.literals[0])}, nil
	}
	p := newPlacer(source, late)
	// What /bin/sh is differs: dash here, bash there. So the command is read in both languages, and what either of them
	// would read as code is refused.
	var languages []syntax.LangVariant
	var failure error
	for _, lang := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		file, err := parseSh(p.text, lang)
		if err != nil {
			failure = err
			continue
		}
		languages = append(languages, lang)
		p.read(file)
	}
	if languages == nil {
		return nil, []ir.Problem{{Message: "the command cannot be read as shell, so that values could be put in: " + p.shown(shellError(failure))}}
	}
	for i := range p.slots {
		if s := &p.slots[i]; s.refusal != "" {
			problems = append(problems, ir.Problem{Offset: s.expr.Offset, Message: s.expr.Text + " stands " + s.refusal})
		}
	}
	if problems != nil {
		return nil, problems
	}
	c := &shellCommand{text: p.rewrite(), exprs: late.exprs, scriptArgs: p.scripts}
	for _, s := range p.slots {
		c.operands, c.scripts = append(c.operands, s.operand), append(c.scripts, s.script)
	}
	for _, lang := range languages {
		if !allQuoted(c.text, lang, len(c.exprs)) {
			return nil, []ir.Problem{{Message: "the templates of the command cannot be put in safely; " + shellAdvice}}
		}
	}
	return c, nil
}

// scriptArgs finds them in a command without templates.
func scriptArgs(command string) map[int]string {
	if !strings.Contains(command, "$") {
		return nil
	}
	p := &placer{text: command, scripts: map[int]string{}}
	for _, lang := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		if file, err := parseSh(command, lang); err == nil {
			p.calls(file)
		}
	}
	return p.scripts
}

const shellAdvice = `hand the value over by args ("$1", "$2", … in the command), env or stdin instead`

func parseSh(text string, lang syntax.LangVariant) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
}

func shellError(err error) string {
	if e, ok := err.(syntax.ParseError); ok {
		return fmt.Sprintf("line %d: %s", e.Pos.Line(), e.Text)
	}
	return err.Error()
}

// placer finds out what each template of a command stands in. For that the command is parsed with a word in the place
// of each.
type placer struct {
	text    string
	slots   []slot            // by place
	readers []reader          // by place, of the reading at hand
	flows   map[string][]slot // the templates whose values a variable of the shell may hold, of the reading at hand

	scripts map[int]string // of args, those that a program takes as the path of its script
	moved   bool           // "$1" may be another one than the first of args

	templates *strings.Replacer // what shown puts back
}

// slot is the place of a template: text[from:to].
type slot struct {
	expr     *ir.Expr
	word     string
	from, to int
	quoting  quoting
	refusal  string // why no value can stand there, "" if one can
	script   string // the program that takes it as the path of its script
	operand  string // the program whose operand begins with it; a value that begins with - would be an option
}

// quoting is what a template stands in.
type quoting uint8

const (
	unseen quoting = iota
	bare
	single
	double // also a here-document
	comment
)

func newPlacer(source string, late *lateText) *placer {
	stem := "pflow"
	for strings.Contains(source, stem) {
		stem += "x"
	}
	p := &placer{scripts: map[int]string{}}
	var b strings.Builder
	for i, text := range late.literals {
		b.WriteString(text)
		if i < len(late.exprs) {
			s := slot{expr: late.exprs[i], from: b.Len(), word: fmt.Sprintf("%s%dy", stem, i)}
			b.WriteString(s.word)
			s.to = b.Len()
			p.slots = append(p.slots, s)
		}
	}
	p.text = b.String()
	return p
}

// shown puts the templates back into a message about the text.
func (p *placer) shown(message string) string {
	if p.templates == nil {
		p.templates = filling(p.slots, func(s slot) string { return s.expr.Text })
	}
	return p.templates.Replace(message)
}

// filling puts a text in the place of each slot's word, all in one pass over the text it is given.
func filling(slots []slot, with func(slot) string) *strings.Replacer {
	pairs := make([]string, 0, 2*len(slots))
	for _, s := range slots {
		pairs = append(pairs, s.word, with(s))
	}
	return strings.NewReplacer(pairs...)
}

// within gives the slots inside a node.
func (p *placer) within(n syntax.Node) []slot {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	i := sort.Search(len(p.slots), func(i int) bool { return p.slots[i].from >= from })
	j := sort.Search(len(p.slots), func(j int) bool { return p.slots[j].to > to })
	if i >= j {
		return nil
	}
	return p.slots[i:j]
}

func (p *placer) refuse(slots []slot, format string, args ...any) {
	for _, s := range slots {
		if i := sort.Search(len(p.slots), func(i int) bool { return p.slots[i].from >= s.from }); p.slots[i].refusal == "" {
			p.slots[i].refusal = fmt.Sprintf(format, args...)
		}
	}
}

// read notes what the templates stand in, by one reading of the command.
func (p *placer) read(file *syntax.File) {
	before := make([]quoting, len(p.slots))
	for i := range p.slots {
		before[i], p.slots[i].quoting = p.slots[i].quoting, unseen
	}
	p.calls(file)
	var above []syntax.Node
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		p.node(n, above)
		above = append(above, n)
		return true
	})
	for i := range p.slots {
		s := &p.slots[i]
		switch {
		case s.quoting == unseen:
			p.refuse(p.slots[i:i+1], "where no value can be put in; %s", shellAdvice)
		case before[i] != unseen && before[i] != s.quoting:
			p.refuse(p.slots[i:i+1], "where shells differ in what they read; %s", shellAdvice)
		}
	}
}

// rewrite puts the variables in.
func (p *placer) rewrite() string {
	var b strings.Builder
	at := 0
	for i := range p.slots {
		s := &p.slots[i]
		b.WriteString(p.text[at:s.from])
		at = s.to
		switch name := shellVar(i); s.quoting {
		case bare:
			b.WriteString(`"$` + name + `"`)
		case single:
			b.WriteString(`'"$` + name + `"'`)
		case double:
			b.WriteString("${" + name + "}")
		case comment:
			b.WriteString(name)
		}
	}
	return b.String() + p.text[at:]
}

// allQuoted checks the outcome: each of n variables stands once, in double quotes, in a here-document or in a comment.
func allQuoted(text string, lang syntax.LangVariant, n int) bool {
	file, err := parseSh(text, lang)
	if err != nil {
		return false
	}
	index := make(map[string]int, n)
	for i := range n {
		index[shellVar(i)] = i
	}
	seen := make([]int, n)
	var above []syntax.Node
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case nil:
			above = above[:len(above)-1]
			return true
		case *syntax.ParamExp:
			if i, ours := index[node.Param.Value]; ours && isQuoted(above) {
				seen[i]++
			} else if ours {
				seen[i] += 2
			}
		case *syntax.Comment:
			for word := range strings.FieldsFuncSeq(node.Text, func(r rune) bool { return !isWordRune(r) }) {
				if i, ours := index[word]; ours {
					seen[i]++
				}
			}
		}
		above = append(above, node)
		return true
	})
	for _, times := range seen {
		if times != 1 {
			return false
		}
	}
	return true
}

func isWordRune(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// isQuoted reports whether what stands below these nodes is in double quotes or a here-document.
func isQuoted(above []syntax.Node) bool {
	switch parent := above[len(above)-1].(type) {
	case *syntax.DblQuoted:
		return true
	case *syntax.Word:
		r, ok := above[len(above)-2].(*syntax.Redirect)
		return ok && r.Hdoc == parent
	}
	return false
}
