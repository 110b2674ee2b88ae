package llm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// memoryFile is where a home remembers the steps of the ladder. It only saves calls: a file that cannot be read is
// taken for an empty one, and one that cannot be written is left.
const memoryFile = "model-steps.json"

// remembered is how long a step is taken for granted; after that the ladder is tried from its top again, since endpoints
// learn.
const remembered = 7 * 24 * time.Hour

// memory holds for each endpoint and model the step of the ladder that it was found to honour.
type memory struct {
	file string // "": not kept
	mu   sync.Mutex
	seen map[string]memo
}

type memo struct {
	Step  string    `json:"step"`
	Since time.Time `json:"since"`
}

type memoryDocument struct {
	Schema string          `json:"schema"`
	Steps  map[string]memo `json:"steps"`
}

func newMemory(home string) *memory {
	m := &memory{seen: map[string]memo{}}
	if home != "" {
		m.file = filepath.Join(home, memoryFile)
		m.seen = readMemory(m.file)
	}
	return m
}

func readMemory(file string) map[string]memo {
	var doc memoryDocument
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &doc) != nil || doc.Steps == nil {
		return map[string]memo{}
	}
	return doc.Steps
}

// step gives the step to begin with: the remembered one if the ladder still has it, else the top.
func (m *memory) step(key string, ladder []string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.seen[key]; ok && time.Since(s.Since) < remembered && slices.Contains(ladder, s.Step) {
		return s.Step
	}
	return ladder[0]
}

// set remembers a step, and writes the file with what other processes remembered meanwhile.
func (m *memory) set(key, step string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := memo{Step: step, Since: time.Now().UTC().Truncate(time.Second)}
	m.seen[key] = now
	if m.file == "" {
		return
	}
	all := readMemory(m.file)
	all[key] = now
	data, err := json.MarshalIndent(memoryDocument{"pflow.model-steps/v1", all}, "", "  ")
	if err == nil {
		_ = writeFile(m.file, append(data, '\n'))
	}
}

// writeFile writes a file so that it is there whole or not at all. Its folder is made if it is missing.
func writeFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".pflow-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
