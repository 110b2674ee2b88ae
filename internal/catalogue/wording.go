package catalogue

import (
	_ "embed"
	"strings"
	"sync"

	"pflow/internal/value"
	"pflow/internal/yamltree"
)

//go:embed context.yaml
var contextText []byte

// wording gives the words of contexts: context.yaml, read when the first context is made.
var wording = sync.OnceValue(func() contextWords { return readWords(contextText) })

// contextWords has one text for each key of context.yaml.
type contextWords struct {
	nodeTypes, workflows, leftOut, effects, inputs, params, anyParams, noOutputs, outputs, paths, anyOutputs, cases, actions, example, forms string
}

// readWords reads the words, all of which are needed. The file is part of the program, so a fault in it is one of the program.
func readWords(data []byte) contextWords {
	var w contextWords
	all := map[string]*string{
		"node_types": &w.nodeTypes, "workflows": &w.workflows, "left_out": &w.leftOut, "effects": &w.effects, "inputs": &w.inputs, "params": &w.params,
		"any_params": &w.anyParams, "no_outputs": &w.noOutputs, "outputs": &w.outputs, "paths": &w.paths, "any_outputs": &w.anyOutputs,
		"cases": &w.cases, "actions": &w.actions, "example": &w.example, "forms": &w.forms,
	}
	tree, found := yamltree.Parse("embedded:context.yaml", data)
	d := yamltree.Decoder{Found: found}
	fields := yamltree.Fields{}
	for key, to := range all {
		fields[key] = d.Text(to)
	}
	if tree != nil {
		d.Mapping(tree, "words as a mapping", fields)
	}
	for _, key := range value.SortedKeys(all) {
		if *all[key] == "" {
			panic("catalogue: context.yaml has no " + key + strings.TrimRight("\n"+d.Found.Text(), "\n"))
		}
	}
	return w
}
