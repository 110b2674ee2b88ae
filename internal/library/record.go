package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/internal/workflowfile"
	"pflow/ir"
)

// Record is one saved workflow.
type Record struct {
	Name        string
	Description string
	Keywords    []string
	Examples    []string  // past approved requests
	CreatedAt   time.Time // zero: unknown
	UpdatedAt   time.Time
	Version     int
	Outcome     *Outcome // what came of its runs, which its file does not hold; nil: nothing is known

	body *body
}

// body is what of a record is read when it is asked for: of a library of thousands few are. Copies of a record share it.
type body struct {
	ir     json.RawMessage            // the document as it was saved
	origin json.RawMessage            // how it came about; nil: unknown
	extra  map[string]json.RawMessage // keys this version does not know, kept

	once     sync.Once
	stored   *stored // in the index of the library; nil: what is above is all there
	workflow *ir.Workflow

	known  sync.Once
	traits *Traits
}

// NewRecord makes a record of a document and of the same decoded; nil: it is decoded when it is asked for.
func NewRecord(name string, doc json.RawMessage, w *ir.Workflow) *Record {
	return &Record{Name: name, body: &body{ir: doc, workflow: w}}
}

// read gives the body, which is decoded the first time.
func (r *Record) read() *body {
	b := r.body
	if b == nil {
		return &body{workflow: &ir.Workflow{}} // a record that is no more than a name
	}
	b.once.Do(func() {
		if b.stored != nil {
			b.ir, b.origin, b.extra = b.stored.body()
		}
		if b.workflow == nil {
			if b.workflow, _ = ir.Decode(b.ir); b.workflow == nil {
				b.workflow = &ir.Workflow{} // what has no form has no steps, and is not valid
			}
		}
	})
	return b
}

// IR is the document as it was saved.
func (r *Record) IR() json.RawMessage { return r.read().ir }

// Workflow is the document, decoded.
func (r *Record) Workflow() *ir.Workflow { return r.read().workflow }

// Origin says how a record came about; nil: it is not known.
func (r *Record) Origin() json.RawMessage { return r.read().origin }

// SetOrigin says how a record came about.
func (r *Record) SetOrigin(origin json.RawMessage) { r.own().origin = origin }

// SetIR gives a record another document.
func (r *Record) SetIR(doc json.RawMessage, w *ir.Workflow) {
	b := r.own()
	b.ir, b.workflow = doc, w
}

// Traits are what every request asks of each saved workflow: they are worked out once and kept in the index.
type Traits struct {
	Hash    string   // of the document that runs
	Steps   string   // SignatureSum of ir.Signature.Steps: the same of what it does, whatever it calls its nodes and inputs
	Whole   string   // SignatureSum of ir.Signature.Whole
	Types   []string // the types of its nodes, each once
	Secrets []string // the environment variables that it reads secrets from
}

// Traits gives those of a record.
func (r *Record) Traits() *Traits {
	b := r.body
	if b == nil {
		return &Traits{}
	}
	b.known.Do(func() {
		if b.traits == nil {
			b.traits = r.traits()
		}
	})
	return b.traits
}

func (r *Record) traits() *Traits {
	w := r.Workflow()
	signature := w.Signature()
	t := &Traits{Hash: w.Hash(), Steps: SignatureSum(signature.Steps), Whole: SignatureSum(signature.Whole)}
	for _, n := range w.Nodes {
		if !slices.Contains(t.Types, n.Type) {
			t.Types = append(t.Types, n.Type)
		}
	}
	for _, in := range w.Inputs {
		if in.Secret && in.FromEnv != "" {
			t.Secrets = append(t.Secrets, in.FromEnv)
		}
	}
	return t
}

// SignatureSum stands for a part of an ir.Signature.
func SignatureSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}

// own gives a body that no copy of the record shares.
func (r *Record) own() *body {
	was := r.read()
	r.body = &body{ir: was.ir, origin: was.origin, extra: was.extra, workflow: was.workflow}
	return r.body
}

// Hash is the ir_hash of the record.
func (r *Record) Hash() string {
	sum, err := ir.HashJSON(r.IR())
	if err != nil {
		panic("library: a record holds what is no JSON: " + err.Error())
	}
	return sum
}

// ignored are keys of older files that say what the IR says.
var ignored = []string{"inputs", "outputs", "created"}

// Parse reads a record or a bare IR document, which is YAML if the name of the file says so. Errors are those of form;
// file names it in findings, which are warnings.
func Parse(file string, data []byte) (*Record, diag.List, error) {
	text, err := workflowfile.Read(file, data)
	if err != nil {
		return nil, nil, err
	}
	keys, err := object(text.JSON)
	if err != nil {
		return nil, nil, fault.New(fault.Malformed, "%v%s", err, text.Hint())
	}
	if _, bare := keys["nodes"]; bare && keys["ir"] == nil {
		return parseIR(text, text.JSON, &Record{Version: 1, body: &body{}}, text.Found)
	}
	b := &body{}
	r := &Record{body: b}
	found := text.Found
	hash := ""
	read := map[string]any{"name": &r.Name, "description": &r.Description, "keywords": &r.Keywords, "examples": &r.Examples, "ir": &b.ir,
		"ir_hash": &hash, "created_at": &r.CreatedAt, "updated_at": &r.UpdatedAt, "version": (*number)(&r.Version), "origin": &b.origin}
	for _, k := range value.SortedKeys(keys) {
		into, known := read[k]
		switch {
		case known:
			if err := json.Unmarshal(keys[k], into); err != nil {
				return nil, nil, fault.New(fault.Malformed, "the key %q: %v", k, err)
			}
		case !slices.Contains(ignored, k):
			if b.extra == nil {
				b.extra = map[string]json.RawMessage{}
			}
			b.extra[k] = keys[k]
			w := warning(UnknownKey, file, fmt.Sprintf("a saved workflow has no key %q; it is kept", k))
			w.Suggestion = diag.Nearest(k, value.SortedKeys(read))
			found = append(found, w)
		}
	}
	if keys["ir"] == nil {
		return nil, nil, fault.New(fault.Malformed, `the key "ir" is missing: it is neither a saved workflow nor an IR document`)
	}
	r.Version = max(r.Version, 1)
	if string(b.origin) == "null" {
		b.origin = nil
	}
	if hash != "" {
		if sum, err := ir.HashJSON(b.ir); err != nil || sum != hash {
			found = append(found, warning(WrongHash, file, fmt.Sprintf("ir_hash is not that of the ir (%s), which was changed without it; saving again mends it", sum)))
		}
	}
	return parseIR(text, b.ir, r, found)
}

// number is the version of a record. In older files it is a text, such as "1.0.0", which counts nothing: it is read as 1.
type number int

func (n *number) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*n = 1
		return nil
	}
	return json.Unmarshal(data, (*int)(n))
}

func parseIR(file *workflowfile.File, doc []byte, r *Record, found diag.List) (*Record, diag.List, error) {
	w, list := ir.Decode(doc)
	if list.HasErrors() {
		return nil, nil, file.Locate(list).Err()
	}
	r.body.ir, r.body.workflow = doc, w
	return r, found, nil
}

// object reads the keys of a JSON object; a key that stands twice, or text behind it, is an error.
func object(data []byte) (map[string]json.RawMessage, error) {
	if err := ir.WellFormed(data); err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &keys); err != nil || keys == nil {
		return nil, fmt.Errorf("not a JSON object")
	}
	return keys, nil
}

// Encode writes a record for people: keys in a fixed order, two blanks a level, numbers and order of the IR as they are.
func (r *Record) Encode() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	put := func(k string, raw []byte) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(value.AppendString(nil, k))
		b.WriteByte(':')
		b.Write(raw)
	}
	list := func(items []string) []byte {
		out := []any{}
		for _, s := range items {
			out = append(out, s)
		}
		return value.AppendJSON(nil, out)
	}
	text := func(s string) []byte { return value.AppendString(nil, s) }
	put("name", text(r.Name))
	put("description", text(r.Description))
	put("keywords", list(r.Keywords))
	put("examples", list(r.Examples))
	put("ir", r.IR())
	put("ir_hash", text(r.Hash()))
	put("created_at", text(r.CreatedAt.UTC().Format(time.RFC3339)))
	put("updated_at", text(r.UpdatedAt.UTC().Format(time.RFC3339)))
	put("version", []byte(fmt.Sprint(r.Version)))
	origin := []byte(r.Origin())
	if origin == nil {
		origin = []byte("null")
	}
	put("origin", origin)
	for _, k := range value.SortedKeys(r.read().extra) {
		put(k, r.read().extra[k])
	}
	b.WriteByte('}')
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		panic("library: a record holds what is no JSON: " + err.Error())
	}
	out.WriteByte('\n')
	return out.Bytes()
}
