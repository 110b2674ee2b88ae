// Package prepared is a run that is ready to begin somewhere else: what pflow hands to a backend, a program that runs what
// was compiled, bound and approved here.
package prepared

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"pflow/internal/value"
)

// Schema names the shape of Run as JSON.
const Schema = "pflow.prepared/v1"

// The kinds of runs.
const (
	Workflow = "workflow"
	Flow     = "flow"
)

// Run is a run that has not begun. It holds no secrets: {"$env": NAME} stands for one, and who runs a step reads it.
type Run struct {
	Schema    string          `json:"schema"`
	Kind      string          `json:"kind"`
	Name      string          `json:"name"`
	Documents json.RawMessage `json:"documents"` // what it is made of, as they lie beside the journal of a run
	Given     json.RawMessage `json:"given"`     // the first store; unless bound, the inputs or state keys that are given, by name
	Bound     bool            `json:"bound"`
	Missing   []Missing       `json:"missing"` // what is to be asked for; none if bound
	Yes       bool            `json:"yes"`     // nodes that want approval have it
}

// Missing is an input, or a state key, that nothing gives.
type Missing struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

// New makes the run of a workflow or a flow. It is bound unless something is missing.
func New(kind, name string, documents []byte, given map[string]any, missing []Missing) (*Run, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, documents); err != nil {
		return nil, fmt.Errorf("the documents of the run: %w", err)
	}
	if missing == nil {
		missing = []Missing{}
	}
	return &Run{Schema: Schema, Kind: kind, Name: name, Documents: compact.Bytes(), Given: value.AppendJSON(nil, given),
		Bound: len(missing) == 0, Missing: missing}, nil
}

// maxBytes bounds what Read takes.
const maxBytes = 256 << 20

// Read reads a run. The error is of what is no such document.
func Read(in io.Reader) (*Run, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxBytes:
		return nil, fmt.Errorf("it is larger than %d MB", maxBytes>>20)
	}
	r := &Run{}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("it is no JSON document of pflow run --prepare: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("something stands after the document, at byte %d", d.InputOffset())
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("its schema is %q, not %q: write it with pflow run NAME --prepare", r.Schema, Schema)
	}
	if r.Kind != Workflow && r.Kind != Flow {
		return nil, fmt.Errorf("its kind is %q: want %s or %s", r.Kind, Workflow, Flow)
	}
	if r.Name == "" {
		return nil, fmt.Errorf("it has no name")
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
	}{{"documents", r.Documents}, {"given", r.Given}} {
		if v, err := value.ParseWritten(part.text); err != nil || value.Name(v) != "object" {
			return nil, fmt.Errorf("its %s are no JSON object", part.name)
		}
	}
	return r, nil
}
