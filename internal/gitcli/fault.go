package gitcli

import (
	"strconv"
	"strings"

	"pflow/internal/fault"
)

// failed is the error of a call: what is wrong and what to do, then git's own words. The details hold a reason that programs
// can look at, the exit status and the words.
func (g *Git) failed(kind fault.Kind, reason string, r Result, format string, args ...any) *fault.Error {
	e := fault.New(kind, format, args...)
	r.Stderr = Address(r.Stderr)
	e.Details = map[string]any{"reason": reason, "exit_status": r.Code, "stderr": r.Stderr}
	if words := words(r.Stderr); words != "" {
		e.Message += ": git says " + strconv.Quote(words)
	}
	return e
}

// told is an error that is known without git's words.
func told(kind fault.Kind, reason, format string, args ...any) *fault.Error {
	e := fault.New(kind, format, args...)
	e.Details = map[string]any{"reason": reason}
	return e
}

// about adds the files that an error is about.
func about(e *fault.Error, files []string) *fault.Error {
	e.Details["files"] = Texts(files)
	return e
}

const maxWords = 500

// words are git's messages in short: without its prefixes and hints.
func words(stderr string) string {
	var out []string
	for l := range strings.Lines(stderr) {
		l = strings.TrimSpace(l)
		for _, p := range []string{"fatal: ", "error: "} {
			l = strings.TrimPrefix(l, p)
		}
		if l == "" || strings.HasPrefix(l, "hint:") || strings.HasPrefix(l, "To ") {
			continue
		}
		out = append(out, l)
	}
	s := strings.Join(out, "; ")
	if len(s) > maxWords {
		s = strings.ToValidUTF8(s[:maxWords], "") + "…"
	}
	return s
}

// remoteKinds tell why another repository was not reached by what git, or a program it uses, says of it in English: there
// is no other way to know. What none of them is in counts as a failure that stays.
var remoteKinds = []struct {
	kind   fault.Kind
	reason string
	advice string
	says   []string
}{
	{fault.Authentication, "authentication", "git must be able to sign in without asking: set up a credential helper or an ssh key with an agent",
		[]string{"terminal prompts disabled", "Authentication failed", "could not read Username", "could not read Password", "Permission denied (", "Host key verification failed", "returned error: 403"}},
	{fault.NotFound, "unknown_remote", "check the remote's address",
		[]string{"does not appear to be a git repository", "epository not found", "returned error: 404", "does not exist", "couldn't find remote ref", "not found"}},
	{fault.Network, "network", "check the network and try again",
		[]string{"Could not resolve host", "Connection refused", "Connection timed out", "Connection reset", "Failed to connect", "Couldn't connect", "Operation too slow", "Network is unreachable", "early EOF", "hung up unexpectedly", "returned error: 5"}},
}

// remoteFailed is the error of a call that goes to another repository.
func (g *Git) remoteFailed(r Result, doing string) *fault.Error {
	for _, k := range remoteKinds {
		for _, s := range k.says {
			if strings.Contains(r.Stderr, s) {
				return g.failed(k.kind, k.reason, r, "cannot %s; %s", doing, k.advice)
			}
		}
	}
	return g.failed(fault.ExitStatus, "failed", r, "cannot %s", doing)
}

func quoteDir(dir string) string {
	if dir == "" {
		dir = "."
	}
	return strconv.Quote(dir)
}

// some shows the first of many names.
func some(names []string) string {
	const most = 5
	var out []string
	for _, n := range names[:min(most, len(names))] {
		out = append(out, strconv.Quote(n))
	}
	if more := len(names) - most; more > 0 {
		out = append(out, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(out, ", ")
}
