package compose

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"pflow/internal/retrieve"
)

// known is what the stages have worked out of texts, which they ask for again and again. The zero value knows nothing.
type known struct {
	mu     sync.Mutex
	stems  map[string][]string
	ranked map[string][]retrieve.Ranked
	masked string // the request without its values
}

// stemsOf gives the stems of a text.
func (k *known) stemsOf(text string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	out, ok := k.stems[text]
	if !ok {
		if k.stems == nil {
			k.stems = map[string][]string{}
		}
		out = retrieve.Stems(text)
		k.stems[text] = out
	}
	return out
}

func (c *composer) stemsOf(text string) []string { return c.known.stemsOf(text) }

// rankedFor orders the usages by the words of a text, best first. Nobody may change what it gives.
func (g *Ground) rankedFor(ctx context.Context, text string) ([]retrieve.Ranked, error) {
	k := g.known
	k.mu.Lock()
	defer k.mu.Unlock()
	if out, ok := k.ranked[text]; ok {
		return out, ctx.Err()
	}
	out, err := g.index.Rank(ctx, text)
	if err != nil {
		return nil, err
	}
	for n := range out {
		out[n].Index = g.order[out[n].Index]
	}
	slices.SortFunc(out, func(a, b retrieve.Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	if k.ranked == nil {
		k.ranked = map[string][]retrieve.Ranked{}
	}
	k.ranked[text] = out
	return out, nil
}
