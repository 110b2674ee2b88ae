package syntax

import "regexp"

// naming is a rule for names that a document chooses.
type naming struct {
	pattern string // anchored; ECMA and Go read it alike
	rule    string // completes "must be …"
	re      *regexp.Regexp
	also    []string // names that are allowed beside the pattern
	taken   []string // names that are not, though the pattern has them
	why     string   // why they are taken
}

func newNaming(pattern, rule string) *naming {
	return &naming{pattern: pattern, rule: rule, re: regexp.MustCompile(pattern)}
}

// allows says whether a name may be chosen, and if not, why.
func (n *naming) allows(name string) (ok bool, why string) {
	for _, a := range n.also {
		if name == a {
			return true, ""
		}
	}
	for _, t := range n.taken {
		if name == t {
			return false, n.why
		}
	}
	if len(name) > maxName {
		return false, "must be shorter"
	}
	if !n.re.MatchString(name) {
		return false, "must be " + n.rule
	}
	return true, ""
}

// maxName is the longest name that a document may choose, in bytes.
const maxName = 200

var (
	flowName = newNaming(`^[a-z0-9]+(-[a-z0-9]+)*$`, "lower-case words joined by hyphens, such as retry-demo")
	nodeName = with(newNaming(`^[a-z0-9]+(-[a-z0-9]+)*$`, "lower-case words joined by hyphens, such as check-result"),
		nil, []string{"end"}, "is where edges end a flow; choose another id")
	keyName = with(newNaming(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`, "lower-case words joined by _, such as user_input"),
		nil, []string{"last_error"}, "is always declared; choose another name")
	meterName  = newNaming(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`, "lower-case words joined by _, such as cost_usd")
	actionName = newNaming(`^[a-z0-9]+(_[a-z0-9]+)*$`, "lower-case words joined by _, such as not_found")
	routeName  = with(actionName, []string{"*"}, nil, "")
	identifier = newNaming(`^[A-Za-z_][A-Za-z0-9_]*$`, "letters, digits and _, so that expressions can name it")
	searchPath = newNaming(`^[^\s*]+$`, "the path of a value, such as params.max_generations, or prompts.NAME")
	branchName = regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*$`)
)

func with(n *naming, also, taken []string, why string) *naming {
	c := *n
	c.also, c.taken, c.why = also, taken, why
	return &c
}

// IsName reports whether a name is lower-case words joined by - or _, as the names of branches are.
func IsName(name string) bool { return len(name) <= maxName && branchName.MatchString(name) }
