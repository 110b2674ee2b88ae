package workflow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDryRun(t *testing.T) {
	w := world{environ: map[string]string{"TOKEN": secretValue}, saved: map[string]string{
		"inner": `{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "required": true}, "mark": {"type": "string", "default": "!"}},
			"nodes": [{"id": "x", "type": "shout", "params": {"text": "hello $name", "mark": "$mark"}}], "outputs": {"greeting": {"source": "${x.loud}", "type": "string"}}}`,
	}}
	p := w.compile(t, `{"ir_version": "0.1.0", "inputs": {"who": {"type": "string", "required": true}, "token": {"type": "string", "secret": true, "from_env": "TOKEN"}, "tries": {"type": "integer", "default": 4}}, "nodes": [
		{"id": "a", "type": "echo", "purpose": "Say it", "params": {"value": {"auth": "Bearer $token", "n": 1.50, "who": "${who}"}}},
		{"id": "b", "type": "shout", "approval": "required", "params": {"text": "$who: ${a.text}, $$5"}},
		{"id": "c", "type": "inner", "params": {"name": "$who"}}, {"id": "d", "type": "inner", "params": {"name": "${b.loud}"}},
		{"id": "e", "type": "shout", "batch": {"items": ["x", "${a.out.who}"], "as": "it"}, "params": {"text": "$it"}},
		{"id": "f", "type": "shout", "timeout": "${b.loud}", "retry": {"attempts": "${tries}", "wait": "1s", "backoff": "exponential"}, "params": {"text": "${a.text}"}}],
		"edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "d"}, {"from": "d", "to": "e"}, {"from": "e", "to": "f"}]}`)
	want := `a: echo --value='{"auth":"Bearer {\"$env\":\"TOKEN\"}","n":1.50,"who":"you\u001b[2J"}'
    # Say it
b: shout --text="you\u001b[2J: ${a.text}, $5"
    waits for approval
    not known before earlier steps ran: text
c: inner --name="you\u001b[2J"
c/x: shout --mark='!' --text="hello you\u001b[2J"
d: inner --name=${b.loud}
    not known before earlier steps ran: name
d/x: shout --mark='!' --text='hello ${name}'
    not known before earlier steps ran: text
e: shout --text=${it}
    once for each of: '["x","${a.out.who}"]'
    not known before earlier steps ran: text, batch.items[1]
f: shout --text=${a.text}
    runs with: retry.attempts=4, retry.backoff=exponential, retry.wait=1s, timeout=${b.loud}
    not known before earlier steps ran: text, timeout
nothing was run
`
	if diff := cmp.Diff(want, p.DryRun(bind(t, p, map[string]any{"who": "you\x1b[2J"})).Text()); diff != "" {
		t.Error(diff)
	}
}
