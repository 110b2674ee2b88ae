package table

import (
	"bytes"
	"encoding/csv"
	"strings"
	"unicode/utf8"
)

// candidates are the delimiters that CSV is written with, the likeliest first.
var candidates = []rune{',', ';', '\t', '|'}

// delimiterOf gives the delimiter of a table by what it begins with, and how many bytes of that are a line sep=; as Excel
// has it. A delimiter fits if it cuts every row of the sample into the same number of fields, more than one; of those that
// fit the one with the most fields is taken. If none fits, it is the one that the first row has most of, else the comma.
// whole tells that the sample is all there is.
func delimiterOf(head []byte, whole bool, o Options) (rune, int) {
	skip := 0
	if first, _, ok := bytes.Cut(head, []byte("\n")); ok {
		if sep, named := strings.CutPrefix(strings.TrimRight(string(first), "\r"), "sep="); named {
			if r, width := utf8.DecodeRuneInString(sep); width == len(sep) && BadDelimiter(sep) == "" {
				return r, len(first) + 1
			}
		}
	}
	if o.Format == TSV {
		return '\t', skip
	}
	if !whole {
		head = head[:bytes.LastIndexByte(head, '\n')+1] // the last row may be cut
	}
	best, most := ',', 1
	inFirst, firstMost := ',', 1
	for _, d := range candidates {
		rows, width, same := 0, 0, true
		r := csv.NewReader(bytes.NewReader(head))
		r.Comma, r.FieldsPerRecord, r.ReuseRecord = d, -1, true
		for rows < 100 {
			row, err := r.Read()
			if err != nil {
				break
			}
			if rows == 0 {
				width = len(row)
			}
			same = same && len(row) == width
			rows++
		}
		if same && width > most {
			best, most = d, width
		}
		if width > firstMost {
			inFirst, firstMost = d, width
		}
	}
	if most > 1 {
		return best, skip
	}
	return inFirst, skip
}
