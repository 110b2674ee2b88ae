package planshape

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"pflow/internal/trigger"
	"pflow/internal/value"
	"pflow/internal/when"
)

// UnclearTrigger is the kind of error of an infeasible plan whose request says when it shall run, and not so that a trigger could.
const UnclearTrigger = "unclear_trigger"

// triggered gives a plan its trigger, and the places of its coverage those of the request as it was said. The input that takes the
// path which stands for the file that arrives becomes that of the watch, and has no value until a file does; what is named for it is
// named for each. It gives why that cannot be, "" where it can.
func triggered(plan, facts object) (why string) {
	plan["trigger"] = facts["trigger"]
	heard, _ := facts["heard"].(object)
	if heard == nil {
		return ""
	}
	coverage := record(plan["coverage"])
	request, edits := text(heard["request"]), editsOf(heard["edits"])
	plan["coverage"] = object{
		"parts": append(placed(list(coverage["parts"]), request, edits), object{
			"text": request[count(heard["start"]):count(heard["end"])], "start": count(heard["start"]), "end": count(heard["end"]), "by": "trigger"}),
		"open": placed(list(coverage["open"]), request, edits),
	}
	slices.SortStableFunc(plan["coverage"].(object)["parts"].([]any), func(a, b any) int { return cmp.Compare(count(record(a)["start"]), count(record(b)["start"])) })
	standIn := text(heard["stand_in"])
	if standIn == "" || plan["workflow_ir"] == nil {
		return ""
	}
	params := record(plan["execution_params"])
	takes, named, left := "", object{}, object{}
	for _, name := range value.SortedKeys(params) {
		v := params[name]
		said, isText := v.(string)
		switch {
		case v == standIn && takes == "":
			takes = name
		case isText && v != standIn && strings.Contains(said, when.Arrived) && !strings.Contains(said, trigger.Stem):
			named[name] = strings.ReplaceAll(said, when.Arrived, trigger.Stem)
		default:
			left[name] = v
		}
	}
	switch {
	case takes == "":
		return "nothing in the workflow takes the file that arrives as an input"
	case strings.Contains(value.JSON(left), when.Arrived), strings.Contains(value.JSON(plan["workflow_ir"]), when.Arrived):
		return "what the workflow does with the file that arrives would be the same for each file: say where it goes, such as a folder"
	}
	whole := maps.Clone(record(facts["trigger"]))
	watch := maps.Clone(record(whole["watch"]))
	watch["input"] = takes
	if len(named) > 0 {
		watch["named"] = named
	}
	whole["watch"] = watch
	plan["trigger"], plan["execution_params"] = whole, left
	return ""
}

// placed are parts with the places of the request as it was said.
func placed(parts []any, request string, edits []when.Edit) []any {
	out := []any{}
	for _, p := range parts {
		m := object{}
		for k, v := range record(p) {
			m[k] = v
		}
		start, end := when.Place(edits, count(m["start"]), false), when.Place(edits, count(m["end"]), true)
		if start >= 0 && start < end && end <= len(request) {
			m["start"], m["end"], m["text"] = start, end, request[start:end]
		}
		out = append(out, m)
	}
	return out
}

// editsOf are the edits that read-trigger gives, each as a list of four places.
func editsOf(v any) (out []when.Edit) {
	for _, e := range list(v) {
		if at := list(e); len(at) == 4 {
			out = append(out, when.Edit{At: count(at[0]), To: count(at[1]), Start: count(at[2]), End: count(at[3])})
		}
	}
	return out
}
