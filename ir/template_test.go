//go:build !race

package ir

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/value"
)

var scope = Values{
	"name": "Ann", "n": 7, "f": 2.5, "t": true, "nil": nil, "list": []any{1, map[string]any{"k": "v"}},
	"get-it":   map[string]any{"title": "T", "body": nil, "user": map[string]any{"login": "bob", "a b": 1}},
	"json":     `{"items": [{"id": 12345678901234567890, "v": 1.10}]}`,
	"hostile":  "${name} $name $$ ${get-it.title}",
	"big":      json.Number("123456789012345678901234567890"),
	"price":    json.Number("1.10"),
	"nottight": "[1, 2",
}

func TestResolve(t *testing.T) {
	for in, want := range map[string]any{
		"":                             "",
		"plain":                        "plain",
		"$name":                        "Ann",
		"${ name }":                    "Ann",
		"$n":                           7,
		"${f}":                         2.5,
		"$t":                           true,
		"$nil":                         nil,
		"$list":                        []any{1, map[string]any{"k": "v"}},
		"a$name.":                      "aAnn.",
		"$name, $n; $f$t|$nil|":        "Ann, 7; 2.5true||",
		"${list[1].k}":                 "v",
		"$list[1].k":                   "v",
		"$list[x]":                     `[1,{"k":"v"}][x]`,
		"$list[0":                      `[1,{"k":"v"}][0`,
		"x ${list}":                    `x [1,{"k":"v"}]`,
		"${get-it.user.login}":         "bob",
		`${get-it.user["a b"]}`:        1,
		"$$":                           "$",
		"$$name":                       "$name",
		"$$$name":                      "$Ann",
		"$$$$":                         "$$",
		"$5 $ $( $? a$":                "$5 $ $( $? a$",
		"${name}$n":                    "Ann7",
		"${nope ?? name}":              "Ann",
		`${nope ?? "text }"}`:          "text }",
		`${nope ?? nil ?? "a\n$name"}`: "a\n$name",
		"${nope ?? 5}":                 5,
		"${nope ?? -1.5}":              -1.5,
		"${nope ?? true}":              true,
		"${nope ?? null}":              nil,
		"x${nope ?? null}":             "x",
		"${get-it.nope.deeper ?? n}":   7,
		"${get-it.body ?? \"empty\"}":  "empty",
		"${json.items[0].id}":          "12345678901234567890",
		"${json.items[0].v}":           1.1,
		"v${json.items[0].v}":          "v1.10",
		"n${json.items[0].id}":         "n12345678901234567890",
		"${json.items}":                []any{map[string]any{"id": "12345678901234567890", "v": 1.1}},
		"$hostile":                     "${name} $name $$ ${get-it.title}",
		"<$hostile>":                   "<${name} $name $$ ${get-it.title}>",
		"$big":                         "123456789012345678901234567890",
		"#$big":                        "#123456789012345678901234567890",
		"$price":                       1.1,
		"v$price":                      "v1.10",
		"${name}\x00$name\u202e":       "Ann\x00Ann\u202e",
	} {
		p, problems := Compile(in)
		if len(problems) > 0 {
			t.Errorf("%q: %v", in, problems)
			continue
		}
		got, err := p.Resolve(scope)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q = %#v, %v; want %#v", in, got, err, want)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	reach := `in reach: big, f, get-it, hostile, json, list, n, name, nil, nottight, price, t`
	for in, want := range map[string]string{
		"${nam}":                 `${nam}: there is no "nam" here; did you mean "name"? ` + reach,
		"a ${zzzz} b":            `${zzzz}: there is no "zzzz" here; ` + reach,
		"${get-it.titel}":        `${get-it.titel}: get-it has no key "titel", did you mean "title"? it has body, title, user`,
		"$n.x":                   `${n.x}: n is number, so there is nothing inside it`,
		"$nil.x":                 `${nil.x}: nil is null, so there is nothing inside it`,
		"$list.x":                `${list.x}: list is an array, so it has no key "x"; write an index, [0]`,
		"$list[2]":               `${list[2]}: list has no index [2]; it has 2 items`,
		"${get-it[0]}":           `${get-it[0]}: get-it is an object, so it has no index [0]`,
		"$name.x":                `${name.x}: name is text that is no JSON object or array, so there is nothing inside it`,
		"${nottight[0]}":         `${nottight[0]}: nottight is text that is no JSON object or array, so there is nothing inside it`,
		"${nil ?? nil}":          `${nil ?? nil}: every alternative is missing or null`,
		"${zzzz ?? get-it.body}": `${zzzz}: there is no "zzzz" here; ` + reach,
	} {
		p, problems := Compile(in)
		if len(problems) > 0 {
			t.Errorf("%q: %v", in, problems)
			continue
		}
		got, err := p.Resolve(scope)
		if err == nil || err.Error() != want || fault.Of(err).Kind != fault.MissingKey {
			t.Errorf("%q = %#v, %v\nwant %s", in, got, err, want)
		}
	}
}

func TestResolveAtAnyDepth(t *testing.T) {
	in := map[string]any{"a": []any{"$n", map[string]any{"$name": "x$n", "n": json.Number("5"), "fixed": []any{"$$a"}}}, "b": "$list"}
	p, problems := Compile(in)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := map[string]any{"a": []any{7, map[string]any{"$name": "x7", "n": 5, "fixed": []any{"$a"}}}, "b": scope["list"]}
	for range 2 {
		got, err := p.Resolve(scope)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	got, open := p.Partial(Values{"list": []any{"$n"}})
	wantPart := map[string]any{"a": []any{"${n}", map[string]any{"$name": "x${n}", "n": json.Number("5"), "fixed": []any{"$a"}}}, "b": []any{"$n"}}
	if diff := cmp.Diff(wantPart, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a[0]", `a[1]["$name"]`}, open); diff != "" {
		t.Error(diff)
	}
}

func TestHostileValues(t *testing.T) {
	long := strings.Repeat("${name} $x ", 1<<20) // 11 MB
	start := time.Now()
	for _, in := range []string{"$v", "<$v>", "${v ?? \"\"}"} {
		p, _ := Compile(in)
		got, err := p.Resolve(Values{"v": long, "name": "no"})
		if err != nil || strings.Trim(got.(string), "<>") != long {
			t.Errorf("%s changed a long value (%v)", in, err)
		}
	}
	p, problems := Compile(strings.Repeat("${name} $$ $n ", 200_000))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got, err := p.Resolve(scope); err != nil || len(got.(string)) != 200_000*len("Ann $ 7 ") {
		t.Error(err)
	}
	if _, problems := Compile(strings.Repeat("${", 1<<20)); len(problems) != 1 {
		t.Error("unclosed braces are one problem")
	}
	deep := any("$name")
	for range 400 {
		deep = []any{map[string]any{"k": deep}}
	}
	p, _ = Compile(deep)
	if _, err := p.Resolve(scope); err != nil {
		t.Error(err)
	}
	nested := any(json.Number("1"))
	for range 400 {
		nested = map[string]any{"a": []any{nested}}
	}
	if _, err := Raw(nested).Resolve(scope); err != nil {
		t.Error(err)
	}
	inside, _ := Compile("${v[0][0].x}")
	if _, err := inside.Resolve(Values{"v": strings.Repeat("[", 1<<20)}); err == nil {
		t.Error("text of a million brackets was read as JSON")
	}
	if took := time.Since(start); took > 90*time.Second {
		t.Errorf("hostile values took %v", took)
	}
}

func TestCoerce(t *testing.T) {
	for _, c := range []struct {
		t        string
		in, want any
	}{
		{"string", 7, "7"}, {"string", []any{1}, "[1]"}, {"string", "007", "007"}, {"integer", "007", 7}, {"integer", "7", 7}, {"integer", 2.0, 2},
		{"number", "2.5", 2.5}, {"number", 2, 2.0}, {"boolean", "True", true}, {"array", "[1]", []any{1}}, {"object", `{"a":1}`, map[string]any{"a": 1}},
		{"integer", nil, nil}, {"integer", "x", nil}, {"integer", 2.5, nil}, {"boolean", 1, nil}, {"array", "{}", nil}, {"object", []any{}, nil}, {"integer", "", nil},
	} {
		got, err := Coerce(typeOf(c.t), c.in)
		if !reflect.DeepEqual(got, c.want) || (err == nil) != (c.want != nil || c.in == nil) {
			t.Errorf("Coerce(%s, %#v) = %#v, %v", c.t, c.in, got, err)
		}
	}
}

// FuzzTemplate: no text makes the parser panic, what is put in is never expanded, and text without templates survives.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"$a", "${a.b[0] ?? \"x\"}", "$$a", "${", "${a ?? 1e5}", "$a.b.", "$a[99999999999999999999]", `${a["\u00e9"]}`} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, text, v string) {
		if strings.Contains(text, "second-time") {
			return
		}
		p, problems := Compile(text)
		if len(problems) > 0 {
			if problems[0].Offset > len(text) || problems[0].Message == "" {
				t.Fatalf("%q: %+v", text, problems)
			}
			return
		}
		same := echo(v)
		got, err := p.Resolve(same)
		if s, ok := got.(string); ok && err == nil && strings.Contains(s, marker) && !strings.Contains(text+v, marker) {
			t.Fatalf("%q with %q was expanded twice: %q", text, v, s)
		}
		partial, open := p.Partial(Values{})
		if s, ok := partial.(string); ok && len(open) == 1 {
			again, problems := Compile(s)
			if len(problems) > 0 {
				t.Fatalf("%q: its canonical form %q does not parse: %v", text, s, problems)
			}
			x, errX := again.Resolve(same)
			if (err == nil) != (errX == nil) || err == nil && !reflect.DeepEqual(got, x) {
				t.Fatalf("%q: its canonical form %q means something else: %v, %v", text, s, got, x)
			}
		}
		escaped, problems := Compile(Escape(v))
		if len(problems) > 0 {
			t.Fatalf("Escape(%q): %v", v, problems)
		}
		if back, err := escaped.Resolve(Values{}); err != nil || back != v {
			t.Fatalf("Escape(%q) gives %q, %v", v, back, err)
		}
	})
}

const marker = "\x01expanded\x01"

// echo gives every root one value that ends in a template. Reading that template would give the marker.
type echo string

func (e echo) Lookup(root string) (any, bool) {
	if root == "second-time" {
		return marker, true
	}
	return string(e) + "${second-time}", true
}

func (e echo) Reach() []string { return nil }

func typeOf(s string) value.Type { return value.Type(s) }
