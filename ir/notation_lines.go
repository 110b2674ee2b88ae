package ir

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/diag"
)

// read reads the text line by line.
func (r *notationReader) read() {
	for r.i < len(r.text) && !r.sentence {
		in := r.blanks()
		if r.ended() {
			r.i++
			continue
		}
		if r.noted > 0 && in > r.noted {
			start := r.i
			r.rest()
			r.part(start, r.i, phrasePart)
			continue
		}
		r.noted = 0
		switch {
		case in == 0 && r.heading():
		case in > 0 && r.section != nil && r.entry():
		case in > 0 && r.detail(in):
		case r.text[r.i] == '#':
			start := r.i
			r.rest()
			r.part(start, r.i, phrasePart)
		default:
			r.section = nil
			r.steps()
		}
	}
	if r.pending >= 0 && !r.sentence {
		r.problem(r.pendingAt, "no step follows >>; write the next step behind it, or leave it out")
	}
	r.i = min(r.i, len(r.text))
}

var (
	titled  = regexp.MustCompile(`^(?:new|saved) workflow ([A-Za-z0-9_-]+): (.*)$`)
	version = regexp.MustCompile(`^([A-Za-z0-9_-]+) \(version \d+\): (.*)$`)
)

// heading reads a line that stands outside of steps and is none.
func (r *notationReader) heading() bool {
	start := r.i
	line := r.text[r.i:max(r.lineEnd(), r.i)]
	named := titled.FindStringSubmatch(line)
	if named == nil {
		named = version.FindStringSubmatch(line)
	}
	after := func(prefix string) (string, bool) {
		rest, ok := strings.CutPrefix(line, prefix)
		return strings.TrimSpace(rest), ok
	}
	switch {
	case named != nil && len(r.n.nodes) == 0 && !r.n.Whole:
		r.n.Name = named[1]
		if r.n.Description = named[2]; named[2] == "-" {
			r.n.Description = ""
		}
	case len(r.n.nodes) == 0 && (line == "request:" || strings.HasPrefix(line, "request: ") && r.n.Name != ""):
		r.noted = 1 // what was asked for, with what stands for which part of it, set in
	case line == "inputs:" || line == "inputs: none":
		r.section, r.n.declared = &r.n.inputs, true
	case line == "outputs:":
		r.section = &r.n.outputs
	case len(r.n.nodes) > 0 && (strings.HasPrefix(line, "not done: ") || line == "nearest to that:"):
		r.section = nil
		r.i = len(r.text) // what follows is about the plan, not of it
		r.part(start, len(strings.TrimRight(r.text, " \t\r\n")), phrasePart)
		return true
	default:
		if rest, ok := after(versionLine + " "); ok {
			r.n.version = rest
		} else if rest, ok := after(beginsLine + " "); ok && len(r.n.nodes) == 0 {
			r.n.starts = strings.Split(rest, ", ")
			r.n.at["start_node"] = start
		} else if rest, ok := after(orderLine + ": "); ok {
			r.n.order = strings.Split(rest, ", ")
		} else if rest, ok := after(effectsLine + ": "); ok && isEffect(rest) {
			r.section = nil
		} else if rest, ok := after(mappingsLine + ": "); ok {
			r.n.mappings, _ = r.json(start+len(mappingsLine)+2, rest)
		} else if _, ok := after(edgesLine + ": "); ok {
			r.i += len(edgesLine) + 1
			r.edgesAsWritten()
		} else {
			return false
		}
	}
	r.n.Whole = true
	r.rest()
	r.part(start, r.i, phrasePart)
	return true
}

func isEffect(rest string) bool {
	first, _, _ := strings.Cut(rest, " ")
	return slices.Contains(Effects(), Effect(strings.TrimSuffix(first, ",")))
}

// json reads the rest of a line.
func (r *notationReader) json(at int, text string) (any, bool) {
	tree, err := readTree([]byte(text))
	if err != nil {
		r.problem(at, "this is no JSON: %v", err)
		return nil, false
	}
	return plain(tree), true
}

// edgesAsWritten reads all edges in their order: FROM >> TO, FROM ACTION >> TO.
func (r *notationReader) edgesAsWritten() {
	var all []map[string]any
	places := map[string]int{}
	for {
		r.blanks()
		at := r.i
		from := r.word(",")
		r.blanks()
		action := ""
		if !r.has(">>") {
			action = r.word(",")
			r.blanks()
		}
		if from == "" || !r.has(">>") {
			r.problem(at, "an edge is written FROM >> TO, or FROM ACTION >> TO")
			return
		}
		r.i += 2
		r.blanks()
		e := map[string]any{"from": from, "to": r.word(",")}
		if action != "" && action != ActionDefault {
			e["action"] = action
		}
		places[index("edges", len(all))] = at
		all = append(all, e)
		r.blanks()
		if !r.has(",") {
			break
		}
		r.i++
	}
	if len(all) != len(r.n.edges) {
		r.problem(r.i, "the steps have %d edges, this line %d; leave it out, or list them all", len(r.n.edges), len(all))
		return
	}
	r.n.edges = all
	for k, at := range places {
		r.n.at[k] = at
	}
}

// entry reads a line about an input or an output, or what is written below one.
func (r *notationReader) entry() bool {
	start := r.i
	entries := *r.section
	if r.has(asWritten + ": ") {
		if len(entries) == 0 {
			return false
		}
		r.asWritten(entries[len(entries)-1].of)
		r.part(start, r.i, phrasePart)
		return true
	}
	inputs := r.section == &r.n.inputs
	name := r.name(false)
	r.blanks()
	if name == "" || r.ended() || strings.IndexByte("(=:", r.text[r.i]) < 0 {
		what := "output is written NAME (type) = ${step.key}"
		if inputs {
			what = "input is written NAME (type) = value"
		}
		r.i = start
		r.rest()
		r.part(start, r.i, phrasePart)
		r.problem(start, "an %s: description", what)
		return true
	}
	of := map[string]any{}
	by, path := phrasePart, key("outputs", name)
	if inputs {
		by, path = "input:"+name, key("inputs", name)
		of["required"] = true
	}
	r.n.at[path] = start
	if r.has("(") {
		r.i++
		r.traits(name, of, inputs)
	}
	r.blanks()
	given := r.has("=")
	text := ""
	if given {
		r.i++
		r.blanks()
		text = r.valueWord("")
		if !r.ended() && r.text[r.i-1] == ':' && strings.HasSuffix(text, ":") {
			text = strings.TrimSuffix(text, ":")
			r.i--
		} else if r.lineEnd() == r.i {
			r.rest()
		}
	}
	if r.has(":") {
		r.i++
		r.blanks()
		if d := r.prose(); d != "" {
			of["description"] = d
		}
	} else if r.blanks(); !r.ended() {
		at := r.i
		r.problem(at, "%s fits nowhere here; quote a value that holds blanks, and write a colon before a description", excerpt(r.rest()))
	}
	if inputs && given {
		port := &Port{Type: declaredType(of)}
		v := readWord(text, port)
		r.n.Values[name] = v
		r.standIns.add(name, v)
	} else if given && text != "" {
		of["source"] = text
		if t, problem := ParseTemplate(text); problem == nil && t.whole() != nil && t.whole().Alts[0].Ref != nil && r.ids[t.whole().Alts[0].Ref.Root] {
			by = "node:" + t.whole().Alts[0].Ref.Root
		}
	}
	*r.section = append(*r.section, namedObject{name, of})
	r.part(start, r.i, by)
	return true
}

// prose takes a text to the end of the line; in double quotes it is JSON.
func (r *notationReader) prose() string {
	text := r.rest()
	var quoted string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &quoted) == nil {
		return quoted
	}
	return text
}

func (r *notationReader) asWritten(into map[string]any) {
	r.i += len(asWritten) + 1
	r.blanks()
	at := r.i
	v, ok := r.json(at, r.rest())
	of, isObject := v.(map[string]any)
	if ok && !isObject {
		r.problem(at, "want an object in JSON, got %s", nameOf(v))
	}
	if isObject {
		r.written = append(r.written, writtenAt{into, of})
	}
}

// closest is the nearest of several words that a mistaken one may have meant.
func closest(f *diag.Finding, word string, of []string) {
	f.Suggestion = diag.Nearest(word, of)
	if f.Suggestion == "" {
		f.Alternatives = of
	}
}
