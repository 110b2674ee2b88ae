package experiment

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// MadeStore is an experiment that was never run: every eleventh case fails under all variants, and each variant but the
// baseline breaks some and fixes some. Prompts are those of a planner that lists its components: long, and but for the
// request the same.
func MadeStore(t testing.TB, cases, variants, repeats int) *Store {
	t.Helper()
	s, err := CreateStore(filepath.Join(t.TempDir(), "made"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	spec := Defaults()
	spec.Name, spec.Repeats, spec.CasesFile = "made", repeats, "cases.jsonl"
	if _, err := s.writeCases(func(add func(Case) error) error {
		for i := range cases {
			c := Case{ID: fmt.Sprintf("c%04d", i), Group: fmt.Sprintf("g%d", i%40), Request: madeRequest(i)}
			c.Expect = Expect{Nodes: &NodeExpect{Exact: []string{"read-file", "llm"}, HasExact: true}}
			c.raw = map[string]any{"id": c.ID, "group": c.Group, "request": c.Request, "expect": map[string]any{"nodes": []any{"read-file", "llm"}}}
			if err := add(c); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for v := range variants {
		if err := s.addVariant(v, Variant{Name: fmt.Sprintf("v%d", v), Flow: "planner"}, "planner", fmt.Sprintf("%064x", v)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetMeta("spec", jsonText(spec)); err != nil {
		t.Fatal(err)
	}
	if err := s.begin(); err != nil {
		t.Fatal(err)
	}
	rows := make(chan Row)
	done := make(chan error)
	go func() { done <- s.writeRows(rows, func(Row) {}) }()
	for i := range cases {
		for v := range variants {
			for repeat := range repeats {
				rows <- madeRow(Key{i, v, repeat})
			}
		}
	}
	close(rows)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return s
}

func madeRequest(i int) string {
	return fmt.Sprintf("read the %dth report of the quarter, sum it up in %d lines and say what is new", i, i%7+2)
}

func madeRow(k Key) Row {
	words, failed := "read-file >> llm", []string(nil)
	switch {
	case k.Case%11 == 0, k.Variant > 0 && (k.Case+k.Variant*5)%17 == 0, k.Variant == 0 && k.Case%13 == 1, k.Repeat > 0 && k.Case%19 == 3:
		words, failed = "read-file", []string{"nodes: want read-file, llm, got read-file"}
	}
	action := "validate"
	if failed != nil {
		action = "partly"
	}
	r := Row{Key: k, Status: "ready", Plan: fmt.Appendf(nil,
		`{"status":"ready","path":"generate","attempts":1,"workflow_ir":{"nodes":[{"id":"read","type":"read-file","params":{"file_path":"report-%d.txt"}}]}}`, k.Case)}
	r.Score = Score{Outcome: OutcomePlan, InWords: words, Failed: failed, Values: map[Metric]float64{
		Pass: truth(failed == nil), FirstTry: 1, NodeF1: .5 + truth(failed == nil)/2, Calls: 2, Tokens: float64(900 + k.Variant*10), CostUSD: .001, Latency: 100 + float64((k.Case*7919+k.Variant*31)%900),
	}}
	var offered strings.Builder
	for i := range 40 {
		fmt.Fprintf(&offered, "- component-%d: does what component %d of version %d does, with params a, b and c\n", i, i, k.Variant/2)
	}
	ask := func(name string) exchange {
		return exchange{Model: "t/one", Prompt: fmt.Sprintf("system:\n%s\n%s\n\nuser:\n%s", name, offered.String(), madeRequest(k.Case)),
			Reply: fmt.Sprintf(`{"nodes": ["read-file"], "why": "case %d is said so", "sure": 0.%d}`, k.Case, k.Case%90+10)}
	}
	r.Steps = []Step{
		{Node: "discover", Visit: 1, Action: "not_found", Because: "nothing in the library is near", Result: "[]"},
		{Node: "browse", Visit: 1, Action: "found", Result: `{"components":["read-file","llm"]}`, Exchange: []exchange{ask("browse")}},
		{Node: "generate", Visit: 1, Action: action, Because: "result.workflow != null", Result: `{"workflow":{}}`, Exchange: []exchange{ask("generate")}},
		{Node: "validate", Visit: 1, Action: "valid"},
	}
	return r
}

// HTMLWithin is the page with at most so many bytes of details.
func (r *Report) HTMLWithin(most int) (string, error) { return r.html(most) }
