package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Schema is a JSON Schema of structured replies: immutable, safe for concurrent use.
type Schema struct {
	Name string
	JSON map[string]any // the document, normalised
	form *jsonschema.Schema
}

// ParseSchema reads NAME.schema.json. A finding has the kind bad-prompt.
func ParseSchema(name, file string, data []byte) (*Schema, diag.List) {
	broken := func(format string, args ...any) (*Schema, diag.List) {
		return nil, diag.List{{
			Severity: diag.Error, Kind: "bad-prompt", Place: diag.Place{File: file, Line: 1, Col: 1}, Message: fmt.Sprintf(format, args...),
		}}
	}
	if !utf8.Valid(data) {
		return broken("the schema is not valid UTF-8")
	}
	v, err := value.ParseJSON(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return broken("the schema is no JSON: %v", err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return broken("a schema is a JSON object")
	}
	keepOrder(bytes.TrimPrefix(data, []byte("\ufeff")), object)
	s, err := NewSchema(name, object)
	if err != nil {
		return broken("the schema cannot be used: %v", err)
	}
	return s, nil
}

// NewSchema makes a schema of a normalised document. It reaches for no other document.
func NewSchema(name string, document map[string]any) (*Schema, error) {
	const url = "pflow:///reply.schema.json" // a name alone would be one of a file in the working directory
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(url, document); err != nil {
		return nil, err
	}
	form, err := c.Compile(url)
	var wrong *jsonschema.SchemaValidationError
	if errors.As(err, &wrong) {
		if misfits := misfitsOf(wrong.Err, "the schema"); len(misfits) > 0 {
			return nil, errors.New(strings.Join(misfits, "; "))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return &Schema{Name: name, JSON: document, form: form}, nil
}

// maxMisfits is how many faults of a reply are told: whoever mends the first few often mends all.
const maxMisfits = 8

// Misfits says what is wrong with a normalised value, in words written for whoever made it: "nodes[0].id: want string,
// but got number". It is empty for a value that fits.
func (s *Schema) Misfits(v any) []string {
	return misfitsOf(s.form.Validate(v), "the reply")
}

// misfitsOf says what a validation found wrong with what is called whole.
func misfitsOf(err error, whole string) []string {
	if err == nil {
		return nil
	}
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return []string{err.Error()}
	}
	var out []string
	leaves(invalid.DetailedOutput(), func(u *jsonschema.OutputUnit) {
		at := whole
		if u.InstanceLocation != "" {
			at = place(u.InstanceLocation)
		}
		line := at + ": " + u.Error.String()
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	})
	slices.Sort(out) // properties are looked at in the order of a map
	return out[:min(len(out), maxMisfits)]
}

func leaves(u *jsonschema.OutputUnit, each func(*jsonschema.OutputUnit)) {
	if len(u.Errors) == 0 && u.Error != nil {
		each(u)
	}
	for i := range u.Errors {
		leaves(&u.Errors[i], each)
	}
}

// place writes a JSON pointer as pflow writes paths.
func place(pointer string) string {
	var b strings.Builder
	for _, part := range strings.Split(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch {
		case strings.Trim(part, "0123456789") == "" && part != "":
			b.WriteString("[" + part + "]")
		case b.Len() > 0:
			b.WriteString("." + part)
		default:
			b.WriteString(part)
		}
	}
	return b.String()
}
