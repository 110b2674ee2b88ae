package engine

import "pflow/internal/value"

// compositeOps are the ops that the engine runs itself: their units are started by Step and not by the driver.
func compositeOps() []Op {
	return []Op{
		{
			Name: "flow", mode: modeFlow, OpenPrep: true, Result: value.Object, Idempotent: true,
			Summary:   "Runs another flow: prep is its first store, its final store the result, its last action this node's action.",
			ResultDoc: "the inner flow's final store",
			With:      []Field{{Name: "flow", Type: value.String, Required: true, Doc: "the name of the flow"}},
			Example: `flow: flow-example
version: 1
description: Greet with a flow of its own, which gives the state keys greeting and name.
state:
  text: {type: string, default: ""}
nodes:
  greet:
    op: flow
    prep: {name: '"world"'}
    with: {flow: greeting}
    post: {text: result.greeting}
    next: {default: end}
`,
		},
		{
			Name: "map", mode: modeMap, Result: value.Array, Idempotent: true,
			Summary:   "Runs an op or a flow once for each item; the inner prep sees item and index.",
			ResultDoc: "the results in the order of the items; under on_error: continue a failed one is {error: {kind, message}}",
			Prep:      []Field{{Name: "items", Type: value.Array, Required: true, Doc: "the array; null stands for none"}},
			With: append(unitFields(),
				Field{Name: "concurrency", Type: value.Integer, Default: 1, Doc: "how many items may be under way at once, from 1"},
				Field{Name: "on_error", Type: value.String, Enum: []string{"fail", "continue"}, Default: "fail", Doc: "what the first failed item does to the rest"}),
			Example: `flow: map-example
version: 1
description: Measure each word of a text, two at a time.
state:
  words:   {type: array, default: [plan, once, run, for, ever]}
  lengths: {type: array, default: []}
nodes:
  measure:
    op: map
    prep: {items: store.words}
    with:
      op: eval
      prep: {word: item, place: index + 1}
      with: {expr: 'string(prep.place) + ": " + string(len(prep.word))'}
      concurrency: 2
    post: {lengths: result}
    next: end
`,
		},
		{
			Name: "parallel", mode: modeParallel, Result: value.Object, Idempotent: true,
			Summary:   "Runs branches at the same time, each an op or a flow.",
			ResultDoc: "{BRANCH: result}; with join: any {name, result} of the first branch to succeed",
			With: []Field{
				{Name: "branches", Type: value.Object, Required: true, Doc: "branch name -> {op or flow, prep, with}"},
				{Name: "join", Type: value.String, Enum: []string{"all", "any"}, Default: "all", Doc: "wait for all branches, or for the first to succeed"},
			},
			Example: `flow: parallel-example
version: 1
description: Look at one text in two ways at the same time.
state:
  text:  {type: string, default: plan once run for ever}
  words: {type: integer, default: 0}
  shout: {type: string, default: ""}
nodes:
  look:
    op: parallel
    with:
      branches:
        words: {op: eval, prep: {text: store.text}, with: {expr: 'len(split(prep.text, " "))'}}
        shout: {op: eval, prep: {text: store.text}, with: {expr: upper(prep.text)}}
    post: {words: result.words, shout: result.shout}
    next: end
`,
		},
	}
}

// unitFields are the options that name what map runs.
func unitFields() []Field {
	return []Field{
		{Name: "op", Type: value.String, Doc: "the op to run; or give flow"},
		{Name: "flow", Type: value.String, Doc: "the flow to run; or give op"},
		{Name: "prep", Type: value.Object, Doc: "name -> expression, for each item anew"},
		{Name: "with", Type: value.Object, Doc: "the options of the op"},
	}
}
