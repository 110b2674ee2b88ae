package engine

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// Recording finds documents through other Resources and keeps every answer, so that the exact documents of a run can
// be laid beside its journal and found again when it is resumed.
type Recording struct {
	Set     []Setting // the edits the flow was loaded with
	from    Resources
	lookups []lookup
}

// lookup is one answer.
type lookup struct {
	Key  string       `json:"key"`
	Kind DocumentKind `json:"kind"`
	Name string       `json:"name"`
	Path string       `json:"path"`
	Text string       `json:"text"`
}

// NewRecording records what it finds through from.
func NewRecording(from Resources) *Recording { return &Recording{from: from} }

// LoadRecording reads what Marshal wrote; it finds what was found then, and nothing else.
func LoadRecording(data []byte) (*Recording, error) {
	var f recordingFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("the documents of the run cannot be read: %w", err)
	}
	return &Recording{Set: f.Set, lookups: f.Documents}, nil
}

// Marshal gives what was found so far.
func (r *Recording) Marshal() ([]byte, error) {
	return json.MarshalIndent(recordingFile{r.Set, r.lookups}, "", " ")
}

type recordingFile struct {
	Set       []Setting `json:"set,omitempty"`
	Documents []lookup  `json:"documents"`
}

// Add keeps a document that was not looked up by name but given.
func (r *Recording) Add(d Document) {
	r.lookups = append(r.lookups, lookup{lookupKey(d.Kind, d.Path, nil), d.Kind, d.Name, d.Path, string(d.Data)})
}

// Given is the document that Add kept first.
func (r *Recording) Given() (Document, error) {
	if len(r.lookups) == 0 {
		return Document{}, fmt.Errorf("the run has no documents")
	}
	return r.lookups[0].document(), nil
}

// Find implements Resources.
func (r *Recording) Find(kind DocumentKind, name string, from []string) (Document, error) {
	key := lookupKey(kind, name, from)
	for _, l := range r.lookups {
		if l.Key == key {
			return l.document(), nil
		}
	}
	if r.from == nil {
		return Document{}, noDocument{fmt.Sprintf("there is no %s %q among the documents of the run", kind, name)}
	}
	d, err := r.from.Find(kind, name, from)
	if err == nil {
		r.lookups = append(r.lookups, lookup{key, kind, d.Name, d.Path, string(d.Data)})
	}
	return d, err
}

// Stands reports whether from finds each document that was recorded, by the name by which it was found, as it was.
func (r *Recording) Stands(from Resources) bool {
	for _, l := range r.lookups {
		asked := strings.Split(l.Key, "\n")
		d, err := from.Find(l.Kind, asked[1], asked[2:])
		if err != nil || d.Path != l.Path || string(d.Data) != l.Text {
			return false
		}
	}
	return true
}

// Names implements Resources.
func (r *Recording) Names(kind DocumentKind, from []string) []string {
	if r.from == nil {
		return nil
	}
	return r.from.Names(kind, from)
}

func (l lookup) document() Document { return Document{l.Kind, l.Name, l.Path, []byte(l.Text)} }

func lookupKey(kind DocumentKind, name string, from []string) string {
	return strings.Join(append([]string{string(kind), name}, from...), "\n")
}

// Documents lists what was found, each document once.
func (r *Recording) Documents() []Document {
	var out []Document
	seen := map[string]bool{}
	for _, l := range r.lookups {
		if !seen[l.Path] {
			seen[l.Path] = true
			out = append(out, l.document())
		}
	}
	return out
}

// HomePath is where the document is looked for in a home, relative to it.
func (d Document) HomePath() string {
	dir := "prompts"
	if d.Kind == FlowDocument {
		dir = "flows"
	}
	return filepath.Join(dir, d.Name+suffixes[d.Kind])
}
