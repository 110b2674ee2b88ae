// Package planshape gives plans their shape: the keys of pflow.plan/v1 that a planner decides, from what its store holds when it
// ends. It is the one place that does so, for every planner, at every exit, and for runs that broke.
package planshape

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"pflow/internal/value"
)

// Schema names the shape.
const Schema = "pflow.plan/v1"

// The statuses of a plan.
const (
	Ready      = "ready"
	NeedsInput = "needs_input" // the gate closed
	Infeasible = "infeasible"  // nothing in the catalogue does it
	Invalid    = "invalid"     // the generations are spent
	Failed     = "failed"
	Cancelled  = "cancelled"
)

// Keys are the names under which Of looks for what it shapes, with what each holds. All may be missing.
var Keys = []struct {
	Name string
	Type value.Type
	Doc  string
}{
	{"user_input", value.String, "the request"},
	{"discovery_result", value.Any, "{candidates: [{name, confidence, reason}]}"},
	{"found_workflow", value.Any, "the saved workflow that does it all: {name, description, keywords, ir}"},
	{"browsed_components", value.Any, "{node_ids, workflow_names, reasoning}"},
	{"planning_context", value.Any, "the interfaces of what was chosen; only its length is told"},
	{"discovered_params", value.Any, "{name: value}"},
	{"generated_workflow", value.Any, "the draft; text where the model wrote no JSON"},
	{"generation_reason", value.String, "why there is no workflow; with one, the request is infeasible"},
	{"generation_kind", value.String, "of what kind that is; infeasible if it is not said"},
	{"generation_call", value.Any, "{model, temperature, prompt_chars, reply} of the last draft"},
	{"validation_errors", value.Any, "[findings]; with one, the draft is invalid"},
	{"coverage", value.Any, "{parts, open}"},
	{"trigger", value.Any, "when it runs by itself: {cron, every, at or watch; timezone, text}"},
	{"heard", value.Any, "where the request says when, and how what was planned differs from it, as read-trigger gives it"},
	{"workflow_metadata", value.Any, "{suggested_name, description, inputs, outputs, keywords} of the draft"},
	{"extracted_params", value.Any, "{input: value}"},
	{"missing_params", value.Any, "[{name, type, description}]; with one, the plan needs input"},
	{"attempts", value.Integer, "how many drafts were made"},
	{"attempt_history", value.Any, "[{attempt, phase, outcome, at, errors}]"},
	{"failed_at", value.String, "the node at which the plan failed, if it did"},
	{"errors", value.Any, "every failure on the way, as in run.errors; the last is the one it failed by"},
	{"answered", value.Boolean, "whether any model answered, well or badly; yes if it is not said"},
	{"generated_at", value.String, "the node that makes drafts; workflow-generation if it is not said"},
	{"validated_at", value.String, "the node that finds what is wrong with a draft; workflow-validation if it is not said"},
	{"hints", value.Any, "{kind of error: what to do about it}; under other for any other kind"},
}

// recent is how many entries of the history stand in a failure by themselves; earlier ones are in its error_history.
const recent = 3

// Uncovered is the kind of error of an infeasible plan whose draft does a part of the request: coverage says what it leaves open.
const Uncovered = "uncovered"

type object = map[string]any

// Of gives a plan. at is the time that a failure carries.
func Of(facts map[string]any, at string) map[string]any {
	found, _ := facts["found_workflow"].(object)
	draft, _ := facts["generated_workflow"].(object)
	problems, missing := list(facts["validation_errors"]), list(facts["missing_params"])
	reason, failedAt := text(facts["generation_reason"]), text(facts["failed_at"])
	var workflow, path, name any
	metadata := record(facts["workflow_metadata"])
	if found != nil {
		workflow, path = found["ir"], "reuse"
		metadata = object{"suggested_name": found["name"], "description": found["description"], "keywords": found["keywords"]}
	} else if draft != nil {
		workflow, path = draft, "generate"
	}
	if workflow != nil && text(metadata["suggested_name"]) != "" {
		name = metadata["suggested_name"]
	}
	status := Ready
	switch {
	case failedAt != "":
		status = Failed
	case found == nil && (reason != "" || draft == nil && len(problems) == 0):
		status = Infeasible
	case found == nil && len(problems) > 0:
		status = Invalid
	case len(missing) > 0:
		status = NeedsInput
	}
	plan := object{
		"schema": Schema, "status": status, "path": path, "workflow_name": name, "workflow_ir": workflow,
		"workflow_metadata": object{
			"suggested_name": text(metadata["suggested_name"]), "description": text(metadata["description"]), "keywords": list(metadata["keywords"]),
			"inputs": names(workflow, "inputs"), "outputs": names(workflow, "outputs"),
		},
		"execution_params": record(facts["extracted_params"]), "missing_params": missing,
		"candidates": list(record(facts["discovery_result"])["candidates"]), "browsed_components": browsed(facts),
		"discovered_params": record(facts["discovered_params"]), "coverage": coverage(facts),
		"diagnostics": problems, "attempts": count(facts["attempts"]),
	}
	if heard := record(facts["heard"]); heard["request"] != nil {
		facts = maps.Clone(facts)
		facts["user_input"] = heard["request"]
	}
	if why := triggered(plan, facts); why != "" && (status == Ready || status == NeedsInput) {
		status = Infeasible
		plan["status"] = status
		facts = maps.Clone(facts)
		facts["generation_reason"], facts["generation_kind"] = why, UnclearTrigger
	}
	plan["error"] = nil
	if status == Failed || status == Infeasible || status == Invalid {
		plan["error"] = errorOf(facts, status, at)
	}
	return plan
}

// NoModelAnswered is the kind of error of a plan that failed before any model had replied.
const NoModelAnswered = "provider_error"

// errorOf is why there is no workflow to run: {kind, message, node, hint, cause}.
func errorOf(facts object, status, at string) object {
	errors, history := list(facts["errors"]), list(facts["attempt_history"])
	reason := text(facts["generation_reason"])
	last := object{"kind": "unfinished", "message": reason} // a planner may give up without an error
	if n := len(errors); n > 0 && reason == "" {
		last = record(errors[n-1])
	}
	kind, message, node := status, "", ""
	var cause any
	switch status {
	case Failed:
		kind, message, node, cause = text(last["kind"]), text(last["message"]), text(facts["failed_at"]), last["kind"]
		if facts["answered"] == false {
			kind, message = NoModelAnswered, "no model answered: "+message
			if !slices.ContainsFunc(errors, func(e any) bool { return record(e)["kind"] != "unpriced" }) {
				kind, message = "unpriced", text(last["message"])
			}
		}
	case Infeasible:
		node = cmp.Or(text(facts["generated_at"]), "workflow-generation")
		kind = cmp.Or(text(facts["generation_kind"]), status)
		if kind == UnclearTrigger {
			node = "trigger-reading"
		}
		message = cmp.Or(reason, "nothing in the catalogue does this")
	case Invalid:
		node = cmp.Or(text(facts["validated_at"]), "workflow-validation")
		message = text(record(list(facts["validation_errors"])[0])["message"])
	}
	hints := record(facts["hints"])
	hint, ok := hints[kind]
	if !ok {
		hint = text(hints["other"])
	}
	call := record(facts["generation_call"])
	if details := record(last["details"]); len(details) > 0 && (status == Failed || len(call) == 0) {
		call = details
	}
	chosen := browsed(facts)
	before := max(0, len(history)-recent)
	earlier := []any{}
	for _, e := range errors {
		r := record(e)
		earlier = append(earlier, object{"node": r["node"], "kind": r["kind"], "message": r["message"], "attempt": r["attempt"]})
	}
	return object{"kind": kind, "message": message, "node": node, "hint": hint, "cause": object{
		"kind": cause, "time": at, "user_input": text(facts["user_input"]), "attempts": count(facts["attempts"]),
		"model": call["model"], "temperature": call["temperature"], "prompt_chars": call["prompt_chars"], "reply": call["reply"],
		"context_chars": length(facts["planning_context"]), "components": slices.Concat(list(chosen["node_ids"]), list(chosen["workflow_names"])),
		"validation_errors": list(facts["validation_errors"]), "attempt_history": history[before:], "error_history": append(earlier, history[:before]...),
	}}
}

func browsed(facts object) object {
	b := record(facts["browsed_components"])
	return object{"node_ids": list(b["node_ids"]), "workflow_names": list(b["workflow_names"]), "reasoning": text(b["reasoning"])}
}

func coverage(facts object) object {
	c := record(facts["coverage"])
	return object{"parts": list(c["parts"]), "open": list(c["open"])}
}

// names are the keys of a mapping of a workflow, sorted.
func names(workflow any, key string) []any {
	out := []any{}
	for _, name := range value.SortedKeys(record(record(workflow)[key])) {
		out = append(out, name)
	}
	return out
}

func length(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	}
	return 0
}

func record(v any) object {
	if m, ok := v.(object); ok && m != nil {
		return m
	}
	return object{}
}

func list(v any) []any {
	if l, ok := v.([]any); ok && l != nil {
		return l
	}
	return []any{}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func count(v any) int {
	n, _ := v.(int)
	return n
}
