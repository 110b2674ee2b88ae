package gitcli

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
)

// TestSSH checks that ssh is told to ask nothing, whatever names it, and that no other program is given its options.
func TestSSH(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, "ssh -o BatchMode=yes -o ConnectTimeout=30"},
		{[]string{"GIT_SSH_COMMAND=ssh -i key"}, "ssh -i key -o BatchMode=yes -o ConnectTimeout=30"},
		{[]string{"GIT_SSH=/usr/bin/ssh"}, "'/usr/bin/ssh' -o BatchMode=yes -o ConnectTimeout=30"},
		{[]string{"GIT_SSH=/opt/plink", "GIT_SSH_COMMAND="}, "'/opt/plink'"},
		{[]string{"GIT_SSH_COMMAND=plink -batch"}, "plink -batch"},
	} {
		if got := batch(SSHCommand(c.env)); got != c.want {
			t.Errorf("%q: %s, want %s", c.env, got, c.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	env := Environment([]string{"HOME=/home/ada", "PATH=/bin", "SSH_AUTH_SOCK=/run/agent", "GIT_DIR=/x", "LC_MESSAGES=de_DE", "LANGUAGE=de", "GIT_ASKPASS=/ask", "GIT_SSH_COMMAND=ssh", "GIT_TRACE2_EVENT=/log", "GIT_AUTHOR_NAME=Ada"})
	for _, kept := range []string{"HOME=/home/ada", "PATH=/bin", "SSH_AUTH_SOCK=/run/agent", "GIT_AUTHOR_NAME=Ada", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0"} {
		if !slices.Contains(env, kept) {
			t.Errorf("%s is not there", kept)
		}
	}
	for _, v := range env {
		for _, gone := range []string{"GIT_DIR=", "LC_MESSAGES=", "LANGUAGE=", "GIT_ASKPASS=/", "GIT_TRACE"} {
			if strings.HasPrefix(v, gone) {
				t.Errorf("%s is there", v)
			}
		}
	}
}

func TestVersionOrder(t *testing.T) {
	want := []string{"v2.0", "v1.10.1", "v1.10", "v1.10-rc10", "v1.10-rc2", "v1.9.12", "v1.9"}
	var tags []Tag
	for _, n := range []int{3, 0, 6, 2, 5, 1, 4} {
		tags = append(tags, Tag{Name: want[n]})
	}
	SortTags(tags, true)
	for i, tag := range tags {
		if tag.Name != want[i] {
			t.Errorf("%d is %s, want %s", i, tag.Name, want[i])
		}
	}
}

// TestOldGit has an old git say its version: what it cannot do is refused before anything is done.
func TestOldGit(t *testing.T) {
	for version, fails := range map[string]bool{"git version 1.8.1.6\n": true, "git version 1.8.2\n": false, "git version 2.39.5 (Apple Git-154)\n": false} {
		g := &Git{Program: Program{Run: func(context.Context, Command) (Result, error) { return Result{Stdout: version}, nil }}}
		err := g.needs(t.Context(), 1, 8, 2, "x")
		if (err != nil) != fails {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestInstant(t *testing.T) {
	now := time.Date(2024, 3, 15, 18, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		given string
		end   bool
		want  string
	}{
		{"2024-01-31", false, "2024-01-31T00:00:00Z"},
		{"2024-01-31", true, "2024-01-31T23:59:59Z"},
		{"2024-01-31T18:00:00+02:00", true, "2024-01-31T18:00:00+02:00"},
		{"yesterday", false, "2024-03-14T00:00:00Z"},
		{"last month", false, "2024-02-01T00:00:00Z"},
		{"last month", true, "2024-02-29T23:59:59Z"},
		{"2 weeks ago", false, "2024-03-01T00:00:00Z"},
	} {
		got, err := instant(t.Context(), "since", c.given, c.end, now)
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.given, got.Format(time.RFC3339), err, c.want)
		}
	}
	if _, err := instant(t.Context(), "since", "whenever", false, now); fault.Of(err) == nil || fault.Of(err).Kind != fault.InvalidRequest {
		t.Errorf("whenever: %v", err)
	}
}

func TestAddress(t *testing.T) {
	for given, want := range map[string]string{
		"https://me:token@example.org/x":          "https://xxxxx@example.org/x",
		"cannot reach http://token@example.org/x": "cannot reach http://xxxxx@example.org/x",
		"ssh://git@example.org/x":                 "ssh://git@example.org/x",
		"git@example.org:x":                       "git@example.org:x",
	} {
		if got := Address(given); got != want {
			t.Errorf("%s: %s", given, got)
		}
	}
}
