package flowdiff

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// part is what stands at one path of a document. same is what counts of it: equal for equal meaning.
type part struct {
	path, kind, node string
	value, same      any
}

// partsOf takes a flow apart: mappings to their entries, but for the routes and conditions of nodes, which are told by
// their action.
func partsOf(tree *yamltree.Value) []part {
	t := &taker{defaults: tree.Get("defaults")}
	start := tree.Get("start")
	if nodes := tree.Get("nodes"); start == nil && nodes != nil && len(nodes.Entries) > 0 {
		start = nodes.Entries[0].Name
	}
	t.add("start", "start", "", start)
	for _, e := range tree.Entries {
		switch e.Key {
		case "flow", "version", "description", "extends", "start", "defaults", "nodes":
		case "params":
			t.take("params", "param", e.Value)
		case "limits":
			t.take("limits", "limit", e.Value)
		case "functions":
			t.take("functions", "function", e.Value)
		default: // state, and what the language may get
			t.take(e.Key, e.Key, e.Value)
		}
	}
	if nodes := tree.Get("nodes"); nodes != nil {
		for _, n := range nodes.Entries {
			t.takeNode(n.Key, n.Value)
		}
	}
	return t.parts
}

type taker struct {
	parts    []part
	node     string
	defaults *yamltree.Value
}

func nodePath(id string) string { return "nodes." + id }

func (t *taker) takeNode(id string, v *yamltree.Value) {
	t.node = id
	defer func() { t.node = "" }()
	t.add(nodePath(id), "node", "", v.Get("op"))
	t.parts[len(t.parts)-1].same = true // a change of op is told as such
	written := map[string]*yamltree.Value{}
	for _, e := range v.Entries {
		path := nodePath(id) + "." + e.Key
		switch e.Key {
		case "description":
		case "op":
			t.add(path, "op", "", e.Value)
		case "next":
			t.takeNext(path, e.Value)
		case "actions":
			t.takeActions(path, e.Value)
		case "prep", "vars", "post":
			t.take(path, "expression", e.Value)
			if e.Key == "vars" {
				t.order(path, e.Value)
			}
		case "fallback":
			t.take(path, "expression", e.Value)
		case "action":
			t.take(path, "condition", e.Value)
		case "with":
			t.take(path, "option", e.Value)
			if branches := e.Value.Get("branches"); branches != nil {
				t.order(path+".branches", branches)
			}
		case "retry", "timeout":
			written[e.Key] = e.Value
		case "max_visits":
			t.take(path, "limit", e.Value)
		default: // catch, and what the language may get
			t.take(path, e.Key, e.Value)
		}
	}
	t.takeDefaults(id, written)
}

// takeDefaults gives a node's retry and timeout with the flow's defaults filled in.
func (t *taker) takeDefaults(id string, written map[string]*yamltree.Value) {
	retry, timeout := written["retry"], written["timeout"]
	if timeout == nil {
		timeout = t.defaults.Get("timeout")
	}
	if timeout != nil {
		t.add(nodePath(id)+".timeout", "limit", "", timeout)
	}
	for _, v := range []*yamltree.Value{retry, t.defaults.Get("retry")} {
		if v == nil {
			continue
		}
		for _, e := range v.Entries {
			if v == retry || retry.Get(e.Key) == nil {
				t.take(nodePath(id)+".retry."+e.Key, "retry", e.Value)
			}
		}
	}
}

func (t *taker) takeNext(path string, v *yamltree.Value) {
	if v.Kind == yamltree.String {
		t.add(path+".default", "edge", "", v)
		return
	}
	t.take(path, "edge", v)
}

// takeActions gives the conditions of each action, and in which order they are asked.
func (t *taker) takeActions(path string, v *yamltree.Value) {
	if v.Kind != yamltree.Seq {
		t.take(path, "condition", v)
		return
	}
	var order []any
	times := map[string]int{}
	for _, item := range v.Items {
		name := "?"
		if a := item.Get("action"); a != nil {
			name = a.Text
		}
		if times[name]++; times[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, times[name])
		}
		order = append(order, name)
		cond, shown := any("otherwise"), any("otherwise")
		for _, lang := range []string{"expr", "cel"} {
			if e := item.Get(lang); e != nil {
				cond, shown = lang+" "+closeUp(e.Text), e.Text
			}
		}
		t.parts = append(t.parts, part{path + "." + name, "condition", t.node, shown, cond})
	}
	t.parts = append(t.parts, part{path, "order", t.node, order, order})
}

// order gives the order of names where it means something.
func (t *taker) order(path string, v *yamltree.Value) {
	var names []any
	for _, e := range v.Entries {
		names = append(names, e.Key)
	}
	if len(names) > 1 {
		t.parts = append(t.parts, part{path, "order", t.node, names, names})
	}
}

// take gives what stands under a path: of a mapping each entry.
func (t *taker) take(path, kind string, v *yamltree.Value) {
	if v.Kind != yamltree.Map || len(v.Entries) == 0 {
		t.add(path, kind, "", v)
		return
	}
	for _, e := range v.Entries {
		key := e.Key
		if strings.ContainsAny(key, ".[\"'") {
			key = fmt.Sprintf("%q", key)
		}
		if key == "description" && kind == "state" {
			continue
		}
		below := kind
		if kind == "option" && (e.Key == "expr" || e.Key == "cel" || e.Key == "prep" && len(v.Entries) > 1) {
			below = "expression"
		}
		t.take(path+"."+key, below, e.Value)
	}
}

// add gives what stands at a path as a whole.
func (t *taker) add(path, kind, node string, v *yamltree.Value) {
	if node == "" {
		node = t.node
	}
	p := part{path: path, kind: kind, node: node}
	if v != nil {
		p.value = v.Plain()
		p.same = meaning(p.value, kind, path)
	}
	t.parts = append(t.parts, p)
}

// meaning gives what counts of a value: of an expression not its blanks, of a duration how long it is.
func meaning(v any, kind, path string) any {
	if text, isText := v.(string); isText {
		switch {
		case slices.Contains([]string{"expression", "condition", "function"}, kind) || strings.HasSuffix(path, ".retry.on"):
			return closeUp(text)
		case kind == "limit" || kind == "retry":
			if d, err := time.ParseDuration(text); err == nil {
				return d.String()
			}
		}
		return text
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = meaning(e, kind, path)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = meaning(e, kind, path)
		}
		return out
	}
	if kind == "expression" { // 3 and '3' are one expression
		return value.JSON(v)
	}
	return v
}

// closeUp takes the blanks out of an expression that part neither two words nor two operators. What is quoted stays as it
// is.
func closeUp(text string) string {
	var b strings.Builder
	var quote, last rune
	blank, escaped := false, false
	word := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for _, r := range text {
		switch {
		case quote != 0:
			b.WriteRune(r)
			if !escaped && r == quote {
				quote = 0
			}
			escaped = !escaped && r == '\\' && quote != '`'
			last = r
			continue
		case unicode.IsSpace(r):
			blank = true
			continue
		}
		if blank && word(last) && word(r) || blank && operator(last) && operator(r) {
			b.WriteByte(' ')
		}
		if r == '"' || r == '\'' || r == '`' {
			quote = r
		}
		b.WriteRune(r)
		blank, last = false, r
	}
	return b.String()
}

// operator tells the characters of which operators of several are made, such as ?. and ?: .
func operator(r rune) bool { return strings.ContainsRune("?.:<>=!&|*-+#", r) }
