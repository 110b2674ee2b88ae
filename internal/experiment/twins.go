package experiment

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"pflow/internal/llm"
)

// Twins lets equal calls of a model pass one after the other. Variants often ask the same of a model at the same moment;
// where replies are recorded, the second is then served what the first was answered, so that a replay gives the same
// rows. The zero value is ready.
type Twins struct {
	mu    sync.Mutex
	calls map[[32]byte]*twin
}

type twin struct {
	sync.Mutex
	users int
}

// Wait waits until no equal call is under way. done must be called when this one is over.
func (t *Twins) Wait(r llm.Request) (done func()) {
	key := sha256.New()
	e := json.NewEncoder(key)
	// What cannot be written as JSON is no call; whoever makes it says so.
	_ = e.Encode([]any{r.Model, r.Messages, r.Tools, r.Temperature, r.MaxTokens, r.Repeat})
	if r.Schema != nil {
		_ = e.Encode([]any{r.Schema.Name, r.Schema.JSON})
	}
	sum := [32]byte(key.Sum(nil))
	t.mu.Lock()
	if t.calls == nil {
		t.calls = map[[32]byte]*twin{}
	}
	c := t.calls[sum]
	if c == nil {
		c = &twin{}
		t.calls[sum] = c
	}
	c.users++
	t.mu.Unlock()
	c.Lock()
	return func() {
		c.Unlock()
		t.mu.Lock()
		if c.users--; c.users == 0 {
			delete(t.calls, sum)
		}
		t.mu.Unlock()
	}
}
