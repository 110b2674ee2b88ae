package main

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/value"
	"pflow/ir"
	"pflow/nodes"
)

// nodeDraft is a declared node that is read off a command or an address.
type nodeDraft struct {
	name, by, text string
	nodes.Draft
	example map[string]any // what the command line gives the inputs
}

// newDraft reads a command or an address, and the values that its inputs are given for the example.
func newDraft(name, command, url string, pairs []string) (*nodeDraft, error) {
	d := &nodeDraft{name: name, by: "shell", text: command, example: map[string]any{}}
	read := nodes.DraftShell
	if url != "" {
		d.by, d.text, read = "http", url, nodes.DraftHTTP
	}
	var err error
	if d.Draft, err = read(d.text); err != nil {
		return nil, usage("--%s: %v", d.by, err)
	}
	for _, key := range d.Inputs {
		if !declaredInput.MatchString(key) {
			return nil, usage("--%s: %q is no name of an input: want letters, digits and _, as in ${file_path}", d.by, key)
		}
	}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return nil, usage("%q: want KEY=VALUE, an example of what an input is given", pair)
		case !slices.Contains(d.Inputs, key) && len(d.Inputs) == 0:
			return nil, usage("there is no input %q: the command has none; one is written ${%s} in it", key, key)
		case !slices.Contains(d.Inputs, key):
			return nil, usage("there is no input %q%s", key, didYouMean(key, d.Inputs))
		}
		d.example[key] = exampleValue(text)
	}
	return d, nil
}

// exampleValue reads an example as what it cannot but be: a number or a truth value, or else text.
func exampleValue(text string) any {
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		return text
	}
	switch v.(type) {
	case int, float64, bool:
		return v
	}
	return text
}

// yaml writes the declaration, with comments that say what is left to fill in.
func (d *nodeDraft) yaml() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# A declared node, read off a command line. What the comments ask for makes it easier to find and to use.")
	line("")
	line("name: %s", d.name)
	line("description: %s  # say what it does in words that people use; planners choose by it", quoteYAML(d.description()))
	line("effects: [%s]%s", strings.Join(d.effects(), ", "), d.because())
	if len(d.Inputs) > 0 {
		line("\ninputs:  # what each is, in words; a type may be string, integer, number, boolean, array or object")
		for _, key := range d.Inputs {
			line("  - {key: %s, type: %s, required: true, description: %s}", key, d.typeOf(key), quoteYAML("The "+strings.ReplaceAll(key, "_", " ")+"."))
		}
	}
	line("\noutputs:  # for others: parse: '{…}', an expression over result and inputs that gives an object of them")
	if d.by == "shell" {
		line("  - {key: stdout, type: string, description: What it printed.}")
	} else {
		line("  - {key: response, type: any, description: What the server answers.}")
		line("  - {key: status_code, type: integer, description: The status.}")
	}
	line("\nexamples:  # run by: pflow node test; outputs: {…} says what must come of it, files: {a.txt: TEXT} what is there before")
	params := "{}"
	if len(d.Inputs) > 0 {
		var list []string
		for _, key := range d.Inputs {
			v, given := d.example[key]
			if !given {
				v = "VALUE"
			}
			list = append(list, key+": "+exampleYAML(v))
		}
		params = "{" + strings.Join(list, ", ") + "}"
	}
	line("  - params: %s", params)
	line("\nrun: {%s: %s}", d.by, quoteYAML(d.text))
	return b.String()
}

func (d *nodeDraft) description() string {
	switch {
	case d.Words == "":
		return "Runs a command."
	case d.by == "http":
		return "Asks " + d.Words + "."
	}
	return "Runs " + d.Words + "."
}

func (d *nodeDraft) effects() []string {
	if d.by == "http" {
		return []string{string(ir.Network), string(ir.Idempotent)}
	}
	out := []string{string(ir.Reads), string(ir.Writes)}
	if nodes.AnyNetwork(d.Programs) {
		out = append(out, string(ir.Network))
	}
	if d.Destroys != "" {
		out = append(out, string(ir.Destructive))
	}
	return out
}

// because says, as a comment, why a command is taken to destroy.
func (d *nodeDraft) because() string {
	if d.by == "http" {
		return ""
	}
	if d.Destroys != "" {
		return "  # " + strings.Join(strings.Fields(d.Destroys), " ")
	}
	return "  # leave writes out if it changes no file"
}

func (d *nodeDraft) typeOf(key string) value.Type {
	if v, given := d.example[key]; given {
		return value.TypeOf(v)
	}
	return value.String
}

// quoteYAML writes a text as a scalar that is surely text.
func quoteYAML(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r > '~' }) {
		return value.JSON(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

func exampleYAML(v any) string {
	if text, ok := v.(string); ok {
		return quoteYAML(text)
	}
	return value.JSON(v)
}

// try is the command line that runs the node with the values of its example.
func (d *nodeDraft) try() string {
	words := []string{"pflow", "node", "run", d.name}
	for _, key := range d.Inputs {
		text := "VALUE"
		if v, given := d.example[key]; given {
			text = ir.Text(v)
		}
		words = append(words, shellQuote(key+"="+text))
	}
	return strings.Join(words, " ")
}
