package ir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"pflow/internal/value"
)

// maxDepth bounds nesting, so that what walks a document cannot run out of stack.
const maxDepth = 500

// object is a JSON object with its keys in document order.
type object struct {
	keys []string
	vals []any
}

// readTree reads exactly one JSON value into nil, bool, json.Number, string, []any and *object. The error names line,
// column and, for a key that stands twice, the key.
func readTree(data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errors.New("the text is not UTF-8")
	}
	if err := value.Bounded(data); err != nil {
		return nil, err
	}
	v, offset, err := ordered.Read(data)
	if err == nil {
		return v, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = max(offset, syntax.Offset-1)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err, offset = errors.New("the text ends too early"), int64(len(data))
	}
	line, col := lineCol(data, int(min(offset, int64(len(data)))))
	return nil, fmt.Errorf("line %d, column %d: %w", line, col, err)
}

// lineCol counts from 1, columns in characters.
func lineCol(data []byte, offset int) (line, col int) {
	before := data[:offset]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// ordered makes trees.
var ordered = value.Tree{
	Depth:  maxDepth,
	Number: func(text string) (any, error) { return json.Number(text), nil },
	Object: func(keys []string, values []any) any { return &object{slices.Clone(keys), slices.Clone(values)} },
}

// plain turns a tree into ordinary Go maps.
func plain(v any) any {
	switch v := v.(type) {
	case *object:
		out := make(map[string]any, len(v.keys))
		for i, k := range v.keys {
			out[k] = plain(v.vals[i])
		}
		return out
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
		return v
	}
	return v
}

// nameOf is the JSON type of a value, for messages.
func nameOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number, int, float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// key and index extend a JSON path. A key that is no plain word is written in brackets.
func key(path, k string) string {
	if !isID(k) {
		return path + "[" + strconv.Quote(k) + "]"
	}
	if path == "" {
		return k
	}
	return path + "." + k
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// isID is the rule for ids and names: [A-Za-z0-9_-]+.
func isID(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isWord(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func sortedUnique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
