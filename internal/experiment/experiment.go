// Package experiment compares planner flows on cases with known expectations, so that people can decide by it.
//
// One experiment, in the order of the files:
//
//	spec.go, read*.go       the YAML document: cases, variants, repeats, budget, what decides
//	factors.go              node variants crossed into one variant for each combination
//	cases.go, expect*.go    the cases, one JSON object a line, and what is expected of a plan
//	plan.go, norm.go        a plan as node types, edges and parameters; values in one comparable form
//	score.go, check.go      a plan held to its expectation: metrics, and what was not as expected
//	store*.go               SQLite: one row for each case, variant and repeat
//	run.go, pace.go         the runner: pairs by case, budget, resume
//	compare.go              the statistics of package stats over the stored rows
//	diverge.go              the first node where two flows took different actions
//	summary.go, show*.go    an experiment in brief, as it was run, and a case of it
//	report*.go, plot*.go    what people and programs read of it
//
// Nothing here prints, reads the environment or knows a command: what is outside is handed in by Options.
package experiment
