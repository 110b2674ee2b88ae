package ir

import (
	"fmt"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// The keys of a case.
const (
	CaseAction = "action" // the action of the edges that are taken when it holds
	CaseExpr   = "expr"   // the condition
)

// ResultsOf is Results of a node with these params: the actions that its cases name are among them.
func (i *Interface) ResultsOf(params map[string]any) []string {
	out := i.Results()
	for _, c := range i.caseList(params) {
		m, _ := c.(map[string]any)
		if a, ok := m[CaseAction].(string); ok && a != "" && a != ActionError && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

func (i *Interface) caseList(params map[string]any) []any {
	list, _ := params[i.Cases].([]any)
	return list
}

// cases checks the form of a node's cases, which no expression is looked at for: each has an action of its own choice,
// which edges can have, and a text.
func (v *validator) cases(node int) {
	i := v.components[node]
	if i.Cases == "" {
		return
	}
	base := v.path(node, "."+paramPath(i.Cases))
	list, ok := v.w.Nodes[node].Params[i.Cases].([]any)
	if ok && len(list) == 0 {
		v.error(MissingInput, base, node, `%s needs at least one case, {"action": …, "expr": …}`, i.Name)
	}
	for n, c := range list {
		path := index(base, n)
		m, ok := c.(map[string]any)
		if !ok {
			v.error(BadParamType, path, node, `a case is an object, {"action": …, "expr": …}, not %s`, value.Describe(tidy(c)))
			continue
		}
		keys := []string{CaseAction, CaseExpr}
		for _, k := range value.SortedKeys(m) {
			if !slices.Contains(keys, k) {
				f := v.error(UnknownParam, key(path, k), node, "%q is no key of a case", k)
				f.Suggestion, f.Alternatives = diag.Nearest(k, keys), keys
			}
		}
		for _, k := range keys {
			at := key(path, k)
			text, isText := m[k].(string)
			switch {
			case m[k] == nil || text == "" && isText:
				v.error(MissingInput, at, node, "the case needs %q: %s", k, map[string]string{CaseAction: "the action of the edges that it takes", CaseExpr: "an expression over the names of inputs"}[k])
			case !isText:
				v.error(BadParamType, at, node, "%q wants a string, got %s", k, value.Describe(tidy(m[k])))
			case k == CaseAction && (text == ActionError || text == ActionDefault):
				v.error(BadID, at, node, "a case cannot name the action %q: %s; name it otherwise, and its edges too", text, reserved[text])
			case k == CaseAction && !isID(text):
				v.error(BadID, at, node, "the action %q may hold letters, digits, _ and - only", text)
			}
		}
	}
}

var reserved = map[string]string{
	ActionError:   "it is taken when the node fails",
	ActionDefault: "it is taken when no case holds",
}

// routed reports cases without an edge: what they stand for would be lost without a word. Where no case holds a branch may
// end. A node alone has nowhere to lead, and one that runs once per item ends with default: what they give is the output.
func (v *validator) routed(node int) {
	i := v.components[node]
	if i == nil || i.Cases == "" || v.w.Nodes[node].Batch != nil || len(v.w.Nodes) == 1 {
		return
	}
	told := map[string]bool{ActionDefault: true, ActionError: true}
	for _, e := range v.g.out[node] {
		told[v.w.Edges[e].Action] = true
	}
	for n, c := range i.caseList(v.w.Nodes[node].Params) {
		m, _ := c.(map[string]any)
		action, _ := m[CaseAction].(string)
		if told[action] || !isID(action) {
			continue
		}
		told[action] = true
		id := v.w.Nodes[node].ID
		v.error(UnroutedAction, key(index(v.path(node, "."+paramPath(i.Cases)), n), CaseAction), node, "no edge from %q has the action %q, so this case leads nowhere; add the edge %s, or take the case out",
			id, action, fmt.Sprintf(`{"from": %q, "to": …, "action": %q}`, id, action))
	}
}
