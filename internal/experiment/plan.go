package experiment

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pflow/internal/planner"
	"pflow/internal/value"
)

// planned is what one plan comes to: node types, edges between types, and the literal values of params.
type planned struct {
	result   *planner.Result
	dead     bool     // the flow broke or was stopped: no answer at all
	types    []string // of the nodes, in the order of the document
	refs     map[edge]bool
	declared map[edge]bool
	params   []param
	calls    []call // one for each node

	values map[string]any // execution_params
	inputs map[string]any
	typeOf map[string]string // node id -> type
	flat   map[string]string // flat key -> id of its one writer, "" if there are several
}

// edge is a pair of node types.
type edge struct{ from, to string }

// param is a literal value of a node, templates filled in. The key has the form of comparableKey.
type param struct {
	node, key string
	value     any
}

// call is one node with all params that are given: missing for those that come from another node.
type call struct {
	node string
	args map[string]any
}

// missing stands for a value that nobody knows before the run.
type missing struct{}

// readPlan reads a plan. outputs gives the keys that a component declares as outputs; it may be nil.
func readPlan(res *planner.Result, outputs func(component string) []string) *planned {
	p := &planned{
		result: res, dead: res.Status == planner.Failed || res.Status == planner.Cancelled,
		refs: map[edge]bool{}, declared: map[edge]bool{}, values: res.ExecutionParams,
		typeOf: map[string]string{}, flat: map[string]string{},
	}
	doc, _ := res.WorkflowIR.(map[string]any)
	p.inputs, _ = doc["inputs"].(map[string]any)
	nodes := objects(doc["nodes"])
	var ids []string
	for _, n := range nodes {
		id, component := text(n["id"]), text(n["type"])
		p.types = append(p.types, component)
		if _, twice := p.typeOf[id]; !twice {
			p.typeOf[id] = component
			ids = append(ids, id)
		}
	}
	if outputs != nil {
		for _, id := range ids {
			for _, key := range outputs(p.typeOf[id]) {
				if _, taken := p.flat[key]; taken {
					p.flat[key] = ""
				} else {
					p.flat[key] = id
				}
			}
		}
	}
	for _, n := range nodes {
		p.node(n)
	}
	for _, e := range objects(doc["edges"]) {
		if action := text(e["action"]); action != "" && action != "default" {
			continue
		}
		from, ok1 := p.typeOf[text(e["from"])]
		to, ok2 := p.typeOf[text(e["to"])]
		if ok1 && ok2 {
			p.declared[edge{from, to}] = true
		}
	}
	return p
}

// node reads the params of one node.
func (p *planned) node(n map[string]any) {
	id, component := text(n["id"]), text(n["type"])
	params, _ := n["params"].(map[string]any)
	args := map[string]any{}
	for _, k := range value.SortedKeys(params) {
		used := map[string]bool{}
		v := p.fill(params[k], used, 0)
		for source := range used {
			if source != id {
				p.refs[edge{p.typeOf[source], component}] = true
			}
		}
		switch key := comparableKey(k); {
		case len(used) > 0:
			args[key] = missing{}
		case v != missing{} && !absent(v):
			args[key] = v
			p.params = append(p.params, param{component, key, v})
		}
	}
	p.calls = append(p.calls, call{component, args})
}

// usable are the types that count: a plan that says nothing fits has none.
func (p *planned) usable() []string {
	if p.dead || p.result.Status == planner.Infeasible {
		return nil
	}
	return p.types
}

// abstained reports whether the planner said that nothing fits.
func (p *planned) abstained() bool {
	return !p.dead && (p.result.Status == planner.Infeasible || len(p.types) == 0)
}

// token is a template in a text: $$, ${…} or $name.path.
var token = regexp.MustCompile(`\$\$|\$\{([^{}]*)\}|\$([A-Za-z_][A-Za-z0-9_-]*)((?:\.[A-Za-z0-9_-]+|\[[0-9]+\])*)`)

// source is what a template stands for: a value, or the output of a node.
type source struct {
	value any
	node  string
}

// fill puts known values into the templates of a value. What comes from nodes is missing, and their ids go into used.
func (p *planned) fill(v any, used map[string]bool, depth int) any {
	if depth > deepest {
		return missing{}
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			if x := p.fill(item, used, depth+1); x != (missing{}) {
				out[k] = x
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if x := p.fill(item, used, depth+1); x != (missing{}) {
				out = append(out, x)
			}
		}
		return out
	case string:
		if strings.Contains(v, "$") {
			return p.fillText(v, used)
		}
	}
	return v
}

func (p *planned) fillText(text string, used map[string]bool) any {
	var b strings.Builder
	at, lost := 0, false
	for _, m := range token.FindAllStringSubmatchIndex(text, -1) {
		got, ok := p.template(text, m)
		if ok && got.node != "" {
			used[got.node] = true
		}
		if m[0] == 0 && m[1] == len(text) {
			if ok && got.node == "" {
				return got.value
			}
			return missing{}
		}
		lost = lost || !ok
		b.WriteString(text[at:m[0]])
		if ok && got.node == "" {
			b.WriteString(asText(got.value))
		}
		at = m[1]
	}
	if lost {
		return missing{}
	}
	return b.String() + text[at:]
}

func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return value.JSON(v)
}

var (
	quotedText = regexp.MustCompile(`^(?:"[^"]*"|'[^']*')$`)
	plainNum   = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?$`)
)

// template gives what one template stands for. m are the places of its groups.
func (p *planned) template(text string, m []int) (source, bool) {
	if text[m[0]:m[1]] == "$$" {
		return source{value: "$"}, true
	}
	if m[2] < 0 {
		return p.bare(text[m[4]:m[5]], text[m[6]:m[7]])
	}
	for _, alt := range strings.Split(text[m[2]:m[3]], "??") {
		alt = strings.TrimSpace(alt)
		switch {
		case quotedText.MatchString(alt):
			return source{value: alt[1 : len(alt)-1]}, true
		case plainNum.MatchString(alt):
			v, err := value.ParseJSON([]byte(alt))
			return source{value: v}, err == nil
		case alt != "":
			end := strings.IndexAny(alt, ".[")
			if end < 0 {
				end = len(alt)
			}
			if got, ok := p.look(alt[:end], alt[end:]); ok {
				return got, true
			}
		}
	}
	return source{}, false
}

// bare looks up a name without braces, which may end at one of its hyphens.
func (p *planned) bare(name, path string) (source, bool) {
	got, ok := p.look(name, path)
	for cut := strings.LastIndexByte(name, '-'); !ok && cut >= 0; cut = strings.LastIndexByte(name, '-') {
		rest := name[cut+1:]
		name = name[:cut]
		if got, ok = p.look(name, ""); ok && got.node == "" {
			return source{value: asText(got.value) + "-" + rest}, true
		}
	}
	return got, ok
}

// look finds a root: execution parameters, inputs with a default, node ids, flat keys.
func (p *planned) look(root, path string) (source, bool) {
	if v, ok := p.values[root]; ok {
		got := walk(v, path)
		return source{value: got}, got != missing{}
	}
	if input, ok := p.inputs[root].(map[string]any); ok {
		if input["default"] == nil {
			return source{}, false
		}
		got := walk(input["default"], path)
		return source{value: got}, got != missing{}
	}
	if _, ok := p.typeOf[root]; ok && root != "" {
		return source{node: root}, true
	}
	if id := p.flat[root]; id != "" {
		return source{node: id}, true
	}
	return source{}, false
}

var pathPart = regexp.MustCompile(`[^.\[\]]+`)

// walk follows a path into a value; text that holds JSON is looked into.
func walk(v any, path string) any {
	for _, part := range pathPart.FindAllString(path, -1) {
		if text, ok := v.(string); ok {
			v, _ = value.ParseJSON([]byte(text))
		}
		switch at := v.(type) {
		case map[string]any:
			item, ok := at[part]
			if !ok {
				return missing{}
			}
			v = item
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(at) {
				return missing{}
			}
			v = at[i]
		default:
			return missing{}
		}
	}
	return v
}

// objects are the objects of a list.
func objects(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// inOrder reports whether want is a subsequence of got.
func inOrder(got, want []string) bool {
	for _, name := range want {
		i := slices.Index(got, name)
		if i < 0 {
			return false
		}
		got = got[i+1:]
	}
	return true
}
