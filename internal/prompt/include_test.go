package prompt

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestInclude(t *testing.T) {
	files := map[string]string{
		"rules":  "---\nname: rules\nvariables: [limit]\n---\nAt most {{.limit}}.{{define \"end\"}} The end.{{end}}{{template \"end\"}}",
		"nested": "---\nname: nested\n---\n{{template \"rules\" .}}",
		"broken": "---\nname: broken\n---\n{{if}}",
	}
	find := func(name string) (string, []byte, error) {
		text, ok := files[name]
		if !ok {
			return "", nil, errors.New("there is no prompt " + name)
		}
		return name + ".tmpl", []byte(text), nil
	}
	head := "---\nname: p\nvariables: [limit]\n---\n"
	for _, c := range []struct{ name, text, want string }{
		{"included", head + "Rules: {{template \"rules\" .}}", "Rules: At most 3. The end."},
		{"twice, and inside an if", head + "{{template \"rules\" .}}{{if .limit}} {{template \"rules\" .}}{{end}}", "At most 3. The end. At most 3. The end."},
		{"its own comes first", head + "{{define \"rules\"}}mine{{end}}{{template \"rules\"}} {{.limit}}", "mine 3"},
		{"not there", head + "{{.limit}}\n{{template \"rule\" .}}", `p.tmpl:6:12: unknown-prompt: the template "rule" is neither defined here nor a prompt: there is no prompt rule`},
		{"without the variables", "---\nname: p\n---\n{{template \"rules\" .}}", "p.tmpl:4:12: prompt-missing-var: the template uses {{.limit}}, which variables does not declare"},
		{"with a part of them", "---\nname: p\nvariables: [all]\n---\n{{with .all}}{{template \"rules\" .}}{{end}}", "At most 7. The end."},
		{"one that includes", head + "{{.limit}}{{template \"nested\" .}}", "nested.tmpl:4:12: bad-prompt: there is no template \"rules\" here, and a prompt that is included includes none"},
		{"one that is broken", head + "{{.limit}}{{template \"broken\" .}}", "broken.tmpl:4:1: bad-prompt: the template cannot be read: missing value for if"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, found := Parse("p.tmpl", []byte(c.text), find)
			got := ""
			if p == nil {
				got = strings.TrimSpace(found[0].Place.String() + ": " + found[0].Kind + ": " + found[0].Message)
			} else if text, err := p.Render(context.Background(), map[string]any{"limit": 3, "all": map[string]any{"limit": 7}}); err != nil {
				t.Fatal(err)
			} else {
				got = text
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
