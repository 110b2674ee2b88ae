package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pflow/engine"
	"pflow/engine/enginetest"
)

// seen keeps what was read, to hold findings against.
type seen struct {
	engine.Resources
	texts map[string]string
}

func (s *seen) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	d, err := s.Resources.Find(kind, name, from)
	if err == nil {
		s.texts[d.Path] = string(d.Data)
	}
	return d, err
}

// FuzzLoad: no document makes the loader panic, and every finding has a place in a document that was read.
func FuzzLoad(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.yaml")
	more, _ := filepath.Glob("testdata/*/flows/*.yaml")
	for _, file := range append(files, more...) {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	ops := engine.NewRegistry(enginetest.Ops()...)
	home := engine.Folders{Home: "testdata/ok"}
	f.Fuzz(func(t *testing.T, data []byte) {
		res := &seen{home, map[string]string{"f.yaml": string(data)}}
		l := &engine.Loader{Ops: ops, Resources: res}
		flow, found := l.Load(engine.Document{Kind: engine.FlowDocument, Name: "f", Path: "f.yaml", Data: data})
		if (flow == nil) != found.HasErrors() {
			t.Fatalf("flow %v, findings %s", flow, found.Text())
		}
		kinds := kindNames()
		for _, x := range found {
			text, read := res.texts[x.Place.File]
			text = strings.TrimPrefix(text, "\ufeff")
			var lines []string
			if read {
				lines = splitLines(text)
			}
			switch {
			case !read:
				t.Errorf("no document of the finding was read: %s", x.Text())
			case x.Place.Line < 1 || x.Place.Line > len(lines):
				t.Errorf("the line is not there: %s", x.Text())
			case x.Place.Col < 1 || x.Place.Col > utf8.RuneCountInString(lines[x.Place.Line-1])+1:
				t.Errorf("the column is not there: %s", x.Text())
			case x.Message == "" || strings.Contains(x.Message, "%!"):
				t.Errorf("bad message: %s", x.Text())
			}
			known := false
			for _, k := range kinds {
				known = known || k == x.Kind
			}
			if !known {
				t.Errorf("the kind is not listed: %s", x.Text())
			}
		}
		if flow != nil {
			flow.Mermaid()
			flow.DOT()
			flow.Describe()
			for _, id := range flow.Nodes() {
				flow.Only(id).Edges()
			}
		}
	})
}

// splitLines splits at a line feed, a carriage return or both.
func splitLines(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
}
