package nodes

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"pflow/internal/phrase"
	"pflow/internal/shelf"
	"pflow/ir"
)

// TestGrammarShared: parts of a shelf that have the same node types of those that phrases speak of have one grammar, of which few
// are kept; others have one of their own. Of phrases that have a fault there is one warning, not one for each part.
func TestGrammarShared(t *testing.T) {
	var all []*ir.Interface
	for _, typ := range Types(Deps{}) {
		all = append(all, typ.Interface)
	}
	for i := range 20 {
		all = append(all, &ir.Interface{Name: fmt.Sprintf("declared-%d", i)})
	}
	whole := &shelf.Shelf{Catalogue: ir.NewCatalogue(all...)}
	warnings := 0
	d := Deps{
		Phrases: func() fs.FS { return fstest.MapFS{"own.yaml": {Data: []byte("rules: 7\n")}} },
		Log:     func(string, string) { warnings++ },
	}
	of := func(names ...string) *phrase.Grammar {
		t.Helper()
		s := whole.Only(names)
		g, err := d.grammar(&candidates{Shelf: s})
		if err != nil || !g.Fits(func(name string) bool { return s.Catalogue.Get(name) != nil }) {
			t.Fatalf("%v: %v, or it does not fit", names, err)
		}
		return g
	}
	none := of()
	for i := range 20 {
		if of(fmt.Sprintf("declared-%d", i)) != none {
			t.Errorf("a grammar of its own for a shelf with declared-%d", i)
		}
	}
	if warnings != 1 {
		t.Errorf("%d warnings, want 1", warnings)
	}
	copies := of("copy-file", "declared-1")
	if copies == none {
		t.Error("one grammar with copy-file and without")
	}
	if of("copy-file", "declared-2") != copies {
		t.Error("two grammars with copy-file")
	}
	for i, name := range []string{"move-file", "delete-file", "read-file", "write-file", "shell", "http"} {
		of(name)
		if i < maxGrammars-2 && of() != none {
			t.Errorf("%s: the grammar that is asked for most is not kept", name)
		}
	}
	if n := len(whole.Once(grammarsKey{}, nil).(*grammars).kept); n != maxGrammars {
		t.Errorf("%d grammars are kept, want %d", n, maxGrammars)
	}
}
