package nodes

import (
	"os"
	"path/filepath"
	"testing"

	"pflow/engine"
	"pflow/internal/value"
)

// mendWith gives what an op makes of a workflow that failed.
func mendWith(t *testing.T, op string, prep map[string]any) map[string]any {
	t.Helper()
	exec := engine.NewRegistry(All(Deps{})...).Op(op).New(&engine.Setup{})
	out, err := exec(t.Context(), engine.Input{Prep: prep})
	if err != nil {
		t.Fatal(err)
	}
	return out.Result.(map[string]any)
}

// TestMendName: a key that is called otherwise is taken where one name is alike and new; every template that reads the same value
// is changed, and nothing else.
func TestMendName(t *testing.T) {
	read := func(text string) any {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	say := func(text string) string {
		return `{"ir_version":"0.1.0","inputs":{"col":{"type":"string"}},"nodes":[{"id":"read","type":"read-json","params":{"file_path":"d.json"}},{"id":"say","type":"template","params":` + text +
			`},{"id":"then","type":"template","params":{"template":"customer ${read.value.customer}"}}],"edges":[],"outputs":{"o":{"source":"${read.value.customer}"}}}`
	}
	for _, c := range []struct {
		name, params, resolved, missing, there, within, param, place string
		want                                                         string // of the params; "" for a reason
		inputs                                                       string
	}{
		{"a template", `{"template":"customer: ${read.value.customer ?? \"x\"} ${read.text}"}`, `{}`, "customer", `["customer_name","total"]`, "read.value", "", "",
			`{"template":"customer: ${read.value.customer_name ?? \"x\"} ${read.text}"}`, ""},
		{"case and separators first", `{"template":"${read.value.customer_id}"}`, `{}`, "customer_id", `["customerId","customer_ids"]`, "read.value", "", "", `{"template":"${read.value.customerId}"}`, ""},
		{"several are alike", `{"template":"${read.value.name}"}`, `{}`, "name", `["first_name","last_name"]`, "read.value", "", "", "", ""},
		{"one of them is used already", `{"template":"${read.value.name} ${read.value.first_name}"}`, `{}`, "name", `["first_name","last_name"]`, "read.value", "", "",
			`{"template":"${read.value.last_name} ${read.value.first_name}"}`, ""},
		{"nothing is alike", `{"template":"${read.value.price}"}`, `{}`, "price", `["total","id"]`, "read.value", "", "", "", ""},
		{"a short name is no other short name", `{"template":"${read.value.id}"}`, `{}`, "id", `["to","ab"]`, "read.value", "", "", "", ""},
		{"another value has the same key", `{"template":"${other.value.customer}"}`, `{}`, "customer", `["customer_name"]`, "elsewhere.value", "", "", "", ""},
		{"an expression", `{"expression":"d.customer + d.customer + other.d.customer","inputs":{"d":1}}`, `{}`, "customer", `["customer_name"]`, "", "params.expression", `{"line":1,"column":3}`,
			`{"expression":"d.customer_name + d.customer_name + other.d.customer","inputs":{"d":1}}`, ""},
		{"a member of each", `{"expression":"map(files, .nam)","inputs":{"d":1}}`, `{}`, "nam", `["name","size"]`, "", "params.expression", `{"line":1,"column":13}`,
			`{"expression":"map(files, .name)","inputs":{"d":1}}`, ""},
		{"a text", `{"key":"server.prot","n":1}`, `{"key":"server.prot","n":1}`, "prot", `["port"]`, "", "", "", `{"key":"server.port","n":1}`, ""},
		{"several texts", `{"columns":["area"],"equals":"area"}`, `{"columns":["area"],"equals":"area"}`, "area", `["areas"]`, "", "", "", "", ""},
		{"an input", `{"columns":["${col}"]}`, `{"columns":["areas"]}`, "areas", `["area"]`, "", "", "", `{"columns":["${col}"]}`, `{"col":"area"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			prep := map[string]any{"workflow": read(say(c.params)), "node": "say", "params": read(c.resolved), "inputs": map[string]any{"col": "areas"},
				"missing": c.missing, "there": read(c.there), "within": c.within, "param": c.param}
			if c.place != "" {
				prep["place"] = read(c.place)
			}
			before := value.JSON(prep)
			got := mendWith(t, "mend-name", prep)
			if value.JSON(prep) != before {
				t.Error("what it was given is changed")
			}
			if c.want == "" {
				if got["reason"] == "" || got["workflow"] != nil {
					t.Fatalf("want a reason, got %v", value.JSON(got))
				}
				return
			}
			if got["reason"] != "" || got["why"] == "" {
				t.Fatalf("it is not mended: %v", got["reason"])
			}
			wantInputs := c.inputs
			if wantInputs == "" {
				wantInputs = "{}"
			}
			if value.JSON(got["inputs"]) != wantInputs {
				t.Errorf("inputs %s, want %s", value.JSON(got["inputs"]), wantInputs)
			}
			if c.inputs != "" {
				if got["workflow"] != nil {
					t.Errorf("the workflow is changed, too")
				}
				return
			}
			w := got["workflow"].(map[string]any)
			if params := value.JSON(w["nodes"].([]any)[1].(map[string]any)["params"]); params != c.want {
				t.Errorf("got  %s\nwant %s", params, c.want)
			}
			last := w["nodes"].([]any)[2].(map[string]any)["params"].(map[string]any)["template"]
			source := w["outputs"].(map[string]any)["o"].(map[string]any)["source"]
			wantLast, wantSource := "customer ${read.value.customer}", "${read.value.customer}"
			if c.within == "read.value" && c.missing == "customer" {
				wantLast, wantSource = "customer ${read.value.customer_name}", "${read.value.customer_name}"
			}
			if last != wantLast || source != wantSource {
				t.Errorf("elsewhere: %v, %v", last, source)
			}
		})
	}
}

// TestMendPath: a file that was moved, or is called nearly the same, is taken where it is the only one; the text is written as the
// one before it was, or the input that it is of.
func TestMendPath(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"archive/2024/sales.csv", "two/a.txt", "two/b/a.txt", "in/report-final.md", "in/reports-final.md", "in/summary.txt", ".hidden/secret.txt", "here.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, text, was string
		inputs          map[string]any
		want            string // of the text; "" for a reason
		instead         map[string]any
	}{
		{"moved", "data/sales.csv", "data/sales.csv", nil, "archive/2024/sales.csv", nil},
		{"as it was written", "./data/sales.csv", "./data/sales.csv", nil, "./archive/2024/sales.csv", nil},
		{"an absolute path", dir + "/data/sales.csv", dir + "/data/sales.csv", nil, dir + "/archive/2024/sales.csv", nil},
		{"an input", "${file}", "sales.csv", map[string]any{"file": "sales.csv"}, "${file}", map[string]any{"file": "archive/2024/sales.csv"}},
		{"a default", "${report}", "sales.csv", map[string]any{"report": "sales.csv"}, "${report}", map[string]any{"report": "archive/2024/sales.csv"}},
		{"a folder that is an input", "${folder}/sales.csv", "archive/sales.csv", map[string]any{"folder": "archive"}, "${folder}/2024/sales.csv", nil},
		{"nearly that name", "in/sumary.txt", "in/sumary.txt", nil, "in/summary.txt", nil},
		{"several of that name", "a.txt", "a.txt", nil, "", nil},
		{"several names are near", "in/reporta-final.md", "in/reporta-final.md", nil, "", nil},
		{"another kind of file", "in/summary.csv", "in/summary.csv", nil, "", nil},
		{"hidden", "secret.txt", "secret.txt", nil, "", nil},
		{"it is there", "here.txt", "here.txt", nil, "", nil},
		{"of another step", "${read.text}", "sales.csv", nil, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := map[string]any{"ir_version": "0.1.0", "inputs": map[string]any{"file": map[string]any{"type": "string"}, "folder": map[string]any{"type": "string"},
				"report": map[string]any{"type": "string", "default": "sales.csv"}},
				"nodes": []any{map[string]any{"id": "read", "type": "read-file", "params": map[string]any{"file_path": c.text, "encoding": "utf-8"}}}, "edges": []any{}}
			path := c.was
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			got := mendWith(t, "mend-path", map[string]any{"workflow": w, "node": "read", "params": map[string]any{"file_path": c.was, "encoding": "utf-8"}, "inputs": c.inputs,
				"path": path, "dir": dir})
			if c.want == "" {
				if got["reason"] == "" || got["workflow"] != nil || len(got["inputs"].(map[string]any)) > 0 {
					t.Fatalf("want a reason, got %v", value.JSON(got))
				}
				t.Log(got["reason"])
				return
			}
			if got["reason"] != "" {
				t.Fatal(got["reason"])
			}
			if now, _ := got["workflow"].(map[string]any); now != nil {
				if text := now["nodes"].([]any)[0].(map[string]any)["params"].(map[string]any)["file_path"]; text != c.want {
					t.Errorf("got %v, want %s", text, c.want)
				}
			} else if c.want != c.text || c.name == "a default" {
				t.Errorf("the workflow is not changed: %v", value.JSON(got))
			}
			if want := value.JSON(c.instead); c.instead != nil && value.JSON(got["inputs"]) != want || c.instead == nil && len(got["inputs"].(map[string]any)) > 0 {
				t.Errorf("inputs %s, want %s", value.JSON(got["inputs"]), want)
			}
			t.Log(got["why"])
		})
	}
}
