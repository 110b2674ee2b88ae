package ir

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// steps reads the steps of a line.
func (r *notationReader) steps() {
	for {
		r.blanks()
		switch {
		case r.ended() || r.sentence:
			return
		case r.has(">>"):
			r.part(r.i, r.i+2, phrasePart)
			if r.pending >= 0 || len(r.n.nodes) == 0 {
				r.problem(r.i, "a step is missing before >>: write STEP >> STEP")
			} else {
				r.pending, r.pendingAt = len(r.n.nodes)-1, r.i
			}
			r.i += 2
		default:
			r.step()
		}
	}
}

// step reads a step up to >> or the end of the line.
func (r *notationReader) step() {
	start := r.i
	node := map[string]any{}
	number := len(r.n.nodes)
	id := r.name(false)
	if id != "" && r.has(":") && (r.i+1 == len(r.text) || strings.IndexByte(" \t\r\n", r.text[r.i+1]) >= 0) {
		r.i++
		r.blanks()
		r.labelled = r.labelled || number == 0
	} else {
		id, r.i = "", start
	}
	at := r.i
	typ := r.word("")
	if r.i == at {
		if !r.sentence {
			r.problem(at, "the step %q has no component; write %s: COMPONENT param=value", id, id)
		}
		if !r.ended() && !r.has(">>") {
			r.i++
		}
		r.part(start, r.i, phrasePart)
		return
	}
	r.n.at[index("nodes", number)+".type"] = at
	r.n.at[index("nodes", number)] = start
	if id == "" {
		id = r.newID(typ)
	}
	r.ids[id] = true
	node["id"], node["type"], node["params"] = id, typ, map[string]any{}
	r.part(start, r.i, "node:"+id)
	r.n.nodes = append(r.n.nodes, node)
	if r.pending >= 0 {
		r.edge(r.pendingAt, r.n.id(r.pending), id, "")
		r.pending = -1
	}
	for {
		r.blanks()
		if r.ended() || r.sentence {
			return
		}
		if r.has(">>") {
			r.part(r.i, r.i+2, phrasePart)
			r.pending, r.pendingAt = number, r.i
			r.i += 2
			return
		}
		r.param(number)
	}
}

func (r *notationReader) edge(at int, from, to, action string) {
	e := map[string]any{"from": from, "to": to}
	if action != "" && action != ActionDefault {
		e["action"] = action
	}
	r.n.at[index("edges", len(r.n.edges))] = at
	r.n.edges = append(r.n.edges, e)
}

// newID makes the id of a step that is given none: its component's name, with a number where that is taken.
func (r *notationReader) newID(typ string) string {
	base := strings.Map(func(c rune) rune {
		if c < 128 && (isWord(byte(c)) || c == '-') {
			return c
		}
		return '-'
	}, typ)
	id := base
	for n := max(r.numbers[base], 2); r.ids[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
		r.numbers[base] = n
	}
	return id
}

// param reads one param: key=value, --key=value, --key value or, for yes, --key.
func (r *notationReader) param(number int) {
	start := r.i
	p := NotationParam{Node: r.n.id(number), Start: start}
	dashes := r.has("--")
	if dashes {
		r.i += 2
	}
	key := ""
	if dashes && r.i < len(r.text) && (r.text[r.i] == '\'' || r.text[r.i] == '"') {
		key = r.word("=")
	} else {
		key = r.name(true)
	}
	equals := r.has("=")
	if key == "" || !dashes && !equals {
		r.i = start
		r.strayWord(number)
		return
	}
	key = paramNamed(r.c.Get(r.n.typ(number)), key)
	port := paramPort(r.c, r.n.typ(number), key)
	var v any = true
	switch {
	case equals:
		r.i++
		p.Value = r.i
		v = readWord(r.valueWord(""), port)
	case port.Type != value.Boolean && r.valueFollows():
		r.blanks()
		p.Value = r.i
		v = readWord(r.valueWord(""), port)
	default:
		p.Value = r.i
	}
	p.Key, p.End = key, r.i
	if number == 0 {
		r.first++
		c := r.c.Get(r.n.typ(0))
		if c != nil {
			_, known := c.Param(key)
			r.firstKnown = r.firstKnown || known || c.OpenParams || diag.Nearest(key, c.ParamKeys()) != ""
		}
	}
	r.dashed = r.dashed || dashes
	params := r.n.nodes[number]["params"].(map[string]any)
	if _, twice := params[key]; twice {
		r.problem(start, "%q is given twice; a step has each param once", key)
		r.part(start, r.i, "node:"+p.Node)
		return
	}
	params[key] = v
	path := index("nodes", number) + "." + paramPath(key)
	r.n.at[path] = start
	r.n.Params = append(r.n.Params, p)
}

// valueFollows reports whether the next word is no param of its own.
func (r *notationReader) valueFollows() bool {
	k := r.i
	for k < len(r.text) && (r.text[k] == ' ' || r.text[k] == '\t') {
		k++
	}
	if k == len(r.text) || r.text[k] == '\n' || r.text[k] == '\r' || strings.HasPrefix(r.text[k:], "--") || strings.HasPrefix(r.text[k:], ">>") {
		return false
	}
	from := k
	for k < len(r.text) && (isWord(r.text[k]) || r.text[k] == '-') {
		k++
	}
	return k == from || k == len(r.text) || r.text[k] != '='
}

// paramNamed is the param that is meant by a name: its own, or the last words of the only one that ends in them.
func paramNamed(of *Interface, key string) string {
	if of == nil {
		return key
	}
	if _, ok := of.Param(key); ok {
		return key
	}
	key = strings.ReplaceAll(key, "-", "_")
	var found []string
	for _, k := range of.ParamKeys() {
		if k == key || strings.HasSuffix(k, "_"+key) {
			found = append(found, k)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return key
}

// strayWord passes over a word that is no param. Several in a row are one mistake.
func (r *notationReader) strayWord(number int) {
	start := r.i
	text := r.word("")
	if number == 0 && r.first == 0 && !r.n.Whole {
		r.sentence = true // what follows the name of a component is no param of it
		return
	}
	r.part(start, r.i, "node:"+r.n.id(number))
	r.stray++
	follows := r.strayEnd > 0 && strings.TrimSpace(r.text[r.strayEnd:start]) == ""
	r.strayEnd = r.i
	if follows {
		return
	}
	switch {
	case text == "|" || r.c.Get(text) != nil:
		r.problem(start, "%q is no param of %s; >> leads to the next step", text, r.n.typ(number)).Suggestion = ">>"
	default:
		r.problem(start, "%q is no param of %s; write PARAM=value, with quotes around a value that holds blanks, and >> before the next step", text, r.n.typ(number)).Alternatives = r.paramsOf(number)
	}
}

func (r *notationReader) paramsOf(number int) []string {
	if c := r.c.Get(r.n.typ(number)); c != nil {
		return few(c.ParamKeys())
	}
	return nil
}

// isNotation decides whether what was read is notation at all: its first step has the form of one, and there is a
// component that it, or a step after it, is of.
func (r *notationReader) isNotation() bool {
	if r.sentence || len(r.n.nodes) == 0 || r.stray > len(r.n.Params) {
		return false
	}
	chain := len(r.n.edges) > 0 || r.pending >= 0
	if r.c.Get(r.n.typ(0)) != nil {
		only := len(r.n.nodes) == 1 && r.first == 0 && !chain
		return r.n.Whole || chain || r.first > 0 && (r.firstKnown || r.dashed) || only && strings.Trim(r.n.typ(0), "abcdefghijklmnopqrstuvwxyz") != "" && r.first == 0
	}
	known := slices.ContainsFunc(r.n.nodes, func(n map[string]any) bool { return r.c.Get(n["type"].(string)) != nil })
	near := r.c.Nearest(r.n.typ(0)) != "" && (r.first > 0 || chain)
	return (chain || r.n.Whole) && (known || near) || near && r.dashed || near && r.labelled
}
