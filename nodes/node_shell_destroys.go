package nodes

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// call looks at one program with its arguments. stdin is the text it is given, if there is a here-document.
func (in *inspector) call(args []argument, stdin argument, given bool) {
	if len(args) == 0 || in.why != "" {
		return
	}
	if in.left--; in.left < 0 {
		in.because("it runs too many programs to be known")
		return
	}
	if !args[0].fixed() {
		in.because("the program %s is not known before it runs", args[0].shown())
		return
	}
	if args[0].glob {
		in.because("%s stands for the names of files, so what runs is not known", args[0].shown())
		return
	}
	name := path.Base(args[0].text)
	if row := programs().row(name); row != nil {
		in.program(name, row, args[1:], stdin, given)
	}
}

func (in *inspector) program(name string, row *programRow, args []argument, stdin argument, given bool) {
	if row.subcommands {
		before := row.read(args, 0)
		sub := before.rest
		if o, unnamed := before.unnamed(row); unnamed && len(sub) > 0 {
			in.because("what %s does behind %s is not known", name, o)
			return
		}
		if len(sub) > 0 && !sub[0].fixed() {
			in.because("the subcommand of %s is not known before it runs", name)
			return
		}
		if len(sub) > 0 {
			if inner := programs().named[name+" "+sub[0].text]; inner != nil {
				in.program(name+" "+sub[0].text, inner, sub[1:], stdin, given)
			}
		}
	}
	r := row.read(args, -1)
	switch {
	case row.assigns:
		in.assignments(args[:len(args)-len(row.read(args, 0).rest)], false)
	case row.runs == "names" && name != "unset" && (!row.plain || slices.ContainsFunc(args, func(a argument) bool { return strings.HasPrefix(a.text, "-v") || a.text == "-p" })):
		in.assignments(r.operands, name != "export" && name != "readonly" && name != "local" && name != "test" && name != "[" && name != "[[")
	case row.takes != nil && row.takes.MatchString("A=1"): // make
		in.assignments(r.operands, false)
	}
	for _, o := range r.options {
		if slices.Contains(row.executes, o.name) || row.takes != nil && row.takes.MatchString(o.name+o.value.text) {
			in.because("what %s %s runs is not known", name, o.name)
		}
	}
	if o, ok := r.given(row.scripts); ok && isStream(o.value) {
		in.because("what %s %s reads and runs is not known before it runs", name, o.name)
	}
	in.destroys(name, row, args, &r)
	if row.runs == "names" {
		in.names(name, row, args, &r)
	}
	in.runs(name, row, args, &r, stdin, given)
}

// destroys asks the row what the program does itself.
func (in *inspector) destroys(name string, row *programRow, args []argument, r *reading) {
	if row.destroys == "" {
		return
	}
	if row.signals && onlyAsks(args) || r.excused(row) {
		return
	}
	if !row.conditional {
		in.because("%s %s", name, row.destroys)
		return
	}
	if o, ok := r.wanted(row.when); ok {
		in.because("%s %s %s", name, o, row.destroys)
		return
	}
	if len(row.when) > 0 && r.uncertain {
		in.because("%s may get an option that is not known before it runs, and then %s", name, row.destroys)
		return
	}
	operands := 0
	for _, a := range r.operands {
		if harmlessFile(a) {
			continue
		}
		operands++
		switch {
		case row.operand == nil || row.among > 0 && operands > row.among:
		case a.open() || strings.HasPrefix(a.text, string(unknown)):
			in.because("%s %s is not known before it runs, and may be what %s", name, a.shown(), row.destroys)
		case row.operand.MatchString(a.text):
			in.because("%s %s %s", name, a.text, row.destroys)
		}
	}
	if row.atLeast > 0 && (operands >= row.atLeast || r.uncertain) || row.dashed && r.behind > 0 {
		in.because("%s %s", name, row.destroys)
	}
}

// runs looks at what the program runs.
func (in *inspector) runs(name string, row *programRow, args []argument, r *reading, stdin argument, given bool) {
	code := false
	if row.runs != "foreign" && row.runs != "command" && row.runs != "find" {
		code = in.codeOptions(name, row, r)
	}
	switch row.runs {
	case "unknown":
		if _, idle := r.given(row.idle); !idle {
			in.because("what %s does is not known", name)
		}
	case "script":
		in.shellOperand(name, false, append(args, argument{text: "-"})[:max(1, len(args))], stdin, given)
	case "text":
		in.text(name, row, row.read(args, row.skip), stdin, given)
	case "first":
		if _, idle := r.given(row.idle); !idle && len(r.operands) > 1 && r.operands[0].text != "" && r.operands[0].text != "-" {
			in.code(r.operands[0], name, scope{})
		}
	case "named":
		for _, a := range r.operands {
			if _, text, ok := strings.Cut(a.text, "="); ok || !a.fixed() {
				if !a.fixed() {
					in.because("the text that %s runs is not known before it runs", name)
					return
				}
				in.code(argument{text: text + ` "$@"`}, name, scope{}) // with what stands behind it
			}
		}
	case "shell":
		in.shell(name, args, stdin, given)
	case "command":
		in.command(name, row, row.read(args, row.skip), stdin, given)
	case "loose":
		in.loose(row, args)
	case "find":
		in.find(name, row, args)
	case "foreign":
		in.foreign(name, row, r)
	case "filter":
		in.filter(name, row, r)
	default:
		if row.stdin && !code {
			in.reader(name, stdin, given)
		}
	}
}

// names looks at builtins whose operands name variables: bash evaluates the index of a name such as a[$(…)].
func (in *inspector) names(name string, row *programRow, args []argument, r *reading) {
	for i, a := range args {
		named := !row.plain && !strings.HasPrefix(a.text, "-")
		if row.plain && i > 0 {
			named = args[i-1].text == "-v" || name == "wait" && args[i-1].text == "-p" || name != "printf" && args[i-1].text == "-R"
		}
		if row.plain && strings.HasPrefix(a.text, "-v") && len(a.text) > 2 && i == 0 {
			a.text, named = a.text[2:], true
		}
		word, _, _ := strings.Cut(a.text, "=")
		if named && strings.ContainsAny(word, "[$`") {
			in.because("%s evaluates the index in %s, which may run a command", name, a.shown())
		}
	}
}

// codeOptions looks at options whose value a shell runs.
func (in *inspector) codeOptions(name string, row *programRow, r *reading) (any bool) {
	for _, o := range r.options {
		if slices.Contains(row.code, o.name) {
			if row.gives != "" {
				o.value.text += " " + row.gives
			}
			in.code(o.value, name+" "+o.name, scope{})
			any = true
		}
	}
	return any
}

// reader looks at a program that runs what it reads.
func (in *inspector) reader(name string, stdin argument, given bool) {
	if given && stdin.fixed() {
		in.code(stdin, name, scope{})
		return
	}
	in.because("what %s reads and runs is not known before it runs", name)
}

// text looks at a program whose operands are one text for a shell.
func (in *inspector) text(name string, row *programRow, r reading, stdin argument, given bool) {
	words := r.rest
	if row.gets {
		if i := slices.IndexFunc(words, func(a argument) bool { return strings.HasPrefix(a.text, ":::") }); i >= 0 {
			words = words[:i]
		}
	}
	if len(words) == 0 {
		if row.stdin {
			in.reader(name, stdin, given)
		}
		return
	}
	var all []string
	for _, a := range words {
		if !a.fixed() {
			in.because("the text that %s runs is not known before it runs", name)
			return
		}
		all = append(all, a.text)
	}
	text := strings.Join(all, " ")
	if row.gets {
		text += ` "$@"` // what it is given besides
		text = strings.ReplaceAll(text, "{}", `"$@"`)
	}
	in.code(argument{text: text}, name, scope{})
}

// shell looks at the arguments of sh: options, -c CODE, or a script with its arguments.
func (in *inspector) shell(name string, args []argument, stdin argument, given bool) {
	code := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "--" || a.text == "-":
			if i+1 < len(args) {
				in.shellOperand(name, code, args[i+1:], stdin, given)
				return
			}
		case !a.fixed():
			in.shellOperand(name, code, args[i:], stdin, given)
			return
		case strings.HasPrefix(a.text, "--"):
			if a.text == "--version" || a.text == "--help" {
				return
			}
			if a.text == "--rcfile" || a.text == "--init-file" {
				i++
			}
		case len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+'):
			code = code || a.text[0] == '-' && strings.ContainsRune(a.text, 'c')
			if strings.HasSuffix(a.text, "o") || strings.HasSuffix(a.text, "O") {
				i++
			}
			if strings.ContainsRune(a.text, 's') && !code {
				in.reader(name, stdin, given)
				return
			}
		default:
			in.shellOperand(name, code, args[i:], stdin, given)
			return
		}
	}
	in.reader(name, stdin, given)
}

func (in *inspector) shellOperand(name string, code bool, args []argument, stdin argument, given bool) {
	switch {
	case code:
		s := scope{known: true}
		if len(args) > 2 {
			s.args = args[2:]
		}
		for _, a := range s.args {
			s.known = s.known && !a.loose
		}
		in.code(args[0], name+" -c", s)
	case !args[0].fixed():
		in.because("the script %s of %s is not known before it runs", args[0].shown(), name)
	case isStream(args[0]):
		in.reader(name, stdin, given)
	}
}

// command looks at a program that runs another one, which its arguments name.
func (in *inspector) command(name string, row *programRow, r reading, stdin argument, given bool) {
	if _, idle := r.given(row.idle); idle {
		return
	}
	if o, ok := r.given(row.code); ok && row.assigns {
		in.split(name, o.value, r.rest)
		return
	}
	if o, unnamed := r.unnamed(row); unnamed && len(r.rest) > 0 {
		in.because("what %s runs behind %s is not known", name, o)
		return
	}
	code := in.codeOptions(name, row, &r)
	if len(r.rest) == 0 {
		if row.stdin {
			in.reader(name, stdin, given)
		} else if r.uncertain && !code {
			in.because("what %s runs is not known before it runs", name)
		}
		return
	}
	rest := r.rest
	if row.gets {
		rest = fillMarks(r)
	}
	in.call(rest, stdin, given)
}

// split looks at a text that env cuts into words, with those that follow it.
func (in *inspector) split(name string, text argument, rest []argument) {
	words := []string{"env", text.text}
	for _, a := range rest {
		if !a.fixed() {
			in.because("what %s runs is not known before it runs", name)
			return
		}
		words = append(words, quote(a.text))
	}
	if strings.Contains(text.text, `\`) {
		in.because("what %s runs is not known, for its text holds a backslash", name)
		return
	}
	in.code(argument{text: strings.Join(words, " ")}, name, scope{})
}

// fillMarks puts what xargs reads into the words of its command: in the place of a mark, or behind them.
func fillMarks(r reading) []argument {
	rest := slices.Clone(r.rest)
	replaces, appends := false, true
	for _, o := range r.options {
		mark := o.value.text
		switch o.name {
		case "-I", "-i", "--replace":
			replaces, appends = true, false
		case "-J":
			replaces = true
		default:
			appends = appends || slices.Contains([]string{"-n", "-L", "-l", "--max-args", "--max-lines"}, o.name) // the last one counts
			continue
		}
		if mark == "" {
			mark = "{}"
		}
		for i := range rest {
			rest[i].text = strings.ReplaceAll(rest[i].text, mark, string(unknown))
		}
	}
	if appends || !replaces {
		rest = append(rest, argument{text: string(unknown), loose: true, source: "…"})
	}
	return rest
}

// loose looks at every word that may be the command that a program runs.
func (in *inspector) loose(row *programRow, args []argument) {
	operands := 0
	for i, a := range args {
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		if operands++; operands <= row.skip || !a.fixed() || isAssignment(a.text) {
			continue
		}
		if inner := programs().row(a.text); inner != nil && (inner.destroys != "" || inner.runs != "") && inner.runs != "script" {
			in.call(args[i:], argument{}, false)
		}
	}
}

// find looks at what -exec and its like run.
func (in *inspector) find(name string, row *programRow, args []argument) {
	for i, a := range args {
		rest, ok := found(row, a, args[i+1:])
		if !ok {
			continue
		}
		for n := range rest {
			if rest[n].text == ";" || rest[n].text == "+" && n > 0 && rest[n-1].text == "{}" {
				rest = rest[:n]
				break
			}
		}
		for n := range rest {
			rest[n].text = strings.ReplaceAll(rest[n].text, "{}", string(unknown))
		}
		in.call(rest, argument{}, false)
	}
}

// found gives the words of a command that stands behind an option of find or fd, or begins in it.
func found(row *programRow, a argument, rest []argument) ([]argument, bool) {
	for _, o := range row.code {
		short := len(o) == 2 && !strings.HasPrefix(a.text, "--")
		value, attached := strings.CutPrefix(a.text, o+"=")
		switch {
		case row.full(a.text) == o:
			return slices.Clone(rest), true
		case short && strings.HasPrefix(a.text, "-") && strings.Contains(a.text, o[1:]):
			_, value, _ = strings.Cut(a.text, o[1:])
			if value == "" {
				return slices.Clone(rest), true
			}
		case !attached:
			continue
		}
		return append([]argument{{text: value}}, rest...), true
	}
	return nil, false
}

// foreign looks at programs in other languages: what is given by an option or by their input cannot be known, a file can.
func (in *inspector) foreign(name string, row *programRow, r *reading) {
	if o, ok := r.given(row.code); ok {
		in.because("%s %s runs code of another language, which is not looked into", name, o.name)
		return
	}
	if _, told := r.given([]string{"--version", "-V", "--help", "-h", "-v"}); told && len(r.operands) == 0 {
		return
	}
	if o, file := r.given([]string{"-f", "--file", "-m"}); file && slices.Contains(row.valued, "-f") {
		if !o.value.fixed() || isStream(o.value) {
			in.because("what %s %s reads and runs is not known before it runs", name, o.name)
		}
		return
	}
	switch {
	case r.uncertain:
		in.because("%s may get code that is not known before it runs", name)
	case len(r.operands) == 0 || isStream(r.operands[0]):
		in.because("what %s reads and runs is not known before it runs", name)
	case !r.operands[0].fixed():
		in.because("the script %s of %s is not known before it runs", r.operands[0].shown(), name)
	case slices.Contains(row.code, r.operands[0].text):
		in.because("%s %s runs code of another language, which is not looked into", name, r.operands[0].text)
	}
}

// filter looks at the programs of sed, awk and their like.
func (in *inspector) filter(name string, row *programRow, r *reading) {
	var texts []argument
	file := false
	for _, o := range r.options {
		switch o.name {
		case "-e", "--expression":
			texts = append(texts, o.value)
		case "-f", "--file":
			file = true
			if !o.value.fixed() || isStream(o.value) {
				in.because("the program of %s is not known before it runs", name)
			}
		}
	}
	if len(texts) == 0 && !file && len(r.operands) > row.skip {
		texts = r.operands[row.skip:]
		if row.skip == 0 {
			texts = texts[:1]
		}
	}
	if len(texts) == 0 && !file {
		if _, told := r.given([]string{"--version", "-V", "--help", "-h", "-version"}); !told {
			in.because("what %s runs is not known before it runs", name)
		}
		return
	}
	for _, t := range texts {
		switch {
		case !t.fixed():
			in.because("the program of %s is not known before it runs", name)
		case strings.HasSuffix(name, "awk") && !awkActs.MatchString(t.text):
		case strings.HasSuffix(name, "sed") && sedIsPlain(t.text):
		default:
			in.because("the program of %s may write files or run others", name)
		}
	}
}

// awkActs finds what lets a program of awk write files, run others or load more code: pipes, redirections behind print,
// system and directives.
var awkActs = regexp.MustCompile(`\bsystem\b|(^|[^|])\|([^|]|$)|\bprintf?\b[^;}\n]*>|\bgetline\b|@|\bclose\b`)

// sedPlain are the commands of sed that neither write files nor run programs: print, delete, quit, substitute with no
// flags but these, and their addresses. Each delimiter has its own pattern, for RE2 has no backreferences.
var sedPlain = func() *regexp.Regexp {
	var forms []string
	for _, d := range `/|#,:@!_%+~;` {
		q := regexp.QuoteMeta(string(d))
		part := `([^` + q + `\\\n]|\\.)*`
		forms = append(forms, `s`+q+part+q+part+q+`[gpiI0-9]*`, `y`+q+part+q+part+q)
	}
	forms = append(forms, `[dDpPnNgGhHxql=qQ][0-9]*`, `[bt][ \t]*[A-Za-z0-9_]*`, `:[ \t]*[A-Za-z0-9_]+`, `[aic]\\?[^\n]*`)
	address := `([0-9]+(~[0-9]+)?|\$|/([^/\\\n]|\\.)*/I?|\+[0-9]+)`
	one := `[ \t]*(` + address + `([ \t]*,[ \t]*` + address + `)?[ \t]*!?[ \t]*)?(\{|(` + strings.Join(forms, "|") + `))?[ \t]*\}*[ \t]*`
	return regexp.MustCompile(`^(` + one + `([;\n]|\{|$))*(` + one + `)$`)
}()

func sedIsPlain(program string) bool { return len(program) < 4096 && sedPlain.MatchString(program) }
