package ir

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestMutated checks and shows workflows with bytes cut out, doubled, swapped or taken from others: nothing panics, and a
// document that is checked twice gives the same text. PFLOW_MUTATIONS says how many.
func TestMutated(t *testing.T) {
	most, _ := strconv.Atoi(os.Getenv("PFLOW_MUTATIONS"))
	if most == 0 {
		most = 2000
	}
	files, _ := filepath.Glob("testdata/*/*.json")
	var docs [][]byte
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 8000 {
			docs = append(docs, data)
		}
	}
	r, c := rand.New(rand.NewPCG(1, 2)), testCatalogue()
	for range most {
		doc := append([]byte(nil), docs[r.IntN(len(docs))]...)
		other := docs[r.IntN(len(docs))]
		for range 1 + r.IntN(3) {
			at, n := r.IntN(len(doc)), 1+r.IntN(24)
			end := min(len(doc), at+n)
			from := r.IntN(len(other))
			piece := other[from:min(len(other), from+n)]
			switch r.IntN(4) {
			case 0:
				piece = nil
			case 1:
				piece = append(append([]byte(nil), doc[at:end]...), doc[at:end]...)
			case 2:
				piece = []byte{`{}[]",:$\`[r.IntN(9)]}
			}
			doc = append(append(append([]byte(nil), doc[:at]...), piece...), doc[end:]...)
			if len(doc) == 0 {
				doc = []byte("{")
			}
		}
		show := func() string {
			w, found := Check(doc, c, Options{})
			text := found.Text()
			if w != nil && !found.HasErrors() {
				text += Display(w, DisplayOptions{Catalogue: c})
			}
			return text
		}
		if a, b := show(), show(); a != b {
			t.Fatalf("%s\nis checked differently twice:\n%s\n%s", doc, a, b)
		}
	}
}
