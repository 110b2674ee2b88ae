package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/inorder"
	"pflow/internal/printable"
	"pflow/internal/process"
	"pflow/internal/table"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// each runs a workflow once for each line of a file.
type each struct {
	*app
	id        string
	file      string // absolute
	documents []byte // of the workflow
	shared    map[string]any
	flags     *runFlags
	destroys  bool // what destroys was approved, for all lines
	kept      *eachLedger
	again     eachAgain
	progress  *progress

	asking sync.Mutex // one line at a time asks

	mu                       sync.Mutex
	done, failed, open, need int
	wrong                    []int // the first lines that failed
}

// eachResult is the result line of one line.
type eachResult struct {
	ID       any              `json:"id,omitempty"`
	Line     int              `json:"line"`
	Status   workflow.Status  `json:"status"`
	Outputs  map[string]any   `json:"outputs"`
	Error    *engine.RunError `json:"error"`
	Warnings []string         `json:"warnings,omitempty"`
	RunID    string           `json:"run_id"`
}

// final tells that a line has its result: nothing goes on with it.
func (r *eachResult) final() bool {
	return r.Status != workflow.Cancelled && r.Status != workflow.Waiting
}

// runEach runs a workflow for each line of --each.
func (a *app) runEach(ctx context.Context, l *loaded, in *invocation, f *runFlags) error {
	if f.concurrency < 1 {
		return usage("--concurrency %d: want at least 1", f.concurrency)
	}
	if f.each == "" || f.each == "-" {
		return usage("--each names no file; write the lines to a file first, so that they can be gone on with")
	}
	given, err := l.given(in)
	if err != nil {
		return err
	}
	e := &each{app: a, id: journal.NewID(time.Now()), shared: given.Values, flags: f, destroys: f.says(yesDestructive)}
	if e.file, err = filepath.Abs(f.each); err != nil {
		return fail(exitFailed, "--each %s: %v", f.each, err)
	}
	if e.documents, err = l.program.Documents(l.source, l.flows); err == nil {
		e.documents, err = a.invoked(nil).with(e.documents)
	}
	if err != nil {
		return err
	}
	shown, err := e.first(ctx, l, in)
	if err != nil || shown {
		return err
	}
	if e.kept, err = a.newEachLedger(e); err != nil {
		a.warn("these runs cannot be gone on with as one: %s", fileError(err))
	}
	return e.run(ctx)
}

// lines opens the file, to be read line by line.
func (e *each) lines() (table.Reader, error) {
	name := shellQuote(e.file)
	format, err := table.FormatOf("", e.file)
	if err == nil {
		var r table.Reader
		r, err = table.Open(table.Source{Name: name, Open: func() (io.ReadCloser, error) {
			if info, err := os.Stat(e.file); err == nil && !info.Mode().IsRegular() {
				return nil, fault.New(fault.InvalidRequest, "%s is no regular file", name)
			}
			return os.Open(e.file)
		}}, table.Options{Format: format})
		if err == nil {
			return r, nil
		}
	}
	return nil, usage("--each %s", strings.TrimPrefix(fileError(err), "--each "))
}

// first looks at the file's columns and at what the first line would do: a dry run shows it, and what destroys is to be
// approved. shown tells that this was all that was wanted.
func (e *each) first(ctx context.Context, l *loaded, in *invocation) (shown bool, err error) {
	r, err := e.lines()
	if err != nil {
		return false, err
	}
	defer r.Close()
	for _, name := range r.Header() {
		if name == "id" {
			continue
		}
		if _, err := l.program.Input(name); err != nil {
			return false, usage("--each %s: the column %q: %v", e.flags.each, name, err)
		}
	}
	rec, err := r.Read()
	if err == io.EOF {
		return false, nil
	}
	var store map[string]any
	var missing []ir.Input
	if err == nil {
		store, missing, err = e.bind(l, rec)
	}
	if err == nil && len(missing) > 0 {
		err = lacksInputs(missing)
	}
	switch {
	case err != nil && e.flags.dryRun:
		return true, usage("the first line: %v", err)
	case err != nil:
		return false, nil // its result says so
	}
	foreseen := l.program.DryRun(store)
	if e.flags.dryRun {
		return true, e.showDryRun(foreseen)
	}
	if len(foreseen.Destructive()) == 0 || e.destroys {
		return false, nil
	}
	if e.interactive() {
		fmt.Fprintf(e.stderr, "The first line:\n%s", foreseen.Text())
		if e.agreed(ctx, "This destroys what was there, and so may every line. Run them all? [y/N]") {
			e.destroys = true
			return false, nil
		}
	}
	var names []string
	for _, n := range foreseen.Destructive() {
		names = append(names, n.Node+" ("+n.Type+": "+n.Why+")")
	}
	return false, fail(exitDeclined, "nothing was run: already for the first line %s may destroy what is there; approve that for all lines with: %s",
		strings.Join(names, ", "), in.command("--each", e.flags.each, e.flags.alsoDestructive()))
}

// run runs the lines that have no result, and prints those of all.
func (e *each) run(ctx context.Context) error {
	if e.kept != nil {
		defer e.kept.close()
	}
	r, err := e.lines()
	if err != nil {
		return err
	}
	defer r.Close()
	e.progress = e.follow("running each line")
	broken, unwritten := inorder.Run(ctx, e.flags.concurrency, func() (inorder.Work[[]byte], error) { return e.next(ctx, r) }, func(line []byte) error {
		_, err := e.results.Write(printable.JSON(line))
		return err
	})
	e.progress.stop()
	for _, w := range r.Warnings() {
		e.warn("%s", w)
	}
	return e.ended(ctx, broken, unwritten)
}

// next is the work of the next line.
func (e *each) next(ctx context.Context, r table.Reader) (inorder.Work[[]byte], error) {
	rec, err := r.Read()
	var sum uint64
	line := 0
	switch {
	case err == io.EOF:
		return inorder.Work[[]byte]{}, err
	case err != nil:
		at, goesOn := table.Position(r)
		if line = at; !goesOn || fault.Of(err).Kind != fault.Malformed {
			return inorder.Work[[]byte]{}, err
		}
		rec = nil
	default:
		line, sum = rec.Line, eachSum(rec)
	}
	wrong := err
	var begun string
	if e.kept != nil {
		was, there := e.kept.lines[line]
		again := e.again.failed && was.length > 0 && !was.ok // a line that failed may have been mended
		if there && was.sum != sum && !again {
			return inorder.Work[[]byte]{}, fault.New(fault.InvalidRequest, "line %d of %s was changed since it ran: put it back as it was, or run the file anew", line, e.file)
		}
		if there && was.length > 0 && !again {
			return inorder.Work[[]byte]{Do: func() []byte { return e.before(was) }, Broke: func(error) []byte { return nil }}, nil
		}
		if there && was.length == 0 {
			begun = was.run
		}
	}
	var id any
	var own *table.Record
	if rec != nil {
		own = &table.Record{Names: slices.Clone(rec.Names), Cells: slices.Clone(rec.Cells), Line: line}
		if cell, ok := rec.Cell("id"); ok && cell != "" {
			id, _ = table.Value(cell)
		}
	}
	finish := func(res *eachResult) []byte {
		res.ID, res.Line = id, line
		return e.finish(res, sum)
	}
	return inorder.Work[[]byte]{
		Do: func() []byte {
			if wrong != nil {
				return finish(failedLine(wrong))
			}
			return finish(e.line(ctx, own, sum, begun))
		},
		Broke: func(err error) []byte { return finish(failedLine(err)) },
	}, nil
}

func failedLine(err error) *eachResult {
	known := fault.Of(err)
	return &eachResult{Status: workflow.Failed, Outputs: map[string]any{}, Error: &engine.RunError{Kind: string(known.Kind), Message: known.Message}}
}

// eachSum tells a line that was changed from one that was not.
func eachSum(r *table.Record) uint64 {
	h := fnv.New64a()
	for i, name := range r.Names {
		fmt.Fprintf(h, "%q:%q,", name, table.Text(r.Cells[i]))
	}
	return h.Sum64()
}

// bind makes the first store of the run of a line.
func (e *each) bind(l *loaded, rec *table.Record) (map[string]any, []ir.Input, error) {
	values := map[string]any{}
	for k, v := range e.shared {
		values[k] = v
	}
	_, isText := map[string]bool{".csv": true, ".tsv": true, ".tab": true}[strings.ToLower(filepath.Ext(e.file))]
	for i, name := range rec.Names {
		in, err := l.program.Input(name)
		if err != nil {
			if name == "id" {
				continue // names the line
			}
			return nil, nil, err
		}
		if in.Secret {
			return nil, nil, fault.New(fault.InvalidRequest, "%s is a secret and is never taken from a file; set the environment variable %s", name, in.FromEnv)
		}
		v := rec.Cells[i]
		if text, ok := v.(string); ok && isText {
			if text == "" && in.Type != value.String && in.Type != value.Any {
				continue // nothing is given
			}
			v, err = workflow.ParseInput(in, text)
		} else {
			v, err = table.Value(v)
		}
		if err != nil {
			return nil, nil, err
		}
		values[name] = v
	}
	return l.program.Bind(workflow.Given{Values: values})
}

// line runs one line, or goes on with its run.
func (e *each) line(ctx context.Context, rec *table.Record, sum uint64, begun string) *eachResult {
	if begun != "" {
		if res, ok := e.goOn(ctx, begun); ok {
			return res
		}
	}
	id := journal.NewID(time.Now())
	l, err := e.loadLine(ctx, id, e.documents, nil)
	if err != nil {
		return failedLine(err)
	}
	store, missing, err := e.bind(l, rec)
	if err == nil && len(missing) > 0 {
		err = lacksInputs(missing)
	}
	if err != nil {
		return failedLine(err)
	}
	foreseen := l.program.DryRun(store)
	if nodes := foreseen.Destructive(); e.destroys {
		l.program.Grant(foreseen, true)
	} else if len(nodes) > 0 {
		return failedLine(fault.New(fault.Refused, "%s: %s, and that was not approved: it did not begin; run it again with --yes=destructive", nodes[0].Node, nodes[0].Why))
	}
	if e.kept != nil {
		if err := e.kept.begin(rec.Line, sum, id); err != nil {
			return failedLine(err)
		}
	}
	res, err := e.executeAs(ctx, id, l, store, e.approves(), nil)
	if err != nil {
		return failedLine(err)
	}
	e.note(ctx, l.source.Name, l.program, res)
	return lineOf(res)
}

// loadLine compiles the workflow for the run of a line: each has its own, so that they share nothing.
func (e *each) loadLine(ctx context.Context, id string, documents []byte, past *journal.Past) (*loaded, error) {
	r, program, err := e.reload(id, past, documents)
	if err != nil {
		return nil, err
	}
	if err := e.mayGoOn(id, r, program); err != nil {
		return nil, err
	}
	return &loaded{source: r.Source, program: program, flows: r.Flows, written: r.Env.Written, by: byEach + e.id}, program.ReadSecrets(ctx)
}

func lacksInputs(missing []ir.Input) error {
	var names []string
	for _, m := range missing {
		names = append(names, m.Name)
	}
	return fault.New(fault.InvalidRequest, "it lacks %s", strings.Join(names, ", "))
}

func lineOf(res *workflow.Result) *eachResult {
	return &eachResult{Status: res.Status, Outputs: res.Outputs, Error: res.Error, Warnings: res.Warnings, RunID: res.RunID}
}

// approves decides on nodes that want approval, one at a time.
func (e *each) approves() workflow.Approve {
	one := e.approve(e.flags)
	return func(ctx context.Context, n workflow.Approval) bool {
		if n.Destructive && e.destroys {
			return true
		}
		e.asking.Lock()
		defer e.asking.Unlock()
		return one(ctx, n)
	}
}

// goOn goes on with the run of a line. ok is false if there is none: it had not begun.
func (e *each) goOn(ctx context.Context, id string) (res *eachResult, ok bool) {
	past, documents, w, err := e.history().Resume(id, time.Now())
	if errors.Is(err, os.ErrNotExist) {
		return nil, false
	}
	var log engine.Journal
	if errors.Is(err, journal.ErrEnded) { // killed between the end of the run and its result here: nothing is left to run
		past, documents, err = journal.Read(e.homeDir(), id)
	} else if err == nil {
		defer w.Close()
		log = w
	}
	open := func(err error) (*eachResult, bool) {
		return &eachResult{Status: workflow.Waiting, Outputs: map[string]any{}, RunID: id,
			Error: &engine.RunError{Kind: string(fault.Of(err).Kind), Message: err.Error()}}, true
	}
	if err != nil {
		return open(err)
	}
	past.History.Retry = e.again.retry
	l, err := e.loadLine(ctx, id, documents, past)
	if err != nil {
		return open(err)
	}
	got, err := l.program.Run(process.Resuming(e.withExchanges(ctx, id), id), nil, workflow.Options{
		Options: engine.Options{RunID: id, Journal: log, History: &past.History, Observe: e.observer()}, Approve: e.approves(),
	})
	if err != nil {
		return open(err)
	}
	e.note(ctx, l.source.Name, l.program, got)
	return lineOf(got), true
}

// finish keeps a result and gives its line.
func (e *each) finish(res *eachResult, sum uint64) []byte {
	line, err := encodeLine(res)
	if err != nil {
		line, _ = encodeLine(failedLine(err))
	}
	e.count(res.Line, res.Status)
	if !res.final() {
		if res.Status == workflow.Cancelled {
			return nil
		}
		return line
	}
	if e.kept != nil {
		if err := e.kept.end(res, sum, line); err != nil {
			e.warn("the result of line %d is not kept, and the line would run again: %s", res.Line, fileError(err))
		}
	}
	return line
}

// before gives the result line of a line that has one.
func (e *each) before(was keptLine) []byte {
	line, err := e.kept.read(was)
	if err != nil {
		e.warn("a result of before cannot be read: %s", fileError(err))
	}
	status := workflow.Failed
	if was.ok {
		status = workflow.Done
	}
	e.count(was.line, status)
	return line
}

// encodeLine writes a value as one line of JSON.
func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func (e *each) count(line int, status workflow.Status) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch status {
	case workflow.Done:
		e.done++
	case workflow.Cancelled:
		e.open++
	case workflow.Waiting:
		e.need++
	default:
		e.failed++
		if len(e.wrong) < 10 {
			e.wrong = append(e.wrong, line)
		}
	}
	if e.progress != nil {
		e.progress.view.say(fmt.Sprintf("%d done, %d failed", e.done, e.failed))
	}
}

// ended says how it ended.
func (e *each) ended(ctx context.Context, broken, unwritten error) error {
	hint := ""
	if e.kept != nil {
		hint = "; go on with: " + e.hint()
	}
	all := fmt.Sprintf("%d lines: %d done, %d failed", e.done+e.failed+e.open+e.need, e.done, e.failed)
	switch {
	case unwritten != nil:
		return fail(exitFailed, "standard output: %v%s", reason(unwritten), hint)
	case ctx.Err() != nil:
		return fail(exitFailed, "stopped; of %s%s", all, hint)
	case broken != nil:
		return usage("%v; of %s before it%s", broken, all, hint)
	case e.need > 0:
		return fail(exitDeclined, "%s, %d wait for an approval or a decision%s", all, e.need, hint+" --yes (with --retry what was under way runs again)")
	}
	if e.kept != nil {
		e.kept.over()
	}
	if e.failed > 0 {
		slices.Sort(e.wrong)
		more := ""
		if e.failed > len(e.wrong) {
			more = " and others"
		}
		if e.kept != nil {
			hint = "; run those again with: " + e.hint() + " --failed"
		}
		return fail(exitFailed, "%s: line %s%s; their result lines say why%s", all, strings.ReplaceAll(strings.Trim(fmt.Sprint(e.wrong), "[]"), " ", ", "), more, hint)
	}
	return nil
}

func (e *each) hint() string {
	hint := e.resumeHint(e.id)
	if e.flags.yes != "" {
		hint += " --yes=" + e.flags.yes
	}
	return hint
}
