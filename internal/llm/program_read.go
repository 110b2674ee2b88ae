package llm

import (
	"strings"

	"pflow/engine/cond"
	"pflow/internal/prompt"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// What the reply of a program is made of: expressions over output. Only text is needed.
var replyKeys = []string{"text", "error", "model", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens", "cost_usd"}

// command reads the words of a program, each a template of model.
func (r *modelsReader) command(v *yamltree.Value, p *Provider) {
	p.Program = &Program{Format: printsText}
	r.Each(v, "a program and its arguments, as in [ollama, run, \"{{.model}}\"]", func(item *yamltree.Value) {
		if word := r.template("command", item, map[string]any{"model": "m"}); word != nil {
			p.Program.Command = append(p.Program.Command, word)
		}
	})
	if len(p.Program.Command) == 0 {
		p.Program.Command = []*prompt.Prompt{nil}
		r.Report(v, yamltree.BadValue, "want a program and its arguments, as in [ollama, run, \"{{.model}}\"]")
		return
	}
	if name := p.Program.Command[0]; len(name.Variables) > 0 || strings.Contains(strings.TrimPrefix(p.Program.Name(), "/"), "/") && !strings.HasPrefix(p.Program.Name(), "/") {
		r.Report(v, yamltree.BadValue, "the program is a name that is looked for on the PATH, or a path from the root")
	}
}

// ofProgram reads the keys that only a program has.
func (r *modelsReader) ofProgram(e yamltree.Entry, p *Provider, reply, env *yamltree.Value) {
	if p.Program == nil {
		for _, v := range []*yamltree.Value{reply, env} {
			if v != nil {
				r.Report(v, yamltree.BadValue, "reply and env are for a provider with a command")
			}
		}
		return
	}
	if env != nil {
		r.Each(env, "a list of environment variables", func(item *yamltree.Value) {
			var name string
			if r.variable(&name)(item); name != "" {
				p.Program.Env = append(p.Program.Env, name)
			}
		})
	}
	if reply == nil {
		return
	}
	p.Program.Reply = map[string]*cond.Program{}
	p.Program.Format = printsJSON
	fields := yamltree.Fields{"format": r.OneOf(&p.Program.Format, printsText, printsJSON, printsLines)}
	for _, key := range replyKeys {
		fields[key] = func(v *yamltree.Value) { r.replyExpression(key, v, p.Program) }
	}
	r.Mapping(reply, "{format, text, error, …}", fields)
	if reply.Kind == yamltree.Map && p.Program.Format != printsText && reply.Get("text") == nil {
		r.Report(reply, yamltree.MissingKey, "reply needs text: an expression over output that gives the reply")
	}
}

// replyEnv is what an expression of a reply sees.
var replyEnv = &cond.Env{Vars: map[string]value.Type{"output": value.Any}}

func (r *modelsReader) replyExpression(key string, v *yamltree.Value, p *Program) {
	var source string
	if r.Text(&source)(v); source == "" {
		return
	}
	program, problems := r.compiler.Compile(cond.Expr, source, replyEnv, value.Any)
	for _, problem := range problems {
		r.Report(v, yamltree.BadValue, "reply.%s: %s", key, problem.Message)
	}
	p.Reply[key] = program
}
