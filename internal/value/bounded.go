package value

import "pflow/internal/fault"

// MaxValues is how many values one document from outside may hold, those inside others counted. A value takes up to 130
// times the bytes of memory that it has in the document: a bound on bytes alone would not bound memory.
const MaxValues = 1_000_000

// Bounded checks that JSON holds at most MaxValues values, before anything is made of them. Whether it is JSON at all is
// not looked at. The error is a fault of kind malformed that names line and column.
func Bounded(data []byte) error {
	if len(data) <= MaxValues {
		return nil // every value but the first takes a byte
	}
	// A container that is not empty holds one value more than commas.
	values, inText, opened := 1, false, false
	for i := 0; i < len(data); i++ {
		c := data[i]
		if inText {
			switch c {
			case '"':
				inText = false
			case '\\':
				i++
			}
			continue
		}
		if opened && c > ' ' {
			if opened = false; c != ']' && c != '}' {
				values++
			}
		}
		switch c {
		case '"':
			inText = true
		case '[', '{':
			opened = true
		case ',':
			values++
		}
		if values > MaxValues {
			line, col := position(data, int64(i), nil)
			return fault.New(fault.Malformed, "too much JSON: at line %d, column %d it passes the bound of %d values; take less at once, by pages or a filter", line, col, MaxValues)
		}
	}
	return nil
}
