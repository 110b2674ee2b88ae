package nodes

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// resolveNow gives the value of one template.
func resolveNow(c nodetype.Call, template string) (any, error) {
	if c.Resolve == nil {
		return nil, fault.New(fault.MissingKey, "%s cannot be resolved here", template)
	}
	return c.Resolve(template)
}

// isPending reports whether the value at a path into the params, or a part of it, is not known yet.
func isPending(pending []string, path string) bool {
	return slices.ContainsFunc(pending, func(p string) bool {
		return p == path || strings.HasPrefix(p, path) && (p[len(path)] == '.' || p[len(path)] == '[')
	})
}

// lateValues resolves the templates of a Late param, each to its text.
func lateValues(c nodetype.Call, source *lateText) ([]string, error) {
	values := make([]string, len(source.exprs))
	for i, e := range source.exprs {
		v, err := resolveNow(c, e.Text)
		if err != nil {
			return nil, err
		}
		values[i] = ir.Text(v)
	}
	return values, nil
}

// lateText is the text of a Late param: literal text, with the templates of exprs between. There is one literal more than
// there are templates.
type lateText struct {
	literals []string // with $$ read as a dollar
	exprs    []*ir.Expr
}

// readLate finds the templates of a Late param.
func readLate(text string) (*lateText, []ir.Problem) {
	p, problems := ir.Compile(text)
	if problems != nil {
		return nil, problems
	}
	t := &lateText{}
	at := 0
	p.Walk(func(_ string, e *ir.Expr) {
		t.literals = append(t.literals, strings.ReplaceAll(text[at:e.Offset], "$$", "$"))
		t.exprs = append(t.exprs, e)
		at = e.Offset + len(e.Text)
	})
	t.literals = append(t.literals, strings.ReplaceAll(text[at:], "$$", "$"))
	return t, nil
}

// duration reads a timeout: seconds as a number, or text such as "30s". It is otherwise if the param is not given; zero
// and less are refused.
func duration(v any, key string, otherwise time.Duration) (time.Duration, error) {
	var d time.Duration
	switch v := v.(type) {
	case nil:
		return otherwise, nil
	case int:
		d = time.Duration(v) * time.Second
		if v > int(maxTimeout/time.Second) {
			d = maxTimeout
		}
	case float64:
		d = time.Duration(min(v, maxTimeout.Seconds()) * float64(time.Second))
	case string:
		got, err := time.ParseDuration(v)
		if err != nil {
			return 0, fault.New(fault.InvalidRequest, "%s is %s: give a number of seconds, or a duration such as 500ms, 30s or 5m", key, quote(v))
		}
		d = got
	default:
		return 0, fault.New(fault.InvalidRequest, "%s must be a number of seconds, or a duration such as 500ms, 30s or 5m", key)
	}
	if d <= 0 {
		return 0, fault.New(fault.InvalidRequest, "%s must be more than nothing", key)
	}
	return d, nil
}

const maxTimeout = 365 * 24 * time.Hour

// checkDuration is duration for a param in the IR, where a template may stand.
func checkDuration(params map[string]any, key string) []ir.Problem {
	v := params[key]
	if text, ok := v.(string); ok && strings.ContainsRune(text, '$') {
		return nil
	}
	if n, ok := v.(fmt.Stringer); ok { // a json.Number
		v, _ = ir.Coerce("number", n.String())
	}
	if _, err := duration(v, key, time.Second); err != nil {
		return []ir.Problem{{Path: key, Message: err.Error()}}
	}
	return nil
}

// quote shows a value in a message: in quotes, so that its blanks and line breaks are seen, and not too much of it.
func quote(s string) string {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// inParam is an error whose place counts within the text of a param.
func inParam(key string, err error) error {
	e := *fault.Of(err)
	e.Path = "params." + key
	return &e
}

// badParam is the error of a param, given with its text, in which only the values of a run show what is wrong.
func badParam(key, text string, problems []ir.Problem) error {
	p := problems[0]
	before := text[:min(max(p.Offset, 0), len(text))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	err := fault.New(fault.InvalidRequest, "%s", p.Message)
	err.Place = diag.Place{Line: strings.Count(before, "\n") + 1, Col: utf8.RuneCountInString(line) + 1}
	return inParam(key, err)
}
