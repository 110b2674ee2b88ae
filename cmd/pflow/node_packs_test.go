package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"pflow/nodes"
)

// TestPacks runs the examples of every node that pflow ships as a declaration; each has some.
func TestPacks(t *testing.T) {
	if len(nodes.Packs().Declared) == 0 {
		t.Fatal("there are no packs")
	}
	t.Setenv("PFLOW_HOME", t.TempDir())
	for _, d := range nodes.Packs().Declared {
		t.Run(d.Interface.Name, func(t *testing.T) {
			if len(d.Examples) == 0 || d.Interface.Description == "" || d.Run == nil {
				t.Fatal("a node that is shipped has a description, what it runs and examples")
			}
			var out, messages bytes.Buffer
			a := newApp(strings.NewReader(""), &out, &messages, os.Getenv)
			if code := a.main(t.Context(), []string{"node", "test", d.Interface.Name}); code != exitDone {
				t.Errorf("exit status %d\n%s%s", code, out.String(), messages.String())
			}
		})
	}
}
