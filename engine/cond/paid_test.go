//go:build !race

package cond

import (
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// What operations on large texts and lists cost is counted in steps: a hundred of each are too many.
func TestOperationsArePaidFor(t *testing.T) {
	env := &Env{Records: map[string]Record{"store": {
		"text": value.String, "same": value.String, "list": value.Array, "names": value.Array, "object": value.Object, "any": value.Any, "json": value.String, "pattern": value.String, "k": value.Integer}}}
	list, names, object := make([]any, 50_000), make([]any, 50_000), map[string]any{}
	for i := range list {
		list[i] = i
		names[i] = strings.Repeat("n", i%50)
		object[strings.Repeat("k", i%300)+string(rune('a'+i%26))] = i
	}
	text := strings.Repeat("abcdefg ", 1<<17)
	store := map[string]any{"text": text, "same": strings.Clone(text), "list": list, "names": names, "object": object, "any": text,
		"json": value.JSON(list), "pattern": "(a|b)*z", "k": 7}
	c := NewCompiler()
	for lang, sources := range map[Lang][]string{
		Expr: {
			`store.text contains "x"`, `store.any contains "x"`, `store.text matches "(a|b)*z"`, `store.text matches store.pattern`, `store.text == store.same`, `store.any == store.same`,
			`store.text != store.same`, `store.text < store.same`, `store.any >= store.same`, `upper(store.text)`, `lower(store.any)`, `replace(store.text, "x", "y")`,
			`split(store.text, "x")`, `indexOf(store.text, "x")`, `lastIndexOf(store.text, "x")`, `trim(store.text)`, `trim(store.text, "x")`, `store.text + "x"`,
			`store.text startsWith store.same`, `store.text endsWith store.same`, `hasPrefix(store.text, store.same)`, `len(store.text)`, `store.text[1:2]`,
			`store.text in ["x", store.same]`, `store.text in store.object`, `store.object?.[store.text]`, `{(store.text): 1}`, `-1 in store.list`, `"x" in store.names`, `[1] in store.list`,
			`sum(store.list)`, `reverse(store.list)`, `concat(store.list, [1])`, `sort(store.list)`, `sortBy(store.list, -#)`, `groupBy(store.list, # % 2)`,
			`max(store.list)`, `median(store.list)`, `mean(store.list)`, `uniq(store.list)`, `join(store.names, ",")`, `flatten([store.list])`,
			`to_json(store.list)`, `toJSON(store.text)`, `string(store.list)`, `parse_json(store.json)`, `indent_json(store.json)`, `fromJSON(store.json)`, `repair_json(store.json)`, `slug(store.text)`,
			`split_lines(store.text)`, `split_words(store.text)`, `keys(store.object)`, `values(store.object)`, `toPairs(store.object)`, `merge(store.object, {})`,
			`toBase64(store.text)`, `store.list == concat(store.list, [])`, `1..50000`, `int(store.text[0:0] + "1" + store.text[0:0])`, `fromPairs(toPairs(store.object))`,
			`group_by(store.list, store.list)`, `count_by(store.list, store.list)`, `sum_by([{"a": 1}], [store.text], "a")`, `sort_by(store.list, store.list)`,
			`find_regex(store.text, "(z)")`, `find_regex(store.text, store.pattern)`, `find_all_regex(store.text, "b")`, `replace_regex(store.text, "b", "cc")`, `split_regex(store.text, "b")`, `escape_regex(store.text)`,
			`parse_csv(store.json)`, `parse_csv_rows(store.text)`, `to_csv([store.list])`, `escape_query(store.text)`, `escape_path(store.text)`, `parse_query(store.text)`,
			`to_query({"a": store.list})`, `escape_html(store.text)`,
			`get(store.object, store.text)`, `groupBy(["x"], store.text)`, `sortBy(["x", "y"], store.text)`,
		},
		CEL: {
			`store.text.contains("x")`, `store.any.contains("x")`, `store.text.matches("(a|b)*z")`, `store.text.matches(store.pattern)`, `store.text == store.same`, `store.any == store.same`,
			`store.text != store.same`, `store.text < store.same`, `store.any >= store.same`, `store.text.upperAscii()`, `store.any.lowerAscii()`, `store.text.replace("x", "y")`,
			`store.text.split("x")`, `store.text.indexOf("x")`, `store.text.lastIndexOf("x")`, `store.text.indexOf("x", 1)`, `store.text.trim()`, `store.text + "x"`,
			`store.text.startsWith(store.same)`, `store.text.endsWith(store.same)`, `size(store.text)`, `store.any.size()`, `store.text.substring(1)`, `store.text.charAt(1)`,
			`store.text in ["x", store.same]`, `store.text in store.object`, `store.object[?store.text].hasValue()`, `{store.text: 1}`, `-1 in store.list`, `"x" in store.names`,
			`store.list.reverse()`, `store.list + [1]`, `store.list.sort()`, `store.list.slice(0, 40000)`, `store.list.distinct()`, `store.names.join(",")`, `[store.list].flatten()`,
			`math.greatest(store.list)`, `to_json(store.list)`, `string(store.list)`, `parse_json(store.json)`, `indent_json(store.json)`, `repair_json(store.json)`, `slug(store.text)`, `split_lines(store.text)`,
			`split_words(store.text)`, `merge(store.object, {})`, `store.list == store.list + []`, `lists.range(50000)`, `store.object.exists(k, true)`, `strings.quote(store.text)`,
			`group_by(store.list, store.list)`, `count_by(store.list, store.list)`, `sum_by([{"a": 1}], [store.text], "a")`, `sort_by(store.list, store.list)`,
			`find_regex(store.text, "(z)")`, `find_regex(store.text, store.pattern)`, `find_all_regex(store.text, "b")`, `replace_regex(store.text, "b", "cc")`, `split_regex(store.text, "b")`, `escape_regex(store.text)`,
			`parse_csv(store.json)`, `parse_csv_rows(store.text)`, `to_csv([store.list])`, `escape_query(store.text)`, `escape_path(store.text)`, `parse_query(store.text)`,
			`to_query({"a": store.list})`, `escape_html(store.text)`,
		},
	} {
		for _, src := range sources {
			loop := `len(map(1..100, [` + src + `]))`
			if lang == CEL {
				loop = `size(lists.range(100).map(i, [` + src + `]))`
			}
			p, problems := c.Compile(lang, loop, env, value.Any)
			if problems != nil {
				t.Errorf("%s %s: %v", lang, src, problems)
				continue
			}
			s := NewScope(time.Now())
			s.steps = 400_000 // a hundred rounds that pay for themselves alone take 300
			s.Set("store", store)
			if v, err := p.Eval(s); err == nil || fault.Of(err).Kind != fault.InvalidRequest {
				t.Errorf("%s %s: %v, %v, with %d steps left", lang, src, v, err, s.left)
			}
		}
	}
}

// indexOf and lastIndexOf of CEL count characters, as CEL's own do; what CEL made is asked as what the store holds is.
func TestPaidOperationsGiveTheSame(t *testing.T) {
	for src, want := range map[string]string{
		`["héllo".indexOf("l"), "héllo".lastIndexOf("l"), "héllo".indexOf("l", 3), "héllo".indexOf("l", 9), "héllo".indexOf("x")]`: `[2,3,3,-1,-1]`,
		`["héllo".lastIndexOf("l", 2), "héllo".lastIndexOf("lo", 4), "héé".lastIndexOf("é", 1), "héllo".lastIndexOf("")]`:          `[2,3,1,5]`,
		`["abc".indexOf(""), "abc".indexOf("", 9), "".lastIndexOf("x"), "".indexOf("x")]`:                                          `[0,3,-1,-1]`,
		`[{"a": [1, 2]}].map(o, o.a[1] + o["a"][-2])`:                                                                              `[3]`,
		`[1, 2][?5].orValue(7) + {"a": 1}[?"b"].orValue(1)`:                                                                        `8`,
		`"abc".matches("b+") && "abc".matches("^" + "a")`:                                                                          `true`,
		`[[1], [2]] == [[1], [2]] && [1.0] == [1] && ["a"] != ["b"] && 1 in [1, 2] && !("c" in {"a": 1})`:                          `true`,
	} {
		p, problems := NewCompiler().Compile(CEL, src, &Env{}, value.Any)
		if problems != nil {
			t.Errorf("%s: %v", src, problems)
			continue
		}
		if v, err := p.Eval(NewScope(time.Now())); err != nil || value.JSON(v) != want {
			t.Errorf("%s: %s, %v, want %s", src, value.JSON(v), err, want)
		}
	}
}
