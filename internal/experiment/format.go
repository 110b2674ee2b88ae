package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"pflow/internal/printable"
)

// Formats lists what a report can be written as.
var Formats = []string{"text", "json", "junit", "markdown", "html"}

// Format writes the report, without secrets, and with the controls of names and texts as escapes: a file is shown on
// terminals, too. details is how many fixed, and how many broken cases text and Markdown list.
func (r *Report) Format(format string, details int) (string, error) {
	var out string
	var err error
	switch format {
	case "text":
		out = r.Text(max(0, details))
	case "json":
		out, err = r.JSON()
	case "junit":
		out, err = r.JUnit()
	case "markdown":
		out = r.Markdown(max(0, details))
	case "html":
		return r.HTML() // parts of it are packed: it takes secrets out itself
	default:
		return "", fmt.Errorf("there are: %s", strings.Join(Formats, ", "))
	}
	if out = r.Masks.Text(out); format == "json" {
		return string(printable.JSON([]byte(out))), err
	}
	return printable.Text(out), err
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
