package engine

import (
	"slices"

	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/value"
)

// maxFunctions bounds the functions of a flow: each is declared in every environment.
const maxFunctions = 200

// compileFunctions settles the functions of the flow, each in an environment of its arguments, params and the functions
// before it. One that has findings is known all the same, so that its calls have none.
func (c *compiler) compileFunctions() {
	var later []string
	for _, f := range c.src.Functions {
		later = append(later, f.Name.Text)
	}
	for i := range c.src.Functions {
		if i == maxFunctions {
			c.report(whole(c.src.Functions[i].Name.V), cond.BadFunction, none, "a flow has at most %d functions; split it into several flows", maxFunctions)
			return
		}
		if f := c.compileFunction(&c.src.Functions[i], later[i:]); f != nil {
			c.funcs = append(c.funcs, f)
		}
	}
}

// compileFunction gives nil for a function whose name is taken.
func (c *compiler) compileFunction(src *syntax.Function, later []string) *cond.Func {
	name, args, types := src.Name.Text, make([]string, len(src.Args)), vars{}
	for i, arg := range src.Args {
		args[i] = arg.Text
		types[arg.Text] = value.Any
	}
	bad := cond.BadFunc(name, args)
	if src.Body == nil || slices.Contains(args, "") {
		return bad // reported
	}
	if problem, at := cond.CheckFunc(name, args, src.Body.Lang, c.funcs); problem != "" {
		if at < 0 {
			c.report(whole(src.Name.V), cond.BadFunction, none, "%s", problem)
			return nil
		}
		c.report(whole(src.Args[at].V), cond.BadFunction, none, "%s", problem)
		return bad
	}
	if c.crowd(len(types) + len(c.params) + len(c.funcs)) {
		return bad
	}
	env := &cond.Env{Records: map[string]cond.Record{"params": c.params}, Vars: types, Funcs: slices.Clip(c.funcs), Later: later}
	body := c.expression(src.Body, env, value.Any)
	if body == nil {
		return bad
	}
	f, problem := cond.NewFunc(name, args, body)
	if problem != "" {
		c.report(whole(src.Name.V), cond.BadFunction, none, "%s", problem)
		return bad
	}
	c.flow.funcs = append(c.flow.funcs, FunctionInfo{name, args, src.Body.Lang, src.Body.Source})
	return f
}
