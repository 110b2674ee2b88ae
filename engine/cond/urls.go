package cond

import (
	"html"
	"net/url"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions that put a text into a URL or a page, where some characters mean something.
var escapeFunctions = []function{
	{
		Function: Function{"escape_query", "escape_query(s string) string",
			`A text as a value in the query of a URL.`,
			`"https://example.org/search?q=" + escape_query("a & b")`, `"https://example.org/search?q=a+%26+b"`},
		params: []value.Type{value.String}, result: value.String,
		call: func(s *Scope, args []any) (any, error) { return convertText(s, args[0].(string), url.QueryEscape) },
	},
	{
		Function: Function{"escape_path", "escape_path(s string) string",
			`A text as one segment of the path of a URL.`,
			`"/issues/" + escape_path("a/b c")`, `"/issues/a%2Fb%20c"`},
		params: []value.Type{value.String}, result: value.String,
		call: func(s *Scope, args []any) (any, error) { return convertText(s, args[0].(string), url.PathEscape) },
	},
	{
		Function: Function{"parse_query", "parse_query(s string) object",
			`The query of a URL: a list of values for each name. s is the query, or the whole URL.`,
			`parse_query("https://example.org/?page=2&tag=a&tag=b%20c")`, `{"page":["2"],"tag":["a","b c"]}`},
		params: []value.Type{value.String}, result: value.Object, call: parseQuery,
	},
	{
		Function: Function{"to_query", "to_query(values object) string",
			`The query of a URL: names in order, a list gives a name several times.`,
			`to_query({"page": 2, "tag": ["a", "b c"]})`, `"page=2&tag=a&tag=b+c"`},
		params: []value.Type{value.Object}, result: value.String, call: toQuery,
	},
	{
		Function: Function{"escape_html", "escape_html(s string) string",
			`A text as it stands in HTML, also in a quoted attribute.`,
			`"<td>" + escape_html("a < b & \"c\"") + "</td>"`, `"<td>a &lt; b &amp; &#34;c&#34;</td>"`},
		params: []value.Type{value.String}, result: value.String,
		call: func(s *Scope, args []any) (any, error) { return convertText(s, args[0].(string), html.EscapeString) },
	},
}

func parseQuery(s *Scope, args []any) (any, error) {
	text := args[0].(string)
	if err := s.pay(text, parses); err != nil {
		return nil, err
	}
	text, _, _ = strings.Cut(text, "#")
	if _, query, ok := strings.Cut(text, "?"); ok {
		text = query
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, fault.New(fault.Malformed, "not the query of a URL: %v", err)
	}
	out := make(map[string]any, len(values))
	for name, list := range values {
		items := make([]any, len(list))
		for i, v := range list {
			items[i] = v
		}
		out[name] = items
	}
	return out, nil
}

func toQuery(s *Scope, args []any) (any, error) {
	out := url.Values{}
	for name, v := range args[0].(map[string]any) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, item := range list {
			text, ok := item.(string)
			switch item.(type) {
			case bool, int, float64:
				text, ok = value.JSON(item), true
			}
			if !ok {
				return nil, fault.New(fault.Type, "to_query takes texts, numbers, booleans and lists of them; %s has %s", value.JSON(name), describe(item))
			}
			if err := s.scan((len(name) + len(text) + 8) * converts); err != nil {
				return nil, err
			}
			out[name] = append(out[name], text)
		}
	}
	text := out.Encode()
	return text, s.text(len(text))
}
