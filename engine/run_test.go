package engine_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
)

var update = flag.Bool("update", false, "rewrite what the test flows are expected to give")

// TestRun runs every test flow: it ends as its file says, runs the same each time, and changes nothing that an op was
// given or gave.
func TestRun(t *testing.T) {
	for _, file := range enginetest.Files(t, ".") {
		inBubble(t, strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, input, want := enginetest.Read(t, file)
			w := &watch{}
			flow, _ := enginetest.Load(t, ar, w.wrap(enginetest.Ops()))
			var got string
			for i := range 3 {
				res, err := engine.Execute(context.Background(), flow, input, engine.Options{Seed: 7})
				if err != nil {
					t.Fatal(err)
				}
				again := enginetest.Show(res)
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

// inBubble runs a test beside others, in a bubble of synctest: time goes on when nothing else can, so that what waits for 20 ms
// is later than what does not wait, on a busy machine too.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
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
