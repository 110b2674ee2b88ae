package textmatch

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func compiled(t *testing.T, pattern string, regex, ignoreCase bool) *Pattern {
	t.Helper()
	p, err := Compile(pattern, Options{Regex: regex, IgnoreCase: ignoreCase})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"", "pattern is empty: give the text to look for"},
		{"a(b", `pattern is no regular expression (RE2): missing closing ) in "a(b"; a sign that stands for itself takes a backslash, or leave regex out`},
		{"(?=x)", `pattern is no regular expression (RE2): invalid or unsupported Perl syntax in "(?="; a sign that stands for itself takes a backslash, or leave regex out`},
		{"a)|(b", `pattern is no regular expression (RE2): unexpected ) in "a)|(b"; a sign that stands for itself takes a backslash, or leave regex out`},
	} {
		if _, err := Compile(c.pattern, Options{Regex: true}); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v", c.pattern, err)
		}
	}
	if _, err := Compile("a(b", Options{IgnoreCase: true}); err != nil {
		t.Error(err)
	}
	p := compiled(t, "(a)(b)", true, false)
	if _, err := p.Replacement("$3", true); err == nil || err.Error() != "replacement reads the group $3, and pattern has 2; write $$ for a dollar" {
		t.Error(err)
	}
}

func TestScan(t *testing.T) {
	text := "\xef\xbb\xbfone\r\ntwo ü Two\nthree\n\nlatin \xfc two\nlast"
	for _, c := range []struct {
		s    Search
		want []string
	}{
		{Search{Pattern: compiled(t, "two", false, false)}, []string{`2:1 "two ü Two" "two" [] [] []`, `5:9 "latin ü two" "two" [] [] []`}},
		{Search{Pattern: compiled(t, "TWO", false, true)}, []string{`2:1 "two ü Two" "two" [] [] []`, `2:7 "two ü Two" "Two" [] [] []`, `5:9 "latin ü two" "two" [] [] []`}},
		{Search{Pattern: compiled(t, `^(.)n(x)?e$`, true, false)}, []string{`1:1 "one" "one" [o ] [] []`}},
		{Search{Pattern: compiled(t, `^$`, true, false)}, []string{`4:1 "" "" [] [] []`}},
		{Search{Pattern: compiled(t, "t", false, false), Invert: true}, []string{`1:1 "one" "" [] [] []`, `4:1 "" "" [] [] []`}},
		{Search{Pattern: compiled(t, "two$|^l", true, false), Before: 1, After: 2}, []string{`5:1 "latin ü two" "l" [] [] [last]`, `5:9 "latin ü two" "two" [] [] [last]`, `6:1 "last" "l" [] [latin ü two] []`}},
		{Search{Pattern: compiled(t, "e", false, false), Before: 2, After: 1}, []string{`1:3 "one" "e" [] [] [two ü Two]`, `3:4 "three" "e" [] [one two ü Two] []`, `3:5 "three" "e" [] [one two ü Two] []`}},
	} {
		var got []string
		err := c.s.Scan(t.Context(), strings.NewReader(text), func(m *Match) error {
			got = append(got, fmt.Sprintf("%d:%d %q %q %v %v %v", m.Line, m.Column, m.Text, m.Match, m.Groups, m.Before, m.After))
			return nil
		})
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s%v", c.s.Pattern.re, diff, err)
		}
	}
	s := Search{Pattern: compiled(t, "a", false, false)}
	if err := s.Scan(t.Context(), strings.NewReader("a\nb\x00\n"), func(*Match) error { return nil }); !errors.Is(err, ErrBinary) {
		t.Error(err)
	}
	// A line longer than the buffer is one line.
	long := strings.Repeat("x", 200_000) + "a"
	if err := s.Scan(t.Context(), strings.NewReader(long+"\n"), func(m *Match) error {
		if m.Column != 200_001 || m.Text != long {
			t.Errorf("column %d", m.Column)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		text, pattern, with string
		regex, first        bool
		want                string
	}{
		{"foo bar foo", "foo", "$1", false, false, "$1 bar $1"},
		{"foo bar foo", "foo", "", false, true, " bar foo"},
		{"a.b", ".", "-", false, false, "a-b"},
		{"John Smith", `(\w+) (\w+)`, "$2, $1_x $$9 $ $0$", true, false, "Smith, John_x $9 $ John Smith$"},
		{"ab", `(a)`, "$10", true, false, "a0b"},
		{"one\ntwo\n", `^`, "> ", true, false, "> one\n> two\n"},
		{"one\ntwo\n", `$`, ";", true, false, "one;\ntwo;\n"},
		{"one\ntwo", `$`, ";", true, false, "one;\ntwo;"},
		{"a\r\n\r\nb\r\n", `^\n`, "", true, false, "a\r\nb\r\n"},
		{"a\r\nb\r\n", "b", "c\nd", false, false, "a\r\nc\r\nd\r\n"},
		{"a\r\nb\nc\r\n", "b", "c\nd", false, false, "a\r\nc\nd\nc\r\n"},
		{"a\r\nb", `a\n(b)`, "$1\n$1", true, false, "b\r\nb"},
		{"x=a\r\nb\r\n", `(?s)=(.*)`, ":$1", true, false, "x:a\r\nb\r\n"},
		{"a\r\nb\r\n", "\r\n", "\n", false, false, "a\nb\n"},
		{"a\r\nb\r\n", `\r\n`, "|", true, false, "a|b|"},
		{"end\r\n", `d$`, "D", true, false, "enD\r\n"},
		{"\xef\xbb\xbfa\n", `^a`, "b", true, false, "\xef\xbb\xbfb\n"},
		{"", "^", "x", true, false, "x"},
	} {
		p := compiled(t, c.pattern, c.regex, false)
		with, err := p.Replacement(c.with, c.regex)
		if err != nil {
			t.Error(err)
			continue
		}
		edits, err := p.Edits(c.text, with, c.first)
		if got := Apply(c.text, edits); got != c.want || err != nil {
			t.Errorf("%q: %q by %q: %q, %v\nwant %q", c.text, c.pattern, c.with, got, err, c.want)
		}
	}
	p := compiled(t, "a", false, false)
	with, _ := p.Replacement("b", false)
	if _, err := p.Edits(strings.Repeat("a", maxEdits+1), with, false); err == nil || err.Error() != "pattern matches more than 1000000 times in one text; make it longer" {
		t.Error(err)
	}
}

func TestWholeWords(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		o             Options
		want          string
	}{
		{"cat concat cats cat_ cat1 (cat) cat", "cat", Options{}, "# concat cats cat_ cat1 (#) #"},
		{"cat cat\ncat", "cat", Options{}, "# #\n#"},
		{"Cat cat", "CAT", Options{IgnoreCase: true}, "# #"},
		{"na\u00efve na na\u0308 \u00fcna", "na", Options{}, "na\u00efve # na\u0308 \u00fcna"},
		{"\u5b57na na", "na", Options{}, "\u5b57na #"},
		{"c++ c++x xc++ c++", "c++", Options{}, "# c++x xc++ #"},
		{"xa a a", "a a", Options{}, "xa #"},
		{"--", "-", Options{}, "##"},
		{"catalog cat cats", "cat|catalog", Options{Regex: true}, "# # cats"},
		{"cat cat\ncat", "^cat", Options{Regex: true}, "# cat\n#"},
		{"ab abc", "a(b)?", Options{Regex: true}, "# abc"},
		{"a b", "x*", Options{Regex: true}, "a b"},
		{"cat\r\ncat\r\n", "cat", Options{}, "#\r\n#\r\n"},
	} {
		c.o.WholeWords = true
		p, err := Compile(c.pattern, c.o)
		if err != nil {
			t.Fatal(err)
		}
		with, _ := p.Replacement("#", false)
		edits, err := p.Edits(c.text, with, false)
		if got := Apply(c.text, edits); got != c.want || err != nil {
			t.Errorf("%q in %q: %q, %v\nwant %q", c.pattern, c.text, got, err, c.want)
		}
	}
	p, _ := Compile("(c)at", Options{Regex: true, WholeWords: true})
	with, err := p.Replacement("$1-$0", true)
	if err != nil {
		t.Fatal(err)
	}
	edits, _ := p.Edits("concat cat", with, false)
	if got := Apply("concat cat", edits); got != "concat c-cat" {
		t.Error(got)
	}
	s, lines := Search{Pattern: p, Invert: true}, []string{}
	s.Scan(t.Context(), strings.NewReader("cats\ncat\n"), func(m *Match) error { lines = append(lines, m.Text); return nil })
	if diff := cmp.Diff([]string{"cats"}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("-", 100) + "foo" + strings.Repeat("=", 200)
	for _, c := range []struct {
		text, pattern, with string
		most                int
		want                []string
	}{
		{"a\nfoo foo\nb\nfoo\n", "foo", "bar", 9, []string{"2 - foo foo", "2 + bar bar", "4 - foo", "4 + bar"}},
		{"a\nfoo foo\nb\nfoo\n", "foo", "bar", 2, []string{"2 - foo foo", "2 + bar bar"}},
		{"a\r\n\r\nb", `^\n`, "", 9, []string{"2 - "}},
		{"a\nb\nc\n", `a\nb`, "x", 9, []string{"1 - a", "2 - b", "1 + x"}},
		{"a\nb\nc\n", `a\n`, "x", 9, []string{"1 - a", "2 - b", "1 + xb"}},
		{"a\nb\n", `^`, "> ", 9, []string{"1 - a", "1 + > a", "2 - b", "2 + > b"}},
		{"a", "a", "x\ny", 9, []string{"1 - a", "1 + x", "2 + y"}},
		{long, "foo", "bar", 9, []string{"1 - …" + strings.Repeat("-", 40) + "foo" + strings.Repeat("=", 76) + "…", "1 + …" + strings.Repeat("-", 40) + "bar" + strings.Repeat("=", 76) + "…"}},
	} {
		p := compiled(t, c.pattern, true, false)
		with, _ := p.Replacement(c.with, true)
		edits, _ := p.Edits(c.text, with, false)
		if diff := cmp.Diff(c.want, Excerpt(c.text, edits, c.most)); diff != "" {
			t.Errorf("%q by %q (-want +got):\n%s", c.pattern, c.with, diff)
		}
	}
}

// FuzzEdits: whatever the pattern, what is between matches stays, and nothing panics.
func FuzzEdits(f *testing.F) {
	f.Add("a\r\nb\n", "a", "$1", true, false)
	f.Add("\xef\xbb\xbf\xff\x00", `^|\n`, "x", true, true)
	f.Fuzz(func(t *testing.T, text, pattern, with string, regex, whole bool) {
		p, err := Compile(pattern, Options{Regex: regex, WholeWords: whole})
		if err != nil {
			return
		}
		r, err := p.Replacement(with, regex)
		if err != nil {
			return
		}
		edits, err := p.Edits(text, r, false)
		if err != nil {
			return
		}
		same := make([]Edit, len(edits))
		for i, e := range edits {
			same[i] = Edit{e.Start, e.End, text[e.Start:e.End]}
		}
		if Apply(text, same) != text {
			t.Errorf("%q: edits %v", text, edits)
		}
		Excerpt(text, edits, 5)
	})
}
