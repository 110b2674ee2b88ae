package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"pflow/engine"
)

// TestRecordingStands: what was found stands as long as it is found again, under its name, where it was and as it was.
func TestRecordingStands(t *testing.T) {
	home := t.TempDir()
	res := engine.Folders{Home: home}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(home, "flows", "f.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(home, "flows"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("flow: f\n")
	rec := engine.NewRecording(res)
	if _, err := rec.Find(engine.FlowDocument, "f", nil); err != nil {
		t.Fatal(err)
	}
	if !rec.Stands(res) {
		t.Error("what is unchanged does not stand")
	}
	write("flow: f # changed\n")
	if rec.Stands(res) {
		t.Error("a changed document stands")
	}
	write("flow: f\n")
	if !rec.Stands(res) {
		t.Error("a document that is as it was again does not stand")
	}
	if err := os.Remove(filepath.Join(home, "flows", "f.yaml")); err != nil {
		t.Fatal(err)
	}
	if rec.Stands(res) {
		t.Error("a document that is gone stands")
	}
}
