package cond

import (
	"regexp"
	"strings"
)

// What is written in another language, mostly JavaScript, is told how it is written here.

// ofMethods are the methods of other languages that functions of another name, or operators, do here.
var ofMethods = map[string]string{
	"toUpperCase": "upper(text)", "toLowerCase": "lower(text)", "includes": "text contains part, or item in list", "length": "len(value)",
	"size": "len(value)", "push": "concat(list, [item])", "append": "concat(list, [item])", "slice": "value[from:to]", "substring": "text[from:to]", "substr": "text[from:to]",
	"stringify": "to_json(value)", "parse": "parse_json(text)", "toString": "string(value)", "str": "string(value)", "forEach": "map(list, …)", "some": "any(list, …)",
	"every": "all(list, …)", "startsWith": "text startsWith part", "endsWith": "text endsWith part", "flatMap": "flatten(map(list, …))", "toFixed": "round(number)",
	"match": "text matches pattern", "test": "text matches pattern", "entries": "toPairs(object)", "fromEntries": "fromPairs(list)", "strip": "trim(text)",
}

// foreignWords are words of other languages that stand before what could not be read.
var foreignWords = map[string]string{
	"const":    "a name is given with let, as in let x = 1; x + 1",
	"var":      "a name is given with let, as in let x = 1; x + 1",
	"typeof":   "the type of a value is type(value)",
	"new":      "there is no new; values are made by functions, as in date(\"2024-01-31\")",
	"function": noArrows,
	"return":   "there is no return; the value of the expression is what it gives",
}

const noArrows = `there are no functions of your own: in map, filter and the like the item is # and a key of it .key, as in filter(list, .size > 3)`

var lastWord = regexp.MustCompile(`([A-Za-z]+)\s*(?:\([^()]*\)\s*)?$`)

// operatorWord is an operator that could be taken for the name of a value.
var operatorWord = regexp.MustCompile(`^(?:matches|contains|startsWith|endsWith|in|and|or)\b`)

// foreignProblem says how what could not be read at a place is written in expr; false if it is of no language known here.
func foreignProblem(src string, offset int) (Problem, bool) {
	code := withoutTexts(src)
	problem := func(at int, message string) (Problem, bool) {
		return Problem{Kind: BadExpression, Offset: at, Message: message}, true
	}
	if at := strings.Index(code, "=>"); at >= 0 && at <= offset+len("=>") || at >= 0 && offset < len(code) && code[offset] == ',' {
		return problem(at, "=> cannot stand here: "+noArrows)
	}
	if offset >= len(code) {
		return Problem{}, false
	}
	if two := offset - 2; code[offset] == '=' && two >= 0 && (code[two:offset] == "==" || code[two:offset] == "!=") {
		return problem(two, code[two:offset]+"= is written "+code[two:offset])
	}
	if code[offset] == ':' && strings.Contains(code[:offset], "(") {
		return problem(offset, "the { before this begins what is done with each item; an object in it stands in braces of its own, as in map(list, {{name: .title}})")
	}
	if word := operatorWord.FindString(code[offset:]); word != "" {
		return problem(offset, word+" is an operator, as in a "+word+" b; a value of that name needs another one")
	}
	if m := lastWord.FindStringSubmatchIndex(code[:offset]); m != nil {
		if say, ok := foreignWords[code[m[2]:m[3]]]; ok {
			return problem(m[2], say)
		}
	}
	return Problem{}, false
}

// withoutTexts is a source with blanks for the insides of its texts.
func withoutTexts(src string) string {
	out := []byte(src)
	for i := 0; i < len(out); i++ {
		quote := out[i]
		if quote != '"' && quote != '\'' && quote != '`' {
			continue
		}
		for i++; i < len(out) && out[i] != quote; i++ {
			if out[i] == '\\' && quote != '`' && i+1 < len(out) {
				out[i] = ' '
				i++
			}
			out[i] = ' '
		}
	}
	return string(out)
}
