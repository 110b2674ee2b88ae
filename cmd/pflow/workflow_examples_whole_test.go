//go:build !race

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestWorkflowExamples runs every workflow of examples/workflows; README.md and the page of their folder name each.
func TestWorkflowExamples(t *testing.T) {
	files := exampleFiles(t)
	page, err := os.ReadFile(exampleFolder + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("): %d automations", len(files)); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q", want)
	}
	for name, file := range files {
		if workflowExamples[name] == nil {
			t.Errorf("%s has no test", file)
		}
		if !strings.Contains(string(page), "]("+file+")") || !strings.Contains(string(page), "`pflow run ./examples/workflows/"+file) {
			t.Errorf("the README of their folder does not name %s with the command that runs it", file)
		}
	}
	runExamples(t, func(string) bool { return true })
}
