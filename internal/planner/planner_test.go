package planner

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/internal/fault"
)

func TestCheck(t *testing.T) {
	for text, ok := range map[string]bool{"": false, " \n": false, "do it": true, "tu es \xe9": false, "tu es \ufffd": true, strings.Repeat("x", MaxRequest): true, strings.Repeat("x", MaxRequest+1): false} {
		if err := (&Request{Text: text}).Check(); (err == nil) != ok {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if err := (&Request{Text: "x", Date: "soon"}).Check(); err == nil {
		t.Error("a date that is none is taken")
	}
}

// TestRefuse: a plan that never came to a flow has every key, and no list is null.
func TestRefuse(t *testing.T) {
	data, err := json.Marshal(Refuse(nil, fault.New(fault.InvalidRequest, "no")))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"status":"failed"`, `"missing_params":[]`, `"candidates":[]`, `"coverage":{"open":[],"parts":[]}`, `"trigger":null`, `"diagnostics":[]`, `"execution_path":[]`, `"workflow_ir":null`,
		`"node_ids":[]`, `"kind":"invalid_request"`, `"usage":{"calls":0`} {
		if !strings.Contains(string(data), key) {
			t.Errorf("%s is missing in %s", key, data)
		}
	}
}

// TestFileKeepsNumbers: a plan that is written and read is the same plan, whatever numbers it holds.
func TestFileKeepsNumbers(t *testing.T) {
	r := Refuse(nil, fault.New(fault.InvalidRequest, "no"))
	r.ExecutionParams = map[string]any{"id": 1234567890123456789, "far": 1e20, "farther": 1e300, "list": []any{1 << 53, (1 << 53) + 1}}
	r.WorkflowIR = map[string]any{"nodes": []any{map[string]any{"params": map[string]any{"n": math.MaxInt64}}}}
	data, _ := FileOf("do it", r, nil, nil)
	f, err := ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &f.Result); diff != "" {
		t.Error(diff)
	}
}

// TestUsage: what calls without a price cost is null, and what no calls cost is 0.
func TestUsage(t *testing.T) {
	for want, meters := range map[string]map[string]float64{
		`{"calls":0,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0}`:    {},
		`{"calls":2,"prompt_tokens":7,"completion_tokens":1,"cost_usd":0.5}`:  {"calls": 2, "prompt_tokens": 7, "completion_tokens": 1, "cost_usd": .5},
		`{"calls":2,"prompt_tokens":7,"completion_tokens":1,"cost_usd":null}`: {"calls": 2, "prompt_tokens": 7, "completion_tokens": 1},
	} {
		if got, err := json.Marshal(Of(nil, &engine.Result{Usage: meters}).Usage); err != nil || string(got) != want {
			t.Errorf("want %s, got %s (%v)", want, got, err)
		}
	}
}

// TestFile: a plan file is read as it was written, and known as that of its home; what was changed is not, nor what it uses.
func TestFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	key, err := Key(home)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Key(home); err != nil || !bytes.Equal(again, key) {
		t.Errorf("another key: %v", err)
	}
	if info, err := os.Stat(filepath.Join(home, "key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	other, err := Key(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := Refuse(nil, fault.New(fault.Failure, "x"))
	r.Status, r.WorkflowIR, r.ExecutionParams = Ready, map[string]any{"nodes": []any{map[string]any{"id": "a", "n": 1}}}, map[string]any{"k": 2, "f": 1.5}
	r.WorkflowName, r.Metadata["description"], r.MissingParams = "do-it", "Does it", []any{map[string]any{"name": "m", "n": 1}}
	uses := map[string]any{"called": []any{"x"}}
	data, digest := FileOf("do it", r, uses, key)
	f, err := ReadFile(data)
	if err != nil || f.Request != "do it" || f.Status != Ready || f.Digest != digest {
		t.Fatalf("%v %+v", err, f)
	}
	if got := f.Result.Digest(f.Request, uses); got != digest || !f.Own(got, key) || f.Own(got, other) || f.Own(got, nil) {
		t.Errorf("%s is not %s, or not known", got, digest)
	}
	if got := f.Result.Digest(f.Request, nil); got == digest || f.Own(got, key) {
		t.Error("what it uses is not in the digest")
	}
	for _, change := range [][2]string{{`"k": 2`, `"k": 3`}, {`"id": "a"`, `"id": "b"`}, {`"status": "ready"`, `"status": "failed"`}, {"Does it", "Does that"},
		{`"do-it"`, `"do-that"`}, {`"do it"`, `"do that"`}, {`"name": "m"`, `"name": "n"`}} {
		changed, err := ReadFile([]byte(strings.Replace(string(data), change[0], change[1], 1)))
		if err != nil {
			t.Fatalf("%s: %v", change[1], err)
		}
		if got := changed.Result.Digest(changed.Request, uses); got == digest || changed.Own(got, key) {
			t.Errorf("%s: not noticed", change[1])
		}
	}
	if _, err := ReadFile([]byte("{}")); err == nil {
		t.Error("{} is taken for a plan")
	}
	if unsealed, _ := FileOf("do it", r, uses, nil); !strings.Contains(string(unsealed), `"plan_seal": ""`) {
		t.Error("sealed without a key")
	}
	if err := os.Chmod(filepath.Join(home, "key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Key(home); err == nil || !strings.Contains(err.Error(), "read by others") {
		t.Errorf("a key that everybody can read: %v", err)
	}
}

// TestBrokenWithoutANode: whatever is in the store, a run that broke is no plan, also where no node broke it.
func TestBrokenWithoutANode(t *testing.T) {
	for kind, want := range map[string]string{"limit": Failed, "cancelled": Cancelled} {
		for name, store := range map[string]map[string]any{"empty": {}, "found": {"found_workflow": map[string]any{"name": "greet", "ir": map[string]any{}}}} {
			r := Of(nil, &engine.Result{Store: store, Error: &engine.RunError{Kind: kind, Message: "it broke"}})
			if e, _ := r.Error.(map[string]any); r.Status != want || e["kind"] != kind {
				t.Errorf("%s, %s: %s %v", kind, name, r.Status, r.Error)
			}
		}
	}
}
