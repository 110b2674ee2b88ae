package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"pflow/internal/printable"
)

// templateFuncs are what templates call beside the methods of their data.
var templateFuncs = template.FuncMap{
	"json":    func(v any) string { return printable.Text(jsonText(v, "  ")) },
	"took":    took,
	"money":   money,
	"short":   func(id string) string { return id[strings.LastIndexByte(id, '-')+1:] },
	"when":    func(t time.Time) string { return t.Local().Format(time.DateTime) },
	"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	"bytes":   bytesText,
	"dict":    dict,
	"list":    func(items ...any) []any { return items },
	"changes": changeLines,
	"words":   stateWords,
	"text":    printable.Text,
	"line":    func(text string, most int) string { return shortText(printable.Line(text), most) },
	"compact": asText,
	"counted": counted,
	"in":      func(one string, of []string) bool { return slices.Contains(of, one) },
	"sub":     func(a, b int) int { return a - b },

	"sections": func() []section { return sections },
}

// section is an entry of the navigation.
type section struct{ Name, Label, Href string }

var sections = []section{
	{"ask", "Ask", "/"},
	{"runs", "Runs", "/runs"},
	{"library", "Library", "/library"},
	{"planner", "Planner", "/planner"},
	{"experiments", "Experiments", "/experiments"},
	{"settings", "Settings", "/settings"},
}

// jsonText is a value that was decoded from JSON as JSON, with < and > as they are: the template escapes it for where it stands.
func jsonText(v any, indent string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(v) // what was decoded from JSON can be
	return strings.TrimSuffix(b.String(), "\n")
}

func money(usd float64) string { return fmt.Sprintf("$%.4f", usd) }

// took is a time in milliseconds as people say it.
func took(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case ms > 0 && ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func bytesText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1000/1000)
}

// dict is a map of names and values, for templates that are given several.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}
