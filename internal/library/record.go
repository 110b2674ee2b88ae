package library

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/internal/workflowfile"
	"pflow/ir"
)

// Record is one saved workflow.
type Record struct {
	Name        string
	Description string
	Keywords    []string
	Examples    []string        // past approved requests
	IR          json.RawMessage // the document as it was saved
	Workflow    *ir.Workflow    // the same, decoded
	CreatedAt   time.Time       // zero: unknown
	UpdatedAt   time.Time
	Version     int
	Origin      json.RawMessage            // how it came about; nil: unknown
	Extra       map[string]json.RawMessage // keys this version does not know, kept
	Outcome     *Outcome                   // what came of its runs, which its file does not hold; nil: nothing is known
}

// Hash is the ir_hash of the record.
func (r *Record) Hash() string {
	sum, err := ir.HashJSON(r.IR)
	if err != nil {
		panic("library: a record holds what is no JSON: " + err.Error())
	}
	return sum
}

// ignored are keys of older files that say what the IR says.
var ignored = []string{"inputs", "outputs", "created"}

// Parse reads a record or a bare IR document, which is YAML if the name of the file says so. Errors are those of form;
// file names it in findings, which are warnings.
func Parse(file string, data []byte) (*Record, diag.List, error) {
	text, err := workflowfile.Read(file, data)
	if err != nil {
		return nil, nil, err
	}
	keys, err := object(text.JSON)
	if err != nil {
		return nil, nil, fault.New(fault.Malformed, "%v%s", err, text.Hint())
	}
	if _, bare := keys["nodes"]; bare && keys["ir"] == nil {
		return parseIR(text, text.JSON, &Record{Version: 1}, text.Found)
	}
	r := &Record{}
	found := text.Found
	hash := ""
	read := map[string]any{"name": &r.Name, "description": &r.Description, "keywords": &r.Keywords, "examples": &r.Examples, "ir": &r.IR,
		"ir_hash": &hash, "created_at": &r.CreatedAt, "updated_at": &r.UpdatedAt, "version": (*number)(&r.Version), "origin": &r.Origin}
	for _, k := range value.SortedKeys(keys) {
		into, known := read[k]
		switch {
		case known:
			if err := json.Unmarshal(keys[k], into); err != nil {
				return nil, nil, fault.New(fault.Malformed, "the key %q: %v", k, err)
			}
		case !slices.Contains(ignored, k):
			if r.Extra == nil {
				r.Extra = map[string]json.RawMessage{}
			}
			r.Extra[k] = keys[k]
			w := warning(UnknownKey, file, fmt.Sprintf("a saved workflow has no key %q; it is kept", k))
			w.Suggestion = diag.Nearest(k, value.SortedKeys(read))
			found = append(found, w)
		}
	}
	if keys["ir"] == nil {
		return nil, nil, fault.New(fault.Malformed, `the key "ir" is missing: it is neither a saved workflow nor an IR document`)
	}
	r.Version = max(r.Version, 1)
	if string(r.Origin) == "null" {
		r.Origin = nil
	}
	if hash != "" {
		if sum := r.Hash(); sum != hash {
			found = append(found, warning(WrongHash, file, fmt.Sprintf("ir_hash is not that of the ir (%s), which was changed without it; saving again mends it", sum)))
		}
	}
	return parseIR(text, r.IR, r, found)
}

// number is the version of a record. In older files it is a text, such as "1.0.0", which counts nothing: it is read as 1.
type number int

func (n *number) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*n = 1
		return nil
	}
	return json.Unmarshal(data, (*int)(n))
}

func parseIR(file *workflowfile.File, doc []byte, r *Record, found diag.List) (*Record, diag.List, error) {
	w, list := ir.Decode(doc)
	if list.HasErrors() {
		return nil, nil, file.Locate(list).Err()
	}
	r.IR, r.Workflow = doc, w
	return r, found, nil
}

// object reads the keys of a JSON object; a key that stands twice, or text behind it, is an error.
func object(data []byte) (map[string]json.RawMessage, error) {
	if _, err := ir.Canonical(data); err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &keys); err != nil || keys == nil {
		return nil, fmt.Errorf("not a JSON object")
	}
	return keys, nil
}

// Encode writes a record for people: keys in a fixed order, two blanks a level, numbers and order of the IR as they are.
func (r *Record) Encode() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	put := func(k string, raw []byte) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(value.AppendString(nil, k))
		b.WriteByte(':')
		b.Write(raw)
	}
	list := func(items []string) []byte {
		out := []any{}
		for _, s := range items {
			out = append(out, s)
		}
		return value.AppendJSON(nil, out)
	}
	text := func(s string) []byte { return value.AppendString(nil, s) }
	put("name", text(r.Name))
	put("description", text(r.Description))
	put("keywords", list(r.Keywords))
	put("examples", list(r.Examples))
	put("ir", r.IR)
	put("ir_hash", text(r.Hash()))
	put("created_at", text(r.CreatedAt.UTC().Format(time.RFC3339)))
	put("updated_at", text(r.UpdatedAt.UTC().Format(time.RFC3339)))
	put("version", []byte(fmt.Sprint(r.Version)))
	origin := []byte(r.Origin)
	if origin == nil {
		origin = []byte("null")
	}
	put("origin", origin)
	for _, k := range value.SortedKeys(r.Extra) {
		put(k, r.Extra[k])
	}
	b.WriteByte('}')
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		panic("library: a record holds what is no JSON: " + err.Error())
	}
	out.WriteByte('\n')
	return out.Bytes()
}
