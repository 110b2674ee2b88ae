package mcpserve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/value"
)

// maxResult bounds what a call answers with, in bytes of JSON: a model reads it.
const maxResult = 128 << 10

// result is an answer as the protocol has it. What is too large is cut, and said to be.
func (a Answer) result() *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: a.Failed}
	text := a.Text
	if a.Document != nil {
		v, cut := bounded(plain(a.Document))
		out.StructuredContent = v
		if text == "" {
			text = jsonText(v)
		}
		if cut {
			out.Content = append(out.Content, &mcp.TextContent{Text: fmt.Sprintf("(The result was larger than %d KB: long texts and lists in it are cut. Have the workflow write what is large into a file.)", maxResult>>10)})
		}
	}
	text, _ = clip(text, maxResult)
	out.Content = append([]mcp.Content{&mcp.TextContent{Text: text}}, out.Content...)
	if len(a.Notes) > 0 {
		notes, _ := clip(strings.Join(a.Notes, "\n"), maxResult)
		out.Content = append(out.Content, &mcp.TextContent{Text: notes})
	}
	return out
}

func refused(err error) *mcp.CallToolResult {
	text, _ := clip(err.Error(), maxResult)
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// plain is a document as values of package value.
func plain(document any) any {
	data, err := json.Marshal(document)
	if err != nil {
		panic("mcpserve: an answer is no JSON: " + err.Error())
	}
	v, err := value.ParseJSON(data)
	if err != nil {
		return string(data)
	}
	return v
}

func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		panic("mcpserve: an answer is no JSON: " + err.Error())
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// bounded cuts long texts and lists, shorter and shorter, until the value fits.
func bounded(v any) (any, bool) {
	if len(value.JSON(v)) <= maxResult {
		return v, false
	}
	for texts, items := 32<<10, 1000; texts > 16; texts, items = texts/4, max(items/4, 4) {
		if got := shortened(v, texts, items); len(value.JSON(got)) <= maxResult {
			return got, true
		}
	}
	text, _ := clip(value.JSON(v), maxResult/2)
	return map[string]any{"cut": text}, true
}

func shortened(v any, texts, items int) any {
	switch v := v.(type) {
	case string:
		text, _ := clip(v, texts)
		return text
	case []any:
		out := make([]any, 0, min(len(v), items))
		for _, item := range v[:min(len(v), items)] {
			out = append(out, shortened(item, texts, items))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for i, key := range value.SortedKeys(v) {
			if i == items {
				break
			}
			out[key] = shortened(v[key], texts, items)
		}
		return out
	}
	return v
}

// clip cuts a text to a number of bytes.
func clip(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	end := most
	for end > 0 && text[end]&0xC0 == 0x80 { // not inside a character
		end--
	}
	return fmt.Sprintf("%s… (%d bytes more)", text[:end], len(text)-end), true
}
