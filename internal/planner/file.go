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

// ReadFile reads what FileOf wrote. A plan that was changed since is a fault of kind refused.
func ReadFile(data []byte) (*File, error) {
	if _, err := value.ParseJSON(data); err != nil {
		return nil, err
	}
	f := &File{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fault.New(fault.Malformed, "this is no plan: %v", err)
	}
	if f.Schema != Schema || f.Hash == "" {
		return nil, fault.New(fault.InvalidRequest, "this is no plan file; pflow plan REQUEST -o FILE writes one")
	}
	for _, v := range []*any{&f.WorkflowIR, &f.Path, &f.WorkflowName} {
		got, err := value.Normalize(*v)
		if err != nil {
			return nil, err
		}
		*v = got
	}
	params, err := value.Normalize(f.ExecutionParams)
	if err != nil {
		return nil, err
	}
	f.ExecutionParams, _ = params.(map[string]any)
	if f.Result.Hash() != f.Hash {
		return nil, fault.New(fault.Refused, "the plan was changed after it was made; plan again")
	}
	return f, nil
}
