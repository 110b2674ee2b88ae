package workflow

import (
	"context"
	"fmt"
	"maps"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/fault"
	"pflow/internal/mcp"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// declaredTool compiles a node that a tool of an MCP server runs: one that the catalogue has of itself, whose params are the
// tool's arguments, or one that somebody declared, which may give arguments of its own.
func (c *compiler) declaredTool(at int, decl *catalogue.Declared, p *params, d *engine.DAGNode) bool {
	target, arguments, ok := c.target(at, decl)
	if !ok {
		return false
	}
	host := c.env.MCP
	return c.perform(d, &call{c: c, node: &c.w.Nodes[at], iface: decl.Interface, params: p,
		foresee: func(nodetype.Call) nodetype.Foreseen { return c.foreseeTool(decl) },
		run: func(ctx context.Context, in nodetype.Call) (out nodetype.Outcome, err error) {
			given := in.Params
			if arguments != nil {
				v, err := arguments.Resolve(portValues(decl.Interface, in.Params))
				if err != nil {
					return out, inParam("arguments", err)
				}
				given = maps.Clone(v.(map[string]any))
				maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil }) // an input that was left out
			}
			answer, err := host.Call(ctx, mcp.Request{Target: target, Arguments: given, Dir: in.Dir, Withheld: in.Withheld})
			if answer != nil {
				out.Outputs, out.Warnings = answer.Outputs, answer.Warnings
			}
			if err != nil {
				return out, err
			}
			if target.Form == "" {
				out.Outputs, err = toolOutputs(decl.Interface, out.Outputs)
			}
			return out, err
		}})
}

// target reads which tool a declaration means, and its arguments; nil stands for the params of the node.
func (c *compiler) target(at int, decl *catalogue.Declared) (mcp.Target, *ir.Param, bool) {
	run := decl.Run
	where := run.Place.String()
	if where == "" {
		where = decl.Interface.Origin
	}
	target, err := mcp.ReadTarget(run.Spec)
	if err == nil && c.env.MCP == nil {
		err = fmt.Errorf("no MCP servers are known here")
	}
	if err == nil {
		_, err = c.env.MCP.Find(target.Server)
	}
	if err != nil {
		c.report(at, NotRunnable, "%q (%s): mcp: %s", c.w.Nodes[at].Type, where, fault.Of(err).Message)
		return target, nil, false
	}
	if target.Arguments == nil {
		return target, nil, true
	}
	arguments, problems := ir.Compile(target.Arguments)
	for _, problem := range problems {
		c.report(at, NotRunnable, "%s: mcp.arguments: %s", where, problem.Message)
	}
	return target, arguments, len(problems) == 0
}

// foreseeTool says what a tool may destroy. What nobody said of the tool counts as the worst, whatever a declaration states.
func (c *compiler) foreseeTool(decl *catalogue.Declared) (seen nodetype.Foreseen) {
	if decl.Interface.Has(ir.Destructive) {
		seen.Destroys = "its effects are destructive"
		return seen
	}
	target, err := mcp.ReadTarget(decl.Run.Spec)
	if err != nil || target.Form != "" || c.env.MCP == nil { // of a tool of the catalogue the interface says all
		return seen
	}
	seen.Destroys = c.env.MCP.Destroys(target)
	return seen
}

// toolOutputs brings the answer of a tool to the outputs that a node declares, as those of a command are.
func toolOutputs(i *ir.Interface, got map[string]any) (map[string]any, error) {
	if _, text := got[mcp.TextOutput]; !text {
		whole := maps.Clone(got)
		got = maps.Clone(got)
		got[mcp.TextOutput] = whole // the answer as a whole, for an output that no part of it has the name of
	}
	return declaredOutputs(i, "mcp", got)
}
