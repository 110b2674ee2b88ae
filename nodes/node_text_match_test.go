package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

func TestFindText(t *testing.T) {
	c := newCall(t, nil, nil)
	writeFiles(t, c.Dir, map[string]string{"a.md": "see http://x\nno\nhttp and http\n", "b.md": "nothing\n", "logo.png": "http\x00", "c.md": "HTTP"})
	type p = map[string]any
	for _, k := range []struct {
		params             p
		lines, files, warn string
		count, matches     int
	}{
		{p{"paths": []any{"a.md", "b.md"}, "pattern": "http"}, "see http://x|http and http", "a.md", "", 3, 3},
		{p{"paths": []any{"logo.png", "c.md"}, "pattern": "http", "ignore_case": true}, "HTTP", "c.md", `find-text left out what is no text: "logo.png"`, 1, 1},
		{p{"paths": []any{"a.md", "b.md"}, "pattern": "http", "invert": true}, "no|nothing", "a.md b.md", "", 2, 2},
		{p{"paths": []any{"a.md", "c.md"}, "pattern": "http", "ignore_case": true, "limit": 2}, "see http://x|http and http", "a.md c.md", "", 4, 2},
		{p{"text": "one\ntwo\n", "pattern": "^t..$", "regex": true}, "two", "", "", 1, 1},
		{p{"text": "concat\na Cat, a cat\n", "pattern": "cat", "whole_words": true}, "a Cat, a cat", "", "", 1, 1},
		{p{"text": "", "pattern": "x"}, "", "", "", 0, 0},
		{p{"paths": []any{}, "pattern": "x"}, "", "", "", 0, 0},
	} {
		c.Params = k.params
		out, err := runNode(t, "find-text", c)
		if err != nil {
			t.Errorf("%v: %v", k.params, err)
			continue
		}
		var lines []string
		for _, l := range out.Outputs["lines"].([]any) {
			lines = append(lines, l.(string))
		}
		if got := strings.Join(lines, "|"); got != k.lines || joined(out.Outputs["files"]) != k.files || out.Outputs["count"] != k.count ||
			len(out.Outputs["matches"].([]any)) != k.matches || strings.Join(out.Warnings, "") != k.warn {
			t.Errorf("%v: %v, %v", k.params, out.Outputs, out.Warnings)
		}
	}
}

func TestTextMatchErrors(t *testing.T) {
	base := newCall(t, nil, nil)
	writeFiles(t, base.Dir, map[string]string{"a.txt": "foo\n", "z.txt": "foo\n", "logo.png": "foo\x00", "old.txt": "f\xfc foo", "d/x": ""})
	type p = map[string]any
	for _, k := range []struct {
		node    string
		params  p
		kind    fault.Kind
		message string
	}{
		{"find-text", p{"pattern": "x"}, fault.InvalidRequest, "give text or paths, one of them"},
		{"find-text", p{"pattern": "x", "text": "", "paths": []any{}}, fault.InvalidRequest, "give text or paths, one of them"},
		{"find-text", p{"pattern": "", "text": "x"}, fault.InvalidRequest, "pattern is empty: give the text to look for"},
		{"find-text", p{"pattern": "x", "text": "x", "limit": 0}, fault.InvalidRequest, "limit is 0; want 1 to 100000"},
		{"find-text", p{"pattern": "x", "paths": []any{"d"}}, fault.InvalidRequest, `cannot find text in "d": it is a folder; list-files gives what is in it`},
		{"find-text", p{"pattern": "x", "paths": []any{"none"}}, fault.NotFound, `cannot find text in "none": no such file or directory`},
		{"find-text", p{"pattern": "x", "text": "\x00"}, fault.InvalidRequest, "text holds a NUL character, which no text does"},
		{"find-text", p{"pattern": "x", "text": strings.Repeat("x", maxFound+1)}, fault.InvalidRequest, "more than 100000 matches, or 64 MiB of them, were found; make pattern longer, or set limit"},
		{"replace-text", p{"pattern": "foo", "replacement": "bar", "paths": []any{"a.txt"}}, fault.InvalidRequest,
			`cannot replace text in "a.txt": the file is changed where it is, and this workflow did not write it as it is now; set overwrite to true`},
		{"replace-text", p{"pattern": "foo", "replacement": "bar", "overwrite": true, "paths": []any{"a.txt", "logo.png"}}, fault.InvalidRequest, `cannot replace text in "logo.png": it is no text; leave it out of paths`},
		{"replace-text", p{"pattern": "foo", "replacement": "bar", "overwrite": true, "paths": []any{"a.txt", "none"}}, fault.NotFound, `cannot replace text in "none": no such file or directory`},
		{"replace-text", p{"pattern": "foo", "replacement": "€", "overwrite": true, "paths": []any{"old.txt"}}, fault.InvalidRequest, `cannot replace text in "old.txt": latin-1 has no '€'; leave encoding out to write UTF-8`},
		{"replace-text", p{"pattern": "foo", "replacement": "$1", "regex": true, "text": "x"}, fault.InvalidRequest, "replacement reads the group $1, and pattern has 0; write $$ for a dollar"},
	} {
		c := base
		c.Params = k.params
		fails(t, k.node, c, k.kind, k.message)
	}
	// A file that cannot be changed leaves those before it as they were.
	if got := readFiles(t, base.Dir); got["a.txt"] != "foo\n" || len(got) != 5 {
		t.Errorf("files %q", got)
	}
}

// TestReplaceTextKeepsTheRest: all but the match stays byte for byte, and a file without a match is not touched.
func TestReplaceTextKeepsTheRest(t *testing.T) {
	before := map[string]string{
		"crlf.txt": "a\r\nfoo\r\n", "mixed.txt": "foo\r\nb\nc\r", "bom.txt": "\xef\xbb\xbffoo", "latin.txt": "f\xfcr foo\xe4\n", "none.txt": "bar\r\n", "run.sh": "echo foo\n",
	}
	want := map[string]string{
		"crlf.txt": "a\r\nbü\r\n", "mixed.txt": "bü\r\nb\nc\r", "bom.txt": "\xef\xbb\xbfbü", "latin.txt": "f\xfcr b\xfc\xe4\n", "none.txt": "bar\r\n", "run.sh": "echo bü\n",
	}
	c := newCall(t, nil, nil)
	writeFiles(t, c.Dir, before)
	os.Chmod(filepath.Join(c.Dir, "run.sh"), 0o751)
	untouched, _ := os.Stat(filepath.Join(c.Dir, "none.txt"))
	paths := []any{"./run.sh"} // given twice, it is changed once
	for name := range before {
		paths = append(paths, name)
	}
	c.Params = map[string]any{"paths": paths, "pattern": "foo", "replacement": "bü", "overwrite": true}
	out, err := runNode(t, "replace-text", c)
	if err != nil || out.Outputs["count"] != 5 || len(out.Outputs["changed"].([]any)) != 5 {
		t.Fatalf("%v, %v", out.Outputs, err)
	}
	if diff := cmp.Diff(want, readFiles(t, c.Dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if now, _ := os.Stat(filepath.Join(c.Dir, "none.txt")); !os.SameFile(untouched, now) {
		t.Error("a file without a match was replaced")
	}
	if info, _ := os.Stat(filepath.Join(c.Dir, "run.sh")); info.Mode() != 0o751 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestReplaceInText(t *testing.T) {
	c := newCall(t, map[string]any{"text": "Ann, Ann\r\n", "pattern": "Ann", "replacement": "Anna", "first": true}, nil)
	out, err := runNode(t, "replace-text", c)
	if diff := cmp.Diff(map[string]any{"text": "Anna, Ann\r\n", "changed": []any{}, "count": 1}, out.Outputs); diff != "" || err != nil {
		t.Errorf("%s%v", diff, err)
	}
}

// TestForeseeReplaceText names the files that would change, and shows how.
func TestForeseeReplaceText(t *testing.T) {
	c := newCall(t, nil, nil)
	writeFiles(t, c.Dir, map[string]string{"a": "one\nfoo\n", "b": "bar\n", "c": "foo foo\n"})
	type p = map[string]any
	at := func(name string) string { return filepath.Join(c.Dir, name) }
	shown := []string{"a: 1 replacement", "  2 - foo", "  2 + x", "c: 2 replacements", "  1 - foo foo", "  1 + x x"}
	for _, k := range []struct {
		params  p
		pending []string
		want    nodetype.Foreseen
	}{
		{p{"paths": []any{"a", "b", "c"}, "pattern": "foo", "replacement": "x", "overwrite": true}, nil,
			nodetype.Foreseen{Destroys: "it replaces text in a and 1 more", Replaces: []string{"a", "c"}, Needs: []string{at("a"), at("c")}, Changes: shown}},
		{p{"paths": []any{"a", "b", "c"}, "pattern": "foo", "replacement": "x"}, nil,
			nodetype.Foreseen{Destroys: "it replaces text in a and 1 more", Replaces: []string{"a", "c"}, Needs: []string{at("a"), at("c")}, Changes: shown}},
		{p{"paths": []any{"b"}, "pattern": "foo", "replacement": "x", "overwrite": true}, nil, nodetype.Foreseen{}},
		{p{"text": "foo", "pattern": "foo", "replacement": "x"}, nil, nodetype.Foreseen{}},
		{p{"text": "${t}", "pattern": "foo", "replacement": "x", "overwrite": true}, []string{"text"}, nodetype.Foreseen{}},
		{p{"paths": "${l}", "pattern": "foo", "replacement": "x", "overwrite": true}, []string{"paths"}, nodetype.Foreseen{Destroys: "it may replace text in files that are there"}},
		{p{"paths": "${l}", "pattern": "foo", "replacement": "x"}, []string{"paths"}, nodetype.Foreseen{}},
		{p{"paths": []any{"a"}, "pattern": "${x}", "replacement": "x", "overwrite": "${o}"}, []string{"pattern", "overwrite"}, nodetype.Foreseen{Destroys: "it may replace text in files that are there"}},
		{p{"paths": []any{"none"}, "pattern": "foo", "replacement": "x", "overwrite": true}, nil, nodetype.Foreseen{}},
	} {
		c.Params = k.params
		if diff := cmp.Diff(k.want, nodeType(t, Deps{}, "replace-text").Foresee(c, k.pending)); diff != "" {
			t.Errorf("%v (-want +got): %s", k.params, diff)
		}
	}
}
