package nodes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/prompt"
	"pflow/internal/value"
)

// templateOp fills a text template in.
func templateOp() engine.Op {
	return engine.Op{
		Name:      "template",
		Summary:   "Fills a text template in with the values of prep.",
		OpenPrep:  true,
		Result:    value.String,
		ResultDoc: "the text",
		With: []engine.Field{
			{Name: "text", Type: value.String, Doc: "a Go text template, {{.name}} for each name of prep; or give prompt"},
			{Name: "prompt", Type: value.String, Doc: "the name of a prompt file; or give text"},
		},
		Idempotent: true,
		Instant:    true,
		Example: `flow: template-example
version: 1
description: Write a greeting.
state:
  name:     {type: string, default: world}
  greeting: {type: string, default: ""}
nodes:
  greet:
    op: template
    prep: {name: store.name}
    with: {text: 'Hello, {{.name}}!'}
    post: {greeting: result}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			p := loadTemplate(s)
			if p == nil {
				return nil
			}
			checkVariables(s, p)
			inline, inside := s.Value("text") != nil, s.Inside("text")
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				text, err := p.Render(ctx, in.Prep)
				var known *fault.Error
				if errors.As(err, &known) && known.Place.Line > 0 && inline {
					known.Place = inside(known.Place.Line, known.Place.Col)
				}
				return engine.Output{Result: text}, err
			}
		},
	}
}

// loadTemplate reads the template that the options give; nil if there is something wrong, which is reported.
func loadTemplate(s *engine.Setup) *prompt.Prompt {
	text, name := s.Value("text"), s.Value("prompt")
	if (text == nil) == (name == nil) {
		s.Report("", 0, "bad-param", "template needs exactly one of text and prompt")
		return nil
	}
	if name != nil {
		return loadPrompt(s)
	}
	p, err := prompt.New("text", s.Text("text"))
	if err != nil {
		s.Report("text", 0, "bad-param", "the template cannot be read: %s", strings.TrimPrefix(err.Error(), "template: text:"))
		return nil
	}
	return p
}

// loadPrompt finds the prompt that the option prompt names, and the schema that it names.
func loadPrompt(s *engine.Setup) *prompt.Prompt {
	name := s.Text("prompt")
	doc, err := s.Find(engine.PromptDocument, name)
	if err != nil {
		s.Suggest("prompt", "unknown-prompt", name, s.Names(engine.PromptDocument), "%v", err)
		return nil
	}
	p, found := prompt.Parse(doc.Path, doc.Data, func(name string) (string, []byte, error) {
		doc, err := s.Find(engine.PromptDocument, name)
		return doc.Path, doc.Data, err
	})
	for _, f := range found {
		s.Add(f)
	}
	if p == nil {
		return nil
	}
	if p.Schema != "" {
		if _, err := s.Find(engine.SchemaDocument, p.Schema); err != nil {
			names := s.Names(engine.SchemaDocument)
			s.Add(diag.Finding{
				Severity: diag.Error, Kind: "unknown-schema", Message: err.Error(), Place: p.SchemaPlace,
				Suggestion: diag.Nearest(p.Schema, names), Alternatives: names,
			})
			return nil
		}
	}
	return p
}

// unused lists what is given and not used: what a missing name was probably meant to be.
func unused(given, used []string) []string {
	return slices.DeleteFunc(slices.Clone(given), func(name string) bool { return slices.Contains(used, name) })
}

// checkVariables compares what a template uses with what the node's prep gives, in both directions. The op's own names in
// prep are no variables.
func checkVariables(s *engine.Setup, p *prompt.Prompt, own ...string) {
	given := slices.DeleteFunc(value.SortedKeys(s.Prep()), func(name string) bool { return slices.Contains(own, name) })
	option := "text"
	if s.Value("prompt") != nil {
		option = "prompt"
	}
	for _, name := range p.Variables {
		if !slices.Contains(given, name) {
			s.Suggest(option, "prompt-missing-var", name, unused(given, p.Variables), "the template uses {{.%s}}, which prep does not give", name)
		}
	}
	for _, name := range given {
		if !slices.Contains(p.Variables, name) {
			s.ReportPrep(name, "prompt-unused-var", p.Variables, "the template does not use {{.%s}}; remove it from prep", name)
		}
	}
}
