package main

import (
	"bytes"

	"pflow/internal/yamltree"
)

// isFlow reports whether a document is a flow: a mapping with the keys that every flow has, or that extends one.
func isFlow(file string, data []byte) bool {
	tree, found := yamltree.Parse(file, data)
	if found.HasErrors() || tree == nil {
		return false
	}
	return tree.Get("flow") != nil && (tree.Get("nodes") != nil || tree.Get("extends") != nil)
}

// isWorkflow reports whether a document is a workflow, saved or bare, and no flow.
func isWorkflow(file string, data []byte) bool {
	if !bytes.Contains(data, []byte("ir_version")) {
		return false
	}
	tree, found := yamltree.Parse(file, data)
	if found.HasErrors() || tree == nil || tree.Get("flow") != nil {
		return false
	}
	return tree.Get("ir_version") != nil || tree.Get("ir").Get("ir_version") != nil
}

// notWorkflow is the error of a flow where a workflow was wanted. file is a path that commands take for one.
func notWorkflow(file string) error {
	return usage("%s is a flow, not a workflow; run it with: pflow flow run %[2]s, check it with: pflow flow check %[2]s", file, shellQuote(file))
}
