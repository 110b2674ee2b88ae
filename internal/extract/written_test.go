package extract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestWritten(t *testing.T) {
	check(t, [][2]string{
		{`say "a b"`, `quoted("a b")=a b`},
		{"say “a b”", "quoted(“a b”)=a b"},
		{"run `a b`", "quoted(`a b`)=a b"},
		{"say 'a b' 'c'", "quoted('a b')=a b; quoted('c')=c"},
		{"it's Bob's", ""},
		{`an open " and no more`, ""},
		{"\"a\nb\"", ""},
		{`""`, ""},
		{"www.example.org/x.", "url(www.example.org/x)=www.example.org/x"},
		{"(https://example.org)", "url(https://example.org)=https://example.org"},
		{"a.b+c@mail.example.org,", "email(a.b+c@mail.example.org)=a.b+c@mail.example.org"},
		{"1.2.3-rc1", "version(1.2.3-rc1)=1.2.3-rc1"},
		{"list src/ and ../ and ~/", "path(src/)=src/; path(../)=../; path(~/)=~/"},
		{"in . or ..", "path(.)=.; path(..)=.."},
		{"/etc/hosts", "path(/etc/hosts)=/etc/hosts"},
		{"~/x and ../y/z.md", "path(~/x)=~/x; path(../y/z.md)=../y/z.md"},
		{"src/**/*.go", "path(src/**/*.go)=src/**/*.go"},
		{"a file_name.tar.gz", "path(file_name.tar.gz)=file_name.tar.gz"},
		{"the project acme/site", "repo(acme/site)=acme/site"},
		{"the repository called acme/site", "repo(acme/site)=acme/site"},
		{"coffee w/ milk", ""},
		{"red and/or blue", ""},
		{"e.g. the U.S. at 3 p.m.", "time(at 3 p.m.)=15:00:00"},
		{"It ends.Then it begins", ""},
	})
}

// TestUnreadable: an end of the context ends reading.
func TestUnreadable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := Entities(ctx, strings.Repeat("3 May ", 1000), time.Time{}); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("%d entities, %v", len(found), err)
	}
}

func TestTemplatized(t *testing.T) {
	s := "copy a.txt to b.txt on 3 May"
	if got := Templatized(s, entities(t, s, time.Date(2024, 5, 15, 0, 0, 0, 0, time.UTC))); got != "copy {path} to {path} on {date}" {
		t.Error(got)
	}
}
