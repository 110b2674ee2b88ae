package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestManifests reads the manifests of docs/scale: what they have pflow-temporal do is a command with flags that there are, and the
// variables that they set are some that it reads.
func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../../docs/scale/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		commands := 0
		for d := yaml.NewDecoder(strings.NewReader(string(data))); ; {
			var doc any
			if err := d.Decode(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			walk(doc, func(key string, v any) {
				if list, ok := v.([]any); ok && key == "command" && len(list) > 1 && list[0] == "pflow-temporal" {
					commands++
					holdCommand(t, file, list[1:])
				}
				if strings.HasPrefix(key, "PFLOW_TEMPORAL_") && !strings.Contains(helpOf(t), key) {
					t.Errorf("%s: nothing reads %s", file, key)
				}
			})
		}
		if commands != 2 {
			t.Errorf("%s: %d commands of pflow-temporal", file, commands)
		}
	}
}

// holdCommand parses a command line.
func holdCommand(t *testing.T, file string, words []any) {
	t.Helper()
	args := make([]string, len(words))
	for i, w := range words {
		args[i], _ = w.(string)
	}
	root := newApp(strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" }).rootCommand()
	c, rest, err := root.Find(args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err != nil || c == root || len(c.Flags().Args()) > 0 {
		t.Errorf("%s: %v: %v, %v", file, args, err, c.Flags().Args())
	}
}

func helpOf(t *testing.T) string {
	t.Helper()
	return newApp(strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" }).rootCommand().UsageString()
}

// walk visits the entries of mappings.
func walk(v any, visit func(key string, v any)) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			visit(k, e)
			walk(e, visit)
		}
	case []any:
		for _, e := range v {
			walk(e, visit)
		}
	}
}
