package nodes

import (
	"pflow/internal/value"
	"pflow/ir"
)

// transformForms document what the expression language has for one value: each of its functions of one argument, how a
// text is cut before it is counted, and how a field is got at.
func transformForms() []ir.Form {
	words := []any{"b", "a", "b"}
	numbers := []any{3, 1, 5}
	text := "one two\nthree\n"
	return []ir.Form{
		ofList("Counts the items of a list: how many there are, their number.", "len(list)", words, 3),
		ofList("Gives the first item of a list.", "first(list)", words, "b"),
		ofList("Gives the last item of a list.", "last(list)", numbers, 5),
		ofList("Sorts a list: puts its items in order.", "sort(list)", numbers, []any{1, 3, 5}),
		ofList("Reverses a list: turns the order of its items round.", "reverse(list)", numbers, []any{5, 1, 3}),
		ofList("Gives the unique items of a list: each once, without duplicates.", "uniq(list)", words, []any{"b", "a"}),
		ofList("Adds up the numbers of a list: their sum, their total.", "sum(list)", numbers, 9),
		ofList("Gives the mean of the numbers of a list: their average.", "mean(list)", numbers, 3),
		ofList("Gives the maximum of the numbers of a list: the largest, the highest.", "max(list)", numbers, 5),
		ofList("Gives the minimum of the numbers of a list: the smallest, the lowest.", "min(list)", numbers, 1),
		ofText("Counts the lines of a text: how many there are, their number.", `len(split(trim(string(text)), "\n"))`, text, 2),
		ofText("Counts the words of a text: how many there are, their number.", `len(filter(split(replace(string(text), "\n", " "), " "), # != ""))`, text, 3),
		ofText("Splits a text into a list of its lines.", `split(trim(string(text)), "\n")`, text, []any{"one two", "three"}),
		ofText("Writes a text in upper case, in capitals.", "upper(string(text))", "pflow", "PFLOW"),
		ofText("Writes a text in lower case, without capitals.", "lower(string(text))", "PFlow", "pflow"),
		{
			Summary: "Gets a field of an object: takes, picks or extracts a property, key, attribute or member.",
			Inputs: []ir.Port{
				{Key: "object", Type: value.Object, Required: true, Description: "The object."},
				{Key: "field", Type: value.String, Required: true, Description: "The name of the field."},
			},
			Params:  map[string]any{"expression": "object[field]", "inputs": map[string]any{"object": "${object}", "field": "${field}"}},
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

func ofOne(input ir.Port, summary, expression string, example, gives any) ir.Form {
	return ir.Form{
		Summary: summary,
		Inputs:  []ir.Port{input},
		Params:  map[string]any{"expression": expression, "inputs": map[string]any{input.Key: "${" + input.Key + "}"}},
		Example: map[string]any{input.Key: example},
		Gives:   map[string]any{"result": gives},
	}
}
