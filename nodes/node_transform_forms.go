package nodes

import (
	"strings"

	"pflow/internal/value"
	"pflow/ir"
)

// transformForms document what the expression language has for one value: each of its functions of one argument, how a
// text is cut before it is counted, and how a field is got at. What makes lines of lines gives what sort, head, tail and
// grep -F give, byte for byte, line breaks with and without a carriage return included; lines are counted as wc -l does,
// by their line breaks. A single line, and the items of a list, have none.
func transformForms() []ir.Form {
	words := []any{"b", "a", "b"}
	numbers := []any{3, 1, 5}
	text := "one two\nthree\n"
	number := ir.Port{Key: "number", Type: value.Integer, Required: true, Description: "How many."}
	wanted := ir.Port{Key: "wanted", Type: value.String, Required: true, Description: "What they contain, such as WARNING."}
	return []ir.Form{
		ofList("Counts the items of a list: how many there are, their number.", "len(list)", words, 3),
		ofList("Gives the first item of a list.", "first(list)", words, "b"),
		ofList("Gives the last item of a list.", "last(list)", numbers, 5),
		ofList("Sorts a list: its items in order.", "sort(list)", numbers, []any{1, 3, 5}),
		ofList("Reverses a list: turns the order of its items round.", "reverse(list)", numbers, []any{5, 1, 3}),
		ofList("Gives the unique items of a list: each once, removes duplicates.", "uniq(list)", words, []any{"b", "a"}),
		ofList("Adds up the numbers of a list: their sum, their total.", "sum(list)", numbers, 9),
		ofList("Gives the mean of the numbers of a list: their average.", "mean(list)", numbers, 3),
		ofList("Gives the maximum of the numbers of a list: the largest, the highest.", "max(list)", numbers, 5),
		ofList("Gives the minimum of the numbers of a list: the smallest, the lowest.", "min(list)", numbers, 1),
		ofText("Counts the lines of a text: how many there are, their number.", `len(split(string(text), "\n")) - 1`, text, 2),
		ofText("Counts the words of a text: how many there are, their number.", `len(split_words(string(text)))`, text, 3),
		ofText("Sorts the lines of a text: in order, alphabetically.", `join_lines(sort(split_lines(string(text))))`, "b\na\n", "a\nb\n"),
		ofText("Reverses the lines of a text: turns their order round.", `join_lines(reverse(split_lines(string(text))))`, "b\na\n", "a\nb\n"),
		ofText("Gives the unique lines of a text: each once, removes duplicates.", `join_lines(uniq(split_lines(string(text))))`, "b\na\nb\n", "b\na\n"),
		ofText("Gives the first line of a text.", `trimSuffix(first(split_lines(string(text))) ?? "", "\r")`, text, "one two"),
		ofText("Gives the last line of a text.", `trimSuffix(last(split_lines(string(text))) ?? "", "\r")`, text, "three"),
		ofLines("Gives the first lines of a text, so many: its head, its top.", `join(take(cut, number))`, number, 1, "one two\n"),
		ofLines("Gives the last lines of a text, so many: its tail, its bottom.", `join(cut[max(0, len(cut) - number):])`, number, 1, "three\n"),
		ofLines("Keeps the lines of a text that contain something: finds, filters or selects those with it.", `join_lines(filter(lines, # contains wanted))`, wanted, "tw", "one two\n"),
		ofLines("Leaves out the lines of a text that contain something: drops or skips those with it.", `join_lines(filter(lines, not (# contains wanted)))`, wanted, "tw", "three\n"),
		ofLines("Counts the lines of a text that contain something: how many there are with it, their number.", "count(lines, # contains wanted)", wanted, "tw", 1),
		ofText("Splits a text into a list of its lines.", `map(split_lines(string(text)), trimSuffix(#, "\r"))`, text, []any{"one two", "three"}),
		ofText("Writes a text in upper case, in capitals.", "upper(string(text))", "pflow", "PFLOW"),
		ofText("Writes a text in lower case, without capitals.", "lower(string(text))", "PFlow", "pflow"),
		{
			Summary: "Gets a field of an object: takes, picks or extracts a property, key, attribute or member.",
			Inputs: []ir.Port{
				{Key: "object", Type: value.Any, Required: true, Description: "The object, or its JSON."},
				{Key: "field", Type: value.String, Required: true, Description: "The name of the field."},
			},
			Params:  map[string]any{"expression": `(type(object) == "string" ? fromJSON(string(object)) : object)[field]`, "inputs": map[string]any{"object": "${object}", "field": "${field}"}},
			Example: map[string]any{"object": map[string]any{"state": "open", "id": 7}, "field": "state"},
			Gives:   map[string]any{"result": "open"},
		},
	}
}

// ofList and ofText are forms of one value, with what they make of an example.
func ofList(summary, expression string, example []any, gives any) ir.Form {
	return ofOne(ir.Port{Key: "list", Type: value.Array, Required: true, Description: "The list."}, summary, expression, example, gives)
}

func ofText(summary, expression, example string, gives any) ir.Form {
	return ofOne(ir.Port{Key: "text", Type: value.String, Required: true, Description: "The text."}, summary, expression, example, gives)
}

// ofLines is a form of a text and one more value; the expression computes with its lines.
func ofLines(summary, expression string, with ir.Port, example, gives any) ir.Form {
	lines := "let lines = split_lines(string(text)); "
	if strings.Contains(expression, "cut") {
		lines = `let cut = filter(splitAfter(string(text), "\n"), # != ""); `
	}
	return ir.Form{
		Summary: summary,
		Inputs:  []ir.Port{{Key: "text", Type: value.String, Required: true, Description: "The text."}, with},
		Params: map[string]any{
			"expression": lines + expression,
			"inputs":     map[string]any{"text": "${text}", with.Key: "${" + with.Key + "}"},
		},
		Example: map[string]any{"text": "one two\nthree\n", with.Key: example},
		Gives:   map[string]any{"result": gives},
	}
}

func ofOne(input ir.Port, summary, expression string, example, gives any) ir.Form {
	return ir.Form{
		Summary: summary,
		Inputs:  []ir.Port{input},
		Params:  map[string]any{"expression": expression, "inputs": map[string]any{input.Key: "${" + input.Key + "}"}},
		Example: map[string]any{input.Key: example},
		Gives:   map[string]any{"result": gives},
	}
}
