package phrase

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"pflow/internal/mapparams"
	"pflow/ir"
)

func BenchmarkRead(b *testing.B) {
	g, err := Load(func(string) bool { return true }, os.DirFS("../../nodes/phrases"))
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"short": "show the last 3 commits",
		"long":  "commit everything as 'wip', tag it v0.2 and then make a new branch called release and switch to it, then show me the diff of notes.txt and save it as diff.txt",
		"open":  strings.Repeat("please find me a good table at the new restaurant beside the river, ", 8),
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				r, _ := mapparams.Read(context.Background(), text, time.Now())
				if _, err := g.Read(context.Background(), r, func(string) *ir.Interface { return nil }, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("load", func(b *testing.B) {
		for range b.N {
			Load(func(string) bool { return true }, os.DirFS("../../nodes/phrases"))
		}
	})
}
