package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"pflow/internal/planner"
)

// keptInvocation is what a run was begun with beside its documents, and lies with them: what resume goes on with.
type keptInvocation struct {
	Model     string       `json:"model,omitempty"` // where a flow or a node names none
	Nodes     []string     `json:"nodes,omitempty"` // files of declared nodes, absolute
	NoBuiltin bool         `json:"no_builtin,omitempty"`
	Request   *keptRequest `json:"request,omitempty"` // of the making of a plan
	From      []string     `json:"from,omitempty"`    // steps that run again, of a run that runs another again
}

// keptRequest is a request that was being planned.
type keptRequest struct {
	Text   string `json:"text"`
	Source string `json:"source"`
	Stdin  any    `json:"stdin,omitempty"`
	Date   string `json:"date,omitempty"`
	Decide bool   `json:"decide"` // the plan was to be decided on, not only shown
}

// invoked is what this command line begins runs with.
func (a *app) invoked(r *keptRequest) *keptInvocation {
	k := &keptInvocation{Model: a.model, NoBuiltin: a.noBuiltin, Request: r, From: a.from}
	if s, err := a.settings(); err == nil && k.Model == "" {
		k.Model = s.Model
	}
	if c, err := a.theClient(); err == nil && k.Model == "" && r != nil {
		k.Model, _ = c.Default()
	}
	for _, file := range a.nodeFiles {
		if abs, err := filepath.Abs(file); err == nil {
			file = abs
		}
		k.Nodes = append(k.Nodes, file)
	}
	return k
}

const invocationKey = "invocation"

// with puts the invocation into the documents of a run.
func (k *keptInvocation) with(documents []byte) ([]byte, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(documents, &keys); err != nil {
		return nil, err
	}
	own, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	keys[invocationKey] = own
	return json.MarshalIndent(keys, "", " ")
}

// readInvocationOf reads what a run was begun with.
func readInvocationOf(documents []byte) (*keptInvocation, error) {
	var d struct{ Invocation keptInvocation }
	if err := json.Unmarshal(documents, &d); err != nil {
		return nil, fmt.Errorf("the documents of the run cannot be read: %w", err)
	}
	return &d.Invocation, nil
}

// goOnWith takes over what a run was begun with. What this command line says itself holds.
func (a *app) goOnWith(k *keptInvocation) {
	if a.model == "" {
		a.model = k.Model
	}
	if len(a.nodeFiles) == 0 {
		a.nodeFiles = k.Nodes
	}
	a.noBuiltin = a.noBuiltin || k.NoBuiltin
}

// request is the request that was kept.
func (k *keptRequest) request() planner.Request {
	return planner.Request{Text: k.Text, Source: k.Source, Stdin: k.Stdin, Date: k.Date}
}
