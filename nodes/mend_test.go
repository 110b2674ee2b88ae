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
			`},{"id":"then","type":"template","params":{"template":"customer ${read.value.customer_name}"}}],"edges":[],"outputs":{"o":{"source":"${read.value.customer_name}"}}}`
	}
	for _, c := range []struct {
		name, params, resolved, missing, there, within, param, place string
		want                                                         string // of the params; "" for a reason
		inputs                                                       string
	}{
		{"a template", `{"template":"customer: ${read.value.customer_name ?? \"x\"} ${read.text}"}`, `{}`, "customer_name", `["customerName","total"]`, "read.value", "", "",
			`{"template":"customer: ${read.value.customerName ?? \"x\"} ${read.text}"}`, ""},
		{"case and separators first", `{"template":"${read.value.customer_id}"}`, `{}`, "customer_id", `["customerId","customer_ids"]`, "read.value", "", "", `{"template":"${read.value.customerId}"}`, ""},
		{"several are alike", `{"template":"${read.value.name}"}`, `{}`, "name", `["Name","NAME"]`, "read.value", "", "", "", ""},
		{"one of them is used already", `{"template":"${read.value.name} ${read.value.Name}"}`, `{}`, "name", `["Name","NAME"]`, "read.value", "", "",
			`{"template":"${read.value.NAME} ${read.value.Name}"}`, ""},
		{"fewer words", `{"template":"${read.value.shipping_total}"}`, `{}`, "shipping_total", `["total"]`, "read.value", "", "", "", ""},
		{"more words", `{"template":"${read.value.amount}"}`, `{}`, "amount", `["amount_refunded"]`, "read.value", "", "", "", ""},
		{"another word", `{"template":"${read.value.min_temp}"}`, `{}`, "min_temp", `["max_temp"]`, "read.value", "", "", "", ""},
		{"another digit", `{"template":"${read.value.address1}"}`, `{}`, "address1", `["address2"]`, "read.value", "", "", "", ""},
		{"other digits", `{"template":"${read.value.a_1_12}"}`, `{}`, "a_1_12", `["a_11_2"]`, "read.value", "", "", "", ""},
		{"a plural", `{"template":"${read.value.order_line}"}`, `{}`, "order_line", `["order_lines"]`, "read.value", "", "", `{"template":"${read.value.order_lines}"}`, ""},
		{"a sign", `{"template":"${read.value.total}"}`, `{}`, "total", `["total%"]`, "read.value", "", "", "", ""},
		{"two letters that changed places", `{"template":"${read.value.adress_zpi}"}`, `{}`, "adress_zpi", `["address_zpi"]`, "read.value", "", "", `{"template":"${read.value.address_zpi}"}`, ""},
		{"nothing is alike", `{"template":"${read.value.price}"}`, `{}`, "price", `["total","id"]`, "read.value", "", "", "", ""},
		{"a short name is no other short name", `{"template":"${read.value.id}"}`, `{}`, "id", `["to","ab"]`, "read.value", "", "", "", ""},
		{"another value has the same key", `{"template":"${other.value.customer_name}"}`, `{}`, "customer_name", `["customerName"]`, "elsewhere.value", "", "", "", ""},
		{"an expression", `{"expression":"d.customer_name + d.customer_name + other.d.customer_name","inputs":{"d":1}}`, `{}`, "customer_name", `["customerName"]`, "", "params.expression", `{"line":1,"column":3}`,
			`{"expression":"d.customerName + d.customerName + other.d.customer_name","inputs":{"d":1}}`, ""},
		{"a member of each", `{"expression":"map(files, .nmaes)","inputs":{"d":1}}`, `{}`, "nmaes", `["names","size"]`, "", "params.expression", `{"line":1,"column":13}`,
			`{"expression":"map(files, .names)","inputs":{"d":1}}`, ""},
		{"a text", `{"key":"server.adress","n":1}`, `{"key":"server.adress","n":1}`, "adress", `["address"]`, "", "", "", `{"key":"server.address","n":1}`, ""},
		{"several texts", `{"columns":["area"],"equals":"area"}`, `{"columns":["area"],"equals":"area"}`, "area", `["areas"]`, "", "", "", "", ""},
		{"of the param that is named", `{"columns":["area"],"equals":"area"}`, `{"columns":["area"],"equals":"area"}`, "area", `["areas"]`, "", "params.columns", "", `{"columns":["areas"],"equals":"area"}`, ""},
		{"a column with its order", `{"filter":[{"column":"area","value":"area"}],"sort_by":["area desc"]}`, `{"filter":[{"column":"area","value":"area"}],"sort_by":["area desc"]}`, "area", `["Area"]`, "",
			"params.sort_by", "", `{"filter":[{"column":"Area","value":"area"}],"sort_by":["Area desc"]}`, ""},
		{"a column with its order, of no param", `{"filter":[{"column":"area"}],"sort_by":["area desc"]}`, `{"filter":[{"column":"area"}],"sort_by":["area desc"]}`, "area", `["Area"]`, "", "", "", "", ""},
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
			wantLast, wantSource := "customer ${read.value.customer_name}", "${read.value.customer_name}"
			if c.within == "read.value" && c.missing == "customer_name" {
				wantLast, wantSource = "customer ${read.value.customerName}", "${read.value.customerName}"
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
	for _, file := range []string{"archive/2024/sales.csv", "two/a.txt", "two/b/a.txt", "in/report-final.md", "in/reports-final.md", "in/summary.txt", "may.xlsx", "invoice-02.txt", "south.txt", "team-b.txt", "used/once.txt", "Other_File.txt", "folder/wanted/x.txt", ".hidden/secret.txt", "here.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.txt")); err != nil {
		t.Skip(err)
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
		{"a month", "jan.xlsx", "jan.xlsx", nil, "", nil},
		{"another digit", "invoice-01.txt", "invoice-01.txt", nil, "", nil},
		{"another word", "north.txt", "north.txt", nil, "", nil},
		{"a word of one letter", "team-a.txt", "team-a.txt", nil, "", nil},
		{"case and separators", "otherfile.txt", "otherfile.txt", nil, "Other_File.txt", nil},
		{"a folder for a file", "wanted", "wanted", nil, "", nil},
		{"a link to nothing", "dangling.txt", "dangling.txt", nil, "", nil},
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

// TestMendPathElsewhere: what the workflow names already is no other file, and every place that is the missing path is changed, or none.
func TestMendPathElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"report.txt", "moved/config.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, missing, text, other, want string }{
		{"read by another step", "reportt.txt", "reportt.txt", "report.txt", ""},
		{"written otherwise", "reportt.txt", "reportt.txt", "./report.txt", ""},
		{"in a command", "reportt.txt", "reportt.txt", "sort <report.txt", ""},
		{"what another input is", "reportt.txt", "reportt.txt", "${b}", ""},
		{"in a folder that a step gives", "reportt.txt", "reportt.txt", "${x.folder}/report.txt", ""},
		{"nowhere else", "reportt.txt", "reportt.txt", "x", "x"},
		{"in both places", "config.json", "config.json", "./config.json", "./moved/config.json"},
		{"in a command, too", "config.json", "config.json", "cat config.json", ""},
		{"of one input", "config.json", "${a}", "${a}", "${a}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := func(id, text string) any {
				return map[string]any{"id": id, "type": "t", "params": map[string]any{"file_path": text}}
			}
			given := map[string]any{"a": "config.json"}
			if c.other == "${b}" {
				given["b"] = "report.txt"
			}
			w := map[string]any{"inputs": map[string]any{"a": map[string]any{"type": "string"}, "b": map[string]any{"type": "string"}}, "nodes": []any{node("read", c.text), node("then", c.other)}}
			got := mendWith(t, "mend-path", map[string]any{"workflow": w, "node": "read", "params": map[string]any{"file_path": c.missing}, "inputs": given,
				"path": filepath.Join(dir, c.missing), "dir": dir})
			t.Log(got["why"], got["reason"])
			switch now, _ := got["workflow"].(map[string]any); {
			case c.want == "":
				if got["reason"] == "" {
					t.Fatalf("want a reason, got %v", value.JSON(got))
				}
			case got["reason"] != "":
				t.Fatal(got["reason"])
			case now == nil:
				if value.JSON(got["inputs"]) != `{"a":"moved/config.json"}` {
					t.Errorf("got %v", value.JSON(got))
				}
			default:
				if text := now["nodes"].([]any)[1].(map[string]any)["params"].(map[string]any)["file_path"]; text != c.want {
					t.Errorf("got %v, want %s", text, c.want)
				}
			}
		})
	}
}
