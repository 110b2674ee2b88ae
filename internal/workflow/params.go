package workflow

import (
	"slices"

	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// param is one param of a node, compiled.
type param struct {
	key   string
	port  *ir.Port // nil: the component takes what it does not declare
	value *ir.Param
	late  bool // handed over as it stands in the document; the node resolves it
	raw   any  // as it stands there
}

// params are those of one node with what their templates read.
type params struct {
	list  []param
	reads capture
}

// params compiles what a node gives its component: what stands in the document, and for each required input that does
// not the workflow input or earlier flat key of its name.
func (c *compiler) params(n *ir.Node, given map[string]any, i *ir.Interface, late []string) *params {
	p := &params{reads: capture{}}
	for _, k := range value.SortedKeys(given) {
		port, _ := i.Param(k)
		p.list = append(p.list, param{key: k, port: port, raw: given[k]})
	}
	for n := range i.Inputs {
		in := &i.Inputs[n]
		if got, there := given[in.Key]; in.Required && in.Default == nil && (!there || got == nil) {
			p.list = slices.DeleteFunc(p.list, func(p param) bool { return p.key == in.Key })
			p.list = append(p.list, param{key: in.Key, port: in, raw: "${" + in.Key + "}"})
		}
	}
	for at := range p.list {
		q := &p.list[at]
		if q.port != nil && q.port.Raw {
			q.value = ir.Raw(q.raw)
			continue
		}
		q.value, _ = ir.Compile(q.raw) // the validator reported what is malformed
		q.late = slices.Contains(late, q.key)
		c.read(p.reads, q.value, n, true)
	}
	return p
}

// read notes what the templates of a value read.
func (c *compiler) read(reads capture, v *ir.Param, n *ir.Node, item bool) {
	v.Walk(func(_ string, e *ir.Expr) {
		for _, alt := range e.Alts {
			if alt.Ref == nil {
				continue
			}
			if s, ok := c.sources.of(alt.Ref.Root, n, item); ok {
				reads.add(alt.Ref.Root, s)
			}
		}
	})
}

// resolve gives the params of a call: of the declared types, with defaults, without what is left out.
func (p *params) resolve(s ir.Scope, i *ir.Interface) (map[string]any, error) {
	out := make(map[string]any, len(p.list))
	for at := range p.list {
		q := &p.list[at]
		if q.late {
			out[q.key], _ = ir.Raw(q.raw).Literal()
			continue
		}
		v, err := q.value.Resolve(s)
		if err != nil {
			return nil, inParam(q.key, err)
		}
		if q.port != nil {
			if v, err = fit(q.port, v); err != nil {
				return nil, inParam(q.key, err)
			}
		}
		if v != nil {
			out[q.key] = v
		}
	}
	for _, ports := range [][]ir.Port{i.Inputs, i.Params} {
		for n := range ports {
			port := &ports[n]
			if _, given := out[port.Key]; given {
				continue
			}
			if port.Default != nil {
				out[port.Key] = port.Default
			} else if port.Required {
				return nil, fault.New(fault.InvalidRequest, "%s: it is required and is null", port.Key)
			}
		}
	}
	return out, nil
}

// fit brings a value to the type of its port.
func fit(port *ir.Port, v any) (any, error) {
	v, err := ir.Coerce(port.Type, v)
	if err != nil || v == nil || len(port.Enum) == 0 {
		return v, err
	}
	if !slices.ContainsFunc(port.Enum, func(e any) bool { return value.Equal(e, v) }) {
		return nil, fault.New(fault.InvalidRequest, "want one of %s, got %s", value.JSON(port.Enum), value.Describe(v))
	}
	return v, nil
}

func inParam(key string, err error) error {
	e := fault.Of(err)
	return &fault.Error{Kind: e.Kind, Message: key + ": " + e.Message, Cause: err, Details: e.Absent()}
}
