package experiment

import (
	"encoding/json"
	"os"

	"pflow/engine/cond"
	"pflow/internal/planner"
	"pflow/internal/prompt"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

var statuses = []string{planner.Ready, planner.NeedsInput, planner.Infeasible, planner.Invalid, planner.Failed, planner.Cancelled}

// expect reads an expectation; see Expect for its forms.
func (r *caseReader) expect(path []any, v any) Expect {
	var e Expect
	r.object(path, v, "an object: what is expected of the plan", map[string]func([]any, any){
		"status": func(p []any, v any) {
			list, ok := v.([]any)
			if !ok {
				e.Status = []string{r.oneOf(p, v, statuses)}
			}
			for i, item := range list {
				e.Status = append(e.Status, r.oneOf(below(p, i), item, statuses))
			}
		},
		"path": func(p []any, v any) { e.Path = r.oneOf(p, v, []string{"reuse", "generate"}) },
		"workflow": func(p []any, v any) {
			name := ""
			if v != nil {
				name = r.text(p, v)
			}
			e.Workflow = &name
		},
		"workflow_name":      func(p []any, v any) { e.WorkflowName = r.text(p, v) },
		"nodes":              func(p []any, v any) { e.Nodes = r.nodes(p, v) },
		"edges":              func(p []any, v any) { e.Edges = r.edges(p, v) },
		"params":             func(p []any, v any) { e.HasParams = true; e.Params, e.ParamsAtLeast = r.params(p, v) },
		"calls":              func(p []any, v any) { e.Calls, e.HasCalls = r.calls(p, v), true },
		"ask":                func(p []any, v any) { e.Ask, e.HasAsk = r.names(p, v), true },
		"abstain":            func(p []any, v any) { e.Abstain = r.truth(p, v) },
		"no_request_literal": func(p []any, v any) { e.NoLiteral = r.truth(p, v) },
		"valid": func(p []any, v any) {
			b := r.truth(p, v)
			e.Valid = &b
		},
		"max":    func(p []any, v any) { e.Max = r.most(p, v) },
		"expr":   func(p []any, v any) { r.predicate(&e, cond.Expr, p, v) },
		"cel":    func(p []any, v any) { r.predicate(&e, cond.CEL, p, v) },
		"schema": func(p []any, v any) { e.Schema = r.schema(p, v) },
	})
	return e
}

func (r *caseReader) nodes(path []any, v any) *NodeExpect {
	e := &NodeExpect{}
	if _, ok := v.([]any); ok {
		e.Exact, e.HasExact = r.names(path, v), true
		return e
	}
	r.object(path, v, "a list of node types, or {exact, all, any, none, order}", map[string]func([]any, any){
		"exact": func(p []any, v any) { e.Exact, e.HasExact = r.names(p, v), true },
		"all":   func(p []any, v any) { e.All = r.names(p, v) },
		"any":   func(p []any, v any) { e.Any = r.names(p, v) },
		"none":  func(p []any, v any) { e.None = r.names(p, v) },
		"order": func(p []any, v any) { e.Order = r.names(p, v) },
	})
	return e
}

func (r *caseReader) edges(path []any, v any) *EdgeExpect {
	e := &EdgeExpect{}
	if _, ok := v.([]any); ok {
		e.Exact, e.HasExact = r.pairs(path, v), true
		return e
	}
	r.object(path, v, "a list of [from, to], or {exact, all, none}", map[string]func([]any, any){
		"exact": func(p []any, v any) { e.Exact, e.HasExact = r.pairs(p, v), true },
		"all":   func(p []any, v any) { e.All = r.pairs(p, v) },
		"none":  func(p []any, v any) { e.None = r.pairs(p, v) },
	})
	return e
}

func (r *caseReader) pairs(path []any, v any) []edge {
	var out []edge
	for i, item := range r.list(path, v, "a list of [from, to]") {
		pair := r.names(below(path, i), item)
		if len(pair) != 2 {
			r.report(below(path, i), yamltree.BadValue, "", "want [from, to]: two node types")
			continue
		}
		out = append(out, edge{pair[0], pair[1]})
	}
	return out
}

func (r *caseReader) params(path []any, v any) (out []ParamExpect, atLeast bool) {
	if _, ok := v.(map[string]any); ok {
		r.object(path, v, "a list of [type, key, value], or {all}", map[string]func([]any, any){
			"all": func(p []any, v any) { out, atLeast = r.paramList(p, v), true },
		})
		return out, atLeast
	}
	return r.paramList(path, v), false
}

func (r *caseReader) paramList(path []any, v any) []ParamExpect {
	var out []ParamExpect
	for i, item := range r.list(path, v, "a list of [type, key, value], or {all}") {
		at := below(path, i)
		if triple, ok := item.([]any); ok {
			if len(triple) != 3 {
				r.report(at, yamltree.BadValue, "", "want [type, key, value]")
				continue
			}
			out = append(out, ParamExpect{Node: r.text(below(at, 0), triple[0]), Key: r.text(below(at, 1), triple[1]), Value: triple[2]})
			continue
		}
		e, valued := ParamExpect{}, false
		r.object(at, item, "[type, key, value], or {node, key, value} or {node, key, type}", map[string]func([]any, any){
			"node":  func(p []any, v any) { e.Node = r.text(p, v) },
			"key":   func(p []any, v any) { e.Key = r.text(p, v) },
			"value": func(_ []any, v any) { e.Value, valued = v, true },
			"type":  func(p []any, v any) { e.Type = value.Type(r.oneOf(p, v, typeNames())) },
		})
		if e.Node == "" || e.Key == "" || valued == (e.Type != "") {
			r.report(at, yamltree.MissingKey, "", "want node, key, and either value or type")
		}
		out = append(out, e)
	}
	return out
}

func typeNames() []string {
	var out []string
	for _, t := range value.Types() {
		out = append(out, string(t))
	}
	return out
}

func (r *caseReader) calls(path []any, v any) []CallExpect {
	var out []CallExpect
	for i, item := range r.list(path, v, "a list of {node, args}") {
		c := CallExpect{Args: map[string][]any{}}
		r.object(below(path, i), item, "{node, args}", map[string]func([]any, any){
			"node": func(p []any, v any) { c.Node = r.text(p, v) },
			"args": func(p []any, v any) {
				m, ok := v.(map[string]any)
				if !ok {
					r.report(p, yamltree.WrongKind, "", "want an object: for each argument the values that are accepted")
				}
				for k, accepted := range m {
					list, ok := accepted.([]any)
					if !ok {
						list = []any{accepted}
					}
					c.Args[comparableKey(k)] = list
				}
			},
		})
		out = append(out, c)
	}
	return out
}

func (r *caseReader) most(path []any, v any) map[Metric]float64 {
	out := map[Metric]float64{}
	read := map[string]func([]any, any){}
	for _, m := range []Metric{Calls, Tokens, CostUSD, Latency, NetLatency} {
		read[string(m)] = func(p []any, v any) {
			if n := r.number(p, v); n != nil {
				out[m] = *n
			}
		}
	}
	r.object(path, v, "{calls, tokens, cost_usd, latency_ms, latency_net_ms}", read)
	return out
}

// planEnv is what a predicate sees: the plan, as JSON says it.
var planEnv = &cond.Env{Vars: map[string]value.Type{"result": value.Object}}

func (r *caseReader) predicate(e *Expect, lang cond.Lang, path []any, v any) {
	sources := []any{v}
	if list, ok := v.([]any); ok {
		sources = list
	}
	for _, source := range sources {
		text := r.text(path, source)
		if text == "" {
			continue
		}
		program, problems := r.predicates.compile(lang, text)
		for _, p := range problems {
			r.report(path, p.Kind, p.Suggestion, "%s", p.Message)
		}
		e.Predicates = append(e.Predicates, Predicate{Source: text, program: program})
	}
}

func (r *caseReader) schema(path []any, v any) *prompt.Schema {
	doc, ok := v.(map[string]any)
	if file, isFile := v.(string); isFile {
		file = r.path(path, file)
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &doc)
		}
		if err != nil {
			r.report(path, yamltree.BadValue, "", "the schema cannot be read: %v", err)
			return nil
		}
		v, _ := value.Normalize(doc)
		doc, ok = v.(map[string]any)
	}
	if !ok {
		r.report(path, yamltree.WrongKind, "", "want a JSON Schema, or the path of a file with one; got %s", value.Name(v))
		return nil
	}
	s, err := prompt.NewSchema("expect", doc)
	if err != nil {
		r.report(path, yamltree.BadValue, "", "the schema cannot be used: %v", err)
	}
	return s
}
