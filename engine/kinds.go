package engine

import "slices"

// Kind is one kind of finding about a flow, for documentation.
type Kind struct{ Name, Doc string }

// Kinds lists the kinds of findings that loading a flow can make, sorted by name. Names are stable: tests and users'
// scripts assert them.
func Kinds() []Kind { return slices.Clone(kinds) }

var kinds = []Kind{
	{"bad-catch-all", "'*' stands in next without action: EXPR, or is missing beside it"},
	{"bad-condition", "a condition, or retry.on, does not compile"},
	{"bad-expression", "an expression does not compile, or names what it cannot see"},
	{"bad-extends", "the extended flow cannot be found or extends itself, or null removes what is not there"},
	{"bad-function", "a function has the name of another or calls itself, or its arguments cannot be named so"},
	{"bad-name", "a name is not of the form that names of its sort have"},
	{"bad-param", "an option of an op has a wrong value, or a needed one is missing"},
	{"bad-prompt", "a prompt file has no front matter, or its template cannot be read"},
	{"bad-retry", "a value of retry is out of range"},
	{"bad-search", "search names what is not there, or values that cannot stand there"},
	{"bad-type", "there is no such type, or a value can never have the type that is needed"},
	{"bad-yaml", "the document is no YAML that can be read"},
	{"condition-not-bool", "a condition can never be true or false"},
	{"duplicate-key", "a key stands twice"},
	{"flow-cycle", "a flow runs itself, also over other flows"},
	{"impossible-action", "next routes an action that the node never returns, or an entry of actions is never taken"},
	{"missing-key", "a needed key is missing"},
	{"missing-prep", "an op or an inner flow needs a value that prep does not give"},
	{"no-default-route", "the last entry of actions has a condition"},
	{"no-path-to-end", "from a node no path leads to end"},
	{"prompt-missing-var", "a prompt uses a variable that nothing gives"},
	{"prompt-unused-var", "a prompt does not use a variable that it is given, or declares"},
	{"read-before-write", "on some path a state key is read before anything wrote it"},
	{"unknown-flow", "there is no flow of the name"},
	{"unknown-key", "the language has no such key here"},
	{"unknown-meter", "a limit, or run.usage, is on a meter that no op of the flow has"},
	{"unknown-node", "an edge, start or run.visits names no node of the flow"},
	{"unknown-op", "there is no op of the name, or it cannot stand here"},
	{"unknown-param", "an op takes no such option, or no such name from prep"},
	{"unknown-prompt", "there is no prompt of the name"},
	{"unknown-schema", "there is no schema of the name"},
	{"unknown-state-key", "the state declares no such key"},
	{"unreachable-node", "no path from the start leads to a node"},
	{"unrouted-action", "a node can return an action that next does not route"},
	{"wrong-kind", "a value is not of the kind that its key needs"},
}
