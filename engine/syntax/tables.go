package syntax

import "pflow/internal/yamltree"

// The tables of the language. Whatever Decode accepts, Schema describes and the documentation lists stands here.

var flowSection = section{
	name: "flow", what: "a flow",
	doc: "The document.",
	keys: []key{
		{name: "flow", form: &nameForm, required: true, doc: "The flow's name in kebab-case."},
		{name: "version", form: &versionForm, required: true, doc: "The version of the flow language: 1."},
		{name: "description", form: &textForm, doc: "What the flow does."},
		{name: "extends", form: &textForm, doc: "The name of the flow that this one changes; see Extending."},
		{name: "start", form: &textForm, def: "the first node", doc: "The id of the node that runs first."},
		{name: "state", form: &stateForm, doc: "The keys of the store and their types."},
		{name: "params", form: &paramsForm, doc: "Constants, seen as params.NAME, that can be overridden from outside."},
		{name: "search", form: &searchForm, doc: "What pflow tune may change, by path: ranges and choices. A run takes no notice of it."},
		{name: "functions", form: &functionsForm, doc: "Functions that every expression of the flow can call, by name."},
		{name: "limits", form: &limitsForm, doc: "What a run of the flow may use up."},
		{name: "defaults", form: &defaultsForm, doc: "What holds for each node that does not say otherwise, field by field."},
		{name: "nodes", form: &nodesForm, required: true, doc: "The nodes, by their ids."},
	},
}

var stateSection = section{
	name: "state", what: "state",
	doc:   "The keys of the store, by name (snake_case).",
	other: &stateKeyForm, names: keyName,
}

var stateKeySection = section{
	name: "state key", what: "a state key",
	doc: "One key of the store. Without required and default it must be written on every path before it is read.",
	keys: []key{
		{name: "type", form: &typeForm, required: true, doc: "The type of its values."},
		{name: "required", form: &boolForm, def: "false", doc: "Whether it must be given when the flow starts."},
		{name: "default", form: &anyForm, doc: "Its value when the flow starts; null allows null as a value at any time."},
		{name: "description", form: &textForm, doc: "What it holds."},
	},
	check: checkStateKey,
	schema: map[string]any{"not": map[string]any{
		"required":   []any{"required", "default"},
		"properties": map[string]any{"required": map[string]any{"const": true}},
	}},
}

var paramsSection = section{
	name: "params", what: "params",
	doc:   "Constants by name.",
	other: &anyForm, names: identifier,
}

var searchSection = section{
	name: "search", what: "search",
	doc:   "What pflow tune may change: the path of a value as for --set, or prompts.NAME, and a list of choices or a range.",
	other: &dimensionForm, names: searchPath,
}

var rangeSection = section{
	name: "range", what: "a range",
	doc: "Numbers in even steps, both ends among them.",
	keys: []key{
		{name: "from", form: &numberForm, required: true, doc: "The first."},
		{name: "to", form: &numberForm, required: true, doc: "The last."},
		{name: "step", form: &numberForm, required: true, doc: "How far one is from the next."},
	},
	check: checkRange,
}

var functionsSection = section{
	name: "functions", what: "functions",
	doc:   "Functions by name. Each sees its arguments, params, and the functions before it.",
	other: &functionForm, names: identifier,
}

var functionSection = section{
	name: "function", what: "a function",
	doc: "One function; its body stands under expr or under cel. Both languages can call it.",
	keys: []key{
		{name: "args", form: &argsForm, required: true, doc: "The names of its arguments, such as [a, b]; [] for none."},
		{name: "expr", form: &exprForm, doc: "The body, in expr."},
		{name: "cel", form: &exprForm, doc: "The body, in CEL."},
	},
	check:  checkFunction,
	schema: map[string]any{"not": map[string]any{"required": []any{"expr", "cel"}}},
}

var limitsSection = section{
	name: "limits", what: "limits",
	doc: "Limits of one run. Any other key is a meter that an op of the flow reports, such as calls, tokens or cost_usd.",
	keys: []key{
		{name: "steps", form: &countForm, def: "10000", doc: "How many nodes may run."},
		{name: "timeout", form: &positiveDurationForm, doc: "How long the run may take."},
	},
	other: &meterForm, names: meterName,
}

var defaultsSection = section{
	name: "defaults", what: "defaults",
	doc: "Values for nodes that do not give them; retry is merged field by field.",
	keys: []key{
		{name: "retry", form: &retryForm, doc: "As in a node."},
		{name: "timeout", form: &durationForm, doc: "As in a node."},
	},
}

var nodesSection = section{
	name: "nodes", what: "nodes",
	doc:   "The nodes by id (kebab-case); the order counts where start is not given.",
	other: &nodeForm, names: nodeName,
}

var nodeSection = section{
	name: "node", what: "a node",
	doc: "One node. Its life: prep, attempts of the op, fallback, post, action, next.",
	keys: []key{
		{name: "op", form: &textForm, required: true, doc: "The operation it runs."},
		{name: "description", form: &textForm, doc: "What it is for."},
		{name: "prep", form: &prepForm, doc: "Name -> expression over store, params and run: the values that the op sees."},
		{name: "with", form: &withForm, doc: "The options of the op: literals, checked when the flow is loaded."},
		{name: "retry", form: &retryForm, doc: "What happens after a failed attempt."},
		{name: "timeout", form: &durationForm, doc: "How long one attempt may take; 0s for no limit, whatever defaults say."},
		{name: "fallback", form: &exprForm, doc: "Gives the result when the last attempt has failed, from error, attempt, prep, params and run."},
		{name: "vars", form: &varsForm, doc: "Name -> expression: values that post, actions and action share, seen as vars.NAME."},
		{name: "post", form: &postForm, doc: "State key -> expression over result, prep, vars, store, params, attempt, action and run: what the node writes."},
		{name: "actions", form: &actionsForm, doc: "Names the action: the first whose condition holds. They see what post sees."},
		{name: "action", form: &exprForm, doc: "Names the action where it is data."},
		{name: "next", form: &nextForm, doc: "Action -> node, or end; a node alone stands for {default: NODE}."},
		{name: "catch", form: &catchForm, doc: "Takes an error of the node."},
		{name: "max_visits", form: &countForm, doc: "How often the node may run in one run of the flow."},
		{name: "target", form: &targetForm, doc: "How long its visits are meant to take. It ends nothing: pflow runs stats, and guardrails of experiments, hold the node to it."},
	},
}

var prepSection = section{
	name: "prep", what: "prep",
	doc:   "Name -> expression, or a mapping or a list of expressions. A list of names stands for the store's keys of these names.",
	other: &valueForm, names: identifier,
}

var postSection = section{
	name: "post", what: "post",
	doc:   "State key -> expression, or a mapping or a list of expressions. A list of names stands for the result's members of these names.",
	other: &valueForm, names: keyName,
}

var varsSection = section{
	name: "vars", what: "vars",
	doc:   "Name -> expression, or a mapping or a list of expressions. Each sees what post sees, and those before it.",
	other: &valueForm, names: identifier,
}

var retrySection = section{
	name: "retry", what: "retry",
	doc:   "What happens after a failed attempt.",
	fault: BadRetry,
	keys: []key{
		{name: "attempts", form: &attemptsForm, def: "1", doc: "How many tries there are, the first included."},
		{name: "wait", form: &durationForm, def: "0s", doc: "The time before the second try."},
		{name: "backoff", form: &backoffForm, def: "constant", doc: "Whether each wait is as long as the one before, or twice as long."},
		{name: "max_wait", form: &positiveDurationForm, doc: "The longest wait."},
		{name: "jitter", form: &jitterForm, def: "0", doc: "The share of a wait that is left to chance."},
		{name: "on", form: &exprForm, def: "error.temporary", doc: "Whether there is another try; asked after each failed attempt but the last. It sees error, attempt, prep, params and run."},
	},
}

var actionSection = section{
	name: "actions", what: "an action",
	doc: "One entry of the list actions; the last one has no condition.",
	keys: []key{
		{name: "action", form: &actionForm, required: true, doc: "The action."},
		{name: "expr", form: &exprForm, doc: "The condition, in expr."},
		{name: "cel", form: &exprForm, doc: "The condition, in CEL."},
	},
	check:  checkActionCase,
	schema: map[string]any{"not": map[string]any{"required": []any{"expr", "cel"}}},
}

var nextSection = section{
	name: "next", what: "next",
	doc:   "Action -> node id, or end. Only beside action: EXPR is there '*', for the actions that are not named.",
	other: &textForm, names: routeName,
}

var catchSection = section{
	name: "catch", what: "catch",
	doc: "Takes an error of prep, exec, fallback, post or action; store.last_error then tells of it.",
	keys: []key{
		{name: "action", form: &actionForm, required: true, doc: "The action that the node leaves with."},
	},
}

var unitKeys = []key{
	{name: "op", form: &textForm, doc: "The op to run; either op or flow is given."},
	{name: "flow", form: &textForm, doc: "The flow to run."},
	{name: "prep", form: &prepForm, doc: "Name -> expression."},
	{name: "with", form: &withForm, doc: "The options of the op."},
}

var targetSection = section{
	name: "target", what: "target",
	doc: "Percentiles of the time that visits of the node are meant to take: with p95: 2s at most 5 of 100 take longer than 2 s.",
	keys: []key{
		{name: "p50", form: &positiveDurationForm, doc: "The time that half of the visits keep within."},
		{name: "p95", form: &positiveDurationForm, doc: "The time that 95 of 100 keep within."},
		{name: "p99", form: &positiveDurationForm, doc: "The time that 99 of 100 keep within."},
	},
}

var itemSection = section{
	name: "item", what: "with of map",
	doc:  "What map runs for each item: the keys of its with, beside its own options. prep sees item and index, too.",
	keys: unitKeys, open: true,
}

var branchSection = section{
	name: "branch", what: "a branch",
	doc:  "A branch of parallel.",
	keys: unitKeys,
}

var withSection = section{name: "with", what: "with", doc: "The options of an op; see its own documentation.", open: true}

// sections lists the tables in the order in which documentation shows them.
func sections() []*section {
	return []*section{
		&flowSection, &stateSection, &stateKeySection, &paramsSection, &searchSection, &rangeSection, &functionsSection, &functionSection, &limitsSection, &defaultsSection, &nodesSection,
		&nodeSection, &prepSection, &withSection, &retrySection, &varsSection, &postSection, &actionSection, &nextSection, &catchSection, &targetSection,
		&itemSection, &branchSection,
	}
}

var (
	flowForm      = mapping(&flowSection)
	stateForm     = mapping(&stateSection)
	stateKeyForm  = form{name: "a mapping such as {type: string}", kinds: []yamltree.Kind{yamltree.Map}, section: &stateKeySection}
	paramsForm    = mapping(&paramsSection)
	searchForm    = mapping(&searchSection)
	dimensionForm = form{name: "a list of choices, or a range such as {from: 0.5, to: 0.9, step: 0.1}", kinds: []yamltree.Kind{yamltree.Seq, yamltree.Map}, section: &rangeSection, check: checkChoices}
	functionsForm = mapping(&functionsSection)
	functionForm  = form{name: "a mapping such as {args: [a, b], expr: a + b}", kinds: []yamltree.Kind{yamltree.Map}, section: &functionSection}
	argsForm      = form{name: "a list of names", kinds: []yamltree.Kind{yamltree.Seq}, each: &argForm}
	limitsForm    = mapping(&limitsSection)
	defaultsForm  = mapping(&defaultsSection)
	nodesForm     = form{name: "a mapping of node ids to nodes", kinds: []yamltree.Kind{yamltree.Map}, section: &nodesSection, check: checkNodes}
	nodeForm      = form{name: "a mapping such as {op: log, next: end}", kinds: []yamltree.Kind{yamltree.Map}, section: &nodeSection}
	prepForm      = form{name: "a mapping of names to expressions, or a list of names", kinds: []yamltree.Kind{yamltree.Map, yamltree.Seq}, section: &prepSection, check: checkList}
	postForm      = form{name: "a mapping of state keys to expressions, or a list of state keys", kinds: []yamltree.Kind{yamltree.Map, yamltree.Seq}, section: &postSection, check: checkList}
	varsForm      = form{name: "a mapping of names to expressions", kinds: []yamltree.Kind{yamltree.Map}, section: &varsSection}
	retryForm     = form{name: "a mapping such as {attempts: 3, wait: 1s}", kinds: []yamltree.Kind{yamltree.Map}, section: &retrySection}
	actionsForm   = form{name: "a list such as [{action: good, expr: 'result.ok'}, {action: bad}]", kinds: []yamltree.Kind{yamltree.Seq}, each: &actionCaseForm, check: checkActions}
	withForm      = mapping(&withSection)
	catchForm     = form{name: "a mapping such as {action: failed}", kinds: []yamltree.Kind{yamltree.Map}, section: &catchSection}
	targetForm    = form{name: "a mapping such as {p95: 2s}", kinds: []yamltree.Kind{yamltree.Map}, section: &targetSection, check: checkNotEmpty}
	itemForm      = mapping(&itemSection)
	branchForm    = form{name: "a mapping such as {op: log, prep: {…}}", kinds: []yamltree.Kind{yamltree.Map}, section: &branchSection}
	nextForm      = form{name: "a node id, end, or a mapping of actions to them", kinds: []yamltree.Kind{yamltree.String, yamltree.Map}, section: &nextSection, check: checkNotEmpty}

	actionCaseForm = form{name: "a mapping such as {action: good, expr: 'result.ok'}", kinds: []yamltree.Kind{yamltree.Map}, section: &actionSection}
)
