package nodes

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/jsonedit"
	"pflow/internal/nodetype"
	"pflow/internal/table"
	"pflow/internal/value"
	"pflow/ir"
)

// readJSON reads a JSON document, or one value of it.
func readJSON() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "read-json",
			Description: "Reads a JSON document, or the value of a key in it; tells its keys and whether it is valid JSON.",
			Inputs: []ir.Port{
				{Key: "file_path", Type: value.String, Description: "The file to read, such as config.json."},
				{Key: "text", Type: value.String, Description: "The document itself, instead of a file."},
			},
			Params: []ir.Port{
				{Key: "key", Type: value.Any, Description: jsonPathText + " Otherwise the whole document."},
				{Key: "check", Type: value.Boolean, Default: false, Description: "Only tell whether it is valid JSON: what is wrong is told in report, and is no error."},
			},
			Outputs: []ir.Port{
				{Key: "value", Type: value.Any, Description: "The value."},
				{Key: "text", Type: value.String, Detail: true, Description: "The value for a reader: a text as it is, a list of plain values with each on a line, anything else as JSON."},
				{Key: "pretty", Type: value.String, Detail: true, Description: "The value as JSON over several lines, its keys in their order."},
				{Key: "compact", Type: value.String, Detail: true, Description: "The value as JSON on one line, its keys in their order."},
				{Key: "keys", Type: value.Array, Detail: true, Structure: listOfText, Description: "The keys of the value in their order, where it is an object."},
				{Key: "count", Type: value.Integer, Detail: true, Description: "How many entries the value has, where it is a list or an object."},
				{Key: "valid", Type: value.Boolean, Detail: true, Description: "Whether it is valid JSON."},
				{Key: "report", Type: value.String, Detail: true, Description: "That it is valid JSON, or what is wrong and where."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From:  []string{"file_path"},
		Check: func(params map[string]any) []ir.Problem { return checkJSONPath("key", params["key"]) },
		Run:   runReadJSON,
		Example: nodetype.Example{
			Files:  map[string]string{"config.json": `{"server": {"port": 8080, "host": "x"}}`},
			Params: map[string]any{"file_path": "config.json", "key": "server"},
			Outputs: map[string]any{"value": map[string]any{"port": 8080, "host": "x"}, "text": "{\n  \"port\": 8080,\n  \"host\": \"x\"\n}\n", "pretty": "{\n  \"port\": 8080,\n  \"host\": \"x\"\n}\n",
				"compact": `{"port":8080,"host":"x"}`, "keys": []any{"port", "host"}, "count": 2, "valid": true, "report": "config.json is valid JSON"},
		},
	}
}

const jsonPathText = "Where the value stands, such as server.ports[0], or a list of keys and places: [server, ports, 0]. Places count from 0, from the end from -1; one of an object is one in its only list. A key that only an object further in has is that one."

// jsonPath reads a path of a param.
func jsonPath(key string, v any) (jsonedit.Path, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		p, err := jsonedit.ParsePath(v)
		if err != nil {
			return nil, inParam(key, err)
		}
		return p, nil
	case int:
		return jsonedit.Path{v}, nil
	case []any:
		for _, part := range v {
			switch part.(type) {
			case string, int:
			default:
				return nil, fault.New(fault.InvalidRequest, "%s has %s; give keys and places", key, value.Describe(part))
			}
		}
		return jsonedit.Path(v), nil
	}
	return nil, fault.New(fault.InvalidRequest, "%s is %s; give a path such as server.ports[0], or a list of keys and places", key, value.Describe(v))
}

func checkJSONPath(key string, v any) []ir.Problem {
	if text, isText := v.(string); isText && len(text) > 0 && bytes.Contains([]byte(text), []byte("${")) {
		return nil
	}
	if list, isList := v.([]any); isList {
		for _, part := range list {
			switch part.(type) {
			case string, int:
			default:
				return nil // a template, whose value is known when it runs; any other is refused then
			}
		}
	}
	if _, err := jsonPath(key, v); err != nil {
		return []ir.Problem{{Path: key, Message: fault.Of(err).Message}}
	}
	return nil
}

func runReadJSON(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	path, err := jsonPath("key", c.Params["key"])
	if err != nil {
		return nodetype.Outcome{}, err
	}
	name, data, err := jsonDocument(c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	out := map[string]any{"value": nil, "text": "", "pretty": "", "compact": "", "keys": []any{}, "count": 0, "valid": true, "report": name + " is valid JSON"}
	v, text, err := jsonedit.Read(data, path)
	if e := fault.Of(err); err != nil && e.Kind == fault.Malformed && c.Flag("check") {
		out["valid"], out["report"] = false, name+": "+e.Message
		return nodetype.Outcome{Outputs: out}, nil
	}
	if err != nil {
		return nodetype.Outcome{}, inDocument(name, err)
	}
	out["value"] = v
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(text), "", "  "); err == nil {
		out["pretty"] = b.String() + "\n"
	}
	b.Reset()
	if err := json.Compact(&b, text); err == nil {
		out["compact"] = b.String()
	}
	out["text"] = jsonText(v, out["pretty"].(string))
	switch v := v.(type) {
	case []any:
		out["count"] = len(v)
	case map[string]any:
		keys, err := jsonedit.Keys(data, path)
		if err != nil {
			return nodetype.Outcome{}, inDocument(name, err)
		}
		list := make([]any, len(keys))
		for i, key := range keys {
			list[i] = key
		}
		out["count"], out["keys"] = len(v), list
	}
	return nodetype.Outcome{Outputs: out}, nil
}

// jsonText is a value for a reader.
func jsonText(v any, pretty string) string {
	plain := func(v any) bool {
		switch v.(type) {
		case []any, map[string]any:
			return false
		}
		return true
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		if slices.ContainsFunc(v, func(v any) bool { return !plain(v) }) {
			return pretty
		}
		var b strings.Builder
		for _, item := range v {
			b.WriteString(table.Text(item) + "\n")
		}
		return b.String()
	}
	return pretty
}

// jsonDocument reads the document of file_path or text, and says what to call it.
func jsonDocument(c nodetype.Call) (name string, data []byte, err error) {
	_, inFile := c.Params["file_path"].(string)
	text, inText := c.Params["text"].(string)
	switch {
	case inFile == inText:
		return "", nil, fault.New(fault.InvalidRequest, "give either file_path or text")
	case inText:
		return "the text", []byte(text), nil
	}
	name = c.Text("file_path")
	path, err := c.Path("file_path")
	if err != nil {
		return name, nil, err
	}
	data, err = jsonFile(path, name)
	return name, data, err
}

func jsonFile(path, name string) ([]byte, error) {
	doing := "read " + quote(name)
	f, info, err := openRegular(path, doing, "list-files gives what is in it")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	switch {
	case err != nil:
		return nil, fileFault(doing, err)
	case len(data) > maxRead:
		return nil, fault.New(fault.InvalidRequest, "cannot %s: it is %d MiB, at most %d are read at once", doing, info.Size()>>20, maxRead>>20)
	}
	return slices.Clip(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))), nil
}

// inDocument names the document in an error of reading or changing it.
func inDocument(name string, err error) error {
	if err == nil {
		return nil
	}
	e := *fault.Of(err)
	e.Message = name + ": " + e.Message
	return &e
}
