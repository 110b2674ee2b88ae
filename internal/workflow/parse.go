package workflow

import (
	"context"
	"fmt"

	"pflow/engine/cond"
	"pflow/internal/catalogue"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// parseOutputs makes the outputs of a declared node of what ran: in is its call, got what the shell or a server answered.
type parseOutputs func(ctx context.Context, in nodetype.Call, got map[string]any) (map[string]any, error)

// parser compiles the expression under parse, nil if a declaration has none. It sees result, the outputs of what runs, and
// inputs, the params of the node.
func (c *compiler) parser(at int, decl *catalogue.Declared, runs *ir.Interface) (parseOutputs, bool) {
	if decl.Parse == nil {
		return nil, true
	}
	result, inputs := cond.Record{}, cond.Record{}
	for _, p := range runs.Outputs {
		result[p.Key] = p.Type
	}
	for _, key := range decl.Interface.ParamKeys() {
		inputs[key] = value.Any // null where it is left out
	}
	env := &cond.Env{Records: map[string]cond.Record{"result": result, "inputs": inputs}}
	program, problems := cond.NewCompiler().Compile(cond.Expr, decl.Parse.Text, env, value.Object)
	for _, p := range problems {
		hint := ""
		if p.Suggestion != "" {
			hint = fmt.Sprintf("; did you mean %q?", p.Suggestion)
		} else if len(p.Alternatives) > 0 {
			hint = "; there is: " + diag.Names(p.Alternatives, 12)
		}
		c.report(at, NotRunnable, "%s: parse: %s%s", decl.Parse.At(p.Offset), p.Message, hint)
	}
	if len(problems) > 0 {
		return nil, false
	}
	return func(ctx context.Context, in nodetype.Call, got map[string]any) (map[string]any, error) {
		scope := cond.NewScope(in.Now)
		scope.Until(ctx)
		scope.Set("result", got)
		scope.Set("inputs", map[string]any(portValues(decl.Interface, in.Params)))
		v, err := program.Eval(scope)
		if err != nil {
			return nil, inParam(decl.Parse.Place.String()+": parse", err)
		}
		return fittingOutputs(decl, v)
	}, true
}

// fittingOutputs holds what parse gave against the outputs that are declared: each is there and of its type.
func fittingOutputs(decl *catalogue.Declared, v any) (map[string]any, error) {
	wrong := func(format string, args ...any) (map[string]any, error) {
		return nil, fault.New(fault.Type, "%s: parse: %s", decl.Parse.Place, fmt.Sprintf(format, args...))
	}
	object, ok := v.(map[string]any)
	if !ok {
		return wrong("want an object of the outputs, got %s", value.Describe(v))
	}
	i := decl.Interface
	out := map[string]any{}
	for _, p := range i.Outputs {
		got, ok := object[p.Key]
		if !ok {
			return wrong("it gives no %q; it must give: %s", p.Key, diag.Names(i.OutputKeys(), 12))
		}
		fitted, err := value.Fits(p.Type, got)
		if err != nil && got != nil {
			return wrong("the output %q: %v", p.Key, err)
		}
		if out[p.Key] = fitted; got == nil {
			out[p.Key] = nil
		}
	}
	for _, key := range value.SortedKeys(object) {
		if _, known := i.Output(key); known {
			continue
		}
		if !i.OpenOutputs {
			return wrong("it gives %q, which is no output; declare it, or leave it out", key)
		}
		out[key] = object[key]
	}
	return out, nil
}
