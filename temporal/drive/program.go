package drive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"pflow/engine"
)

// Program is what the documents of a run were compiled to.
type Program interface {
	Flow() *engine.Flow
	// Perform carries out one attempt, and gives what it warned of.
	Perform(ctx context.Context, c engine.Call) (engine.Event, []string, error)
	// Bind makes the first store of what is given. missing is what nothing gives.
	Bind(given map[string]any) (store map[string]any, missing []Wait, err error)
	// Result is how a run ended, as JSON shows it.
	Result(res *engine.Result, warnings []string) any
}

// HashOf names documents.
func HashOf(documents []byte) string {
	sum := sha256.Sum256(documents)
	return hex.EncodeToString(sum[:])
}

// Programs compiles documents, each once.
type Programs struct {
	Compile func(documents []byte) (Program, error)

	mu    sync.Mutex
	made  map[string]Program
	order []string // of made, the oldest first
}

// maxPrograms bounds the programs that a worker keeps.
const maxPrograms = 500

// Get gives the program of documents; nil if they are not known and none are given.
func (p *Programs) Get(hash string, documents []byte) (Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if program := p.made[hash]; program != nil || len(documents) == 0 {
		return program, nil
	}
	if got := HashOf(documents); got != hash {
		return nil, fmt.Errorf("the documents of the run are not those that it began with: their SHA-256 is %s, not %s", got, hash)
	}
	program, err := p.Compile(documents)
	if err != nil {
		return nil, fmt.Errorf("this worker cannot run it: %w", err)
	}
	if len(p.order) == maxPrograms {
		delete(p.made, p.order[0])
		p.order = p.order[1:]
	}
	if p.made == nil {
		p.made = map[string]Program{}
	}
	p.made[hash], p.order = program, append(p.order, hash)
	return program, nil
}
