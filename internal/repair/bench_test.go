package repair

import (
	"strings"
	"testing"
)

func BenchmarkJSON(b *testing.B) {
	broken := `Here: {"nodes": [` + strings.Repeat(`{'id': "say "hi"", "params": {n: 12, "t": True,}},`, 200) + `]`
	b.SetBytes(int64(len(broken)))
	for b.Loop() {
		if _, err := JSON(broken); err != nil {
			b.Fatal(err)
		}
	}
}
