package engine_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
	"testing"

	"pflow/engine"
	"pflow/internal/value"
)

// watch wraps ops so that what they are given, and what they gave, is hashed before and after: nothing may change it
// until the run has ended.
type watch struct {
	mu   sync.Mutex
	seen []watched
}

type watched struct {
	what string
	v    any
	sum  [32]byte
}

func hash(v any) [32]byte {
	n, err := value.Normalize(v)
	if err != nil {
		panic(err)
	}
	return sha256.Sum256(value.AppendJSON(nil, n))
}

func (w *watch) keep(what string, v any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, watched{what, v, hash(v)})
}

func (w *watch) wrap(ops []engine.Op) []engine.Op {
	for i := range ops {
		name, build := ops[i].Name, ops[i].New
		ops[i].New = func(s *engine.Setup) engine.Exec {
			exec := build(s)
			if exec == nil {
				return nil
			}
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				w.keep(name+" prep", in.Prep)
				w.keep(name+" params", in.Params)
				out, err := exec(ctx, in)
				if err == nil {
					w.keep(name+" result", out.Result)
				}
				return out, err
			}
		}
	}
	return ops
}

func (w *watch) check(t *testing.T) {
	t.Helper()
	for _, s := range w.seen {
		if hash(s.v) != s.sum {
			t.Errorf("%s was changed: now %s", s.what, value.JSON(s.v))
		}
	}
}

// sealed is a journal written by hand with its checksums.
func sealed(text string) []byte {
	var out []byte
	sum := uint32(0)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), "}")
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), []byte(line))
		out = fmt.Appendf(out, "%s,\"crc\":\"%08x\"}\n", line, sum)
	}
	return out
}
