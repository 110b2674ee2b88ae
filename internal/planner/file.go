package planner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// File is a plan that was written to be applied later. Hash binds what would be run.
type File struct {
	Result
	Request string `json:"request"`
	Hash    string `json:"plan_hash"`
}

// FileOf writes a plan and the request it is for as a document.
func FileOf(request string, r *Result) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(File{*r, request, r.Hash()}); err != nil {
		panic("planner: a plan holds what is no JSON: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// Hash is the SHA-256, in hex, over what would be run: the workflow, its parameters, its name and the flow that planned.
func (r *Result) Hash() string {
	name, _ := r.WorkflowName.(string)
	sum := sha256.Sum256(value.AppendJSON(nil, map[string]any{
		"workflow": r.WorkflowIR, "params": r.ExecutionParams, "name": name, "flow": r.Flow.Name + " " + r.Flow.Hash, "status": r.Status,
	}))
	return hex.EncodeToString(sum[:])
}

// Read reads a plan that was written as JSON, its values as they were.
func Read(data []byte) (*Result, error) {
	r := &Result{}
	if err := value.Decode(data, r); err != nil {
		return nil, err
	}
	return r, r.normalize()
}

// normalize brings what a plan holds of any type to the forms of package value.
func (r *Result) normalize() error {
	for _, v := range []*any{&r.Path, &r.WorkflowName, &r.WorkflowIR, &r.Error} {
		if err := normalizeInto(v); err != nil {
			return err
		}
	}
	for _, v := range []*map[string]any{&r.Metadata, &r.ExecutionParams, &r.Browsed, &r.Discovered} {
		if err := normalizeInto(v); err != nil {
			return err
		}
	}
	for _, v := range []*[]any{&r.MissingParams, &r.Candidates, &r.Diagnostics} {
		if err := normalizeInto(v); err != nil {
			return err
		}
	}
	return nil
}

func normalizeInto[T any](v *T) error {
	got, err := value.Normalize(*v)
	if err == nil && got != nil {
		*v = got.(T)
	}
	return err
}

// ReadFile reads what FileOf wrote. A plan that was changed since is a fault of kind refused.
func ReadFile(data []byte) (*File, error) {
	if _, err := value.ParseJSON(data); err != nil {
		return nil, err
	}
	f := &File{}
	if err := value.Decode(data, f); err != nil {
		return nil, fault.New(fault.Malformed, "this is no plan: %v", err)
	}
	if f.Schema != Schema || f.Hash == "" {
		return nil, fault.New(fault.InvalidRequest, "this is no plan file; pflow plan REQUEST -o FILE writes one")
	}
	if err := f.normalize(); err != nil {
		return nil, err
	}
	if f.Result.Hash() != f.Hash {
		return nil, fault.New(fault.Refused, "the plan was changed after it was made; plan again")
	}
	return f, nil
}
