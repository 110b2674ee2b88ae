// Package engine loads and runs flows, YAML graphs of ops. It knows no planner, no workflow and no model.
package engine

import (
	"bytes"
	"context"
	"fmt"
	"github.com/expr-lang/expr"
	"gopkg.in/yaml.v3"
	"maps"
	"slices"
)

// Op describes one primitive operation. New settles the options of a node; the Exec that it gives runs the node, sees
// its prep and nothing else of the store, and changes nothing it is given.
type (
	Op struct {
		Name, Summary string
		New           func(s *Setup) Exec
	}
	Setup  struct{ With map[string]any }
	Exec   func(ctx context.Context, in Input) (Output, error)
	Input  struct{ Prep, Params map[string]any }
	Output struct{ Result any }
)

// Flow is a loaded flow.
type Flow struct {
	Flow, Description, Start string
	Version                  int
	State                    map[string]map[string]any
	Params                   map[string]any
	Limits                   map[string]int
	Nodes                    map[string]*struct {
		Op         string
		Prep, Post map[string]string
		With       map[string]any
		Actions    []struct{ Action, Expr string }
		Next       map[string]string
		exec       Exec
	}
}

// Load reads a flow and checks its keys, ops and routes.
func Load(data []byte, ops []Op) (*Flow, error) {
	f, d := &Flow{}, yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(f); err != nil {
		return nil, err
	}
	for id, n := range f.Nodes {
		i := slices.IndexFunc(ops, func(o Op) bool { return o.Name == n.Op })
		bad := i < 0 || f.Nodes[f.Start] == nil || len(n.Actions) == 0 || n.Actions[len(n.Actions)-1].Expr != ""
		for _, a := range n.Actions {
			bad = bad || n.Next[a.Action] != "end" && f.Nodes[n.Next[a.Action]] == nil
		}
		if bad {
			return nil, fmt.Errorf("flow %s, node %s: unknown op or start, unrouted action, or no last action", f.Flow, id)
		}
		n.exec = ops[i].New(&Setup{n.With})
	}
	return f, nil
}

// Run runs the flow on a store that holds the required keys. Each node: prep, exec, post, action, next.
func (f *Flow) Run(ctx context.Context, store map[string]any) (err error) {
	for key, k := range f.State {
		if store[key] == nil {
			store[key] = k["default"]
		}
	}
	for id, step := f.Start, 0; id != "end"; step++ {
		if step == f.Limits["steps"] {
			return fmt.Errorf("flow %s: stopped by its limit of %d steps", f.Flow, step)
		}
		n, env := f.Nodes[id], map[string]any{"store": store, "params": f.Params}
		eval := func(sources map[string]string) map[string]any {
			values := map[string]any{}
			for name, source := range sources {
				if err == nil {
					values[name], err = expr.Eval(source, env)
				}
			}
			return values
		}
		prep, out := eval(n.Prep), Output{}
		if err == nil {
			out, err = n.exec(ctx, Input{prep, f.Params})
		}
		env["prep"], env["result"] = prep, out.Result
		maps.Copy(store, eval(n.Post)) // together: post sees the store as it was
		i := slices.IndexFunc(n.Actions, func(a struct{ Action, Expr string }) bool {
			return a.Expr == "" || eval(map[string]string{"": a.Expr})[""] == true
		})
		if err != nil {
			return fmt.Errorf("flow %s, node %s: %w", f.Flow, id, err)
		}
		id = n.Next[n.Actions[i].Action]
	}
	return nil
}
