package experiment

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"pflow/internal/llm"
)

// EqualCalls lets equal calls of a model pass one after the other. Variants often ask the same of a model at the same moment;
// where replies are recorded, the second is then served what the first was answered, so that a replay gives the same
// rows. The zero value is ready.
type EqualCalls struct {
	mu    sync.Mutex
	calls map[[32]byte]*equalCall
}

type equalCall struct {
	sync.Mutex
	users int
}

// Wait waits until no equal call is under way. done must be called when this one is over.
func (e *EqualCalls) Wait(r llm.Request) (done func()) {
	key := sha256.New()
	enc := json.NewEncoder(key)
	// What cannot be written as JSON is no call; whoever makes it says so.
	_ = enc.Encode([]any{r.Model, r.Messages, r.Tools, r.Temperature, r.MaxTokens, r.Repeat})
	if r.Schema != nil {
		_ = enc.Encode([]any{r.Schema.Name, r.Schema.JSON})
	}
	sum := [32]byte(key.Sum(nil))
	e.mu.Lock()
	if e.calls == nil {
		e.calls = map[[32]byte]*equalCall{}
	}
	c := e.calls[sum]
	if c == nil {
		c = &equalCall{}
		e.calls[sum] = c
	}
	c.users++
	e.mu.Unlock()
	c.Lock()
	return func() {
		c.Unlock()
		e.mu.Lock()
		if c.users--; c.users == 0 {
			delete(e.calls, sum)
		}
		e.mu.Unlock()
	}
}
