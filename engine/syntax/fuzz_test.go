package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pflow/internal/yamltree"
)

// FuzzDecode: whatever the document, nothing panics, and every finding has a place in the document.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found := decodeAll("f", data)
		text := strings.TrimPrefix(string(data), "\uFEFF")
		lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
		for _, x := range found {
			p := x.Place
			if p.File != "f" || p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > utf8.RuneCountInString(lines[p.Line-1])+1 {
				t.Fatalf("%v is outside the document: %s", p, x.Message)
			}
			if x.Kind == "" || x.Message == "" {
				t.Fatalf("no kind or message: %+v", x)
			}
		}
		tree, bad := Parse("f", data)
		if tree == nil || bad.HasErrors() {
			return
		}
		// A flow that changes nothing, and a path that leads anywhere.
		if same, _ := Extend(tree, &yamltree.Value{Kind: yamltree.Map}); show(same) != show(tree) {
			t.Fatalf("extended by nothing: %s, was %s", show(same), show(tree))
		}
		merged, _ := Extend(tree, tree)
		Decode(merged)
		set, _ := Set(tree, string(data), "{a: 1}")
		Decode(set)
	})
}
