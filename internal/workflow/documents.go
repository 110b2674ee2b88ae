package workflow

import (
	"encoding/json"
	"fmt"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/internal/workflowfile"
	"pflow/internal/written"
	"pflow/ir"
)

// documentsKind tells the documents of a workflow's run from those of a flow's.
const documentsKind = "workflow"

// documents are what a run is made of, beside its journal, so that it is resumed as it began whatever was changed since.
type documents struct {
	Kind     string            `json:"kind"`
	Version  int               `json:"v"`
	Name     string            `json:"name"`
	File     string            `json:"file,omitempty"`
	Dir      string            `json:"dir"`             // the working directory
	Document string            `json:"document"`        // the text that was compiled: a record or an IR
	IR       json.RawMessage   `json:"ir,omitempty"`    // instead of document, where there is no text
	Called   []calledDocument  `json:"called"`          // workflows that it calls
	Declared []json.RawMessage `json:"declared"`        // declared nodes that these use, in the form of a declaration
	Flows    json.RawMessage   `json:"flows,omitempty"` // flows that declared nodes run
	Draft    json.RawMessage   `json:"draft,omitempty"` // the record that is saved once the run is done
	Owner    string            `json:"owner"`           // of the files it writes
	Unsaved  string            `json:"unsaved"`         // what the owner was called before it was saved
	Granted  []string          `json:"granted"`         // files that it may replace, by its approval
	Destroys grants            `json:"destroys"`        // what it may destroy, by its approval
}

type calledDocument struct {
	Name string          `json:"name"`
	IR   json.RawMessage `json:"ir"`
}

// IsDocuments tells the documents of a workflow's run from those of a flow's.
func IsDocuments(data []byte) bool {
	var d struct{ Kind string }
	return json.Unmarshal(data, &d) == nil && d.Kind == documentsKind
}

// Documents gives what Reload needs. flows, if not nil, recorded the flows that declared nodes run.
func (p *Program) Documents(s Source, flows *engine.Recording) ([]byte, error) {
	d := documents{Kind: documentsKind, Version: 1, Name: s.Name, File: s.File, Dir: p.shared.env.Dir, Document: string(s.Data), Draft: s.Draft, Destroys: p.shared.granted}
	if w := p.shared.env.Written; w != nil {
		d.Owner, d.Unsaved, d.Granted = w.Workflow, w.Draft, w.Granted()
	}
	if s.Data == nil {
		d.IR = s.Workflow.Encode()
	}
	for _, c := range p.shared.calls {
		d.Called = append(d.Called, calledDocument{c.name, c.workflow.Encode()})
	}
	for _, decl := range p.declarations() {
		d.Declared = append(d.Declared, json.RawMessage(value.JSON(decl)))
	}
	if flows != nil && len(flows.Documents()) > 0 {
		text, err := flows.Marshal()
		if err != nil {
			return nil, err
		}
		d.Flows = text
	}
	return json.MarshalIndent(d, "", " ")
}

// Types lists the components that the program runs, those of the workflows it calls among them, by name.
func (p *Program) Types() []string {
	used := map[string]bool{}
	types(p.Workflow, used)
	for _, c := range p.shared.calls {
		types(c.workflow, used)
		used[c.name] = true
	}
	return value.SortedKeys(used)
}

// declarations are the declared nodes that the program uses, by name, in the form of a declaration.
func (p *Program) declarations() []any {
	used := map[string]bool{}
	types(p.Workflow, used)
	for _, c := range p.shared.calls {
		types(c.workflow, used)
	}
	out := []any{}
	for _, name := range value.SortedKeys(used) {
		if decl := p.shared.env.Declared[name]; decl != nil {
			out = append(out, Declaration(decl))
		}
	}
	return out
}

// Uses is what a run of the program is made of beside its own document: {called: [{name, ir}], declared: [declarations],
// flows: [{kind, name, text}]}, the same for the same documents wherever they lie.
func (p *Program) Uses(flows *engine.Recording) (map[string]any, error) {
	called, documents := []any{}, []any{}
	for _, c := range p.shared.calls {
		doc, err := value.ParseJSON(c.workflow.Encode())
		if err != nil {
			return nil, err
		}
		called = append(called, map[string]any{"name": c.name, "ir": doc})
	}
	if flows != nil {
		for _, d := range flows.Documents() {
			documents = append(documents, map[string]any{"kind": string(d.Kind), "name": d.Name, "text": string(d.Data)})
		}
	}
	declared, err := value.ParseJSON([]byte(value.JSON(p.declarations())))
	if err != nil {
		return nil, err
	}
	return map[string]any{"called": called, "declared": declared, "flows": documents}, nil
}

func types(w *ir.Workflow, used map[string]bool) {
	for i := range w.Nodes {
		used[w.Nodes[i].Type] = true
	}
}

// Reloaded is a run's past surroundings.
type Reloaded struct {
	Source Source
	Env    Env
	Flows  *engine.Recording // nil: there are none
}

// Reload reads what Documents wrote. builtinTypes are the node types of this process.
func Reload(data []byte, builtinTypes map[string]nodetype.Type) (*Reloaded, error) {
	var d documents
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("the documents of the run cannot be read: %w", err)
	}
	out := &Reloaded{Source: Source{Name: d.Name, File: d.File, Draft: d.Draft}}
	if len(d.Flows) > 0 {
		flows, err := engine.LoadRecording(d.Flows)
		if err != nil {
			return nil, err
		}
		out.Flows = flows
	}
	var nodes []any
	for _, raw := range d.Declared {
		v, err := value.ParseWritten(raw)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, v)
	}
	declared, found := catalogue.Declare("a declared node of the run", nodes)
	if len(declared) != len(nodes) {
		return nil, fmt.Errorf("the documents of the run cannot be read: %s", found.Text())
	}
	all := make([]*ir.Interface, 0, len(builtinTypes)+len(declared))
	byName := map[string]*catalogue.Declared{}
	for _, decl := range declared {
		byName[decl.Interface.Name] = decl
		all = append(all, decl.Interface)
	}
	for _, name := range value.SortedKeys(builtinTypes) {
		all = append(all, builtinTypes[name].Interface)
	}
	workflows := map[string]*ir.Workflow{}
	for _, c := range d.Called {
		w, list := ir.Decode(c.IR)
		if err := list.Err(); err != nil {
			return nil, err
		}
		workflows[c.Name] = w
	}
	c := ir.NewCatalogue(all...)
	components := func(of *ir.Catalogue) []*ir.Interface {
		var out []*ir.Interface
		for _, name := range value.SortedKeys(workflows) {
			out = append(out, workflows[name].AsComponent(name, "", of))
		}
		return out
	}
	full := c.With(components(c)...)
	full = c.With(components(full)...)
	out.Env = Env{Catalogue: full, Types: builtinTypes, Declared: byName, Dir: d.Dir, Load: func(name string) (*ir.Workflow, error) {
		if w, ok := workflows[name]; ok {
			return w, nil
		}
		return nil, fmt.Errorf("it is not among the documents of the run")
	}}
	out.Env.Written = &written.Run{Workflow: d.Owner, Draft: d.Unsaved}
	out.Env.Written.Grant(d.Granted...)
	out.Env.granted = d.Destroys
	return out, out.Source.read(&d)
}

// read takes the document that was compiled.
func (s *Source) read(d *documents) error {
	data := []byte(d.IR)
	if len(d.IR) == 0 {
		s.Data = []byte(d.Document)
		file, err := workflowfile.Read(d.File, s.Data)
		if err != nil {
			return err
		}
		if data, _, err = file.IR(); err != nil {
			return err
		}
	}
	w, list := ir.Decode(data)
	s.Workflow = w
	return list.Err()
}
