// Package diag holds findings: what is wrong with a document, at which place, and what to do. Every check of flows,
// prompts and workflows reports through it, so that all of them sort, cap and print alike.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Place is a position in a document. Line and Col count from 1, Col in characters; the zero Place is unknown.
type Place struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"column,omitempty"`
}

func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Severity says whether a finding stops its document from being used. A note is of what does no harm.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is one thing wrong with a document. Kind is from a closed set that each checker documents; Message says what
// is wrong and what to do; Path is a JSON path for documents without lines; Snippet is the source line at Place.
type Finding struct {
	Severity     Severity `json:"severity"`
	Kind         string   `json:"code"`
	Message      string   `json:"message"`
	Place        Place    `json:"place,omitzero"`
	Path         string   `json:"path,omitempty"`
	Node         string   `json:"node,omitempty"`
	Suggestion   string   `json:"suggestion,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Snippet      string   `json:"-"`
}

// List is a set of findings.
type List []Finding

// Sort orders by file, line, column, path, kind and message, so that the same document always gives the same text, and
// drops what stands twice.
func (l List) Sort() List {
	slices.SortStableFunc(l, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Place.File, b.Place.File),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Col, b.Place.Col),
			comparePaths(a.Path, b.Path),
			strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(l, func(a, b Finding) bool {
		return a.Place == b.Place && a.Path == b.Path && a.Kind == b.Kind && a.Message == b.Message
	})
}

// comparePaths orders JSON paths: nodes[2] stands before nodes[10].
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		i, j := digits(a), digits(b)
		if i > 0 && j > 0 {
			if c := cmp.Or(cmp.Compare(i, j), strings.Compare(a[:i], b[:j])); c != 0 {
				return c
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits counts the digits that a path begins with. JSON paths write numbers without leading zeros, so the longer one
// is the larger.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// MaxShown is how many findings a report shows before it only counts the rest.
const MaxShown = 50

// Report is a document's findings as --json gives them: like Text, at most MaxShown of them, and how many are not there.
type Report struct {
	Diagnostics List `json:"diagnostics"`
	Omitted     int  `json:"omitted,omitempty"`
}

// Report is the findings that are shown, in their order; never null.
func (l List) Report() Report {
	shown := l[:min(len(l), MaxShown)]
	return Report{Diagnostics: append(List{}, shown...), Omitted: len(l) - len(shown)}
}

// HasErrors reports whether any finding is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(f Finding) bool { return f.Severity == Error })
}

// Errors counts the findings that are errors.
func (l List) Errors() int {
	n := 0
	for _, f := range l {
		if f.Severity == Error {
			n++
		}
	}
	return n
}

// Err is nil without an error among the findings, else an *Err that carries them all.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return &Err{List: l.Sort()}
}

// Err is a document's findings as a Go error.
type Err struct{ List List }

func (e *Err) Error() string { return strings.TrimRight(e.List.Text(), "\n") }

// Text is the report for a terminal: for each finding its place, severity, message and kind, the source line with a
// caret, and what was probably meant. Findings after MaxShown are counted.
func (l List) Text() string {
	var b strings.Builder
	for i, f := range l {
		if i == MaxShown {
			fmt.Fprintf(&b, "and %d more\n", len(l)-MaxShown)
			break
		}
		b.WriteString(f.Text())
	}
	return b.String()
}

// Text is the report of one finding, ending in a line break.
func (f Finding) Text() string {
	var b strings.Builder
	where := f.Place.String()
	if f.Path != "" {
		if where != "" {
			where += ": "
		}
		where += f.Path
	}
	if where != "" {
		b.WriteString(where + ": ")
	}
	fmt.Fprintf(&b, "%s: %s [%s]\n", f.Severity, f.Message, f.Kind)
	if f.Snippet != "" && f.Place.Col > 0 {
		line, caret := clip(f.Snippet, f.Place.Col)
		fmt.Fprintf(&b, "  %s\n  %s^\n", line, caret)
	}
	switch {
	case strings.Contains(f.Suggestion, `"`):
		fmt.Fprintf(&b, "  did you mean %s ?\n", f.Suggestion)
	case f.Suggestion != "":
		fmt.Fprintf(&b, "  did you mean %q?\n", f.Suggestion)
	case len(f.Alternatives) > 0:
		fmt.Fprintf(&b, "  there is: %s\n", Names(f.Alternatives, 12))
	}
	return b.String()
}

// Names joins names for a message; past most of them it counts the rest.
func Names(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// clip cuts a long source line to a window around col and gives the blanks that put a caret under it. Tabs stay tabs
// in the blanks, so that the caret stands right whatever a tab is worth.
func clip(line string, col int) (shown, blanks string) {
	const width = 100
	runes := []rune(strings.TrimRight(line, "\r\n"))
	at := min(col-1, len(runes))
	from := 0
	if at > width*3/4 {
		from = at - width/2
	}
	to := min(len(runes), from+width)
	pad := make([]rune, at-from)
	for i := range pad {
		pad[i] = ' '
		if runes[from+i] == '\t' {
			pad[i] = '\t'
		}
	}
	return string(runes[from:to]), string(pad)
}
