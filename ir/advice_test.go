package ir

import (
	"regexp"
	"strings"
	"testing"

	"pflow/internal/diag"
)

// How advice is followed. Each takes the document and the finding and gives the document with the advice done.
type following func(doc string, f diag.Finding) string

// suggested writes what the finding suggests in the place of a text.
func suggested(old string) following {
	return func(doc string, f diag.Finding) string { return strings.Replace(doc, old, quotedIn(f.Suggestion), 1) }
}

// each writes, one at a time, every alternative in the place of a text: all of them must be right.
func each(old string) []following {
	var out []following
	for i := range 20 {
		out = append(out, func(doc string, f diag.Finding) string {
			if i >= len(f.Alternatives) {
				return ""
			}
			return strings.Replace(doc, old, quotedIn(f.Alternatives[i]), 1)
		})
	}
	return out
}

// quotedIn is a text as it stands inside a JSON string.
func quotedIn(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }

// written is advice in words: the pattern must be in the message, its first group being what is written in the place of old,
// or new where there is none.
func written(pattern, old, with string) following {
	return func(doc string, f diag.Finding) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(f.Message)
		if m == nil {
			return ""
		}
		if len(m) > 1 {
			with = quotedIn(m[1])
		}
		return strings.Replace(doc, old, with, 1)
	}
}

// advice is, for each code, broken workflows and how what their finding says is followed.
var advice = []struct {
	code, doc string
	planning  bool
	follow    []following
}{
	{MalformedJSON, "Here: " + sound, false, []following{written(`write one JSON object and nothing around it`, "Here: ", "")}},
	{MissingField, strings.Replace(sound, `"type": "llm", `, "", 1), false, []following{written(`the key "(type)" is missing`, `"id": "b"`, `"id": "b", "type": "llm"`)}},
	{MissingField, `{"ir_version": "0.1.0", "nodes": [], "edges": []}`, false, []following{written(`give at least one, {"id": …, "type": …, "params": {…}}`, `[]`, `[{"id": "a", "type": "open", "params": {}}]`)}},
	{WrongType, strings.Replace(sound, `"0.1.0"`, `"1.0"`, 1), false, []following{suggested("1.0")}},
	{WrongType, strings.Replace(sound, `"type": "string"`, `"type": "str"`, 1), false, append(each("str\""[:3]), suggested(`"str"`))},
	{UnknownKey, strings.Replace(sound, `"purpose"`, `"purposes"`, 1), false, []following{suggested("purposes")}},
	{UnknownKey, strings.Replace(sound, `"purpose": "x"`, `"template_inputs": {"prompt": "x"}`, 1), false, []following{written(`write the template itself in params`, `"template_inputs": {"prompt": "x"}, `, "")}},
	{BadID, strings.ReplaceAll(sound, `"a"`, `"a!"`), false, []following{written(`may hold letters, digits, _ and - only`, "a!", "a")}},
	{DuplicateNodeID, strings.Replace(sound, `"id": "b"`, `"id": "a"`, 1), false, []following{written(`give each node an id of its own`, `"id": "a", "type": "llm"`, `"id": "b", "type": "llm"`)}},
	{DanglingEdge, strings.Replace(sound, `"to": "b"`, `"to": "bb"`, 1), false, append(each("bb"), suggested("bb"))},
	{UnknownNodeType, strings.Replace(sound, `"llm"`, `"lm"`, 1), false, []following{suggested(`lm`)}},
	{UnknownNodeType, strings.Replace(sound, `"llm"`, `"zzzzzzzz"`, 1), false, each("zzzzzzzz")},
	{UnknownParam, strings.Replace(sound, `"system"`, `"systm"`, 1), false, []following{suggested("systm")}},
	{UnknownParam, strings.Replace(sound, `"system"`, `"zzzzzzz"`, 1), false, each("zzzzzzz")},
	{BadParamType, strings.Replace(sound, `"limit": 3`, `"limit": "3"`, 1), false, []following{written(`write (\d+)$`, `"3"`, "3")}},
	{BadParamType, strings.Replace(sound, `"state": "open"`, `"state": "opened"`, 1), false, append(each("opened"), suggested("opened"))},
	{MissingInput, strings.Replace(sound, `"prompt": "On ${topic}: ${a.issues}", `, "", 1), false, each2(`"params": {"system"`, `"params": {"prompt": "NEW", "system"`)},
	{BadTemplate, strings.Replace(sound, `${topic}`, `${topic`, 1), false, []following{written(`write \${name}`, `${topic`, `${topic}`)}},
	{BadTemplate, strings.Replace(strings.ReplaceAll(sound, `"topic"`, `"my-topic"`), `${topic}`, `$my-topic`, 1), false, []following{suggested("$my-topic"), written(`write (\${my-topic})`, "$my-topic", "")}},
	{Cycle, strings.Replace(sound, `"edges": [`, `"edges": [{"from": "b", "to": "a"}, `, 1), false, []following{written(`take out one of these edges`, `{"from": "b", "to": "a"}, `, "")}},
	{BadStart, strings.Replace(sound, `"edges"`, `"start_node": ["a", "b"], "edges"`, 1), false, []following{written(`take`, `["a", "b"]`, `["a"]`)}},
	{UnreachableNode, strings.Replace(sound, `{"from": "a", "to": "b"}`, "", 1), false, []following{written(`add an edge to it`, `"edges": []`, `"edges": [{"from": "a", "to": "b"}]`)}},
	{ImpossibleAction, strings.Replace(sound, `"to": "b"}`, `"to": "b", "action": "errors"}`, 1), false, append(each("errors"), suggested("errors"))},
	{UnroutedAction, cases, false, []following{
		written(`add the edge {"from": "which", "to": …, "action": "big"}`, `"edges": [`, `"edges": [{"from": "which", "to": "end", "action": "big"}, `), written(`or take the case out`, `, {"action": "big", "expr": "true"}`, "")}},
	{UnusedInput, strings.Replace(sound, `"inputs": {`, `"inputs": {"idle": {"type": "string"}, `, 1), true, []following{
		written(`write (\${idle}) where it is meant`, "On ${topic}", "") /* in its place the other is unused */, written(`take it out`, `"idle": {"type": "string"}, `, "")}},
	{UnresolvedTemplate, strings.Replace(sound, `${topic}`, `${topics}`, 1), false, append(each("${topics}"), suggested("${topics}"))},
	{UnresolvedTemplate, strings.Replace(sound, `${topic}`, `${topic} for n in 1 2; do echo $n; done`, 1), false, []following{suggested("$n"), written(`is written (\$\$n)`, "$n", "")}},
	{UnresolvedTemplate, strings.Replace(sound, `${a.issues}`, `${a.isues}`, 1), false, append(each("${a.isues}"), suggested("${a.isues}"))},
	{UnresolvedTemplate, strings.Replace(strings.Replace(sound, `"id": "b",`, `"id": "b", "batch": {"items": "${a.issues}"},`, 1), `${topic}`, `${itm.title}`, 1), false, []following{suggested("${itm.title}")}},
	{UnresolvedTemplate, strings.Replace(strings.Replace(sound, `"id": "b",`, `"id": "b", "repeat": {"until": "true", "max": 2},`, 1), `${topic}`, `${zzzzzz}`, 1), false, each("${zzzzzz}")},
	{UnresolvedTemplate, branches, false, []following{suggested("${bug.response}"), written(`as in (\${bug.response \?\? ""})`, "${bug.response}", "")}},
	{ForeignTemplate, strings.Replace(sound, `${topic}`, `{{topic}}`, 1), true, []following{suggested("{{topic}}"), written(`is written (\${topic})`, "{{topic}}", "")}},
	{UnknownPath, strings.Replace(sound, `${a.issues}`, `${a.issues[0].titel}`, 1), false, append(each("${a.issues[0].titel}"), suggested("${a.issues[0].titel}"))},
	{ForwardReference, strings.Replace(sound, `"limit": 3`, `"repo": "${b.response}"`, 1), false, append(each("${b.response}"), written(`read an earlier node`, `"repo": "${b.response}", `, ""))},
	{AmbiguousKey, strings.Replace(branches, "${bug.response}", "${response}", 1), false, each("${response}")},
	{AmbiguousKey, strings.ReplaceAll(strings.Replace(sound, `${topic}`, `${issues}`, 1), `"topic"`, `"issues"`), false, []following{func(doc string, _ diag.Finding) string {
		return strings.NewReplacer(`"issues"`, `"subject"`, "${issues}", "${subject}").Replace(doc)
	}}},
	{OutputWithoutSource, strings.Replace(sound, `"${b.response}"`, `"b"`, 1), false, each2(`"source": "b"`, `"source": "NEW"`)},
	{OutputWithoutSource, strings.Replace(sound, `"${b.response}"`, `"${b.respons}"`, 1), false, append(each("${b.respons}"), suggested("${b.respons}"))},
	{RequestLiteral, strings.Replace(sound, `${topic}`, `frost`, 1), true, []following{suggested("frost"), written(`write (\${topic})`, "frost", "")}},
}

// each2 writes every alternative into a new text in the place of an old one.
func each2(old, with string) []following {
	var out []following
	for i := range 20 {
		out = append(out, func(doc string, f diag.Finding) string {
			if i >= len(f.Alternatives) {
				return ""
			}
			return strings.Replace(doc, old, strings.Replace(with, "NEW", quotedIn(f.Alternatives[i]), 1), 1)
		})
	}
	return out
}

const sound = `{"ir_version": "0.1.0", "inputs": {"topic": {"type": "string"}},
 "nodes": [{"id": "a", "type": "github-list-issues", "params": {"limit": 3, "state": "open"}},
  {"id": "b", "type": "llm", "purpose": "x", "params": {"prompt": "On ${topic}: ${a.issues}", "system": "s"}}],
 "edges": [{"from": "a", "to": "b"}], "outputs": {"said": {"source": "${b.response}"}}}`

const branches = `{"ir_version": "0.1.0", "inputs": {}, "nodes": [{"id": "which", "type": "classify", "params": {"text": "x"}},
  {"id": "bug", "type": "llm", "params": {"prompt": "x"}}, {"id": "feature", "type": "llm", "params": {"prompt": "x"}},
  {"id": "end", "type": "llm", "params": {"prompt": "${bug.response}"}}],
 "edges": [{"from": "which", "to": "bug", "action": "bug"}, {"from": "which", "to": "feature", "action": "feature"}, {"from": "bug", "to": "end"}, {"from": "feature", "to": "end"}]}`

const cases = `{"ir_version": "0.1.0", "inputs": {}, "nodes": [
  {"id": "which", "type": "switch", "params": {"cases": [{"action": "small", "expr": "true"}, {"action": "big", "expr": "true"}]}}, {"id": "end", "type": "llm", "params": {"prompt": "x"}}],
 "edges": [{"from": "which", "to": "end", "action": "small"}]}`

// TestAdviceIsAccepted follows, for every code, what its findings advise: then the finding is gone, and no other error stands
// in its place.
func TestAdviceIsAccepted(t *testing.T) {
	if _, list := Check([]byte(sound), testCatalogue(), Options{Planning: true}); len(list) > 0 {
		t.Fatal(list.Text())
	}
	covered := map[string]bool{UncoveredRequest: true, FakeRun: true} // found where the request is known, and where it can be run
	for _, c := range advice {
		o := Options{Planning: c.planning}
		if c.code == RequestLiteral {
			o.Discovered = map[string]any{"topic": "frost"}
		}
		_, list := Check([]byte(c.doc), testCatalogue(), o)
		followed := 0
		for _, f := range list {
			if f.Kind != c.code {
				continue
			}
			for i, follow := range c.follow {
				doc := follow(c.doc, f)
				if doc == "" {
					continue
				}
				followed++
				covered[c.code] = true
				if doc == c.doc {
					t.Errorf("%s: advice %d changes nothing: %s", c.code, i, f.Text())
				}
				_, after := Check([]byte(doc), testCatalogue(), o)
				for _, g := range after {
					if g.Path == f.Path && (g.Severity == diag.Error || g.Kind == f.Kind) && !hangs(c.code, g.Kind) {
						t.Errorf("%s: after following advice %d of %sthere is %sin %s", c.code, i, f.Text(), g.Text(), doc)
					}
				}
			}
			break
		}
		if followed == 0 {
			t.Errorf("%s: no advice could be followed in %s\n%s", c.code, c.doc, list.Text())
		}
	}
	for _, code := range Codes() {
		if !covered[code] && code != MalformedNotation { // of a text, not of a document
			t.Errorf("no advice of the code %s is followed", code)
		}
	}
}

// hangs tells findings that only then can be seen: of another type other params are wanted.
func hangs(code, kind string) bool {
	return code == UnknownNodeType && (kind == UnknownParam || kind == MissingInput)
}
