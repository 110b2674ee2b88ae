package cond

import "pflow/internal/value"

// Object gives a program whose value is an object: the values of parts under their names. The parts share one bound on
// work. An error has the place of the part that failed.
func Object(names []string, parts []*Program) *Program {
	return &Program{typ: value.Object, names: names, parts: parts, path: true}
}

// List gives a program whose value is a list of the values of parts, as Object does.
func List(parts []*Program) *Program { return &Program{typ: value.Array, parts: parts, path: true} }

// build computes the value of an object or a list.
func (p *Program) build(s *Scope) (any, error) {
	items := make([]any, len(p.parts))
	for i, part := range p.parts {
		v, ok := part.member(s)
		if !ok {
			var err error
			if v, err = part.value(s); err != nil {
				return nil, err
			}
		}
		items[i] = v
	}
	var out any = items
	if p.typ == value.Object {
		object := make(map[string]any, len(items))
		for i, name := range p.names {
			object[name] = items[i]
		}
		out = object
	}
	if err := s.walk(out); err != nil { // one that holds a value many times over is dearer to use than to make
		return nil, p.Raise(err)
	}
	return out, nil
}
