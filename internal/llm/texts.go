package llm

import (
	"context"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/prompt"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Texts are what a client itself says to a model, beside the messages of a request: the section texts of models.yaml. Each
// is a template, as prompts are.
type Texts struct {
	Form     *prompt.Prompt // of schema: asks for JSON of a schema, at the steps where the model itself has to read it
	Function *prompt.Prompt // of name: what the function of the step tool_call is for
	Misfit   *prompt.Prompt // of wrong, a list: said of a reply that does not fit its schema
	NoJSON   *prompt.Prompt // of form, which is empty where the model has read it: said of a reply without JSON
	// Conversation, of messages [{role, content}], is what a program is given to read.
	Conversation *prompt.Prompt
}

// texts reads the texts. v is nil where there is no section; all of them are needed.
func (r *modelsReader) texts(root, v *yamltree.Value) *Texts {
	t := &Texts{}
	all := []struct {
		key    string
		to     **prompt.Prompt
		sample map[string]any // the variables, as they may be
	}{
		{"form", &t.Form, map[string]any{"schema": "{}"}},
		{"function", &t.Function, map[string]any{"name": "reply"}},
		{"misfit", &t.Misfit, map[string]any{"wrong": []any{"there is no property x"}}},
		{"no_json", &t.NoJSON, map[string]any{"form": ""}},
		{"conversation", &t.Conversation, map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Hello"}}}},
	}
	fields := yamltree.Fields{}
	for _, text := range all {
		fields[text.key] = func(v *yamltree.Value) { *text.to = r.template(text.key, v, text.sample) }
	}
	if v != nil {
		r.Mapping(v, "texts as a mapping: {form, function, misfit, no_json, conversation}", fields)
	}
	for _, text := range all {
		if v == nil || v.Kind == yamltree.Map && v.Get(text.key) == nil {
			r.Report(root, yamltree.MissingKey, "texts.%s is needed: what is said to a model cannot be taken away, only replaced", text.key)
		}
	}
	return t
}

// template reads a text that is filled in with the variables of the sample. It is filled in once with them, so that what
// could not be said is told here, and not in a call.
func (r *modelsReader) template(name string, v *yamltree.Value, sample map[string]any) *prompt.Prompt {
	var text string
	if r.Text(&text)(v); text == "" {
		return nil
	}
	p, err := prompt.New("texts."+name, text)
	if err != nil {
		r.Report(v, yamltree.BadValue, "the template cannot be read: %v", err)
		return nil
	}
	known := value.SortedKeys(sample)
	for _, used := range p.Variables {
		if !slices.Contains(known, used) {
			f := r.Report(v, yamltree.BadValue, "the text %s uses {{.%s}}, which it is not given", name, used)
			f.Suggestion, f.Alternatives = diag.Nearest(used, known), known
			return nil
		}
	}
	if _, err := p.Render(context.Background(), sample); err != nil {
		r.Report(v, yamltree.BadValue, "%v", err)
		return nil
	}
	return p
}
