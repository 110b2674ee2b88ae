package prompt

import (
	"context"
	"strings"
	"testing"
)

func TestEach(t *testing.T) {
	list := []any{map[string]any{"code": "cycle", "near": []any{"a", "b"}}, map[string]any{"code": "bad-id", "message": "no"}}
	for _, c := range []struct{ text, want string }{
		{`{{define "item"}}- {{.code}}{{with index . "message"}}: {{.}}{{end}}{{with index . "near"}} ({{join ", " .}}){{end}}{{end}}{{fence "found" (each "item" .list)}}`,
			"<found-1>\n- cycle (a, b)\n- bad-id: no\n</found-1>"},
		{`{{define "item"}}x{{end}}[{{each "item" .none}}]`, "[]"},
		{`{{define "word"}}<{{.}}>{{end}}{{define "item"}}{{.code}} {{each "word" .none}}{{end}}{{.none}}`, "[]"},
		{`{{each "items" .list}}`, `there is no template "items"`},
		{`{{define "item"}}{{each "item" $.again}}{{end}}{{each "item" .again}}`, "that would not end"},
		{`{{define "item"}}{{.color}}{{end}}{{each "item" .list}}`, `no entry for key "color"`},
	} {
		p, err := New("text", c.text)
		if err != nil {
			t.Fatal(err)
		}
		again := map[string]any{}
		again["again"] = []any{again}
		got, err := p.Render(context.Background(), map[string]any{"list": list, "none": []any{}, "again": []any{again}})
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	p, err := New("text", "{{cut 3 .text}}")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[any]string{
		"": "", "äöü": "äöü", "äöüß!": "äöü\n[cut off here: 2 more characters]", 12345: "123\n[cut off here: 2 more characters]",
	} {
		if got, err := p.Render(context.Background(), map[string]any{"text": text}); err != nil || got != want {
			t.Errorf("%v: got %q, %v, want %q", text, got, err, want)
		}
	}
}
