//go:build !race

package ir

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// chain is a workflow of n nodes; each reads the one before it. ring leads the last back to the first.
func chain(n int, ring bool, handler bool) *Workflow {
	w := &Workflow{Version: "0.1.0", Inputs: []Input{}}
	for i := range n {
		p := map[string]any{"prompt": "start"}
		if i > 0 {
			p["prompt"] = fmt.Sprintf("Go on from ${n%d.response} and ${n%d.usage.total}", i-1, i/2)
		}
		w.Nodes = append(w.Nodes, Node{ID: fmt.Sprintf("n%d", i), Type: "llm", Params: p})
		if i > 0 {
			w.Edges = append(w.Edges, Edge{fmt.Sprintf("n%d", i-1), fmt.Sprintf("n%d", i), ActionDefault})
		}
		if handler && i > 0 {
			w.Edges = append(w.Edges, Edge{fmt.Sprintf("n%d", i-1), "handler", ActionError})
		}
	}
	if ring {
		w.Edges = append(w.Edges, Edge{fmt.Sprintf("n%d", n-1), "n0", ActionDefault})
	}
	if handler {
		w.Nodes = append(w.Nodes, Node{ID: "handler", Type: "llm", Params: map[string]any{"prompt": "${n0.error.message ?? n1.error.message ?? \"?\"}"}})
	}
	return w
}

// timed runs f and reports how long it took. quiet is what a quiet machine takes at the most; the test only fails for
// what no busy machine explains.
func timed(t *testing.T, what string, quiet time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	took := time.Since(start)
	t.Logf("%s: %v", what, took)
	if took > 60*quiet {
		t.Errorf("%s took %v; a quiet machine takes at most %v", what, took, quiet)
	}
}

func TestTenThousandNodes(t *testing.T) {
	c := testCatalogue()
	discovered := map[string]any{}
	for i := range 10_000 {
		discovered[fmt.Sprint("x", i)] = fmt.Sprint("never there ", i)
	}
	for _, handler := range []bool{false, true} {
		data := chain(10_000, false, handler).Encode()
		timed(t, fmt.Sprintf("%d bytes, handler %v", len(data), handler), time.Second, func() {
			if _, list := Check(data, c, Options{Discovered: discovered}); len(list) > 0 {
				t.Error(list[:min(3, len(list))].Text())
			}
		})
	}
	data := chain(10_000, true, false).Encode()
	timed(t, "ring", time.Second, func() {
		_, list := Check(data, c, Options{})
		want := "edges[9999]: error: the nodes run in a circle: n0 -> n1 -> n2 -> n3 -> n4 -> (9992 more) -> n9997 -> n9998 -> n9999 -> n0; " +
			"a workflow runs each node at most once, so take out one of these edges [cycle]\n"
		if got := list.Text(); got != want {
			t.Errorf("got %.500s\nwant %s", got, want)
		}
	})
	fan := &Workflow{Version: "0.1.0", Inputs: []Input{}, Nodes: []Node{{ID: "s", Type: "llm", Params: map[string]any{"prompt": "x"}}}}
	join := Node{ID: "join", Type: "llm", Params: map[string]any{}}
	var all []any
	for i := range 10_000 {
		id := fmt.Sprintf("n%d", i)
		fan.Nodes = append(fan.Nodes, Node{ID: id, Type: "llm", Params: map[string]any{"prompt": "${s.response}"}})
		fan.Edges = append(fan.Edges, Edge{"s", id, ActionDefault}, Edge{id, "join", ActionDefault})
		all = append(all, "${"+id+".response}")
	}
	join.Params = map[string]any{"prompt": "x", "schema": map[string]any{"all": all}}
	fan.Nodes = append(fan.Nodes, join)
	timed(t, "fan-out and join", time.Second, func() {
		if list := Validate(fan, c, Options{}); len(list) > 0 {
			t.Error(list[:min(3, len(list))].Text())
		}
	})
}

// TestManyBranches: conditions that build on each other 2,500 times, and references that must be followed through all.
func TestManyBranches(t *testing.T) {
	w := &Workflow{Version: "0.1.0", Inputs: []Input{}}
	add := func(id, typ, prompt string) {
		k := "prompt"
		if typ == "classify" {
			k = "text"
		}
		w.Nodes = append(w.Nodes, Node{ID: id, Type: typ, Params: map[string]any{k: prompt}})
	}
	for i := range 2_500 {
		text := "x"
		if i > 0 {
			text = fmt.Sprintf("${j%d.response} ${b%d.response ?? f%d.response} ${b0.response}", i-1, i-1, i-1)
			w.Edges = append(w.Edges, Edge{fmt.Sprintf("j%d", i-1), fmt.Sprintf("c%d", i), ActionDefault})
		}
		c, b, f, j := fmt.Sprintf("c%d", i), fmt.Sprintf("b%d", i), fmt.Sprintf("f%d", i), fmt.Sprintf("j%d", i)
		add(c, "classify", text)
		add(b, "llm", "bug")
		add(f, "llm", "feature")
		add(j, "llm", fmt.Sprintf("${%s.response ?? %s.response}", b, f))
		w.Edges = append(w.Edges, Edge{c, b, "bug"}, Edge{c, f, "feature"}, Edge{b, j, ActionDefault}, Edge{f, j, ActionDefault})
	}
	timed(t, "2,500 branches", time.Second, func() {
		list := Validate(w, testCatalogue(), Options{})
		if len(list) != 2_499 {
			t.Errorf("%d findings, want one for each ${b0.response}: %s", len(list), list[:min(3, len(list))].Text())
		}
	})
}

// TestManyErrors: 2,000 errors come sorted, and the worst document of that size in time.
func TestManyErrors(t *testing.T) {
	w := chain(10_000, false, true)
	for i := range 2_000 {
		w.Nodes[i*3+1].Params["prompt"] = fmt.Sprintf("${n%d.nothing} ${nowhere%d.x} ${n9999.response}", i, i)
		w.Nodes[i*3+2].Type = fmt.Sprintf("lllm%d", i)
	}
	timed(t, "8,000 errors", 2*time.Second, func() {
		list := Validate(w, testCatalogue(), Options{})
		if len(list) < 7_000 {
			t.Errorf("only %d", len(list))
		}
		for i := 1; i < len(list); i++ {
			if comparePaths(list[i-1].Path, list[i].Path) > 0 {
				t.Fatalf("%s comes before %s", list[i-1].Path, list[i].Path)
			}
		}
		if lines := strings.Count(list.Text(), "\n"); lines > 200 {
			t.Errorf("the text has %d lines", lines)
		}
	})
}

func TestSameTextEveryTime(t *testing.T) {
	files, _ := filepath.Glob("testdata/err/*.json")
	c := testCatalogue()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		for i := range 100 {
			_, list := Check(data, c, Options{Discovered: map[string]any{"a": "20", "b": "closed", "c": 20}})
			text, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			if got := list.Text() + string(text); i == 0 {
				first = got
			} else if got != first {
				t.Fatalf("%s: run %d differs", file, i)
			}
		}
	}
}

func TestLocate(t *testing.T) {
	data := []byte("{\n  \"ir_version\": \"0.1.0\",\n  \"nodes\": [\n    {\"id\": \"é\", \"type\": \"llm\",\n     \"params\": {\"a b\": [1, {\"x\": \"${\"}]}}\n  ]}\n")
	_, list := Check(data, testCatalogue(), Options{})
	got := Locate("w.json", data, list).Text()
	want := "w.json:4:12: nodes[0].id: error: the id \"é\" may hold letters, digits, _ and - only [bad-id]\n      {\"id\": \"é\", \"type\": \"llm\",\n             ^\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
	list = Locate("w.json", data, list[1:])
	var places []string
	for _, f := range list {
		places = append(places, f.Place.String()+" "+f.Path)
	}
	wantPlaces := "w.json:5:16 nodes[0].params.prompt\n" + `w.json:5:24 nodes[0].params["a b"]` + "\n" + `w.json:5:34 nodes[0].params["a b"][1].x`
	if got := strings.Join(places, "\n"); got != wantPlaces {
		t.Errorf("got\n%s\nwant\n%s", got, wantPlaces)
	}
}

func TestHash(t *testing.T) {
	a, err := HashJSON([]byte(`{"b": [1, 1.50, 12345678901234567890], "a": "\u00e9<"}`))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := HashJSON([]byte("{\"a\":\"é<\",\n\"b\":[1,1.50,12345678901234567890]}"))
	c, _ := HashJSON([]byte(`{"a":"é<","b":[1,1.5,12345678901234567890]}`))
	if a != b || a == c || len(a) != 64 {
		t.Errorf("%s %s %s", a, b, c)
	}
}

func TestDeepDocument(t *testing.T) {
	deep := `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "open", "params": {"x": ` + strings.Repeat("[", 100_000)
	if _, list := Check([]byte(deep), testCatalogue(), Options{}); len(list) != 1 || list[0].Kind != MalformedJSON {
		t.Error(list.Text())
	}
}

// FuzzDecode: decode∘encode∘decode is stable, every finding has a code, and validation and display take whatever
// decodes.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	c := testCatalogue()
	f.Fuzz(func(t *testing.T, data []byte) {
		w, list := Check(data, c, Options{Discovered: map[string]any{"x": "a"}})
		for _, finding := range Locate("f.json", data, list) {
			if Tier(finding.Kind) == 0 || finding.Message == "" {
				t.Fatalf("%+v", finding)
			}
		}
		stable(t, data)
		if !list.HasErrors() {
			Display(w, DisplayOptions{Catalogue: c})
		}
	})
}
