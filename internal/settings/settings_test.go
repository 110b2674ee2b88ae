package settings

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/ir"
)

// TestSize has sizes as they are written and as they are told.
func TestSize(t *testing.T) {
	for text, want := range map[string]string{"1GB": "1GB", "500MB": "500MB", "2 KB": "2KB", "1024MB": "1GB", "0": "0 bytes", "1000": "1000 bytes", "4096": "4KB"} {
		s, found := Parse("s.yaml", []byte("retention: {size: "+text+"}\n"))
		if got := Size(s.Retention.Bytes); got != want || found.HasErrors() {
			t.Errorf("%s is %s, %s", text, got, found.Text())
		}
	}
}

// TestParse has what the settings mean, and that all that is wrong is said at once, with its place.
func TestParse(t *testing.T) {
	s, found := Parse("s.yaml", []byte("flow: mine\nallow: [\"*-file\", shell]\ndeny: [delete-file]\nretention: {days: 7}\n"))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	if s.Flow != "mine" || s.Retention.Runs != 200 || s.Retention.Age != 7*24*time.Hour {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]string{"copy-file": "", "shell": "", "http": "s.yaml:2:1 (allow)", "delete-file": "s.yaml:3:8 (deny delete-file)"} {
		if got := s.Refuses(&ir.Interface{Name: name}); got != want {
			t.Errorf("%s is refused by %q, want %q", name, got, want)
		}
	}
	_, found = Parse("s.yaml", []byte("flw: mine\nmodel: 3\ndeny: shell\nallow: [1, \"[\"]\nretention: {runs: -1, days: 1000000, weeks: 2, size: large}\n"))
	var got []string
	for _, f := range found.Sort() {
		got = append(got, f.Place.String()+" "+f.Message)
	}
	if diff := cmp.Diff([]string{
		`s.yaml:1:1 there is no key "flw" here`,
		`s.yaml:2:8 want text, got an integer`,
		`s.yaml:3:7 want a list of rules, as in [shell, "github-*", {effect: network}], got text`,
		`s.yaml:4:9 want the name of a component, a pattern such as github-*, or {effect: …}, {server: …} or {path: …}`,
		`s.yaml:4:12 want the name of a component, a pattern such as github-*, or {effect: …}, {server: …} or {path: …}`,
		`s.yaml:5:19 want at least 0`,
		`s.yaml:5:29 want at most 100000`,
		`s.yaml:5:38 there is no key "weeks" here`,
		`s.yaml:5:54 want a number of bytes, or a size such as 500MB or 1GB`,
	}, got); diff != "" {
		t.Error(diff)
	}
}
