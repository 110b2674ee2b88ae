package mapparams

import (
	"context"
	"strings"
	"sync"
	"time"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
)

// Request is what is asked for, read once for all who want to know something of it.
type Request struct {
	Text     string    // without quotation marks around all of it
	Now      time.Time // decides what words like today mean
	Words    []retrieve.Word
	Entities []extract.Entity

	asked            string             // as it was given
	sentences, parts []int32            // how many signs that end sentences, or these and commas, stand before each byte
	named            func() []candidate // what its entities are as candidates
}

// Read reads a request, in time linear in it. The error is that of a context that ended.
func Read(ctx context.Context, text string, now time.Time) (*Request, error) {
	asked := text
	text = unquoted(asked)
	entities, err := extract.Entities(ctx, text, now)
	if err != nil {
		return nil, err
	}
	r := &Request{Text: text, Now: now, Words: retrieve.Words(text), Entities: entities, asked: asked,
		sentences: make([]int32, len(text)+1), parts: make([]int32, len(text)+1)}
	for i := range len(text) {
		r.sentences[i+1], r.parts[i+1] = r.sentences[i], r.parts[i]
		if strings.IndexByte(".;!?", text[i]) >= 0 {
			r.sentences[i+1]++
		}
		if strings.IndexByte(".;!?,", text[i]) >= 0 {
			r.parts[i+1]++
		}
	}
	r.named = sync.OnceValue(r.entityCandidates)
	return r, nil
}

// sentenceEnds reports whether a sentence ends between two places.
func (r *Request) sentenceEnds(from, to int) bool {
	return to > from && r.sentences[to] > r.sentences[from]
}

// partEnds reports whether a sentence or a part of it ends between two places.
func (r *Request) partEnds(from, to int) bool { return to > from && r.parts[to] > r.parts[from] }
