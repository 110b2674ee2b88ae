package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPrograms: the settings map secrets and name agents; what is wrong is said with its place, and never shows what may be the
// secret itself.
func TestPrograms(t *testing.T) {
	s, found := Parse("s.yaml", []byte("secrets:\n  A: {command: [pass, show, a]}\n  B: {keyring: {service: s, user: u}}\nagents:\n  two: {command: [~/bin/two], env: [K]}\n  one: {command: [claude, -p]}\n"))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	if a, b := s.Secrets[0], s.Secrets[1]; a.Name != "A" || len(a.Command) != 3 || a.Place.String() != "s.yaml:2:3" || b.Service != "s" || b.User != "u" {
		t.Errorf("%+v", s.Secrets)
	}
	if len(s.Agents) != 2 || s.Agents[0].Name != "two" || s.Agents[0].Env[0] != "K" {
		t.Errorf("%+v", s.Agents)
	}
	_, found = Parse("s.yaml", []byte(`secrets:
  A: s3cr3t-value
  B: {command: [./mine]}
  C: {command: [x], keyring: {service: s, user: u}}
  D: {keyring: {service: s}}
  E: {command: []}
  "no name": {command: [x]}
  F: {value: s3cr3t}
agents:
  a: {command: [bin/x]}
  b: {env: [s3cr3t value]}
`))
	var got []string
	for _, f := range found.Sort() {
		got = append(got, f.Place.String()+" "+f.Message)
	}
	if diff := cmp.Diff([]string{
		`s.yaml:2:6 want {command: [PROGRAM, …]} or {keyring: {service, user}}; secrets themselves are never written here`,
		`s.yaml:3:17 want a program of the PATH, or an absolute path or one that begins with ~/: the working directory may be a stranger's`,
		`s.yaml:4:6 want one of command and keyring`,
		`s.yaml:5:6 an entry of the keyring has a service and a user`,
		`s.yaml:6:16 want a program and its arguments, as in [pass, show, github]`,
		`s.yaml:7:3 want the name of an environment variable, such as GITHUB_TOKEN; secrets themselves are never written here`,
		`s.yaml:8:6 want {command: [PROGRAM, …]} or {keyring: {service, user}}; secrets themselves are never written here`,
		`s.yaml:10:17 want a program of the PATH, or an absolute path or one that begins with ~/: the working directory may be a stranger's`,
		`s.yaml:11:3 an agent needs a command, as in [claude, -p]`,
		`s.yaml:11:13 want the name of an environment variable, such as GITHUB_TOKEN; secrets themselves are never written here`,
	}, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(found.Text(), "s3cr3t") {
		t.Errorf("a secret is shown:\n%s", found.Text())
	}
}
