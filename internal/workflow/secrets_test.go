package workflow

import (
	"bytes"
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

const secretValue = `s3cr"et/+v@lue`

// TestSecretsStayOut runs workflows that do everything with a secret that one can do, and looks for it in whatever
// comes out and whatever was written.
func TestSecretsStayOut(t *testing.T) {
	types := testTypes()
	seen := 0
	types["use"] = nodetype.Type{
		Interface: &ir.Interface{Name: "use", Inputs: []ir.Port{{Key: "token", Type: value.String, Required: true}}, Outputs: []ir.Port{{Key: "answer", Type: value.Any}}},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			if !strings.Contains(c.Params["token"].(string), secretValue) {
				t.Errorf("the node got %q", c.Params["token"])
			}
			seen++
			v := c.Params["token"].(string)
			return nodetype.Outcome{Outputs: map[string]any{"answer": map[string]any{v: []any{v, value.JSON(v), base64.StdEncoding.EncodeToString([]byte(secretValue)), "plain"}}},
				Warnings: []string{"beware of " + v}}, nil
		},
	}
	types["leak"] = nodetype.Type{
		Interface: &ir.Interface{Name: "leak", Inputs: []ir.Port{{Key: "token", Type: value.String, Required: true}}},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			_, err := ir.Coerce(value.Integer, c.Params["token"])
			return nodetype.Outcome{}, err
		},
	}
	w := world{types: types, environ: map[string]string{"TOKEN": secretValue, "PLAIN": "seen"}, saved: map[string]string{
		"inner": `{"ir_version": "0.1.0", "inputs": {"key": {"type": "string", "required": true, "secret": true, "from_env": "OTHER"}, "p": {"type": "string", "from_env": "PLAIN"}},
			"nodes": [{"id": "u", "type": "use", "params": {"token": "Bearer ${key}"}}, {"id": "e", "type": "echo", "params": {"value": "$p"}}], "edges": [{"from": "u", "to": "e"}]}`,
	}}
	p := w.compile(t, `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "TOKEN"}},
		"nodes": [
			{"id": "a", "type": "use", "params": {"token": "x ${token}"}},
			{"id": "l", "type": "late", "params": {"command": "curl $token"}},
			{"id": "i", "type": "inner", "params": {"key": "${token}"}},
			{"id": "b", "type": "use", "batch": {"items": [1, 2], "as": "item"}, "params": {"token": "${item}${token}"}},
			{"id": "k", "type": "leak", "params": {"token": "${token}"}, "retry": {"attempts": 2}},
			{"id": "z", "type": "echo", "params": {"value": "${k.error.message}"}}],
		"edges": [{"from": "a", "to": "l"}, {"from": "l", "to": "i"}, {"from": "i", "to": "b"}, {"from": "b", "to": "k"}, {"from": "k", "to": "z", "action": "error"}],
		"outputs": {"a": {"source": "${a.answer}", "type": "any"}, "t": {"source": "${token}", "type": "any"}, "s": {"source": "it is ${token}", "type": "string"},
			"l": {"source": "${l.stdout}", "type": "string"}, "b": {"source": "${b.results}", "type": "array"}, "k": {"source": "${z.out}", "type": "string"}, "i": {"source": "${i}", "type": "object"}}}`)
	home := t.TempDir()
	docs, err := p.Documents(Source{Name: "test", Workflow: p.Workflow}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Create(home, "run", journal.About{}, docs)
	if err != nil {
		t.Fatal(err)
	}
	var observed bytes.Buffer
	res := run(t, p, nil, Options{Options: engine.Options{Journal: j, Observe: func(tr engine.Transition) {
		observed.WriteString(value.JSON(map[string]any{"prep": plain(tr.Prep), "result": plain(tr.Result)}))
	}}})
	j.Close()
	if res.Status != Done || seen != 4 {
		t.Fatalf("%d uses\n%s", seen, show(res))
	}
	all := observed.String() + show(res) + p.DryRun(bind(t, p, nil)).Text() + value.JSON(plain(p.DryRun(bind(t, p, nil)).Inputs))
	if err := filepath.Walk(home, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			data, e := os.ReadFile(path)
			if e != nil {
				return e
			}
			all += string(data)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{secretValue, `s3cr\"et`, "s3cr", base64.StdEncoding.EncodeToString([]byte(secretValue))} {
		if at := strings.Index(all, form); at >= 0 {
			t.Errorf("the secret leaked: …%s…", all[max(0, at-200):min(len(all), at+60)])
		}
	}
	if got := value.JSON(res.Outputs["t"]) + value.JSON(res.Outputs["s"]); got != `{"$env":"TOKEN"}"it is {\"$env\":\"TOKEN\"}"` {
		t.Errorf("a secret is shown as %s", got)
	}
	if i := value.JSON(res.Outputs["i"]); i != `{"out":"seen","text":"seen"}` {
		t.Errorf("the called workflow gave %s", i)
	}
}

func plain(v any) any { out, _ := value.Normalize(v); return out }

func TestSecretsAreRefused(t *testing.T) {
	w := world{saved: map[string]string{"inner": `{"ir_version": "0.1.0", "inputs": {"key": {"type": "string", "required": true, "secret": true, "from_env": "OTHER"}},
		"nodes": [{"id": "e", "type": "echo", "params": {"value": "$key"}}]}`}}
	const inputs = `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "TOKEN"}}, "nodes": [`
	for _, c := range []struct{ node, want string }{
		{`{"id": "e", "type": "echo", "params": {"value": "$item"}, "batch": {"items": ["$token"], "as": "item"}}`,
			"t.json:1:131: nodes[0]: error: batch.items: the secret \"token\" cannot stand here, where its value would be kept; give it to the node that uses it, in a param [bad-secret]\n"},
		{`{"id": "e", "type": "inner", "params": {"key": "Bearer $token"}}`,
			"t.json:1:131: nodes[0]: error: key: a secret is handed to a workflow as it is, ${token}; make longer text of it there [bad-secret]\n" +
				"t.json:1:131: nodes[0]: error: key: the input is a secret; hand it a secret input of this workflow, or leave it out to read OTHER [bad-secret]\n"},
		{`{"id": "e", "type": "inner", "params": {"key": "literal"}}`,
			"t.json:1:131: nodes[0]: error: key: the input is a secret; hand it a secret input of this workflow, or leave it out to read OTHER [bad-secret]\n"},
	} {
		doc := inputs + c.node + "]}"
		wf, list := ir.Decode([]byte(doc))
		if len(list) > 0 {
			t.Fatal(list.Text())
		}
		_, found := Compile(Source{Name: "t", Workflow: wf, File: "t.json", Data: []byte(doc)}, w.env(t))
		if got := found.Text(); got != c.want {
			t.Errorf("got\n%swant\n%s", got, c.want)
		}
	}
	p := w.compile(t, inputs+`{"id": "e", "type": "echo", "params": {"value": "$token"}}]}`)
	if _, _, err := p.Bind(Given{Values: map[string]any{"token": "x"}}); err == nil || !strings.Contains(err.Error(), "set the environment variable TOKEN") {
		t.Errorf("a secret was taken as a literal: %v", err)
	}
	if _, missing, err := p.Bind(Given{}); err != nil || len(missing) != 1 {
		t.Errorf("%v, missing %v", err, missing)
	}
}

// TestMarkersInData makes sure that data which looks like a secret's marker is not read as one.
func TestMarkersInData(t *testing.T) {
	w := world{environ: map[string]string{"TOKEN": secretValue, "HOME": "/root"}}
	p := w.compile(t, `{"ir_version": "0.1.0", "inputs": {"data": {"type": "any"}, "token": {"type": "string", "secret": true, "from_env": "TOKEN"}},
		"nodes": [{"id": "a", "type": "echo", "params": {"value": "${data}"}}, {"id": "b", "type": "echo", "params": {"value": "${a.out} $token"}}], "edges": [{"from": "a", "to": "b"}]}`)
	res := run(t, p, map[string]any{"data": map[string]any{"$env": "HOME"}}, Options{})
	if got := show(res); got != `done {"out":"{\"$env\":\"HOME\"} {\"$env\":\"TOKEN\"}","text":"{\"$env\":\"HOME\"} {\"$env\":\"TOKEN\"}"}`+"\na default\nb default\n" {
		t.Error(got)
	}
}

func TestBatchTimes(t *testing.T) {
	p := world{}.compile(t, `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "wait", "params": {"for": "1h"}, "timeout": "20ms"}]}`)
	start := time.Now()
	res := run(t, p, nil, Options{})
	if res.Status != Failed || res.Error.Kind != "timeout" || time.Since(start) > 60*time.Second {
		t.Error(show(res))
	}
}
