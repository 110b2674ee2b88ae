package ir

// The closed set of codes a finding about a workflow can have.
const (
	// Tier 1, syntactic.
	MalformedJSON = "malformed-json"
	// A text in CLI notation that cannot be read, see ReadNotation.
	MalformedNotation = "malformed-notation"
	MissingField      = "missing-field"
	WrongType         = "wrong-type"
	UnknownKey        = "unknown-key"
	BadID             = "bad-id"
	DuplicateNodeID   = "duplicate-node-id"
	DanglingEdge      = "dangling-edge"
	// Tier 2, static.
	UnknownNodeType = "unknown-node-type"
	UnknownParam    = "unknown-param"
	BadParamType    = "bad-param-type"
	MissingInput    = "missing-input"
	BadTemplate     = "bad-template"
	BadStart        = "bad-start" // a node that begins and also runs after one that does
	Cycle           = "cycle"
	UnreachableNode = "unreachable-node"
	// An edge's action that its node cannot give.
	ImpossibleAction = "impossible-action"
	UnroutedAction   = "unrouted-action" // a case without an edge
	UnusedInput      = "unused-input"    // a warning, in planning an error
	// Tier 3, data flow.
	UnresolvedTemplate  = "unresolved-template"
	ForeignTemplate     = "foreign-template" // a warning, in planning an error where nothing else reads the input
	UnknownPath         = "unknown-path"
	ForwardReference    = "forward-reference"
	AmbiguousKey        = "ambiguous-key" // a warning where an input shadows a flat key
	OutputWithoutSource = "output-without-source"
	RequestLiteral      = "request-literal" // planning only
	// Words of the request that no part of the workflow stands for. Found where the request is known, see package coverage;
	// planning only.
	UncoveredRequest = "uncovered-request"
	// A run with made-up results fails whatever they are. Found where the workflow can be run, see package workflowtest;
	// planning only.
	FakeRun = "fake-run"
)

// Codes lists every code, in the order of the tiers.
func Codes() []string {
	return []string{MalformedJSON, MalformedNotation, MissingField, WrongType, UnknownKey, BadID, DuplicateNodeID, DanglingEdge,
		UnknownNodeType, UnknownParam, BadParamType, MissingInput, BadTemplate, BadStart, Cycle, UnreachableNode, ImpossibleAction, UnroutedAction, UnusedInput,
		UnresolvedTemplate, ForeignTemplate, UnknownPath, ForwardReference, AmbiguousKey, OutputWithoutSource, RequestLiteral, UncoveredRequest, FakeRun}
}

// Tier is 1, 2 or 3 for a code of this package, else 0.
func Tier(code string) int {
	for i, c := range Codes() {
		if c == code {
			switch {
			case i < 8:
				return 1
			case i < 19:
				return 2
			}
			return 3
		}
	}
	return 0
}
