package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// origin tells where the parts of a case stand in its document. A path holds keys and indices.
type origin interface {
	place(path []any) (at diag.Place, line string)
}

// inTree is a case of a YAML document.
func inTree(v *yamltree.Value) origin { return treeOrigin{v} }

type treeOrigin struct{ v *yamltree.Value }

func (o treeOrigin) place(path []any) (diag.Place, string) {
	v := o.v
	at := v.Place
	for _, part := range path {
		switch part := part.(type) {
		case string:
			e := v.Entry(part)
			if e == nil {
				return at, o.v.Snippet(at)
			}
			v, at = e.Value, e.KeyPlace
		case int:
			if part >= len(v.Items) {
				return at, o.v.Snippet(at)
			}
			v, at = v.Items[part], v.Items[part].Place
		}
	}
	return at, o.v.Snippet(at)
}

// lineOrigin is a case that is a line of a JSONL file.
type lineOrigin struct {
	file string
	line int
	data []byte
}

func (o lineOrigin) place(path []any) (diag.Place, string) {
	offset := min(offsetIn(o.data, path), len(o.data))
	return diag.Place{File: o.file, Line: o.line, Col: utf8.RuneCount(o.data[:offset]) + 1}, string(o.data)
}

// offsetIn finds where a path stands in JSON: the byte where its key begins, or its value in a list. What is not there
// gives the place of the last part that is.
func offsetIn(data []byte, path []any) int {
	d := json.NewDecoder(bytes.NewReader(data))
	at := 0
	for _, part := range path {
		if _, err := d.Token(); err != nil { // the { or [
			return at
		}
		switch part := part.(type) {
		case string:
			for {
				if !d.More() {
					return at
				}
				begin := skipBlank(data, int(d.InputOffset()))
				key, err := d.Token()
				if err != nil {
					return at
				}
				if key == part {
					at = begin
					break
				}
				var skipped json.RawMessage
				if d.Decode(&skipped) != nil {
					return at
				}
			}
		case int:
			for i := 0; ; i++ {
				if !d.More() {
					return at
				}
				begin := skipBlank(data, int(d.InputOffset()))
				if i == part {
					at = begin
					break
				}
				var skipped json.RawMessage
				if d.Decode(&skipped) != nil {
					return at
				}
			}
		}
	}
	return at
}

// skipBlank passes what stands between two values.
func skipBlank(data []byte, at int) int {
	for at < len(data) && strings.IndexByte(" \t\r\n,:", data[at]) >= 0 {
		at++
	}
	return at
}

// pathText writes a path as expectations are spoken of: expect.nodes[2].
func pathText(path []any) string {
	var b strings.Builder
	for _, part := range path {
		switch part := part.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", part)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(part)
		}
	}
	return b.String()
}
