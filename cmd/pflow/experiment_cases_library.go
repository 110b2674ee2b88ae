package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"time"

	"pflow/internal/library"
	"pflow/internal/planner"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// libraryThen gives the workflows that were saved at a time, as they were.
type libraryThen struct {
	versions map[string][]*library.Record // the newest first
	asked    map[string]time.Time         // when a request was first made, by its text
	started  map[string]time.Time         // of the runs of plans
	texts    map[string][]byte            // of the files that were named, by their names
}

// newLibraryThen reads the versions there are, without examples in which a secret stands, and without versions in which one stands elsewhere.
func newLibraryThen(l *library.Library, list []approvedRequest, started map[string]time.Time, secret func(text string) bool) *libraryThen {
	out := &libraryThen{versions: map[string][]*library.Record{}, asked: map[string]time.Time{}, started: started, texts: map[string][]byte{}}
	for _, r := range l.List().Records {
		versions, _, err := l.History(r.Name)
		if err != nil {
			continue
		}
		for _, was := range versions {
			kept := *was
			kept.Examples = slices.DeleteFunc(slices.Clone(was.Examples), secret)
			if !secret(string(kept.Encode())) {
				out.versions[r.Name] = append(out.versions[r.Name], &kept)
			}
		}
	}
	for _, r := range list {
		if first, known := out.asked[r.request]; !known || r.row.Started.Before(first) {
			out.asked[r.request] = r.row.Started
		}
	}
	return out
}

// files names the files of the workflows that a plan could have found. Requests that were approved later are no examples of
// theirs: they would tell what is to be found.
func (l *libraryThen) files(row runs.Row, plan *planner.Result) ([]string, error) {
	reused := ""
	if plan.Path == "reuse" {
		reused, _ = plan.WorkflowName.(string)
	}
	out := []string{}
	for _, name := range value.SortedKeys(l.versions) {
		var was *library.Record
		for _, r := range l.versions[name] {
			if l.before(r, row.Started) {
				was = r
				break
			}
		}
		if was == nil && name == reused {
			was = l.versions[name][len(l.versions[name])-1]
		}
		if was == nil {
			continue
		}
		kept := *was
		kept.Examples = slices.DeleteFunc(slices.Clone(was.Examples), func(e string) bool {
			at, known := l.asked[e]
			return known && !at.Before(row.Started)
		})
		text := kept.Encode()
		sum := sha256.Sum256(text)
		file := path.Join(casesWorkflows, name+"."+hex.EncodeToString(sum[:4])+".json")
		l.texts[file] = text
		out = append(out, file)
	}
	if reused != "" && l.versions[reused] == nil {
		return nil, fmt.Errorf("the saved workflow %s that it found is not in the library any more, or a secret stands in it", reused)
	}
	return out, nil
}

// before reports whether a version was there when a plan was begun. Files tell when they were saved by the second; the run that
// made one began before it was saved, and tells more.
func (l *libraryThen) before(r *library.Record, plan time.Time) bool {
	if at, known := l.started[savedBy(r)]; known && !at.Before(plan) {
		return false
	}
	return !r.UpdatedAt.After(plan)
}

// savedBy is the run of the plan that a workflow was saved from, "" if it is not known.
func savedBy(r *library.Record) string {
	var origin struct {
		Run string `json:"run_id"`
	}
	if len(r.Origin()) == 0 || value.Decode(r.Origin(), &origin) != nil {
		return ""
	}
	return origin.Run
}
