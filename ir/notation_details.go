package ir

import (
	"slices"
	"strings"

	"pflow/internal/value"
)

func declaredType(of map[string]any) value.Type {
	t, _ := of["type"].(string)
	return value.Type(t)
}

// traits reads what stands in parentheses behind the name of an input or an output.
func (r *notationReader) traits(name string, of map[string]any, input bool) {
	at := r.i
	pieces := r.pieces(")")
	if !r.has(")") {
		r.problem(at, "the parenthesis is not closed; write %s (type)", name)
	} else {
		r.i++
	}
	required := false
	for i, p := range pieces {
		words := make([]string, len(p))
		for k := range p {
			words[k] = p[k].text
		}
		said := strings.Join(words, " ")
		switch {
		case len(p) == 0:
		case i == 0:
			of["type"] = said
		case !input:
			r.problem(p[0].start, "%q is said of no output; an output has a type", said)
		case said == "required":
			required = true
		case said == "implied":
			r.implied[name] = true
		case said == "secret":
			of["secret"] = true
		case said == "from stdin":
			of["from_stdin"] = true
		case len(p) == 2 && words[0] == "default":
			of["default"] = readWord(words[1], &Port{Type: declaredType(of)})
		case len(p) == 5 && strings.HasPrefix(said, "from the environment variable "):
			of["from_env"] = words[4]
		default:
			closest(r.problem(p[0].start, "%q is said of no input", said), words[0], []string{"required", "default VALUE", "secret", "from the environment variable NAME", "from stdin"})
		}
	}
	if input {
		of["required"] = required
	}
}

// detail reads a line below a step.
func (r *notationReader) detail(in int) bool {
	number := len(r.n.nodes) - 1
	if number < 0 {
		return false
	}
	start := r.i
	node := r.n.nodes[number]
	by := "node:" + r.n.id(number)
	line := r.text[r.i:r.lineEnd()]
	word, _, hasColon := strings.Cut(line, ":")
	switch {
	case line[0] == '#':
		r.i++
		r.blanks()
		if said, _ := node["purpose"].(string); said != "" {
			node["purpose"] = said + " " + r.prose()
		} else {
			node["purpose"] = r.prose()
		}
	case hasColon && slices.Contains([]string{batchLine, repeatLine, retryLine, timeoutLine, approvalLine, asWritten}, word):
		r.i += len(word) + 1
		r.n.at[index("nodes", number)+"."+word] = start
		r.setting(node, word)
	case isNote(line):
		r.noted = in
		r.rest()
	case r.action(number):
	default:
		if r.pending >= 0 || r.looksLikeStep(line) {
			return false
		}
		f := r.problem(start, "this line below the step %q says nothing that is known of one", r.n.id(number))
		closest(f, word, []string{batchLine, repeatLine, retryLine, timeoutLine, approvalLine, asWritten})
		r.rest()
		r.stray++
	}
	r.part(start, r.i, by)
	return true
}

// isNote reports whether a line is about what a step does to what is there, also inside of a workflow that it calls.
func isNote(line string) bool {
	for range 2 {
		for _, n := range Notes {
			if strings.HasPrefix(line, n+":") {
				return true
			}
		}
		_, inner, called := strings.Cut(line, ": ")
		if !called {
			return false
		}
		line = inner
	}
	return false
}

func (r *notationReader) looksLikeStep(line string) bool {
	words := strings.Fields(line)
	if strings.HasSuffix(words[0], ":") && len(words) > 1 {
		words = words[1:]
	}
	return r.c.Get(words[0]) != nil || words[0] == ">>" || len(words) > 1 && strings.Contains(words[1], "=")
}

// action reads ACTION >> ID, ID.
func (r *notationReader) action(number int) bool {
	start := r.i
	problems := len(r.n.Problems)
	action := r.word("")
	r.blanks()
	if r.i == start || !r.has(">>") || r.pending >= 0 || r.c.Get(action) != nil && r.n.typ(number) != "switch" && action != ActionDefault {
		r.i, r.n.Problems = start, r.n.Problems[:problems]
		return false
	}
	r.i += 2
	for {
		r.blanks()
		at := r.i
		to := r.word(",")
		if to == "" {
			r.problem(at, "the step that the action %q leads to is missing; write %s >> ID", action, action)
			r.rest()
			return true
		}
		r.edge(at, r.n.id(number), to, action)
		r.blanks()
		if !r.has(",") {
			break
		}
		r.i++
	}
	if !r.ended() {
		at := r.i
		r.problem(at, "%s fits nowhere here; several steps are parted by commas: %s >> ID, ID", excerpt(r.rest()), action)
	}
	return true
}

// setting reads how a step runs.
func (r *notationReader) setting(node map[string]any, word string) {
	if word == asWritten {
		r.i -= len(asWritten) + 1
		r.asWritten(node)
		return
	}
	at := r.i
	pieces := r.pieces("")
	fail := func(form string) { r.problem(at, "%s is written: %s: %s", word, word, form) }
	first := pieces[0]
	switch word {
	case approvalLine:
		if !says(first, "required") {
			fail("required")
			return
		}
		node["approval"] = "required"
	case timeoutLine:
		if len(first) != 1 || len(pieces) > 1 {
			fail("30s")
			return
		}
		node["timeout"] = first[0].text
	case retryLine:
		retry := map[string]any{}
		node["retry"] = retry
		if !readRetry(retry, pieces) {
			fail("3 attempts, wait 1s, exponential backoff")
		}
	case repeatLine:
		repeat := map[string]any{}
		node["repeat"] = repeat
		for _, p := range pieces {
			switch {
			case says(p, "until", ""):
				repeat["until"] = p[1].text
			case says(p, "", "rounds", "at", "most"):
				repeat["max"] = settingValue(p[0].text)
			case says(p, "wait", ""):
				repeat["wait"] = p[1].text
			default:
				fail("until 'EXPRESSION', 10 rounds at most, wait 1s")
				return
			}
		}
	case batchLine:
		batch := map[string]any{}
		node["batch"] = batch
		for i, p := range pieces {
			on, isOn := "", false
			if len(p) == 1 {
				on, isOn = strings.CutPrefix(p[0].text, "on_error=")
			}
			switch {
			case says(p, "once", "per", "", "of", ""):
				batch["as"], batch["items"] = p[2].text, readWord(p[4].text, arrayPort)
			case says(p, "", "at", "once"):
				batch["concurrency"] = settingValue(p[0].text)
			case isOn:
				batch["on_error"] = on
			case len(p) > 1 && p[0].text == "retry":
				retry := map[string]any{}
				batch["retry"] = retry
				rest := append([][]token{p[1:]}, pieces[i+1:]...)
				if !readRetry(retry, rest) {
					fail("once per item of LIST, 2 at once, on_error=fail, retry 3 attempts, wait 1s")
				}
				return
			default:
				fail("once per item of LIST, 2 at once, on_error=fail, retry 3 attempts, wait 1s")
				return
			}
		}
	}
}

func readRetry(retry map[string]any, pieces [][]token) bool {
	for _, p := range pieces {
		switch {
		case says(p, "", "attempts"):
			retry["attempts"] = settingValue(p[0].text)
		case says(p, "wait", ""):
			retry["wait"] = p[1].text
		case says(p, "exponential", "backoff"):
			retry["backoff"] = "exponential"
		default:
			return false
		}
	}
	return true
}

// says compares the words of a piece with a form, in which "" stands for any word.
func says(p []token, form ...string) bool {
	return slices.EqualFunc(p, form, func(t token, want string) bool { return want == "" || t.text == want })
}
