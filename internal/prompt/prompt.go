// Package prompt reads prompts: Go text templates with a short front matter.
//
//	---
//	name: generate
//	description: Design the whole workflow in one call.
//	variables: [request, errors]
//	schema: workflow
//	---
//	Design a workflow for the request. …
//	{{.request}}
//
// What a template uses and what its front matter declares must agree, so that a caller can be checked against the
// declaration. Text is inserted as it is, null as nothing, all else as JSON; templates inside a value are never expanded.
// Numbers are compared, printed and used as an index whether they are written 2 or 2.0, and a printf whose values do not fit
// is an error. Beside text/template's own functions there are json (any value as JSON), join (SEPARATOR LIST), each (TEMPLATE
// LIST), which fills a template of the file in for every item, a line each, cut (MOST TEXT), the beginning of a text, and fence (NAME VALUE), which puts text that others wrote between two tags that do not occur in it. {{template "rules" .}} stands for the text of
// the prompt rules, so that what several prompts say is written once.
package prompt

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// Prompt is a parsed prompt: immutable, safe for concurrent use.
type Prompt struct {
	Name        string
	Description string
	Variables   []string   // sorted
	Schema      string     // the name of the schema of the reply, or ""
	SchemaPlace diag.Place // of that name
	text        *template.Template
	file        string // "" without one
	first       int    // the line of the file that the template begins in, 0 without a front matter
}

const fence = "---"

// Find gives the file of the prompt of a name.
type Find func(name string) (file string, data []byte, err error)

// Parse reads a prompt file, and those it includes, which find gives. Findings have the kinds bad-prompt, prompt-missing-var,
// prompt-unused-var, and those of YAML and of wrong keys for the front matter.
func Parse(file string, data []byte, find Find) (*Prompt, diag.List) {
	broken := func(format string, args ...any) (*Prompt, diag.List) {
		return nil, diag.List{{
			Severity: diag.Error, Kind: "bad-prompt", Place: diag.Place{File: file, Line: 1, Col: 1}, Message: fmt.Sprintf(format, args...),
		}}
	}
	if !utf8.Valid(data) {
		return broken("the prompt is not valid UTF-8")
	}
	text := plain(data)
	head, body, ok := split(text)
	if !ok {
		return broken("a prompt begins with a front matter between two lines of ---: name, description, variables, schema")
	}
	p := &Prompt{file: file}
	declared, found := p.readHead(file, head)
	if found.HasErrors() {
		return nil, found.Sort()
	}
	from := position{file: file, text: text, body: len(text) - len(body)}
	p.first = from.line(0)
	t, err := parseTemplate(file, body, p.first-1)
	if err != nil {
		return nil, append(found, from.parseError(err))
	}
	p.text = t.Template
	found = append(found, t.include(from, find)...)
	for _, use := range t.uses {
		if !slices.Contains(p.Variables, use.name) {
			f := from.finding(use.offset, "prompt-missing-var", "the template uses {{.%s}}, which variables does not declare", use.name)
			f.Suggestion, f.Alternatives = diag.Nearest(use.name, p.Variables), p.Variables
			found = append(found, f)
		}
	}
	used := t.names()
	for _, v := range declared {
		if !slices.Contains(used, v.Text) {
			found = append(found, v.Error("prompt-unused-var", fmt.Sprintf("variables declares %q, which the template does not use", v.Text)))
		}
	}
	if found.HasErrors() {
		return nil, found.Sort()
	}
	return p, found
}

// plain is the text of a file without what editors of some systems add.
func plain(data []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
}

// Split parts a prompt file: its front matter with the lines around it, "" where there is none, and its template.
func Split(data []byte) (head, body string) {
	text := plain(data)
	if _, body, ok := split(text); ok {
		return text[:len(text)-len(body)], body
	}
	return "", text
}

// split parts the front matter from the template.
func split(text string) (head, body string, ok bool) {
	rest, ok := strings.CutPrefix(text, fence+"\n")
	if !ok {
		return "", "", false
	}
	if body, ok := strings.CutPrefix(rest, fence+"\n"); ok {
		return "", body, true
	}
	return strings.Cut(rest, "\n"+fence+"\n")
}

// readHead reads the front matter and gives the variables as they are declared.
func (p *Prompt) readHead(file, head string) (declared []*yamltree.Value, found diag.List) {
	// One line break before the text, so that the places of its findings are those of the file.
	tree, found := yamltree.Parse(file, []byte("\n"+head+"\n"))
	if tree == nil || found.HasErrors() {
		return nil, found
	}
	d := yamltree.Decoder{Found: found}
	d.Mapping(tree, "a front matter as a mapping: {name, description, variables, schema}", yamltree.Fields{
		"name":        d.Text(&p.Name),
		"description": d.Text(&p.Description),
		"schema": func(v *yamltree.Value) {
			d.Text(&p.Schema)(v)
			p.SchemaPlace = v.Place
		},
		"variables": func(v *yamltree.Value) {
			d.Each(v, "a list of names", func(item *yamltree.Value) {
				name, _ := item.Scalar.(string)
				switch {
				case !isVariable(name):
					d.Report(item, "bad-name", "a variable is a name of letters, digits and _, so that {{.NAME}} can stand for it")
				case slices.Contains(p.Variables, name):
					d.Report(item, "bad-name", "the variable %q is declared twice", name)
				default:
					p.Variables, declared = append(p.Variables, name), append(declared, item)
				}
			})
		},
	})
	if tree.Kind == yamltree.Map && tree.Get("name") == nil {
		d.Report(tree, yamltree.MissingKey, "a front matter needs a name")
	}
	slices.Sort(p.Variables)
	return declared, d.Found
}

func isVariable(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// position turns offsets in a template into places in its file.
type position struct {
	file, text string
	body       int // where the template begins
}

func (p position) line(offset int) int { return strings.Count(p.text[:p.body+offset], "\n") + 1 }

func (p position) finding(offset int, kind, format string, args ...any) diag.Finding {
	before := p.text[:p.body+offset]
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(p.text[start:], "\n")
	return diag.Finding{
		Severity: diag.Error, Kind: kind, Message: fmt.Sprintf(format, args...), Snippet: line,
		Place: diag.Place{File: p.file, Line: p.line(offset), Col: utf8.RuneCountInString(before[start:]) + 1},
	}
}

// parseError places a template's error: text/template says "template: FILE:LINE: message".
func (p position) parseError(err error) diag.Finding {
	message := strings.TrimPrefix(err.Error(), "template: "+p.file+":")
	line := 0
	fmt.Sscanf(message, "%d:", &line)
	if _, rest, ok := strings.Cut(message, ": "); ok && line > 0 {
		message = rest
	}
	lines := strings.Split(p.text, "\n")
	line = min(max(line, 1), len(lines))
	return diag.Finding{
		Severity: diag.Error, Kind: "bad-prompt", Message: "the template cannot be read: " + message,
		Place: diag.Place{File: p.file, Line: line, Col: 1}, Snippet: lines[line-1],
	}
}
