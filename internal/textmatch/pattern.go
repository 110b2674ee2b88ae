// Package textmatch finds and replaces what a pattern matches in texts. It reads and writes no files.
//
// A pattern is literal text or an RE2 expression. In an expression ^ and $ stand for the begin and the end of a line. Lines
// end with \n or \r\n; a pattern that does not name \r itself takes both for \n. With WholeWords a match has no letter,
// digit or underscore of any script beside it.
package textmatch

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"pflow/internal/fault"
)

// Pattern is what is looked for. It is safe for concurrent use.
type Pattern struct {
	re    *regexp.Regexp
	cr    bool // it names \r itself
	whole *wholeWords
}

// Options say how a pattern is meant.
type Options struct {
	Regex      bool // an RE2 expression
	IgnoreCase bool
	WholeWords bool
}

// Compile reads a pattern. The error is a fault of kind invalid_request.
func Compile(pattern string, o Options) (*Pattern, error) {
	if pattern == "" {
		return nil, fault.New(fault.InvalidRequest, "pattern is empty: give the text to look for")
	}
	source := regexp.QuoteMeta(pattern)
	if o.Regex {
		if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
			why := err.Error()
			var wrong *syntax.Error
			if errors.As(err, &wrong) {
				why = fmt.Sprintf("%s in %s", wrong.Code, strconv.Quote(wrong.Expr))
			}
			return nil, fault.New(fault.InvalidRequest, "pattern is no regular expression (RE2): %s; a sign that stands for itself takes a backslash, or leave regex out", why)
		}
		source = pattern
	}
	flags := "(?m:"
	if o.IgnoreCase {
		flags = "(?mi:"
	}
	p := &Pattern{cr: strings.Contains(pattern, "\r") || o.Regex && namesCR.MatchString(pattern)}
	var err error
	if p.re, err = regexp.Compile(flags + source + ")"); err == nil && o.WholeWords {
		p.whole, err = compileWhole(flags + source + ")")
	}
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "pattern cannot be used: %v", err)
	}
	return p, nil
}

// find gives the matches in a text from left to right, at most so many unless it is -1, as regexp's
// FindAllStringSubmatchIndex does.
func (p *Pattern) find(text string, most int) [][]int {
	if p.whole != nil {
		return p.whole.find(text, most)
	}
	return p.re.FindAllStringSubmatchIndex(text, most)
}

var namesCR = regexp.MustCompile(`\\(r|x0[dD]|x\{0*[dD]\}|015)`)

// Replacement is the text that takes the place of a match, with its groups.
type Replacement []piece

// piece is text, or a group of the match if group is not -1.
type piece struct {
	text  string
	group int
}

// Replacement reads a replacement: with groups, $0 is the match, $1 to $99 its groups and $$ a dollar; a dollar before
// anything else is text. The error is a fault of kind invalid_request.
func (p *Pattern) Replacement(text string, groups bool) (Replacement, error) {
	if !groups {
		return Replacement{{text, -1}}, nil
	}
	var out Replacement
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 || at+1 == len(text) {
			return append(out, piece{text, -1}), nil
		}
		digits := 0
		for digits < 2 && at+1+digits < len(text) && text[at+1+digits] >= '0' && text[at+1+digits] <= '9' {
			digits++
		}
		if digits == 0 {
			keep := at + 1
			skip := keep
			if text[keep] == '$' {
				skip++
			}
			out = append(out, piece{text[:keep], -1})
			text = text[skip:]
			continue
		}
		n, _ := strconv.Atoi(text[at+1 : at+1+digits])
		if n > p.re.NumSubexp() && digits == 2 { // $10 of one group is the group 1, and a 0
			digits--
			n /= 10
		}
		if n > p.re.NumSubexp() {
			return nil, fault.New(fault.InvalidRequest, "replacement reads the group $%d, and pattern has %d; write $$ for a dollar", n, p.re.NumSubexp())
		}
		out = append(out, piece{text[:at], -1}, piece{"", n})
		text = text[at+1+digits:]
	}
}
