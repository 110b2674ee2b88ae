package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/experiment"
)

// tell shows the report the first time, and then what changed.
func (w *experimentWatch) tell(made *watched, edits []string, ended experiment.Ended) error {
	a := w.a
	r, err := experiment.NewReport(made.store)
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	r.Masks = a.reportMasks()
	made.report = r
	if made.text, err = r.JSON(); err != nil {
		return err
	}
	line := watchLine{Schema: watchSchema, Experiment: made.id(), Edited: edits, Planned: ended.Made, Kept: ended.Rows - ended.Made, Missing: ended.Missing}
	switch {
	case w.last == nil:
		line.Status, line.Since = "report", experiment.NewSince(nil, r)
		if err = a.watchLine(line, func() error { return a.showReport(r, "", w.f.details.cases()) }); err == nil {
			a.aside("kept as experiment %s", made.id())
			a.aside("watching %d files; Ctrl-C ends", len(w.files.There()))
		}
		return err
	case made.text == w.last.text:
		line.Status = "unchanged"
		return a.watchLine(line, func() error {
			_, err := fmt.Fprintf(a.stdout, "\n%s: nothing changed\n", w.names(edits))
			return err
		})
	}
	line.Status, line.Since = "report", experiment.NewSince(w.last.report, r)
	return a.watchLine(line, func() error {
		_, err := fmt.Fprintf(a.stdout, "\n%s: %d plans made anew, %d kept\n%sall of it: pflow experiment report %s\n", w.names(edits), line.Planned, line.Kept, r.SinceText(w.last.report), made.id())
		return err
	})
}

// refused shows what is wrong with an edit; the watch goes on.
func (w *experimentWatch) refused(edits []string, why error) error {
	line := watchLine{Schema: watchSchema, Status: "refused", Edited: edits, Error: strings.TrimRight(why.Error(), "\n")}
	var invalid *diag.Err
	if errors.As(why, &invalid) {
		line.Error = strings.TrimRight(invalid.List.Text(), "\n")
	}
	return w.a.watchLine(line, func() error {
		fmt.Fprintf(w.a.stderr, "\n%s: cannot be run\n", w.names(edits))
		w.a.status(why)
		w.a.aside("waiting for the next edit")
		return nil
	})
}

// saySilent says once of which folders no edits are told.
func (w *experimentWatch) saySilent() {
	if said := strings.Join(w.on.Silent(), "; "); said != w.said {
		if w.said = said; said != "" {
			w.a.aside("no notice comes of edits in %s; files there are looked at every 2 s", said)
		}
	}
}

// names are files as people see them: from here, where they lie below.
func (w *experimentWatch) names(files []string) string {
	here, _ := os.Getwd()
	var out []string
	for _, file := range files {
		if rel, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
		out = append(out, file)
	}
	return diag.Names(out, 5)
}

const watchSchema = "pflow.experiment-watch/v1"

// watchLine is what --watch prints for each edit with --json.
type watchLine struct {
	Schema     string   `json:"schema"`
	Status     string   `json:"status"`               // report, unchanged or refused
	Experiment string   `json:"experiment,omitempty"` // its id; none where an edit was refused
	Edited     []string `json:"edited"`               // the files; none of the first report
	Planned    int      `json:"planned"`              // rows made anew
	Kept       int      `json:"kept"`                 // rows that there were
	Missing    int      `json:"missing"`              // rows that a budget left
	*experiment.Since
	Error string `json:"error,omitempty"`
}

// watchLine prints a line of JSON, or else what is for people.
func (a *app) watchLine(line watchLine, text func() error) error {
	if !a.asJSON {
		return text()
	}
	if line.Edited == nil {
		line.Edited = []string{}
	}
	return a.encodeJSON(line, "")
}
