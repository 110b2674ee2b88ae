package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/planner"
	"pflow/internal/printable"
	"pflow/internal/value"
	"pflow/internal/workflow"
)

// digestOf stands for what somebody approves.
func digestOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("what is to be approved is no JSON: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return planner.DigestPrefix + hex.EncodeToString(sum[:])
}

// waitDigest stands for what a run waits for: these nodes, with these params, of the workflow that the run began with.
func waitDigest(id string, waits []workflow.Approval) string {
	return digestOf(map[string]any{"run": id, "waits": waits})
}

// sameApproval reports whether two approvals are of one node that would do the same.
func sameApproval(a, b workflow.Approval) bool {
	return a.Node == b.Node && a.Type == b.Type && a.Destructive == b.Destructive && value.JSON(a.Params) == value.JSON(b.Params)
}

// soFar is how far a run of a workflow has come, with what it waits for. Nothing is changed.
func (a *app) soFar(id string, past *journal.Past, documents []byte) (*workflow.Result, error) {
	kept, err := readInvocationOf(documents)
	if err != nil {
		return nil, err
	}
	a.goOnWith(kept)
	_, program, err := a.reload(id, past, documents)
	if err != nil {
		return nil, err
	}
	res, err := program.Past(&past.History, past.Status, engine.Watch{})
	if err != nil {
		return nil, err
	}
	res.RunID = id
	return res, nil
}

// takeShown takes over what the digest of a command line approves of a run. Anything else than what the run waits for now is refused.
func (a *app) takeShown(id string, f *runFlags) error {
	digest := f.digest()
	if digest == "" {
		return nil
	}
	_, past, documents, err := a.readRun(id)
	if err != nil {
		return err
	}
	if !workflow.IsDocuments(documents) {
		return usage("--yes=%s: run %s is of a flow, which waits for no approval", f.yes, id)
	}
	res, err := a.soFar(id, past, documents)
	if err != nil {
		return err
	}
	if res.Status != workflow.Waiting || waitDigest(id, res.Approvals) != digest {
		now := "it waits for nothing now"
		if res.Status == workflow.Waiting {
			now = "it waits for " + waitedFor(res.Approvals) + " now"
		}
		return fail(exitDeclined, "nothing was approved: %s is not of what run %s waits for: %s. Somebody may have answered already, or the run has gone on; look at it with: %s",
			digest, id, now, a.runsHint("show", id))
	}
	f.shown = res.Approvals
	return nil
}

// waitedFor names nodes that wait.
func waitedFor(waits []workflow.Approval) string {
	var names []string
	for _, n := range waits {
		names = append(names, fmt.Sprintf("%s (%s)", n.Node, n.Type))
	}
	return printable.Line(strings.Join(names, ", "))
}

// mostOfApproval is how many characters of a value are shown of what is to be approved.
const mostOfApproval = 1200

// approvalText says what a node would do, a param a line.
func approvalText(n workflow.Approval) string {
	w := &runText{most: mostOfApproval}
	w.values("", printable.Line(fmt.Sprintf("%s (%s) would get", n.Node, n.Type)), n.Params)
	return w.String()
}

// approvalTexts is that of several.
func approvalTexts(waits []workflow.Approval) string {
	var b strings.Builder
	for _, n := range waits {
		b.WriteString(approvalText(n))
	}
	return b.String()
}

// approve decides on nodes that want approval while a run goes on. A digest approves those that it is of, and no others.
func (a *app) approve(f *runFlags) workflow.Approve {
	return func(ctx context.Context, n workflow.Approval) bool {
		switch {
		case len(f.only) > 0 && !slices.Contains(f.only, n.Node):
			return false
		case n.Destructive:
			return f.says(yesDestructive)
		case slices.ContainsFunc(f.shown, func(shown workflow.Approval) bool { return sameApproval(shown, n) }):
			return true
		case f.digest() == "" && f.approvesRuns():
			return true
		case !a.interactive():
			return false
		}
		defer a.screen.pause()()
		a.say(approvalText(n))
		return a.agreed(ctx, fmt.Sprintf("Run %s (%s)? [y/N]", n.Node, n.Type))
	}
}
