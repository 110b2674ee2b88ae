package cond

import (
	"bytes"
	"encoding/json"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions that take JSON as a text, such as that of a file which people keep: the order of the keys and how numbers
// are written stay. What parse_json gives has neither.
var jsonTextFunctions = []function{
	{
		Function: Function{"indent_json", "indent_json(s string[, spaces integer]) string",
			`The JSON text over several lines, with so many spaces for each level, 2 unless given; 0 puts all on one line. Keys keep their order.`,
			`indent_json("{\"b\": [1], \"a\": {}}")`, `"{\n  \"b\": [\n    1\n  ],\n  \"a\": {}\n}"`},
		params: []value.Type{value.String, value.Integer}, optional: 1, result: value.String, call: indentJSON,
	},
}

func indentJSON(s *Scope, args []any) (any, error) {
	text, spaces := strings.TrimSpace(args[0].(string)), 2
	if len(args) == 2 {
		spaces = args[1].(int)
	}
	if spaces < 0 || spaces > 16 {
		return nil, fault.New(fault.Type, "indent_json takes from 0 to 16 spaces, got %d", spaces)
	}
	if _, err := parseJSON(s, text); err != nil {
		return nil, err
	}
	size, depth, quoted := len(text), 0, false
	for i := 0; i < len(text) && size <= maxText; i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			size += 1 + depth*spaces
		case c == '}' || c == ']':
			depth--
			size += 1 + depth*spaces
		case c == ',':
			size += 1 + depth*spaces
		case c == ':':
			size++
		}
	}
	if err := s.text(size); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if spaces == 0 {
		err := json.Compact(&b, []byte(text))
		return b.String(), err
	}
	err := json.Indent(&b, []byte(text), "", strings.Repeat(" ", spaces))
	return b.String(), err
}
