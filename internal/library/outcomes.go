package library

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pflow/internal/diag"
	"pflow/internal/fault"
)

// outcomesFile counts what came of the runs of each workflow. Runs are pruned, this is not.
const outcomesFile = ".outcomes"

// maxOutcomes bounds how many different documents of one name are counted; the oldest go.
const maxOutcomes = 50

// Outcome is what came of the runs of one document under one name.
type Outcome struct {
	Done   int    `json:"done"`
	Failed int    `json:"failed"`
	Last   *Ended `json:"last"` // nil if there were none
}

// Ended is how a run ended. Kind, Message and Node are of one that failed.
type Ended struct {
	At      time.Time  `json:"at"`
	Run     string     `json:"run_id"`
	Failed  bool       `json:"failed"`
	Kind    fault.Kind `json:"kind,omitempty"`
	Message string     `json:"message,omitempty"`
	Node    string     `json:"node,omitempty"`
}

// Why says in one line why a run failed; "" if it did not.
func (e *Ended) Why() string {
	switch {
	case !e.Failed:
		return ""
	case e.Node == "":
		return e.Message
	}
	return e.Node + ": " + e.Message
}

// ForGood reports whether a run failed with an error that the same run would have again.
func (e *Ended) ForGood() bool { return e.Failed && !e.Kind.Temporary() && !e.Kind.Final() }

// LastFailed is how the last run ended if it failed, else nil.
func (o *Outcome) LastFailed() *Ended {
	if o == nil || o.Last == nil || !o.Last.Failed {
		return nil
	}
	return o.Last
}

// NeverWell is how the last run ended if the document never ran well and the next run would fail likewise, else nil. What
// ran well once can do so again: then it was the values that failed, not the workflow.
func (o *Outcome) NeverWell() *Ended {
	if last := o.LastFailed(); last != nil && o.Done == 0 && last.ForGood() {
		return last
	}
	return nil
}

// outcomes are those of each name, by the hash of the document that ran.
type outcomes map[string]map[string]*Outcome

// readOutcomes reads the file; one that cannot be read counts for nothing, which the finding says.
func (l *Library) readOutcomes() (outcomes, diag.List) {
	data, err := l.bytes(outcomesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return outcomes{}, nil
	}
	out := outcomes{}
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return outcomes{}, diag.List{warning(Unreadable, filepath.Join(l.dir, outcomesFile), "what came of earlier runs is not known: "+reason(err))}
	}
	return out, nil
}

// of gives the outcome of a record, nil if it has none.
func (o outcomes) of(r *Record) *Outcome {
	if len(o[r.Name]) == 0 {
		return nil
	}
	return o[r.Name][r.Traits().Hash]
}

// Note counts a run of a document under a name. A document that no version of the name has is not counted: it is nobody's
// workflow.
func (l *Library) Note(ctx context.Context, name, hash string, e Ended) error {
	const most = 500
	e.At = e.At.UTC()
	if len(e.Message) > most {
		e.Message = strings.ToValidUTF8(e.Message[:most], "") + "…"
	}
	if l.ValidName(name) != nil || !l.has(name, hash) {
		return nil
	}
	return l.changeOutcomes(ctx, func(all outcomes) {
		if all[name] == nil {
			all[name] = map[string]*Outcome{}
		}
		o := all[name][hash]
		if o == nil {
			o = &Outcome{}
			all[name][hash] = o
		}
		if e.Failed {
			o.Failed++
		} else {
			o.Done++
		}
		o.Last = &e
		for len(all[name]) > maxOutcomes {
			oldest := ""
			for h, o := range all[name] {
				if oldest == "" || o.Last.At.Before(all[name][oldest].Last.At) {
					oldest = h
				}
			}
			delete(all[name], oldest)
		}
	})
}

// has reports whether a version of a name is the document of a hash.
func (l *Library) has(name, hash string) bool {
	if r, _, err := l.current(name); err == nil && r.Workflow().Hash() == hash {
		return true
	}
	return slices.ContainsFunc(l.versions(name), func(n int) bool {
		r, _, err := l.read(l.versionFile(name, n), name, n)
		return err == nil && r.Workflow().Hash() == hash
	})
}

func (l *Library) changeOutcomes(ctx context.Context, f func(outcomes)) error {
	return l.locked(ctx, func(d *os.Root) error { return l.rewriteOutcomes(d, f) })
}

// rewriteOutcomes changes the file of a folder that is locked.
func (l *Library) rewriteOutcomes(d *os.Root, f func(outcomes)) error {
	all, _ := l.readOutcomes()
	f(all)
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return failed(err)
	}
	return write(d, outcomesFile, append(data, '\n'))
}
