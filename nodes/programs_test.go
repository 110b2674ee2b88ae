package nodes

import (
	"context"
	"strings"
	"testing"

	"pflow/internal/retrieve"
)

// TestPrograms: every program that may be named says what it does, and its command makes a node; what people say finds it.
func TestPrograms(t *testing.T) {
	var candidates []retrieve.Candidate
	seen := map[string]bool{}
	for _, p := range Programs() {
		d, err := DraftShell(p.Command)
		if err != nil || p.Does == "" || seen[p.Name] {
			t.Errorf("%+v: %v", p, err)
		}
		if !strings.Contains(strings.Join(d.Programs, " "), p.Name) {
			t.Errorf("%s: its command runs %v", p.Name, d.Programs)
		}
		seen[p.Name] = true
		candidates = append(candidates, retrieve.Candidate{Name: p.Name, Description: p.Does})
	}
	index, err := retrieve.NewIndex(context.Background(), candidates)
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"convert the video to a gif": "ffmpeg", "send it by email to the office": "mail", "turn the markdown into Word": "pandoc",
		"run this SQL on the database of SQLite": "sqlite3", "translate the letter": "trans", "check the spelling": "aspell",
		"who owns the domain": "whois", "resize the photos": "convert",
	} {
		ranked, err := index.Rank(t.Context(), request)
		if err != nil || len(ranked) == 0 || ranked[0].Name != want {
			t.Errorf("%q finds %+v, want %s", request, ranked[:min(2, len(ranked))], want)
		}
	}
}

// TestDraft: what a command says of the node that it is to be.
func TestDraft(t *testing.T) {
	for _, c := range []struct{ command, inputs, words, programs, destroys string }{
		{"git log -n ${count} -- ${path} ${count}", "count path", "git log", "git", ""},
		{"sort < ${in} | curl -d @- ${url}", "in url", "sort", "sort curl", ""},
		{"rm -- ${path}", "path", "rm", "rm", "rm deletes files"},
		{"echo hi > ${path}", "path", "echo hi", "echo", "> replaces the file ${path}"},
		{"${program} x", "program", "", "", "the program is not known before it runs"},
	} {
		d, err := DraftShell(c.command)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(d.Inputs, " ") != c.inputs || d.Words != c.words || strings.Join(d.Programs, " ") != c.programs || (d.Destroys != "") != (c.destroys != "") {
			t.Errorf("%s: %+v", c.command, d)
		}
	}
}
