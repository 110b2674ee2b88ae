package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/prompt"
	"pflow/internal/value"
	"pflow/ir"
)

// templateType fills in a text template. It is the node type; templateOp is the op of flows.
func templateType() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "template",
			Description: "Makes a text out of a template and values, such as a report or a message.",
			Inputs: []ir.Port{{Key: "inputs", Type: value.Object,
				Description: "The values for {{.name}} in the template, by name."}},
			Params: []ir.Port{{Key: "template", Type: value.String, Required: true,
				Description: "The text. ${…} works as in any param; {{.name}}, {{range .list}}…{{end}} and {{if .flag}}…{{end}} are a Go text template over inputs."}},
			Outputs: []ir.Port{{Key: "text", Type: value.String, Description: "The text."}},
			Effects: []ir.Effect{ir.Idempotent},
		},
		Late: []string{"template"},
		Check: func(params map[string]any) []ir.Problem {
			source, ok := params["template"].(string)
			if !ok {
				return nil
			}
			late, problems := readLate(source)
			if problems != nil {
				return nil // the validator tells of these
			}
			t, _, err := compileTemplate(late)
			if err != nil {
				return []ir.Problem{{Path: "template", Message: fault.Of(err).Message}}
			}
			inputs, ok := params["inputs"].(map[string]any)
			if !ok && params["inputs"] != nil {
				return nil // a template: the names are known when it runs
			}
			for _, name := range t.Variables {
				if _, given := inputs[name]; !given && !strings.HasPrefix(name, lateName) {
					problems = append(problems, ir.Problem{Path: "template", Message: fmt.Sprintf("the template uses {{.%s}}, which inputs does not give", name)})
				}
			}
			return problems
		},
		Pure: true,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			source, ok := c.Params["template"].(string)
			if !ok {
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "template must be a text")
			}
			late, problems := readLate(source)
			if problems != nil {
				return nodetype.Outcome{}, badParam("template", source, problems)
			}
			values, err := lateValues(c, late)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			t, names, err := compileTemplate(late)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			vars := value.Merge(c.Object("inputs"), nil)
			for i, v := range values {
				vars[names[i]] = v
			}
			text, err := t.Render(ctx, vars)
			if err != nil {
				return nodetype.Outcome{}, inTemplate(err, len(names) > 0)
			}
			return nodetype.Outcome{Outputs: map[string]any{"text": text}}, err
		},
		Example: nodetype.Example{
			Params: map[string]any{
				"template": "Open issues:\n{{range .issues}}- {{.title}}\n{{end}}",
				"inputs":   map[string]any{"issues": []any{map[string]any{"title": "It hangs"}, map[string]any{"title": "Typo"}}},
			},
			Outputs: map[string]any{"text": "Open issues:\n- It hangs\n- Typo\n"},
		},
	}
}

// inTemplate gives an error of a template the place in the param. Where values stand for ${…} it has only a line.
func inTemplate(err error, moved bool) error {
	e := *fault.Of(err)
	e.Path = "params.template"
	if moved {
		e.Place.Col = 0
	}
	return &e
}

// lateName begins the variables that stand for ${…}.
const lateName = "pflow_"

// compileTemplate compiles a template with a variable in the place of each ${…}: what comes out of a value is never
// read as template text. names are those variables'.
func compileTemplate(late *lateText) (t *prompt.Prompt, names []string, err error) {
	var b strings.Builder
	for i, text := range late.literals {
		b.WriteString(text)
		if i == len(late.exprs) {
			break
		}
		name := fmt.Sprintf("%s%d", lateName, i+1)
		names = append(names, name)
		if open := strings.LastIndex(b.String(), "{{"); open > strings.LastIndex(b.String(), "}}") {
			b.WriteString("$." + name) // inside an action it is a value; $ is the root, also within range and with
		} else {
			b.WriteString("{{$." + name + "}}")
		}
	}
	t, err = prompt.New("template", b.String())
	if err != nil {
		return nil, nil, fault.New(fault.InvalidRequest, "the template cannot be read: %v; a variable of the template's own is written $$name", err)
	}
	for i, name := range names {
		if !slices.Contains(t.Variables, name) {
			return nil, nil, fault.New(fault.InvalidRequest, "%s stands in a text or comment of the template's own, where no value can be put in", late.exprs[i].Text)
		}
	}
	return t, names, nil
}
