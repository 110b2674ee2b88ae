package experiment

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"pflow/internal/diag"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Case is one request and what is expected of its plan.
type Case struct {
	ID        string
	Request   string
	Stdin     any
	Date      string   // current_date; "" is that of the experiment
	Nodes     []any    // declared nodes of this case alone
	Catalogue []string // files or folders of declared nodes
	Only      []string // the components it may use; nil: all
	Library   string   // a folder of saved workflows
	Workflows []any    // or saved workflows themselves: {name, description, ir, …}, or the paths of their files
	Group     string   // cases of one group are not independent of each other
	Expect    Expect

	raw   any        // the case as it was read
	place diag.Place // of it
}

// readCase reads one case. What it gives beside findings is what could be read.
func readCase(v any, from origin, dir string, p *predicates) (Case, diag.List) {
	r := &caseReader{from: from, dir: dir, predicates: p}
	c := Case{raw: v}
	r.object(nil, v, "a case: {id, request, expect, …}", map[string]func(path []any, v any){
		"id":           func(p []any, v any) { c.ID = r.id(p, v) },
		"request":      func(p []any, v any) { c.Request = r.request(p, v) },
		"stdin":        func(_ []any, v any) { c.Stdin = v },
		"current_date": func(p []any, v any) { c.Date = r.date(p, v) },
		"nodes":        func(p []any, v any) { c.Nodes = r.list(p, v, "a list of declared nodes") },
		"catalogue":    func(p []any, v any) { c.Catalogue = r.paths(p, v) },
		"only":         func(p []any, v any) { c.Only = append([]string{}, r.names(p, v)...) },
		"library": func(p []any, v any) {
			if list, ok := v.([]any); ok {
				c.Workflows = r.workflows(p, list)
			} else {
				c.Library = r.path(p, v)
			}
		},
		"group":  func(p []any, v any) { c.Group = r.named(p, r.text(p, v)) },
		"expect": func(p []any, v any) { c.Expect = r.expect(p, v) },
	})
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"id", "request", "expect"} {
			if _, there := m[key]; !there {
				r.report(nil, yamltree.MissingKey, "", "a case needs %s", key)
			}
		}
	}
	return c, r.found
}

// maxFindings ends the reading of a file that has nothing but faults.
const maxFindings = 100

// maxCase is how long a line of a file of cases may be, in bytes.
const maxCase = 8 << 20

// ReadCases reads a JSONL file and hands its cases on, one at a time. It goes on after findings; empty lines count for
// nothing. The error is that of each, or of reading.
func ReadCases(file string, in io.Reader, each func(Case) error) (diag.List, error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	ids := map[string]int{}
	var found diag.List
	p := newPredicates()
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return found, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // as some editors begin a file
		}
		if len(bytes.TrimSpace(line)) > 0 {
			c, problems := caseOf(file, number, line, p)
			if first, twice := ids[c.ID]; twice && c.ID != "" {
				problems = append(problems, diag.Finding{Severity: diag.Error, Kind: DuplicateCase, Place: diag.Place{File: file, Line: number, Col: 1},
					Message: fmt.Sprintf("the id %q is that of line %d, too; each case needs its own", c.ID, first)})
			}
			ids[c.ID] = number
			if found = append(found, problems...); len(found) > maxFindings {
				return found, nil
			}
			if len(problems) == 0 {
				if err := each(c); err != nil {
					return found, err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return found, nil
		}
	}
}

// caseOf reads one line.
func caseOf(file string, number int, line []byte, p *predicates) (Case, diag.List) {
	from := lineOrigin{file: file, line: number, data: bytes.TrimRight(line, "\r\n")}
	v, err := value.ParseJSON(line)
	if err != nil {
		at, snippet := from.place(nil)
		return Case{}, diag.List{{Severity: diag.Error, Kind: BadCase, Place: at, Snippet: snippet, Message: "this line is no JSON: " + err.Error()}}
	}
	c, found := readCase(v, from, filepath.Dir(file), p)
	c.place = diag.Place{File: file, Line: number, Col: 1}
	return c, found
}

var errLongCase = fmt.Errorf("the line is longer than %d MB", maxCase>>20)

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxCase {
			return nil, errLongCase
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// planRequest is what the planner is asked.
func (c *Case) planRequest(date string) planner.Request {
	if c.Date != "" {
		date = c.Date
	}
	return planner.Request{Text: c.Request, Source: "file", Stdin: c.Stdin, Date: date}
}
