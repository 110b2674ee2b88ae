package ir

import (
	"fmt"

	"pflow/internal/value"
)

// BreaksCallers says what callers of old would miss if the workflow stood in its place: an input that they give and it
// does not take, one that they do not give and it needs, an output that they read. There are none if each of them still
// works.
func (w *Workflow) BreaksCallers(old *Workflow, c *Catalogue) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	before, after := old.EffectiveInputs(c), w.EffectiveInputs(c)
	for _, was := range before {
		in, ok := input(after, was.Name)
		switch {
		case !ok:
			add("it has no input %q", was.Name)
		case in.Secret && !was.Secret:
			add("the input %q became a secret", was.Name)
		case was.Secret && in.FromEnv != was.FromEnv:
			add("the input %q is not read from %s", was.Name, was.FromEnv)
		case !takes(in.Type, was.Type):
			add("the input %q is %s, not %s", was.Name, in.Type, was.Type)
		case in.Required && !was.Required:
			add("it needs the input %q", was.Name)
		case was.Required && was.FromEnv != "" && in.FromEnv != was.FromEnv:
			add("the input %q is not read from %s", was.Name, was.FromEnv)
		case was.FromStdin && !in.FromStdin:
			add("the input %q is not read from the piped text", was.Name)
		}
	}
	for _, in := range after {
		if _, had := input(before, in.Name); !had && in.Required {
			add("it needs the input %q", in.Name)
		}
	}
	if len(old.Outputs) == 0 && (len(w.Outputs) > 0 || old.lastType() != w.lastType()) {
		add("its outputs are others")
	}
	for _, was := range old.Outputs {
		now, ok := output(w.Outputs, was.Name)
		switch {
		case !ok:
			add("it has no output %q", was.Name)
		case !takes(was.Type, now.Type):
			add("the output %q is %s, not %s", was.Name, now.Type, was.Type)
		}
	}
	return out
}

// takes reports whether whoever takes values of type t can take all of type given.
func takes(t, given value.Type) bool {
	return t == given || t == value.Any || t == "" || t == value.Number && given == value.Integer
}

// lastType is the type of the node whose outputs are those of a workflow that declares none.
func (w *Workflow) lastType() string {
	if len(w.Nodes) == 0 {
		return ""
	}
	return w.Nodes[len(w.Nodes)-1].Type
}

func input(list []Input, name string) (Input, bool) {
	for _, in := range list {
		if in.Name == name {
			return in, true
		}
	}
	return Input{}, false
}

func output(list []Output, name string) (Output, bool) {
	for _, out := range list {
		if out.Name == name {
			return out, true
		}
	}
	return Output{}, false
}
