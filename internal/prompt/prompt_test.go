package prompt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
)

const head = "---\nname: t\nvariables: [a, b]\n---\n"

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"good", head + "{{.a}} {{.b}}", ""},
		{"windows", strings.ReplaceAll(head, "\n", "\r\n") + "{{.a}}\r\n{{.b}}", ""},
		{"empty head", "---\n---\nx", "p.tmpl:1:1: error: the document is empty [bad-yaml]\n"},
		{"no head", "hello", "p.tmpl:1:1: error: a prompt begins with a front matter between two lines of ---: name, description, variables, schema [bad-prompt]\n"},
		{"not UTF-8", "---\nname: \xff\n---\n", "p.tmpl:1:1: error: the prompt is not valid UTF-8 [bad-prompt]\n"},
		{"undeclared", head + "{{.a}}\n  {{if .b}}{{.bb.x}}{{end}}", `p.tmpl:6:14: error: the template uses {{.bb}}, which variables does not declare [prompt-missing-var]
    {{if .b}}{{.bb.x}}{{end}}
               ^
  there is: a, b
`},
		{"unused", head + "{{.a}}", `p.tmpl:3:16: error: variables declares "b", which the template does not use [prompt-unused-var]
  variables: [a, b]
                 ^
`},
		{"range hides", head + "{{range .a}}{{.c}}{{$.d}}{{end}}{{.b}}", `p.tmpl:5:22: error: the template uses {{.d}}, which variables does not declare [prompt-missing-var]
  {{range .a}}{{.c}}{{$.d}}{{end}}{{.b}}
                       ^
  there is: a, b
`},
		{"define", head + `{{define "x"}}{{.c}}{{end}}{{template "x" .}}{{define "y"}}{{.z}}{{end}}{{template "y" .a}}{{.b}}`,
			`p.tmpl:5:17: error: the template uses {{.c}}, which variables does not declare [prompt-missing-var]`},
		{"bad template", head + "ok\n{{.a", `p.tmpl:6:1: error: the template cannot be read: unclosed action [bad-prompt]
  {{.a
  ^
`},
		{"circle", head + `{{define "x"}}{{if .a}}{{template "y" .}}{{end}}{{end}}{{define "y"}}{{template "x" .}}{{end}}{{.b}}`,
			"p.tmpl:1:1: error: the template cannot be read: the template \"x\" calls itself; that would not end [bad-prompt]\n  ---\n  ^\n"},
		{"bad names", "---\nname: t\nvariables: [a-b, c, c]\n---\n{{.c}}", `p.tmpl:3:13: error: a variable is a name of letters, digits and _, so that {{.NAME}} can stand for it [bad-name]
  variables: [a-b, c, c]
              ^
p.tmpl:3:21: error: the variable "c" is declared twice [bad-name]
  variables: [a-b, c, c]
                      ^
`},
		{"bad keys", "---\nnme: t\nvariables: a\n---\n", `p.tmpl:2:1: error: a front matter needs a name [missing-key]
  nme: t
  ^
p.tmpl:2:1: error: there is no key "nme" here [unknown-key]
  nme: t
  ^
  did you mean "name"?
p.tmpl:3:12: error: want a list of names, got text [wrong-kind]
  variables: a
             ^
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, found := Parse("p.tmpl", []byte(c.text), nil)
			got := found.Text()
			if c.name == "define" {
				got, _, _ = strings.Cut(got, "\n")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if (p == nil) != found.HasErrors() {
				t.Errorf("prompt %v", p)
			}
		})
	}
}

func TestRender(t *testing.T) {
	vars := map[string]any{
		"text": "<a> {{.null}} & b", "null": nil, "list": []any{"x", 1, nil, 1.5}, "object": map[string]any{"k": nil, "b": "<"},
		"big": strings.Repeat("x", 10_000), "n": 3, "f": 1e21, "yes": true,
	}
	for _, c := range []struct{ text, want string }{
		{"{{.text}}", "<a> {{.null}} & b"},
		{"[{{.null}}] [{{.object.k}}]", "[] []"},
		{"{{.list}} {{.object}}", `["x",1,null,1.5] {"b":"<","k":null}`},
		{"{{.n}} {{.f}} {{.yes}}", "3 1e+21 true"},
		{"{{range .list}}<{{.}}>{{end}}{{range .null}}never{{else}}none{{end}}", "<x><1><><1.5>none"},
		{"{{range $i, $x := .list}}{{$i}}{{$x}} {{end}}", "0x 11 2 31.5 "},
		{"{{if .object.b}}yes{{end}} {{len .list}} {{printf \"%03d\" .n}}", "yes 4 003"},
		{"{{json .text}} {{json .null}} {{join \", \" .list}}", `"<a> {{.null}} & b" null x, 1, , 1.5`},
		{"{{$x := .n}}{{$x}}{{with .object}}{{.b}}{{end}}", "3<"},
		{"{{.object.c}}", `missing_key: the template t: t:1:10: executing "t" at <.object.c>: map has no entry for key "c"`},
		{"{{.gone}}", `missing_key: the template t: t:1:3: executing "t" at <.gone>: map has no entry for key "gone"`},
		{`{{range 1000}}{{range 1000}}{{$.big}}{{end}}{{end}}`, "invalid_request: the template t gives more than 16777216 bytes"},
	} {
		p, err := New("t", c.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Render(t.Context(), vars)
		if err != nil {
			got = fmt.Sprintf("%s: %v", fault.Of(err).Kind, err)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestErrorsTellTheLinesOfTheFile(t *testing.T) {
	p, found := Parse("p.tmpl", []byte(head+"{{.a}}\n{{.b.c}}"), nil)
	if p == nil {
		t.Fatal(found.Text())
	}
	_, err := p.Render(t.Context(), map[string]any{"a": 1, "b": map[string]any{}})
	if err == nil || !strings.Contains(err.Error(), "p.tmpl:6:") {
		t.Error(err)
	}
}
