package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Formats lists what a report can be written as.
var Formats = []string{"text", "json", "junit", "markdown", "html"}

// Format writes the report. details is how many fixed, and how many broken cases
// text and Markdown list.
func (r *Report) Format(format string, details int) (string, error) {
	switch format {
	case "text":
		return r.Text(max(0, details)), nil
	case "json":
		return r.JSON()
	case "junit":
		return r.JUnit()
	case "markdown":
		return r.Markdown(max(0, details)), nil
	case "html":
		return r.HTML()
	}
	return "", fmt.Errorf("there are: %s", strings.Join(Formats, ", "))
}

// JSON is the report as programs read it.
func (r *Report) JSON() (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.String(), err
}
