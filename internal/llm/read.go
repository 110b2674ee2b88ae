package llm

import (
	"regexp"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/repair"
	"pflow/internal/value"
)

// answer is what an endpoint answered to one exchange.
type answer struct {
	Text         string
	Refusal      string
	ToolCalls    []rawCall
	FinishReason string
	Model        string
	Usage        Usage
	Counted      bool     // the endpoint told the tokens
	Cost         *float64 // in US dollars, where the endpoint told it
	LatencyMS    *float64 // from the request to the end of the reply, without waits for limits; nil is not known
	FirstTokenMS *float64 // to its first piece, where it came in pieces
}

// rawCall is a call of a function with its arguments as they came.
type rawCall struct{ ID, Name, Arguments string }

// ended is the fault of an answer that is none, whatever it says: cut off, refused, broken off.
func (a *answer) ended(model string) error {
	switch {
	case a.FinishReason == "length":
		return fault.New(fault.Truncated, "the reply of %s was cut off after %d tokens: raise max_tokens, or ask for less", model, a.Usage.CompletionTokens)
	case a.Refusal != "":
		return fault.New(fault.Refused, "%s refused: %s", model, clip(a.Refusal, 300))
	case a.FinishReason == "content_filter":
		return fault.New(fault.Refused, "the reply of %s was withheld by the provider's content filter: change what the prompt asks for", model)
	case a.FinishReason == "error":
		return fault.New(fault.Unavailable, "%s broke off its reply with an error: try again", model)
	}
	return nil
}

// reading is what was read from a reply. Found is false if there is no value in it.
type reading struct {
	Value  any
	Found  bool
	Mended bool     // it had to be searched for or repaired
	Wrong  []string // what Check says of Value
}

// readReply finds the structured reply in a text: strictly; without reasoning and fences; the first balanced value whose
// type fits the schema, one that passes the check before one that does not; last by repair. isStrict says that the text
// answers the strict form of the schema, isWrapped that the value may be in an object under wrapKey.
func readReply(text string, s *Schema, isStrict, isWrapped bool) reading {
	finish := func(v any, mended bool) reading {
		if isWrapped {
			if m, ok := v.(map[string]any); ok && len(m) == 1 {
				if inner, ok := m[wrapKey]; ok {
					v = inner
				}
			}
		}
		if isStrict {
			v = dropNulls(v, s.JSON)
		}
		r := reading{Value: v, Found: true, Mended: mended}
		if s.Check != nil {
			r.Wrong = s.Check(v)
		}
		return r
	}
	fits := func(v any) bool { return fitsType(v, s.JSON, isWrapped) }

	bare := strings.TrimSpace(cutReasoning(text))
	if v, err := value.ParseJSON([]byte(bare)); err == nil {
		if fits(v) {
			return finish(v, false)
		}
		if inner, ok := v.(string); ok { // JSON written as a JSON text
			if v, err := value.ParseJSON([]byte(inner)); err == nil && fits(v) {
				return finish(v, true)
			}
		}
	}
	for _, block := range fenced(bare) {
		if v, err := value.ParseJSON([]byte(block)); err == nil && fits(v) {
			return finish(v, true)
		}
	}
	var first *reading
	for v := range balanced(bare) {
		if !fits(v) {
			continue
		}
		r := finish(v, true)
		if len(r.Wrong) == 0 {
			return r
		}
		if first == nil {
			first = &r
		}
	}
	// What was found may be a part of a value that is no JSON as a whole, such as the {} in a Python literal.
	if v, err := repair.JSON(bare); err == nil && fits(v) {
		r := finish(v, true)
		if first == nil || len(r.Wrong) == 0 || strings.HasPrefix(bare, "{") || strings.HasPrefix(bare, "[") {
			return r
		}
	}
	if first != nil {
		return *first
	}
	return reading{}
}

// fitsType compares a value with the type that a schema has at its root.
func fitsType(v any, schema map[string]any, isWrapped bool) bool {
	types, _ := typesOf(schema["type"])
	if len(types) == 0 {
		return true
	}
	if m, ok := v.(map[string]any); ok && isWrapped && len(m) == 1 {
		if inner, ok := m[wrapKey]; ok {
			v = inner
		}
	}
	name := value.Name(v)
	return slices.Contains(types, name) || name == "integer" && slices.Contains(types, "number")
}

var (
	reasoning = regexp.MustCompile(`(?s)<(think|thinking|reasoning)>.*?</(think|thinking|reasoning)>`)
	opened    = regexp.MustCompile(`</(?:think|thinking|reasoning)>`)
	fence     = regexp.MustCompile("(?s)```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```")
)

// cutReasoning takes out what a model thought aloud. Some endpoints send the end of such a block without its beginning.
func cutReasoning(text string) string {
	if !strings.HasPrefix(strings.TrimSpace(text), "<") && !opened.MatchString(text) {
		return text
	}
	if json := strings.TrimSpace(text); strings.HasPrefix(json, "{") || strings.HasPrefix(json, "[") {
		return text // a tag inside a value is part of it
	}
	text = reasoning.ReplaceAllString(text, "")
	if at := opened.FindAllStringIndex(text, -1); len(at) > 0 {
		text = text[at[len(at)-1][1]:]
	}
	return text
}

// fenced gives the contents of the fenced blocks of a text.
func fenced(text string) []string {
	var out []string
	for _, m := range fence.FindAllStringSubmatch(text, 20) {
		out = append(out, m[1])
	}
	return out
}

// maxPlaces bounds from how many places of a text a value is looked for.
const maxPlaces = 100

// balanced gives the objects and lists that stand in a text and are valid JSON, in their order, outer ones only.
func balanced(text string) func(yield func(any) bool) {
	return func(yield func(any) bool) {
		for at, tries := 0, 0; tries < maxPlaces; tries++ {
			next := strings.IndexAny(text[at:], "{[")
			if next < 0 {
				return
			}
			at += next
			end := closing(text[at:])
			if end < 0 {
				at++
				continue
			}
			v, err := value.ParseJSON([]byte(text[at : at+end]))
			if err != nil {
				at++
				continue
			}
			if !yield(v) {
				return
			}
			at += end
		}
	}
}

// closing gives the length of the object or list that a text begins with, or -1 if it does not end.
func closing(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// clip shortens a text for a message.
func clip(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
