package engine_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/internal/value"
)

var update = flag.Bool("update", false, "rewrite what the test flows are expected to give")

// flowFiles lists the test flows: testdata/run/*.txtar, each a flow.yaml, what else it needs, input.json if it takes
// any, and want, how its run ends.
func flowFiles(t testing.TB) []string {
	files, err := filepath.Glob("testdata/run/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test flows", err)
	}
	return files
}

func readFlow(t testing.TB, file string) (ar *txtar.Archive, input map[string]any, want string) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	input = map[string]any{}
	var rest []txtar.File
	for _, f := range ar.Files {
		switch f.Name {
		case "input.json":
			v, err := value.ParseJSON(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			input = v.(map[string]any)
		case "want":
			want = string(f.Data)
		default:
			rest = append(rest, f)
		}
	}
	return &txtar.Archive{Comment: ar.Comment, Files: rest}, input, want
}

// TestRun runs every test flow: it ends as its file says, runs the same each time, and changes nothing that an op was
// given or gave.
func TestRun(t *testing.T) {
	for _, file := range flowFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, input, want := readFlow(t, file)
			w := &watch{}
			flow, _ := load(t, ar, w.wrap(testOps()))
			var got string
			for i := range 3 {
				res, err := engine.Execute(context.Background(), flow, input, engine.Options{Seed: 7})
				if err != nil {
					t.Fatal(err)
				}
				again := show(res)
				if i > 0 && again != got {
					t.Fatalf("two runs differ:\n%s", cmp.Diff(got, again))
				}
				got = again
			}
			w.check(t)
			if *update {
				rewrite(t, file, got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func rewrite(t *testing.T, file, want string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kept := ar.Files[:0]
	for _, f := range ar.Files {
		if f.Name != "want" {
			kept = append(kept, f)
		}
	}
	ar.Files = append(kept, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
		t.Fatal(err)
	}
}
