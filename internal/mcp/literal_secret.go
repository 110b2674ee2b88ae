package mcp

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var (
	secretFlag  = regexp.MustCompile(`(?i)token|secret|passw|credential|api-?_?key|access-?_?key|private-?_?key`)
	knownSecret = regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{30,}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,})`)
)

// literalSecret says which argument or part of the address looks like a secret, which is not kept in a file.
func (s *Server) literalSecret() error {
	secret := func(where, name string) error {
		return fmt.Errorf("the server %s: %s looks like a secret, which is not kept in a file: write ${%s} in its place, and set that environment variable", s.Name, where, VariableFor(s.Name, name))
	}
	for i, a := range s.Args {
		name, v, joined := strings.Cut(a, "=")
		isFlag := strings.HasPrefix(name, "-") && secretFlag.MatchString(name)
		switch {
		case knownSecret.MatchString(a):
			return secret(fmt.Sprintf("args[%d]", i), "TOKEN")
		case joined && (isFlag || variableName.MatchString(name) && secretFlag.MatchString(name)) && v != "" && !reference.MatchString(v):
			return secret(fmt.Sprintf("the value of %s in args[%d]", name, i), strings.Trim(name, "-"))
		case !joined && isFlag && i+1 < len(s.Args) && !strings.HasPrefix(s.Args[i+1], "-") && len(s.Args[i+1]) >= shortestKey && !reference.MatchString(s.Args[i+1]):
			return secret(fmt.Sprintf("args[%d], the value of %s,", i+1, name), strings.Trim(name, "-"))
		}
	}
	if knownSecret.MatchString(s.URL) {
		return secret("a part of the url", "TOKEN")
	}
	if u, err := url.Parse(s.URL); err == nil {
		for name, values := range u.Query() {
			for _, v := range values {
				if SecretName(name) && v != "" && !reference.MatchString(v) {
					return secret("the value of "+name+" in the url", name)
				}
			}
		}
	}
	return nil
}
