package main

import (
	"sync"

	"pflow/engine"
	"pflow/internal/diag"
)

// knownFlows are flows that were compiled to be looked at, not run, so that who answers many questions compiles each once. What a flow is,
// and what is wrong with it, follows from its documents: one is known as long as every document that it is made of is found as it was.
type knownFlows struct {
	ops func() *engine.Registry

	mu sync.Mutex
	by map[string]*lookedAt
}

// lookedAt is a flow that was compiled to be looked at.
type lookedAt struct {
	doc   engine.Document
	flow  *engine.Flow // nil: it has errors
	found diag.List
	made  *engine.Recording // of these documents; of a flow with errors those that were found
}

// look compiles the flow that res finds by a name, if it is not known. The error is that of a document that cannot be found or read.
func (k *knownFlows) look(res engine.Resources, name string) (*lookedAt, error) {
	k.mu.Lock()
	known := k.by[name]
	k.mu.Unlock()
	if known != nil && known.made.Stands(res) {
		return known, nil
	}
	l := &lookedAt{made: engine.NewRecording(res)}
	var err error
	if l.doc, err = l.made.Find(engine.FlowDocument, name, nil); err != nil {
		return nil, err
	}
	l.flow, l.found = (&engine.Loader{Ops: k.ops(), Resources: l.made}).Load(l.doc)
	if l.flow != nil { // what is wrong with others may be a document that is not there
		k.mu.Lock()
		k.by[name] = l
		k.mu.Unlock()
	}
	return l, nil
}
