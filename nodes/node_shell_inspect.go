package nodes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"pflow/internal/nodetype"
	"pflow/ir"
)

// inspector finds out whether a shell command may destroy what is there: whether it runs a program that the table says so
// of, or what cannot be known before it runs.
type inspector struct {
	value func(s slot) (string, bool) // of a template; false: it is not known yet
	depth int
	left  int    // how many more programs are looked at
	why   string // the first reason, "" if there is none
}

// Bounds of an inspection: beyond them a command cannot be known.
const (
	maxShellDepth = 20
	maxPrograms   = 20_000
)

// destroysShell says why a shell node may destroy what is there, "" if it does not. Params are filled in as far as they
// are known before the run; args that are not are nil.
func destroysShell(c nodetype.Call, pending []string) string {
	source, _ := c.Params["command"].(string)
	late, problems := readLate(source)
	if problems != nil || strings.ContainsRune(source, 0) || len(source) > maxCommand {
		return "" // the node fails before it runs anything
	}
	known := map[string]string{}
	for _, e := range late.exprs {
		if v, err := resolveNow(c, e.Text); err == nil {
			if _, marker := v.(map[string]any); !marker { // of a secret, or JSON, which names no program
				known[e.Text] = ir.Text(v)
			}
		}
	}
	in := &inspector{left: maxPrograms, value: func(s slot) (string, bool) {
		v, ok := known[s.expr.Text]
		return v, ok && !strings.ContainsRune(v, unknown)
	}}
	if env, ok := c.Params["env"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(env)) {
			in.variable(name, argument{text: ir.Text(env[name])}, true)
		}
	}
	s := scope{known: true}
	switch args := c.Params["args"].(type) {
	case nil:
		s.known = !isPending(pending, "args")
	case []any:
		for i, a := range args {
			text := ir.Text(a)
			if strings.ContainsAny(text, "\x00\x01") || isPending(pending, fmt.Sprintf("args[%d]", i)) {
				text = string(unknown)
			}
			s.args = append(s.args, argument{text: text, source: quote(text)})
		}
	}
	in.script(newPlacer(source, late), s)
	return in.why
}

func (in *inspector) because(format string, args ...any) {
	if in.why == "" {
		in.why = fmt.Sprintf(format, args...)
	}
}

// script looks at a script as every language reads it that /bin/sh may be.
func (in *inspector) script(p *placer, s scope) {
	if in.depth++; in.depth > maxShellDepth {
		in.because("it is nested too deep to be known")
		return
	}
	defer func() { in.depth-- }()
	read := false
	for _, lang := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		if file, err := parseSh(p.text, lang); err == nil {
			read = true
			in.file(p, file, s)
		}
	}
	if !read {
		in.because("it cannot be read as shell, so what it does is not known")
	}
}

// code looks at a text that a program hands to a shell.
func (in *inspector) code(a argument, of string, s scope) {
	if !a.fixed() {
		in.because("the text that %s runs is not known before it runs", of)
		return
	}
	in.script(&placer{text: a.text}, s)
}

func (in *inspector) file(p *placer, file *syntax.File, s scope) {
	// "$1" is another one in a function, and after set and shift.
	type span struct{ from, to uint }
	var functions []span
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			functions = append(functions, span{n.Pos().Offset(), n.End().Offset()})
		case *syntax.CallExpr:
			if len(n.Args) > 0 && (n.Args[0].Lit() == "set" || n.Args[0].Lit() == "shift") {
				s.known = false
			}
		}
		return true
	})
	syntax.Walk(file, func(n syntax.Node) bool {
		in.variables(p, n, scope{})
		stmt, ok := n.(*syntax.Stmt)
		if !ok || in.why != "" {
			return in.why == ""
		}
		own := s
		for _, f := range functions {
			if at := stmt.Pos().Offset(); f.from <= at && at < f.to {
				own.known = false
			}
		}
		var stdin *syntax.Word
		for _, r := range stmt.Redirs {
			in.redirect(p, r, own)
			if r.N != nil && r.N.Value != "0" {
				continue
			}
			switch r.Op {
			case syntax.Hdoc, syntax.DashHdoc:
				stdin = r.Hdoc
			case syntax.WordHdoc:
				stdin = r.Word
			case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn:
				stdin = nil
			}
		}
		if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
			var text argument
			given := stdin != nil
			if given {
				text = in.arguments(p, []*syntax.Word{stdin}, scope{})[0]
			}
			in.call(in.arguments(p, call.Args, own), text, given)
		}
		return true
	})
}

// isGlob reports whether an unquoted part of a word stands for the names of files.
func isGlob(w *syntax.Word) bool {
	if w.Lit() == "[" || w.Lit() == "[[" {
		return false
	}
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			for i := 0; i < len(lit.Value); i++ {
				switch lit.Value[i] {
				case '\\':
					i++
				case '*', '?', '[':
					return true
				}
			}
		}
		if _, ok := part.(*syntax.ExtGlob); ok {
			return true
		}
	}
	return false
}

// redirect looks at what is written to.
func (in *inspector) redirect(p *placer, r *syntax.Redirect, s scope) {
	switch r.Op {
	case syntax.RdrOut, syntax.RdrInOut, syntax.RdrClob, syntax.DplOut, syntax.RdrAll, syntax.RdrAllClob:
	default:
		return
	}
	if r.Word == nil {
		return
	}
	a := in.arguments(p, []*syntax.Word{r.Word}, s)
	if len(a) != 1 {
		in.because("%s replaces a file", r.Op)
		return
	}
	if r.Op == syntax.DplOut && a[0].fixed() && strings.Trim(a[0].text, "0123456789-") == "" || harmlessFile(a[0]) {
		return
	}
	in.because("%s replaces the file %s", r.Op, a[0].shown())
}

// shown gives a word for a message: as it is known, else as it is written.
func (a argument) shown() string {
	if a.fixed() || a.source == "" {
		return strings.Map(func(r rune) rune {
			if r == hole || r == unknown {
				return '…'
			}
			return r
		}, a.text)
	}
	return a.source
}
