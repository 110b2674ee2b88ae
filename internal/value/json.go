package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"pflow/internal/fault"
)

// AppendJSON appends the canonical JSON of a normalised value: keys sorted, no spaces, no HTML escaping, the shortest
// number that reads back the same, written as ECMAScript and encoding/json do. ParseJSON gives the value back. Equal values give equal bytes, so hashes and journals can be compared.
func AppendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case float64:
		return appendFloat(dst, v)
	case string:
		return AppendString(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		if len(v) == 1 {
			for k, item := range v {
				dst = append(AppendString(dst, k), ':')
				dst = AppendJSON(dst, item)
			}
		} else if len(v) > 1 {
			for i, k := range SortedKeys(v) {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = append(AppendString(dst, k), ':')
				dst = AppendJSON(dst, v[k])
			}
		}
		return append(dst, '}')
	}
	panic("value: not normalised before it was written: " + Name(v))
}

// JSON is AppendJSON as a string.
func JSON(v any) string { return string(AppendJSON(nil, v)) }

func appendFloat(dst []byte, f float64) []byte {
	if math.Abs(f) >= 1e21 || (f != 0 && math.Abs(f) < 1e-6) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

const hex = "0123456789abcdef"

// AppendString appends a JSON string. Invalid UTF-8, which normalised values cannot hold, is written as U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), `\ufffd`...)
				i++
				start = i
				continue
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// ParseJSON reads exactly one JSON value, normalised: integers stay exact, duplicate keys are refused, nesting and the
// number of values are bounded. The error is a fault of kind malformed that names line and column.
func ParseJSON(data []byte) (any, error) {
	if err := Bounded(data); err != nil {
		return nil, err
	}
	return ParseWritten(data)
}

// ParseWritten is ParseJSON for what this program wrote, as a journal does: however many values a run has held, they are
// read back.
func ParseWritten(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, fault.New(fault.Malformed, "not valid JSON: the text is not UTF-8")
	}
	v, offset, err := written.Read(data)
	if err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = errors.New("the text ends too early")
		}
		line, col := position(data, offset, err)
		return nil, fault.New(fault.Malformed, "not valid JSON at line %d, column %d: %v", line, col, err)
	}
	return v, nil
}

// written makes normalised values.
var written = Tree{Depth: maxDepth, Number: ParseNumber, Object: func(keys []string, values []any) any {
	out := make(map[string]any, len(keys))
	for n, k := range keys {
		out[k] = values[n]
	}
	return out
}}

// Decode reads one JSON value into a Go value as encoding/json does, but for numbers: in a place of type any they stay
// exact, as json.Number, until Normalize settles them.
func Decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, more := d.Token(); more != io.EOF {
		return errors.New("text follows the value")
	}
	return nil
}

// ParseNumber reads a JSON number: an integer if it is written as one or is integral, else a finite float. An integer
// literal beyond 64 bits is a float if that is how the float is written, as 100000000000000000000 is; any other is an
// error, since a float would lose digits without a word.
func ParseNumber(s string) (any, error) {
	i, notInt := strconv.ParseInt(s, 10, 64)
	if notInt == nil {
		return int(i), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if errors.Is(notInt, strconv.ErrRange) && (err != nil || string(appendFloat(nil, f)) != s) {
		return nil, fault.New(fault.Type, "the integer %s does not fit in 64 bits; give it as a string", s)
	}
	if err != nil {
		return nil, fault.New(fault.Type, "the number %s is out of range", s)
	}
	return number(f, nil)
}

// position turns a decoder's offset into line and column, both from 1.
func position(data []byte, offset int64, err error) (line, col int) {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = max(offset, syntax.Offset-1)
	}
	offset = min(offset, int64(len(data)))
	before := data[:offset]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
