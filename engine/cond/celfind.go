package cond

import (
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"pflow/internal/fault"
)

// celFind is indexOf, or lastIndexOf, of CEL's: places count characters. CEL's own compares at every place, which takes
// the product of both lengths.
func celFind(last bool) func(args ...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		s, args := celPays(args)
		text, ok1 := args[0].(types.String)
		part, ok2 := args[1].(types.String)
		at, ok3 := types.Int(0), true
		if len(args) == 3 {
			at, ok3 = args[2].(types.Int)
		}
		if !ok1 || !ok2 || !ok3 {
			return types.WrapErr(fault.New(fault.Type, "indexOf takes strings, and an integer to begin at"))
		}
		if err := s.scan(len(text)*converts + len(part)); err != nil {
			return types.WrapErr(err)
		}
		n := utf8.RuneCountInString(string(text))
		if last && len(args) == 2 {
			at = types.Int(max(n-1, 0))
			if part == "" {
				at = types.Int(n)
			}
		}
		switch {
		case at < 0:
			return types.WrapErr(fault.New(fault.Type, "index out of range: %d", int(at)))
		case part == "":
			return min(at, types.Int(n))
		case int(at) >= n:
			return types.Int(-1)
		}
		return types.Int(find(string(text), string(part), int(at), last))
	}
}

// find gives the first place of part in text from the character at on, or the last up to it; -1 for none.
func find(text, part string, at int, last bool) int {
	from := byteOffset(text, at)
	if last {
		// A part that begins at the place may reach beyond it.
		end := min(from+len(part), len(text))
		if i := strings.LastIndex(text[:end], part); i >= 0 {
			return utf8.RuneCountInString(text[:i])
		}
		return -1
	}
	if i := strings.Index(text[from:], part); i >= 0 {
		return utf8.RuneCountInString(text[:from+i])
	}
	return -1
}
