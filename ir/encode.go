package ir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"pflow/internal/value"
)

// Encode writes a workflow as compact JSON, the keys in the order of the specification, those of params sorted.
func (w *Workflow) Encode() []byte {
	o := writer{'{'}
	o.text("ir_version", w.Version)
	o.list("nodes", len(w.Nodes), func(o *writer, i int) { w.Nodes[i].write(o) })
	o.list("edges", len(w.Edges), func(o *writer, i int) {
		e := w.Edges[i]
		o.text("from", e.From)
		o.text("to", e.To)
		if e.Action != ActionDefault {
			o.text("action", e.Action)
		}
	})
	switch {
	case len(w.Start) == 1:
		o.text("start_node", w.Start[0])
	case len(w.Start) > 1:
		ids := make([]any, len(w.Start))
		for i, id := range w.Start {
			ids[i] = id
		}
		o.value("start_node", ids)
	}
	if w.Inputs != nil {
		o.object("inputs", func(o *writer) {
			for _, in := range w.Inputs {
				o.object(in.Name, in.write)
			}
		})
	}
	if len(w.Outputs) > 0 {
		o.object("outputs", func(o *writer) {
			for _, out := range w.Outputs {
				o.object(out.Name, out.write)
			}
		})
	}
	if w.Mappings != nil {
		o.value("mappings", w.Mappings)
	}
	return append(o, '}')
}

// Indented is Encode for people.
func (w *Workflow) Indented() []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, w.Encode(), "", "  "); err != nil {
		panic("ir: encoded a document that is no JSON: " + err.Error())
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// MarshalJSON is Encode, so that a workflow can stand in a larger document.
func (w *Workflow) MarshalJSON() ([]byte, error) { return w.Encode(), nil }

// Plain is the workflow as a normalised value, for the store of a run. An integer beyond 64 bits is an error.
func (w *Workflow) Plain() (any, error) { return value.ParseWritten(w.Encode()) }

// Hash is the ir_hash of the encoded workflow.
func (w *Workflow) Hash() string {
	sum, err := HashJSON(w.Encode())
	if err != nil {
		panic("ir: encoded a document that is no JSON: " + err.Error())
	}
	return sum
}

// HashJSON is the SHA-256, in hex, of the canonical form of a JSON document: sorted keys, no spaces, numbers with the
// text they have. The order of keys, spaces and escapes make no difference.
func HashJSON(data []byte) (string, error) {
	canonical, err := Canonical(data)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// WellFormed says what is wrong with a text that is to be one JSON document, in which no key stands twice; nil if nothing is.
func WellFormed(data []byte) error {
	_, err := readTree(data)
	if err != nil {
		err = fmt.Errorf("not a JSON document: %w", err)
	}
	return err
}

// Canonical rewrites a JSON document with sorted keys and no spaces.
func Canonical(data []byte) ([]byte, error) {
	tree, err := readTree(data)
	if err != nil {
		return nil, fmt.Errorf("not a JSON document: %w", err)
	}
	return appendValue(nil, plain(tree)), nil
}

// appendValue is value.AppendJSON for values that may hold json.Number, which is written as it is.
func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case json.Number:
		return append(dst, v...)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, k := range value.SortedKeys(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(value.AppendString(dst, k), ':')
			dst = appendValue(dst, v[k])
		}
		return append(dst, '}')
	}
	return value.AppendJSON(dst, v)
}

// writer builds one JSON object, its keys in the order in which they are given.
type writer []byte

func (o *writer) key(k string) {
	if (*o)[len(*o)-1] != '{' {
		*o = append(*o, ',')
	}
	*o = append(value.AppendString(*o, k), ':')
}

func (o *writer) text(k, s string)      { o.key(k); *o = value.AppendString(*o, s) }
func (o *writer) value(k string, v any) { o.key(k); *o = appendValue(*o, v) }

func (o *writer) object(k string, fill func(*writer)) {
	o.key(k)
	*o = append(*o, '{')
	fill(o)
	*o = append(*o, '}')
}

func (o *writer) list(k string, n int, fill func(o *writer, i int)) {
	o.key(k)
	*o = append(*o, '[')
	for i := range n {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, '{')
		fill(o, i)
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}

func (n *Node) write(o *writer) {
	o.text("id", n.ID)
	o.text("type", n.Type)
	if len(n.Params) > 0 {
		o.value("params", n.Params)
	}
	if n.Purpose != "" {
		o.text("purpose", n.Purpose)
	}
	if n.Retry != nil {
		o.object("retry", n.Retry.write)
	}
	if n.Timeout.Given() {
		setting(o, "timeout", n.Timeout)
	}
	if b := n.Batch; b != nil {
		o.object("batch", func(o *writer) {
			o.value("items", b.Items)
			o.text("as", b.As)
			o.text("on_error", b.OnError)
			setting(o, "concurrency", b.Concurrency)
			if b.Retry != nil {
				o.object("retry", b.Retry.write)
			}
		})
	}
	if n.Repeat != nil {
		o.object("repeat", n.Repeat.write)
	}
	if n.Approval {
		o.text("approval", "required")
	}
}

func (r *Retry) write(o *writer) {
	setting(o, "attempts", r.Attempts)
	if r.Wait.Given() {
		setting(o, "wait", r.Wait)
	}
	if r.Exponential {
		o.text("backoff", "exponential")
	}
}

func (in *Input) write(o *writer) {
	o.text("type", string(in.Type))
	o.value("required", in.Required)
	if in.HasDefault {
		o.value("default", in.Default)
	}
	if in.Description != "" {
		o.text("description", in.Description)
	}
	if in.Secret {
		o.value("secret", true)
	}
	if in.FromEnv != "" {
		o.text("from_env", in.FromEnv)
	}
	if in.FromStdin {
		o.value("from_stdin", true)
	}
}

func (out *Output) write(o *writer) {
	if out.Source != "" {
		o.text("source", out.Source)
	}
	o.text("type", string(out.Type))
	if out.Description != "" {
		o.text("description", out.Description)
	}
}

// Duration writes a duration as people do: 2m, not 2m0s.
func Duration(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d >= time.Minute && d%time.Minute == 0:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return d.String()
}
