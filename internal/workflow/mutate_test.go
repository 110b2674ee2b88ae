//go:build !race

package workflow

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pflow/internal/value"
	"pflow/ir"
)

// hostile are values that no workflow wants at most places.
func hostile(r *rand.Rand) any {
	deep := any("x")
	for range 200 {
		deep = []any{deep}
	}
	list := []any{
		nil, true, "", " ", "\x00", "\x1b[2J", "${", "${}", "${a", "$a.b.c", "$$", "${a ?? b ?? null}", "${item.x[0][1].y}", "../../etc/passwd",
		strings.Repeat("${a.out} ", 300), "${a" + strings.Repeat(".b", 500) + "}", "${" + strings.Repeat("a ?? ", 300) + "1}", "\u202e${x}\ufeff",
		json.Number("1e400"), json.Number("-0"), json.Number("99999999999999999999999999"), json.Number("0.1e-9999"), json.Number("-1"),
		[]any{}, map[string]any{}, deep, map[string]any{"": nil}, "default", "error", "required", "stdin", "env", "item", "a",
		map[string]any{"max_attempts": json.Number("0"), "wait": "x"}, map[string]any{"items": "${a.out}", "as": "a", "concurrency": json.Number("-3")},
		map[string]any{"items": []any{json.Number("1"), "${a.out}", nil}}, "${previous.out[0].x} ${index}", "result.out?.x == inputs.a or index > 1",
		map[string]any{"until": "result.out == 1", "max": json.Number("2")}, map[string]any{"until": "inputs", "max": "${a.out}", "wait": "1ms"},
	}
	return list[r.IntN(len(list))]
}

// mutatedKeys are those of every part of a workflow, so that each may stand where another does.
var mutatedKeys = []string{"id", "type", "params", "purpose", "retry", "batch", "approval", "timeout", "from", "to", "action", "source", "default",
	"required", "secret", "from_env", "from_stdin", "items", "as", "on_error", "max_attempts", "value", "text", "command", "inputs", "outputs", "nodes", "edges", "workflow", "switch", "repeat", "until", "max"}

// slots are the maps and lists of a document, outermost first.
func slots(v any) (maps []map[string]any, lists [][]any) {
	switch v := v.(type) {
	case map[string]any:
		maps = append(maps, v)
		for _, k := range value.SortedKeys(v) {
			m, l := slots(v[k])
			maps, lists = append(maps, m...), append(lists, l...)
		}
	case []any:
		lists = append(lists, v)
		for _, e := range v {
			m, l := slots(e)
			maps, lists = append(maps, m...), append(lists, l...)
		}
	}
	return maps, lists
}

// mutate changes one place of a document.
func mutate(r *rand.Rand, doc map[string]any) {
	maps, lists := slots(doc)
	if len(lists) > 0 && r.IntN(3) == 0 {
		if l := lists[r.IntN(len(lists))]; len(l) > 0 {
			i, j := r.IntN(len(l)), r.IntN(len(l))
			switch r.IntN(4) {
			case 0:
				l[i] = hostile(r)
			case 1:
				l[i] = clone(l[j])
			case 2:
				l[i], l[j] = l[j], l[i]
			case 3:
				l[i] = []any{l[i]}
			}
		}
		return
	}
	m := maps[r.IntN(len(maps))]
	names := value.SortedKeys(m)
	if len(names) == 0 || r.IntN(5) == 0 {
		m[mutatedKeys[r.IntN(len(mutatedKeys))]] = hostile(r)
		return
	}
	k := names[r.IntN(len(names))]
	switch r.IntN(6) {
	case 0:
		delete(m, k)
	case 1:
		m[k] = hostile(r)
	case 2:
		v := m[k]
		delete(m, k)
		m[mutatedKeys[r.IntN(len(mutatedKeys))]] = v
	case 3:
		other := maps[r.IntN(len(maps))]
		if from := value.SortedKeys(other); len(from) > 0 {
			m[k] = clone(other[from[r.IntN(len(from))]])
		}
	case 4:
		m[k] = map[string]any{k: m[k]}
	case 5: // a template of what another place says
		other := maps[r.IntN(len(maps))]
		if s, ok := other["id"].(string); ok {
			m[k] = "${" + s + "." + mutatedKeys[r.IntN(len(mutatedKeys))] + "}"
		}
	}
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = clone(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}

// TestMutatedStructure takes workflows of which parts were dropped, doubled, renamed, nested or taken from elsewhere as
// far as a dry run: nothing panics, a document gives the same text twice, and none takes long. PFLOW_MUTATIONS says how
// many.
func TestMutatedStructure(t *testing.T) {
	most, _ := strconv.Atoi(os.Getenv("PFLOW_MUTATIONS"))
	if most == 0 {
		most = 1500
	}
	files, _ := filepath.Glob("../../ir/testdata/*/*.json")
	plans, _ := filepath.Glob("../../cmd/pflow/testdata/plans/*.json")
	var docs []map[string]any
	for _, file := range append(files, plans...) {
		data, err := os.ReadFile(file)
		if err != nil || len(data) > 8000 {
			continue
		}
		if v, err := value.ParseJSON(data); err == nil {
			if m, ok := v.(map[string]any); ok {
				docs = append(docs, m)
			}
		}
	}
	for _, text := range mutatedWorkflows {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for range 40 { // most mutations of those of other catalogues end at the validator
			docs = append(docs, v.(map[string]any))
		}
	}
	w := world{environ: map[string]string{"TOKEN": secretValue}, saved: map[string]string{"inner": mutatedWorkflows[0]}}
	env := w.env(t)
	show := func(doc []byte) (text string, dry bool) {
		wf, found := Check(doc, env.Catalogue, env.Types, ir.Options{})
		text = found.Text()
		if wf == nil || found.HasErrors() {
			return text, false
		}
		p, found := Compile(Source{Name: "test", Workflow: wf, File: "test.json", Data: doc}, env)
		text += found.Text()
		if p == nil {
			return text, false
		}
		given, piped := map[string]any{}, "piped"
		for _, in := range p.Inputs {
			if !in.Secret {
				given[in.Name] = "x"
			}
		}
		store, missing, err := p.Bind(Given{Values: given, Stdin: &piped})
		if err != nil || len(missing) > 0 {
			if store, missing, err = p.Bind(Given{}); err != nil || len(missing) > 0 {
				return text, false
			}
		}
		return text + p.DryRun(store).Text(), true
	}
	r, reached := rand.New(rand.NewPCG(3, 4)), 0
	for range most {
		tree := clone(docs[r.IntN(len(docs))]).(map[string]any)
		for range 1 + r.IntN(2) {
			mutate(r, tree)
		}
		doc, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		a, dry := show(doc)
		took := time.Since(began)
		b, _ := show(doc)
		if a != b {
			t.Fatalf("%s\nis shown differently twice:\n%s\n%s", doc, a, b)
		}
		if dry {
			reached++
		}
		// The least of several, far over what is wanted: a loaded machine is no fault of the document.
		for again := 0; again < 5 && took > time.Second; again++ {
			began = time.Now()
			show(doc)
			took = min(took, time.Since(began))
		}
		if took > 5*time.Second {
			t.Errorf("%s\ntakes %v", doc, took)
		}
	}
	t.Logf("%d of %d came to a dry run", reached, most)
	if reached < most/20 {
		t.Errorf("%d of %d came to a dry run: too few to say anything", reached, most)
	}
}

var mutatedWorkflows = []string{
	`{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "required": true}, "mark": {"type": "string", "default": "!"}},
	"nodes": [{"id": "x", "type": "shout", "params": {"text": "hello $name", "mark": "$mark"}}], "outputs": {"greeting": {"source": "${x.loud}", "type": "string"}}}`,
	`{"ir_version": "0.1.0", "inputs": {"who": {"type": "string", "required": true}, "token": {"type": "string", "secret": true, "from_env": "TOKEN"}}, "nodes": [
	{"id": "a", "type": "echo", "purpose": "Say it", "params": {"value": {"auth": "Bearer $token", "n": 1.50, "who": "${who}"}}},
	{"id": "b", "type": "shout", "approval": "required", "params": {"text": "$who: ${a.text}, $$5"}},
	{"id": "c", "type": "inner", "params": {"name": "$who"}}, {"id": "d", "type": "inner", "params": {"name": "${b.loud}"}},
	{"id": "e", "type": "shout", "batch": {"items": ["x", "${a.out.who}"], "as": "it"}, "params": {"text": "$it"}},
	{"id": "f", "type": "shout", "params": {"text": "${a.text}"}}],
	"edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "d"}, {"from": "d", "to": "e"}, {"from": "e", "to": "f"}]}`,
	`{"ir_version": "0.1.0", "nodes": [{"id": "way", "type": "choose", "params": {"action": "left"}}, {"id": "l", "type": "echo", "params": {"value": "${way.x ?? 1}"}},
	{"id": "r", "type": "destroy", "params": {"path": "p"}}, {"id": "s", "type": "workflow", "params": {"workflow": "inner", "inputs": {"name": "n"}}}],
	"edges": [{"from": "way", "to": "l", "action": "left"}, {"from": "way", "to": "r", "action": "right"}, {"from": "l", "to": "s"}]}`,
	`{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "shell", "params": {"command": "echo ${env.HOME}", "stdin": "${stdin}"}}, {"id": "b", "type": "fail", "retry": {"max_attempts": 3}, "params": {"kind": "network"}},
	{"id": "c", "type": "echo", "params": {"value": "${b.error.message ?? a.stdout.a}"}}], "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c", "action": "error"}]}`,
}
