package planner

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// File is a plan that was written to be applied later.
type File struct {
	Result
	Request string `json:"request"`
	Digest  string `json:"plan_digest"` // of all that would be run: sha256:HEX
	Seal    string `json:"plan_seal"`   // the digest, keyed with the key of the home that made the plan; "" without one
}

// FileOf writes a plan and the request it is for as a document. uses is what the plan would run beside its own workflow
// (workflow.Program.Uses); key is that of the home, nil if it has none.
func FileOf(request string, r *Result, uses any, key []byte) (data []byte, digest string) {
	digest = r.Digest(request, uses)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(File{*r, request, digest, seal(digest, key)}); err != nil {
		panic("planner: a plan holds what is no JSON: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n"), digest
}

// DigestPrefix begins every digest.
const DigestPrefix = "sha256:"

// Digest is the SHA-256, as sha256:HEX, over all that would be run, and what is said of it: the workflow with its name and
// description, the workflows, nodes and flows that it uses, the request and the values, the flow that planned.
func (r *Result) Digest(request string, uses any) string {
	sum := sha256.Sum256(value.AppendJSON(nil, map[string]any{
		"workflow": r.WorkflowIR, "name": r.WorkflowName, "metadata": r.Metadata, "uses": uses, "request": request,
		"params": r.ExecutionParams, "missing": r.MissingParams, "path": r.Path, "status": r.Status, "flow": r.Flow.Name + " " + r.Flow.Hash,
	}))
	return DigestPrefix + hex.EncodeToString(sum[:])
}

// seal is the HMAC-SHA-256, in hex, of a digest.
func seal(digest string, key []byte) string {
	if len(key) == 0 {
		return ""
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(digest))
	return hex.EncodeToString(h.Sum(nil))
}

// Own reports whether a plan that would run what digest is of was made in the home of a key, and is as it was made there.
func (f *File) Own(digest string, key []byte) bool {
	return len(key) > 0 && f.Digest == digest && hmac.Equal([]byte(f.Seal), []byte(seal(digest, key)))
}

// normalize brings what a plan holds of any type to the forms of package value.
func (r *Result) normalize() error {
	for _, v := range []*any{&r.Path, &r.WorkflowName, &r.WorkflowIR, &r.Trigger, &r.Error} {
		if err := normalizeInto(v); err != nil {
			return err
		}
	}
	for _, v := range []*map[string]any{&r.Metadata, &r.ExecutionParams, &r.Browsed, &r.Discovered, &r.Coverage} {
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

// ReadFile reads what FileOf wrote, and what somebody made of it. Whether it is as it was made Own tells.
func ReadFile(data []byte) (*File, error) {
	if _, err := value.ParseJSON(data); err != nil {
		return nil, err
	}
	f := &File{}
	if err := value.Decode(data, f); err != nil {
		return nil, fault.New(fault.Malformed, "this is no plan: %v", err)
	}
	if f.Schema != Schema || f.Digest == "" {
		return nil, fault.New(fault.InvalidRequest, "this is no plan file; pflow plan REQUEST -o FILE writes one")
	}
	return f, f.normalize()
}
