package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
)

// Options says what a validation is for.
type Options struct {
	// Planning holds a workflow that a model wrote for a request to more than one that a person wrote: what is declared for
	// the request and then not used is an error, not a warning.
	Planning bool
	// Discovered are the values that planning named in the request. One that stands as a whole word in params is the
	// error request-literal. Leave it nil outside planning.
	Discovered map[string]any
}

// Check decodes and validates a document. Findings come sorted. What cannot be read hides nothing but what hangs on it. The
// workflow is fit for use only if there is no error among them. Whoever shows the findings caps them.
func Check(data []byte, c *Catalogue, o Options) (*Workflow, diag.List) {
	w, d := decode(data)
	if slices.ContainsFunc(d.list, func(f diag.Finding) bool { return f.Kind == MalformedJSON }) {
		return w, d.list
	}
	return w, validate(w, c, o, d)
}

// Validate checks a workflow in three tiers: its form (names and edges), what can be said of each node (types, params,
// templates, cycles), and the flow of data between them. Findings come sorted. The time is linear in the document but for
// what 10,000 errors cost to word.
func Validate(w *Workflow, c *Catalogue, o Options) diag.List { return validate(w, c, o, &decoder{}) }

func validate(w *Workflow, c *Catalogue, o Options, d *decoder) diag.List {
	d.list = append(d.list, w.names(d.list)...)
	v := newValidator(w, c, o)
	v.list = d.list
	if len(w.Nodes) == 0 {
		return sorted(v.list) // all else hangs on there being a node
	}
	v.unread = newUnread(w, d, v.g)
	v.compile()
	v.nodes()
	v.inputs()
	v.graphs()
	v.hidden()
	v.dataflow()
	v.conditions()
	v.outputs()
	v.foreign()
	v.unused()
	v.literals()
	return sorted(v.list)
}

// names is tier 1 for what decoding does not see: names and the edges between them. reported holds what decoding said.
func (w *Workflow) names(reported diag.List) diag.List {
	d := &decoder{}
	if len(w.Nodes) == 0 && !slices.ContainsFunc(reported, func(f diag.Finding) bool { return f.Path == "nodes" || f.Path == "" }) {
		d.add(MissingField, "nodes", `there is no node; give at least one, {"id": …, "type": …, "params": {…}}`)
	}
	first := make(map[string]int, len(w.Nodes))
	var ids []string
	nameless := false
	for i := range w.Nodes {
		id := w.Nodes[i].ID
		if id == "" {
			nameless = true
			continue
		}
		if at, twice := first[id]; twice {
			d.current = id
			d.add(DuplicateNodeID, key(index("nodes", i), "id"), fmt.Sprintf("nodes[%d] has the id %q already; give each node an id of its own", at, id))
			continue
		}
		first[id] = i
		ids = append(ids, id)
	}
	d.current = ""
	for _, in := range w.Inputs {
		if at, taken := first[in.Name]; taken {
			d.add(DuplicateNodeID, key("inputs", in.Name), fmt.Sprintf("the input %q bears the id of nodes[%d]; rename one of them", in.Name, at))
		}
	}
	hints := 50
	dangling := func(path, what, id string) {
		if _, ok := first[id]; ok || id == "" || nameless || len(ids) == 0 {
			return // which id the edge means is seen once each node has one
		}
		f := d.add(DanglingEdge, path, fmt.Sprintf("%s %q, but there is no node of this id", what, id))
		if hints--; hints >= 0 {
			f.Suggestion, f.Alternatives = diag.Nearest(id, ids), few(ids)
		}
	}
	for i, e := range w.Edges {
		dangling(key(index("edges", i), "from"), "the edge leaves", e.From)
		dangling(key(index("edges", i), "to"), "the edge leads to", e.To)
	}
	for i, id := range w.Start {
		dangling(w.startPath(i), "the workflow starts at", id)
	}
	stdin := ""
	for _, in := range w.Inputs {
		if in.FromStdin && stdin != "" {
			d.add(WrongType, key(key("inputs", in.Name), "from_stdin"), fmt.Sprintf("the input %q takes the piped text already", stdin))
		} else if in.FromStdin {
			stdin = in.Name
		}
	}
	return d.list
}

// few caps a list of alternatives, which are written into prompts.
func few(names []string) []string { return names[:min(len(names), 20)] }

// sorted orders findings by path as a person reads it: nodes[2] comes before nodes[10]. It drops what stands twice.
func sorted(l diag.List) diag.List {
	if l == nil {
		return diag.List{} // in JSON a list is never null
	}
	slices.SortStableFunc(l, func(a, b diag.Finding) int {
		return cmp.Or(comparePaths(a.Path, b.Path), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(l, func(a, b diag.Finding) bool {
		return a.Path == b.Path && a.Kind == b.Kind && a.Message == b.Message
	})
}

func comparePaths(a, b string) int {
	for a != "" && b != "" {
		if a[0] == b[0] && (a[0] < '0' || a[0] > '9') {
			a, b = a[1:], b[1:]
			continue
		}
		na, nb := leadingDigits(a), leadingDigits(b)
		if na == 0 || nb == 0 {
			return cmp.Compare(a[0], b[0])
		}
		x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y), cmp.Compare(na, nb)); c != 0 {
			return c
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// validator holds what the passes of one validation share.
type validator struct {
	w    *Workflow
	c    *Catalogue
	o    Options
	g    *graph
	list diag.List

	components []*Interface       // per node: of its type; nil: unknown
	writes     []*Interface       // per node: whose outputs it writes; nil: unknown
	declared   map[string]int     // input -> index
	writers    map[string][]int   // flat key -> the nodes that write it
	used       map[string]bool    // inputs that something reads
	results    func(int) []string // per node: the actions it ends with if it does not fail
	alive      *liveness          // made when it is first asked for
	trial      bool               // what is checked does not stand in the document
	unread     *unread

	params  [][]compiled      // per node, in the order of their keys
	items   []*Param          // per node: batch items
	open    [][]openSetting   // per node: the settings that templates give
	sources []*Param          // per output
	rounds  []*Interface      // per node: what one round, or one item, writes; nil if that is not known
	hints   int               // how many more findings get alternatives, which cost time to find
	types   map[string]string // unknown type -> nearest
}

type compiled struct {
	key    string
	param  *Param
	port   *Port // nil: unknown
	broken bool  // a template in it is malformed
}

func newValidator(w *Workflow, c *Catalogue, o Options) *validator {
	v := &validator{w: w, c: c, o: o, g: newGraph(w), hints: 50, types: map[string]string{}, used: map[string]bool{},
		declared: make(map[string]int, len(w.Inputs)), writers: map[string][]int{},
		components: make([]*Interface, len(w.Nodes)), writes: make([]*Interface, len(w.Nodes)),
		params: make([][]compiled, len(w.Nodes)), items: make([]*Param, len(w.Nodes)), open: make([][]openSetting, len(w.Nodes)), sources: make([]*Param, len(w.Outputs)),
		rounds: make([]*Interface, len(w.Nodes))}
	for i, in := range w.Inputs {
		v.declared[in.Name] = i
	}
	for i := range w.Nodes {
		v.components[i] = c.Get(w.Nodes[i].Type)
		v.writes[i] = v.writer(i)
		if v.writes[i] == nil {
			continue
		}
		for _, k := range v.writes[i].OutputKeys() {
			if at := v.writers[k]; len(at) == 0 || at[len(at)-1] != i {
				v.writers[k] = append(at, i)
			}
		}
	}
	v.results = v.resultsOf()
	v.unread = newUnread(w, &decoder{}, v.g)
	return v
}

// writer gives the interface whose outputs a node writes.
func (v *validator) writer(node int) *Interface {
	n, component := &v.w.Nodes[node], v.components[node]
	if component == nil {
		return nil
	}
	if component.Call != nil {
		name, _ := n.Params[component.Call.Name].(string)
		if called := v.c.Get(name); called != nil && called.Workflow {
			component = called
		} else {
			component = &Interface{Name: component.Name, OpenOutputs: true}
		}
	}
	v.rounds[node] = component
	if n.Repeat != nil {
		component = repeatOutputs(component)
	}
	if n.Batch != nil {
		return batchOutputs(component)
	}
	return component
}

// batchOutputs are what a node writes that runs once per item.
func batchOutputs(of *Interface) *Interface {
	item := outputsStructure(of)
	failed := &Structure{Type: "object", Fields: []Field{{"index", Structure{Type: "integer"}}, {"item", Structure{Type: "any"}},
		{"error", Structure{Type: "object", Fields: []Field{{"kind", Structure{Type: "string"}}, {"message", Structure{Type: "string"}}}}}}}
	return &Interface{Name: of.Name, Outputs: []Port{
		{Key: BatchResults, Type: "array", Structure: &Structure{Type: "array", Items: item}},
		{Key: BatchCount, Type: "integer"},
		{Key: BatchErrors, Type: "array", Structure: &Structure{Type: "array", Items: failed}},
	}}
}

func (v *validator) add(severity diag.Severity, code, path string, node int, format string, args ...any) *diag.Finding {
	f := diag.Finding{Severity: severity, Kind: code, Path: path, Message: fmt.Sprintf(format, args...)}
	if node >= 0 {
		f.Node = v.w.Nodes[node].ID
	}
	v.list = append(v.list, f)
	return &v.list[len(v.list)-1]
}

func (v *validator) error(code, path string, node int, format string, args ...any) *diag.Finding {
	return v.add(diag.Error, code, path, node, format, args...)
}

// suggest adds the nearest candidate and, capped, all of them.
func (v *validator) suggest(f *diag.Finding, name string, candidates func() []string) {
	if v.hints--; v.hints < 0 {
		return
	}
	all := candidates()
	f.Suggestion, f.Alternatives = diag.Nearest(name, all), few(all)
}

func (v *validator) path(node int, rest string) string { return index("nodes", node) + rest }
