// Package consent is what somebody agreed to that runs when nobody is there to ask.
package consent

import "slices"

// Consent is a saved workflow as it was approved. Another version of it, or one that uses or does something else, was not.
type Consent struct {
	Workflow string   `json:"workflow"`
	Version  int      `json:"version"`
	IRHash   string   `json:"ir_hash"`
	Approved Approved `json:"approved"`
}

// Approved is what somebody agreed to.
type Approved struct {
	Effects     []string `json:"effects"`
	Digest      string   `json:"digest"`      // of the workflow and all that it uses, sha256:HEX
	Destructive bool     `json:"destructive"` // what destroys was approved, too
}

// The kinds of notices, as they are called in documents.
const (
	OnFailure = "on_failure"
	OnSuccess = "on_success"
)

// Kinds are both.
var Kinds = []string{OnFailure, OnSuccess}

// Notices are the workflows that are run to tell how another ended.
type Notices struct {
	OnFailure *Consent `json:"on_failure,omitempty"`
	OnSuccess *Consent `json:"on_success,omitempty"`
}

// Of gives the notice of a kind; nil: there is none.
func (n Notices) Of(kind string) *Consent {
	switch kind {
	case OnFailure:
		return n.OnFailure
	case OnSuccess:
		return n.OnSuccess
	}
	return nil
}

// Set puts a notice, or with nil takes it away.
func (n *Notices) Set(kind string, c *Consent) {
	switch kind {
	case OnFailure:
		n.OnFailure = c
	case OnSuccess:
		n.OnSuccess = c
	}
}

// Name reports whether one of the notices runs a workflow.
func (n Notices) Name(workflow string) bool {
	return slices.ContainsFunc(Kinds, func(kind string) bool { c := n.Of(kind); return c != nil && c.Workflow == workflow })
}

// Under gives the notices with others in the place of those of their kind.
func (n Notices) Under(others Notices) Notices {
	for _, kind := range Kinds {
		if c := others.Of(kind); c != nil {
			n.Set(kind, c)
		}
	}
	return n
}
