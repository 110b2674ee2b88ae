package yamltree

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"pflow/internal/diag"
)

// The library says what is wrong with a document, but its errors have no column and a line that is often another one.
// So the place is found by trial: the shortest beginning of the document that already has the error ends where the
// error is.

// maxTried is the longest document, in bytes, that is worth the trials; some 25 of them are made.
const maxTried = 128 << 10

var libraryPrefix = regexp.MustCompile(`^yaml: (line ([0-9]+): )?`)

func (d *Document) syntaxError(err error) diag.Finding {
	problem := libraryPrefix.ReplaceAllString(err.Error(), "")
	at := -1
	if len(d.source) <= maxTried {
		at = d.find(problem)
	}
	if at < 0 {
		line := 1
		if m := libraryPrefix.FindStringSubmatch(err.Error()); m != nil && m[2] != "" {
			line, _ = strconv.Atoi(m[2])
		}
		at = d.starts[min(max(line, 1), len(d.starts))-1]
	}
	advice := d.advice(problem, at)
	if d.bareTemplate(at) {
		advice = "inside { } and [ ], a text with ${…} needs quotes"
	}
	if n := d.cutOff(at); n > 0 {
		advice += fmt.Sprintf("; in line %d the text from # on is a comment: quote the expression", n)
	}
	return d.finding(d.place(at), BadYAML, "%s", advice)
}

// problemOf is what the library says of a text, "" if nothing.
func problemOf(text string) string {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var n yaml.Node
		switch err := decode(dec, &n); {
		case errors.Is(err, io.EOF):
			return ""
		case err != nil:
			return libraryPrefix.ReplaceAllString(err.Error(), "")
		}
	}
}

const (
	badStart    = "found character that cannot start any token"
	endOfStream = "found unexpected end of stream"
	noColonHere = "mapping values are not allowed in this context"
	badKey      = "did not find expected key"
	badEntry    = "did not find expected '-' indicator"
	openList    = "did not find expected ',' or ']'"
	openMapping = "did not find expected ',' or '}'"
	noContent   = "did not find expected node content"
	tabIndent   = "found a tab character that violates indentation"
	// unknownAnchor begins the problem.
	unknownAnchor = "unknown anchor '"
	tabElsewhere  = "found a tab character where an indentation space is expected"
)

// find gives the offset of the character at which a problem shows, or -1.
func (d *Document) find(problem string) int {
	stop := stopFor(problem)
	has := func(end int) bool { return problemOf(d.source[:end]+stop) == problem }
	ends := append(d.starts[1:len(d.starts):len(d.starts)], len(d.source))
	k := sort.Search(len(ends), func(i int) bool { return has(ends[i]) })
	if k == len(ends) {
		return d.findOpen(problem, ends)
	}
	from := d.starts[k]
	n := sort.Search(ends[k]-from, func(i int) bool { return has(from + i + 1) })
	at := d.character(from, from+n)
	if strings.HasPrefix(problem, unknownAnchor) {
		return max(from, strings.LastIndexByte(d.source[:at+1], '*'))
	}
	return at
}

// character gives the begin of the character that the byte at belongs to; the end of a line belongs to the character
// before it. from is the begin of the line.
func (d *Document) character(from, at int) int {
	at = min(at, len(d.source)-1)
	for at > from && (d.source[at] == '\n' || d.source[at] == '\r' || d.source[at] >= 0x80 && d.source[at] < 0xC0) {
		at--
	}
	return at
}

// stopFor gives what is put behind a beginning of the document. Most problems never come from a text that just ends;
// where one may, another error is put there, so that the end is not reached.
func stopFor(problem string) string {
	switch problem {
	case badStart, noColonHere, badKey, badEntry, tabIndent, tabElsewhere:
		return "\n"
	case openList, openMapping:
		return "\n,,\n"
	}
	if strings.HasPrefix(problem, unknownAnchor) {
		return "\n"
	}
	return "\n@"
}

// findOpen finds the begin of what is still open at the end of the document: the last line before which the document
// does not have the problem. Beginnings may have the problem, lose and regain it, so lines are tried one by one.
func (d *Document) findOpen(problem string, ends []int) int {
	if problemOf(d.source) != problem {
		return -1
	}
	budget := 16 * maxTried // in bytes, so in time
	for k := len(ends) - 1; k >= 0 && budget > 0; k-- {
		budget -= d.starts[k]
		from := d.starts[k]
		if problemOf(d.source[:from]) == problem {
			continue
		}
		n := sort.Search(ends[k]-from, func(i int) bool { return problemOf(d.source[:from+i+1]) == problem })
		return d.character(from, from+n)
	}
	return -1
}

// advice says what to do about a problem at an offset.
func (d *Document) advice(problem string, at int) string {
	c := byte(0)
	if at < len(d.source) {
		c = d.source[at]
	}
	switch problem {
	case badStart:
		if c == '\t' {
			return "a tab cannot indent; use blanks"
		}
		return "text cannot begin with this character; quote the text"
	case tabIndent, tabElsewhere:
		return "a tab cannot indent; use blanks"
	case endOfStream:
		return "a quoted text begins here, and its end is missing"
	case noColonHere:
		return "a key cannot stand here: text with a colon and a blank needs quotes, and a key the indentation of its neighbours"
	case badKey:
		return "no key of the mapping above: check the indentation of this line, and quotes that end too early"
	case badEntry:
		return "no entry of the list above: check the indentation of this line"
	case noContent:
		return "a value is missing here; check brackets and braces"
	case openList:
		return "a comma or the ] of a list is missing here or before"
	case openMapping:
		return "a comma or the } of a mapping is missing here or before"
	}
	if rest, ok := strings.CutPrefix(problem, unknownAnchor); ok {
		name, _, _ := strings.Cut(rest, "'")
		return "before this alias there is no anchor &" + name + "; quote text that begins with *"
	}
	return "this cannot be read as YAML: " + problem
}
