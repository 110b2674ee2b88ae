package yamltree

import (
	"fmt"
	"strings"
	"testing"

	"pflow/internal/value"
)

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"null": "null", "~": "null", "Null": "null", "nULL": `"nULL"`,
		"true": "true", "FALSE": "false", "tRue": `"tRue"`, "yes": `"yes"`, "no": `"no"`, "on": `"on"`, "off": `"off"`, "y": `"y"`,
		"0": "0", "-7": "-7", "+7": "7", "007": "7", "0o17": "15", "0x1F": "31", "0b1": `"0b1"`, "0o8": `"0o8"`, "-0x1": `"-0x1"`,
		"1_000": `"1_000"`, "9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
		"1.5": "1.5", ".5": "0.5", "5.": "5", "1e3": "1000", "-1.5E-3": "-0.0015", "1.0": "1", "1e": `"1e"`, ".": `"."`, "+": `"+"`, "-.": `"-."`,
		"2024-02-29": `"2024-02-29"`, "2024-02-29T10:00:00Z": `"2024-02-29T10:00:00Z"`, "12:30": `"12:30"`, "1.2.3": `"1.2.3"`,
		"'7'": `"7"`, `"a\tb"`: `"a\tb"`, "''": `""`, "!!str 7": `"7"`, "!!str": `""`, "!!int 7": "7", "!!float 7": "7", "!!null ~": "null", "!!map {}": "{}", "!!seq []": "[]",
		"[]": "[]", "{}": "{}", "[a, [b], {c: d, e: }]": `["a",["b"],{"c":"d","e":null}]`, "&x [1]": "[1]",
		"café": `"café"`, "=": `"="`, "<<": `"<<"`, "|\n  a\n   b\n": `"a\n b\n"`, ">-\n  a\n  b\n": `"a b"`,
	} {
		tree, found := Parse("f", []byte("k: "+text))
		if len(found) > 0 {
			t.Errorf("%s: %s", text, found.Text())
			continue
		}
		v := tree.Get("k")
		if got := value.JSON(v.Plain()); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
		if v.Kind == String && v.Text != v.Scalar {
			t.Errorf("%s: Text %q, Scalar %q", text, v.Text, v.Scalar)
		}
	}
}

// Aliases share the value of their anchor, and its place.
func TestAliases(t *testing.T) {
	tree, found := Parse("f", []byte("a: &x\n  b: 1\nc: *x\nd: &x 2\ne: [*x, *x]\n&k key: *k\n"))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	if got, want := value.JSON(tree.Plain()), `{"a":{"b":1},"c":{"b":1},"d":2,"e":[2,2],"key":"key"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if tree.Get("a") != tree.Get("c") {
		t.Error("the alias has a value of its own")
	}
	if got := tree.Get("e").Items[1].Place.Line; got != 4 {
		t.Errorf("an alias is placed in line %d", got)
	}
}

func TestPlaces(t *testing.T) {
	tree, found := Parse("f", []byte("\uFEFFa: 1\r\nöö: [x, 'y', é, {z: }]\r\n\"q\": |\r\n  t\r\n"))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	var got []string
	var walk func(v *Value)
	walk = func(v *Value) {
		got = append(got, fmt.Sprintf("%s%s", v.Kind, v.Place))
		for _, item := range v.Items {
			walk(item)
		}
		for _, e := range v.Entries {
			got = append(got, e.Key+e.KeyPlace.String())
			if e.Name.Text != e.Key || e.Name.Place != e.KeyPlace || e.Name.Kind != String {
				t.Errorf("the name of %s: %+v", e.Key, e.Name)
			}
			walk(e.Value)
		}
	}
	walk(tree)
	want := "a mappingf:1:1 af:1:1 an integerf:1:4 ööf:2:1 a listf:2:5 textf:2:6 textf:2:9 textf:2:14 a mappingf:2:17 zf:2:18 nullf:2:21 qf:3:1 textf:3:6"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestParseAll(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: 1\n---\nb: 2\n", `{"a":1} {"b":2}`},
		{"---\na: 1\n...\n---\n# nothing\n---\n[]\n", `{"a":1} []`},
		{"", ""},
		{"# nothing\n", ""},
		{"a: 1\n---\nb: {\n", `{"a":1} f:3:4: error: a value is missing here; check brackets and braces [bad-yaml]`},
		{"a: 1\na: 2\n---\nb: .nan\n", `{"a":1} {"b":null} f:2:1: error: the key "a" stands here twice; the first is in line 1 [duplicate-key]`},
	} {
		values, found := ParseAll("f", []byte(c.text))
		var parts []string
		for _, v := range values {
			parts = append(parts, value.JSON(v.Plain()))
		}
		if len(found) > 0 {
			first, _, _ := strings.Cut(found.Text(), "\n")
			parts = append(parts, first)
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestSyntaxErrors: what the library finds wrong gets the place where it is, and advice.
func TestSyntaxErrors(t *testing.T) {
	const (
		colon  = "a key cannot stand here: text with a colon and a blank needs quotes, and a key the indentation of its neighbours"
		indent = "no key of the mapping above: check the indentation of this line, and quotes that end too early"
		quoted = "a quoted text begins here, and its end is missing"
		list   = "a comma or the ] of a list is missing here or before"
		braces = "a comma or the } of a mapping is missing here or before"
		tab    = "a tab cannot indent; use blanks"
		start  = "text cannot begin with this character; quote the text"
		other  = "this cannot be read as YAML: "
	)
	for _, c := range []struct{ text, place, message string }{
		{"a: b\n c: d\n", "2:3", colon},
		{"a: b: c\n", "1:5", colon},
		{"foo\nbar: x\n", "2:4", colon},
		{"a:\n  b: 1\n    c: 2\n", "3:6", colon},
		{"a: 'x\nb: c\nd: e\n", "1:4", quoted},
		{"x: 'a'\nb: 'c'\nc: 'd'\nd: \"e", "4:4", quoted},
		{"a: [1, 2\nb: c\n", "2:2", list},
		{"a: [1, 2", "1:5", list},
		{"a: [1\nb", "1:5", list},
		{"a: {b: c\nd: e\n", "2:2", braces},
		{"a: {b: c]\nd: e\n", "1:9", braces},
		{"a: {b", "1:5", braces},
		{"nodes:\n  a:\n    prep: {x: 'it's'}\n    next: end\n", "3:19", braces},
		{"a: 'x'y\nb: c\n", "1:7", indent},
		{"a:\n  b: 1\n c: 2\n", "3:2", indent},
		{"nodes:\n  a:\n    op: log\n    next: end\n   b:\n    op: log\n", "5:4", indent},
		{"a: |\n  x\n y\n", "3:2", indent},
		{"k: v\n}\n", "2:1", indent},
		{"- a\nb: c\n", "2:2", "no entry of the list above: check the indentation of this line"},
		{"a: {b: ${c}}\n", "1:9", "inside { } and [ ], a text with ${…} needs quotes"},
		{"a: [x, to ${c}]\n", "1:12", "inside { } and [ ], a text with ${…} needs quotes"},
		{"a: {b: Hello, ${c}!}\n", "1:20", "inside { } and [ ], a text with ${…} needs quotes"},
		{"a: {\n  b: ${c}}\n", "2:7", "inside { } and [ ], a text with ${…} needs quotes"},
		{"a: {b: \"${c}\"}\nd: ${e}\nf: ]\n", "3:4", "a value is missing here; check brackets and braces"},
		{"a: @foo\n", "1:4", start},
		{"a: `x`\n", "1:4", start},
		{"a: %foo\n", "1:4", start},
		{"a:\n\t- b\n", "2:1", tab},
		{"a: b\n\tc: d\n", "2:1", tab},
		{"x: 1\na: [*foo]\nb: 1\n", "2:5", "before this alias there is no anchor &foo; quote text that begins with *"},
		{"a: ö\nö: \"\\q\"\nb: c\n", "2:6", other + "found unknown escape character"},
		{"a: - b\n", "1:4", other + "block sequence entries are not allowed in this context"},
		{"a: ]\n", "1:4", "a value is missing here; check brackets and braces"},
		{"", "1:1", "the document is empty"},
		{"# c\n", "1:1", "the document is empty"},
		{"a: \xff", "1:4", "this is not valid UTF-8; save the document as UTF-8"},
		{"\xff\xfea\x00", "1:1", "this is not valid UTF-8; save the document as UTF-8"},
		{"a: ö\x00", "1:5", `the control character U+0000 cannot stand here; write it as "\u0000" in double quotes`},
		{"a: b\u2029", "1:5", `the character U+2029 is a line break to some readers; write it as "\u2029" in double quotes`},
	} {
		v, found := Parse("", []byte(c.text))
		if v != nil || len(found) != 1 {
			t.Errorf("%q: %v %s", c.text, v, found.Text())
			continue
		}
		if got := strings.TrimPrefix(found[0].Place.String(), ":"); got != c.place || found[0].Message != c.message {
			t.Errorf("%q:\ngot  %s %s\nwant %s %s", c.text, got, found[0].Message, c.place, c.message)
		}
	}
}
