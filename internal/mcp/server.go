package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"pflow/internal/value"
)

// Server is one server: a program that is started, or an address.
type Server struct {
	Name    string
	Command string            // of a program; "" for an address
	Args    []string          // ${NAME} stands for an environment variable
	Env     map[string]string // variables that the program is given, as ${NAME}; further ones than those of every program
	URL     string            // of an address
	Headers map[string]string // of requests to it, each with a ${NAME}
	Timeout time.Duration     // for starting, listing and one call each; 0: DefaultTimeout
}

// DefaultTimeout bounds starting a server, listing its tools, and one call.
const DefaultTimeout = time.Minute

// maxTimeout is the longest that a server may be given.
const maxTimeout = 24 * time.Hour

// Patience is how long starting the server, listing its tools, or one call may take.
func (s *Server) Patience() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return DefaultTimeout
}

// NamePattern is what servers may be called. There is no dot in it, so that mcp.SERVER.TOOL has one reading.
var NamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}$`)

var (
	reference    = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
)

// Variables lists the environment variables that the server is given or that stand in what it is started or reached with.
func (s *Server) Variables() []string {
	var out []string
	for _, text := range s.texts() {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// texts are all in which ${NAME} stands for a variable.
func (s *Server) texts() []string {
	out := append(slices.Clone(s.Args), s.URL)
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for _, k := range value.SortedKeys(m) {
			out = append(out, m[k])
		}
	}
	return out
}

// expand puts the values of environment variables in. The error names one that is not set.
func expand(text string, getenv func(string) string) (string, error) {
	var missing string
	out := reference.ReplaceAllStringFunc(text, func(m string) string {
		name := m[2 : len(m)-1]
		v := getenv(name)
		if v == "" && missing == "" {
			missing = name
		}
		return v
	})
	if missing != "" {
		return "", fmt.Errorf("it is given the environment variable %s, which is not set", missing)
	}
	return out, nil
}

// Shown is the server in one line: its program with arguments, or its address.
func (s *Server) Shown() string {
	if s.Command == "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// Digest is a checksum of how the server is started or reached. Tools were listed by a server of one digest; those of
// another may be others.
func (s *Server) Digest() string {
	sum := sha256.Sum256([]byte(value.JSON(s.entry(false))))
	return hex.EncodeToString(sum[:8])
}

// entry is the server as it stands in the file. patience: with what says nothing of which server it is.
func (s *Server) entry(patience bool) map[string]any {
	out := map[string]any{}
	if s.Command != "" {
		args := make([]any, len(s.Args))
		for i, a := range s.Args {
			args[i] = a
		}
		out["command"], out["args"] = s.Command, args
	} else {
		out["type"], out["url"] = "http", s.URL
	}
	texts := func(m map[string]string) map[string]any {
		to := map[string]any{}
		for k, v := range m {
			to[k] = v
		}
		return to
	}
	if len(s.Env) > 0 {
		out["env"] = texts(s.Env)
	}
	if len(s.Headers) > 0 {
		out["headers"] = texts(s.Headers)
	}
	if patience && s.Timeout > 0 {
		out["timeout"] = s.Timeout.String()
	}
	return out
}

// Check says what is wrong with the server, and what to do; nil if it can be used.
func (s *Server) Check() error {
	switch {
	case !NamePattern.MatchString(s.Name):
		return fmt.Errorf("%q is no name of a server: use letters, digits, - and _, at most 60", s.Name)
	case s.Command == "" && s.URL == "":
		return fmt.Errorf("the server %s has neither a command nor a url; give one of them", s.Name)
	case s.Command != "" && s.URL != "":
		return fmt.Errorf("the server %s has a command and a url; give one of them", s.Name)
	case s.Command != "" && len(s.Headers) > 0:
		return fmt.Errorf("the server %s is a program and takes no headers; give it variables by env", s.Name)
	case s.URL != "" && len(s.Env) > 0:
		return fmt.Errorf("the server %s is an address and takes no env; give headers", s.Name)
	case s.Timeout < 0 || s.Timeout > maxTimeout:
		return fmt.Errorf("the server %s: the timeout %s is not between 1ms and 24h", s.Name, s.Timeout)
	}
	for _, text := range append(slices.Clone(s.Args), s.Command) {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("the server %s: a NUL character in its command or arguments, which no program can be given", s.Name)
		}
	}
	if s.URL != "" {
		if err := checkURL(s.URL); err != nil {
			return fmt.Errorf("the server %s: %w", s.Name, err)
		}
	}
	for _, k := range value.SortedKeys(s.Env) {
		if !variableName.MatchString(k) {
			return fmt.Errorf("the server %s: env: %q is no name of a variable: use letters, digits and _", s.Name, k)
		}
		if !reference.MatchString(s.Env[k]) {
			return fmt.Errorf("the server %s: env.%s holds a value, which is not kept in a file: write ${%[2]s}, and set the variable %[2]s where pflow is started", s.Name, k)
		}
	}
	for _, k := range value.SortedKeys(s.Headers) {
		if !headerName.MatchString(k) {
			return fmt.Errorf("the server %s: headers: %q is no name of a header", s.Name, k)
		}
		if !reference.MatchString(s.Headers[k]) {
			return fmt.Errorf("the server %s: headers.%s holds a value, which is not kept in a file: name an environment variable, such as ${%s}", s.Name, k, VariableFor(s.Name, k))
		}
	}
	return s.literalSecret()
}

func checkURL(text string) error {
	u, err := url.Parse(reference.ReplaceAllString(text, "x"))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("the url %q is no address that begins with https:// or http://", text)
	case u.User != nil:
		return fmt.Errorf("the url holds a user or a password, which are not kept in a file: give them as a header that names an environment variable")
	}
	return nil
}

// VariableFor is a name for the environment variable of a server's header.
func VariableFor(server, header string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, "MCP_"+server+"_"+header))
}

var secretName = regexp.MustCompile(`(?i)token|secret|passw|credential|auth|key|session|signature|cookie|pat$`)

// SecretName reports whether an environment variable is called as those are that hold a key, a password and the like.
func SecretName(name string) bool { return secretName.MatchString(name) }
