//go:build !race

package workflow

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLargeWorkflow runs 10,000 nodes: a chain, and a fan with a join.
func TestLargeWorkflow(t *testing.T) {
	const n = 10_000
	var chain, fan strings.Builder
	chain.WriteString(`{"ir_version": "0.1.0", "nodes": [{"id": "n0", "type": "echo", "params": {"value": 0}}`)
	fan.WriteString(chain.String())
	for i := 1; i < n; i++ {
		fmt.Fprintf(&chain, `,{"id": "n%d", "type": "echo", "params": {"value": "${n%d.out}"}}`, i, i-1)
		if i < n-1 {
			fmt.Fprintf(&fan, `,{"id": "n%d", "type": "echo", "params": {"value": "${n0.out}"}}`, i)
		}
	}
	fmt.Fprintf(&fan, `,{"id": "n%d", "type": "echo", "params": {"value": "joined"}}], "edges": [`, n-1)
	chain.WriteString(`], "edges": [`)
	for i := 1; i < n; i++ {
		comma := ","
		if i == n-1 {
			comma = ""
		}
		fmt.Fprintf(&chain, `{"from": "n%d", "to": "n%d"}%s`, i-1, i, comma)
		if i < n-1 {
			fmt.Fprintf(&fan, `{"from": "n0", "to": "n%d"},{"from": "n%d", "to": "n%d"}%s`, i, i, n-1, strings.TrimSuffix(",", map[bool]string{true: ","}[i == n-2]))
		}
	}
	chain.WriteString(`]}`)
	fan.WriteString(`]}`)
	for name, doc := range map[string]string{"chain": chain.String(), "fan": fan.String()} {
		start := time.Now()
		p := world{}.compile(t, doc)
		compiled := time.Since(start)
		home := t.TempDir()
		start = time.Now()
		res := kept(t, p, home, nil, nil)
		took := time.Since(start)
		if res.Status != Done || len(res.Steps) != n {
			t.Fatalf("%s: %s, %d steps", name, res.Status, len(res.Steps))
		}
		t.Logf("%s: checked and compiled in %v, ran with a journal in %v", name, compiled, took)
		if compiled > 90*time.Second || took > 90*time.Second {
			t.Errorf("%s is slow: %v, %v", name, compiled, took)
		}
	}
}
