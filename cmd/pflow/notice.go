package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/consent"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/outcome"
	"pflow/internal/schedule"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// maxNotice bounds how long a workflow that tells of a run may take.
const maxNotice = 5 * time.Minute

// noticeKind is what tells of a run that ended so; "" for one that waits or can go on.
func noticeKind(s workflow.Status) string {
	switch s {
	case workflow.Done:
		return consent.OnSuccess
	case workflow.Failed, workflow.Limited:
		return consent.OnFailure
	}
	return ""
}

// noticeFlag is the flag that names what tells of runs.
func noticeFlag(kind string) string { return "--" + strings.ReplaceAll(kind, "_", "-") }

// noticeRun is the id of the run that tells of another. It comes of that one's, so that there is at most one.
func noticeRun(id string) string {
	sum := sha256.Sum256([]byte("notice of " + id))
	return id[:strings.LastIndex(id, "-")+1] + hex.EncodeToString(sum[:4])
}

// noticesOf are what tells of the runs of a saved workflow that somebody started: those of the schedule it was, in the place of the
// workflow's own.
func (a *app) noticesOf(name, by string) (consent.Notices, error) {
	var out consent.Notices
	var err error
	if name != "" {
		out, err = a.library().Notices(name)
	}
	if named, ok := strings.CutPrefix(by, bySchedule); ok {
		if one, gone := a.schedules().Get(named); gone == nil {
			out = out.Under(one.Notices)
		}
	}
	return out, err
}

// effectiveNotices are what tells of the runs of a schedule.
func (a *app) effectiveNotices(one *schedule.Schedule) consent.Notices {
	own, err := a.library().Notices(one.Workflow)
	if err != nil {
		a.warn("%v", err)
	}
	return own.Under(one.Notices)
}

// bySchedule, and the name of a schedule, is who started its runs; byRun, and an id, who started what tells of a run.
const (
	bySchedule = "schedule:"
	byRun      = "run:"
	byEach     = "each:"
)

// startedBy is who started a run, or of one that ran others again the first of these.
func (a *app) startedBy(by, parent string) string {
	for range 1000 { // a chain of retries has an end
		if by != journal.ByRetry || parent == "" {
			break
		}
		g, err := journal.Look(a.homeDir(), parent)
		if err != nil {
			break
		}
		by, parent = g.About.By, g.About.Parent
	}
	return by
}

// ending is how a run ended, as what tells of it takes it.
type ending struct {
	res      *workflow.Result
	program  *workflow.Program
	name     string // of the saved workflow; "" if it is none
	by       string // who started it
	began    time.Time
	duration time.Duration
}

// endingOf is how a run of this process ended.
func (a *app) endingOf(l *loaded, res *workflow.Result, name string) ending {
	e := ending{res: res, program: l.program, name: name, by: a.startedBy(l.by, l.parent), began: l.began, duration: time.Since(l.began)}
	if g, err := journal.Look(a.homeDir(), res.RunID); err == nil && g.End != nil {
		e.began, e.duration = g.About.Began, g.End.At
	}
	return e
}

// savedName is the saved workflow that was run; "" if it was none, as one in a file.
func savedName(l *loaded) string {
	if l.source.Draft == nil && l.written != nil && l.written.Workflow == l.source.Name {
		return l.source.Name
	}
	return ""
}

// values are what is told of a run, by the names of the inputs that take it.
func (e ending) values(mask func(any) any) map[string]any {
	const most = 1000 // bytes of an error's message
	message := ""
	if e.res.Error != nil {
		message, _ = mask(fmt.Sprintf("%s [%s]", e.res.Error, e.res.Error.Kind)).(string)
		if len(message) > most {
			message = strings.ToValidUTF8(message[:most], "") + "…"
		}
	}
	outputs := mask(map[string]any(e.res.Outputs))
	return map[string]any{"run": e.res.RunID, "workflow": e.res.Workflow, "status": string(e.res.Status), "error": message,
		"started": e.began.UTC().Format(time.RFC3339), "duration_ms": int(e.duration.Milliseconds()), "outputs": outputs}
}

// sampleEnding stands for a run that is yet to end.
func sampleEnding(kind string) map[string]any {
	out := map[string]any{"run": "20260102-150405-1a2b3c4d", "workflow": "workflow", "status": string(workflow.Done), "error": "",
		"started": "2026-01-02T15:04:05Z", "duration_ms": 1500, "outputs": map[string]any{}}
	if kind == consent.OnFailure {
		out["status"], out["error"] = string(workflow.Failed), "read: there is no such file [not_found]"
	}
	return out
}

// declaredOf keeps the values that a workflow declares inputs for.
func declaredOf(p *workflow.Program, values map[string]any) workflow.Given {
	out := map[string]any{}
	for _, in := range p.Inputs {
		if v, ok := values[in.Name]; ok && !in.Secret {
			out[in.Name] = v
		}
	}
	return workflow.Given{Values: out}
}

// notice is a workflow that is to tell of runs.
type notice struct {
	*loaded
	consent  consent.Consent // what would be agreed to
	destroys string
}

// readNotice reads a workflow that is to tell of runs, and says why it cannot.
func (a *app) readNotice(ctx context.Context, kind, name string) (*notice, error) {
	flag := strings.TrimPrefix(noticeFlag(kind), "--")
	wrong := func(format string, args ...any) error { return ofFlag(flag, name, format, args...) }
	if ir.IsFile(name) || strings.Contains(name, "@") {
		return nil, wrong("name a saved workflow; pflow workflow save FILE saves one")
	}
	l, err := a.loadWorkflow(ctx, name)
	if err != nil {
		var findings *diag.Err
		if errors.As(err, &findings) {
			return nil, err
		}
		if exit := (*exitError)(nil); errors.As(err, &exit) { // what to do stays apart
			return nil, outcome.Advise(wrong("%s", exit.Message), "%s", exit.Do)
		}
		return nil, wrong("%v", err)
	}
	sample := sampleEnding(kind)
	store, missing, err := l.program.Bind(declaredOf(l.program, sample))
	if err != nil {
		return nil, wrong("it cannot take what is told of a run: %v", err)
	}
	missing = slices.DeleteFunc(missing, func(in ir.Input) bool { return in.Secret }) // the environment is that of the run
	if len(missing) > 0 {
		var names []string
		for _, in := range missing {
			names = append(names, in.Name)
		}
		return nil, wrong("nothing gives its input %s; a run tells %s, and any other input needs a default", strings.Join(names, ", "), strings.Join(value.SortedKeys(sample), ", "))
	}
	foreseen := l.program.DryRun(store)
	if refused := foreseen.Refused(); len(refused) > 0 {
		return nil, wrong("%s", strings.Join(refused, "; "))
	}
	n := &notice{loaded: l, destroys: destroyed(foreseen), consent: consent.Consent{Workflow: l.source.Name, Version: l.record.Version, IRHash: l.source.Workflow.Hash()}}
	n.consent.Approved, err = a.approvalOf(ctx, l)
	return n, err
}

// readNotices reads what tells of runs again as it is now, and says what of it would destroy something.
func (a *app) readNotices(ctx context.Context, n *consent.Notices) (destroys []string, err error) {
	for _, kind := range consent.Kinds {
		c := n.Of(kind)
		if c == nil {
			continue
		}
		now, err := a.readNotice(ctx, kind, c.Workflow)
		if err != nil {
			return nil, err
		}
		if now.destroys != "" {
			destroys = append(destroys, now.destroys)
		}
		n.Set(kind, &now.consent)
	}
	return destroys, nil
}

// agreedNotices notes of all notices that somebody agreed to them, and to what they destroy.
func agreedNotices(n *consent.Notices, destructive bool) {
	for _, kind := range consent.Kinds {
		if c := n.Of(kind); c != nil {
			c.Approved.Destructive = destructive
		}
	}
}

// noticeLines say what tells of runs, a line for each.
func noticeLines(n consent.Notices) (out []string) {
	for _, kind := range consent.Kinds {
		if c := n.Of(kind); c != nil {
			line := strings.ReplaceAll(kind, "_", " ") + ": runs " + c.Workflow
			if len(c.Approved.Effects) > 0 {
				line += " (effects: " + strings.Join(c.Approved.Effects, ", ") + ")"
			}
			out = append(out, line)
		}
	}
	return out
}

// noticeWaits says why what tells of runs is not run until somebody looks at it; "" if nothing keeps it. It compiles nothing.
func (a *app) noticeWaits(n consent.Notices) string {
	var out []string
	for _, kind := range consent.Kinds {
		if c := n.Of(kind); c != nil {
			if why := a.changedSince(c); why != "" {
				out = append(out, kind+": "+why)
			}
		}
	}
	return strings.Join(out, "; ")
}

// tell runs the workflow that tells how a run ended, if there is one. What goes wrong with it is a warning: the run of which it
// tells ended as it did.
func (a *app) tell(ctx context.Context, e ending) {
	kind := noticeKind(e.res.Status)
	if kind == "" || e.res.RunID == "" || a.homeDir() == "" || strings.HasPrefix(e.by, byRun) || strings.HasPrefix(e.by, byEach) {
		return
	}
	notices, err := a.noticesOf(e.name, e.by)
	if err != nil {
		a.warn("%v", err)
	}
	c := notices.Of(kind)
	if c == nil {
		return
	}
	untold := func(why string) { a.warn("%s of %s: %s %s", kind, e.res.Workflow, c.Workflow, why) }
	ctx, cancel := context.WithTimeout(ctx, maxNotice)
	defer cancel()
	l, store, err := a.noticeStore(ctx, kind, c, e)
	if err != nil {
		untold("was not run: " + oneLine(err.Error()))
		return
	}
	id := noticeRun(e.res.RunID)
	l.by, l.parent, l.journalled = byRun+e.res.RunID, e.res.RunID, e.res.Lost == nil
	progress := a.followRun("running "+c.Workflow+", "+kind, l.program)
	defer progress.stop()
	res, err := a.executeAs(progress.within(ctx), id, l, store, func(_ context.Context, n workflow.Approval) bool {
		return n.Destructive && c.Approved.Destructive // a node that wants approval waits for a person
	}, progress.told())
	progress.stop()
	if err != nil {
		untold("was not run: " + oneLine(err.Error()))
		return
	}
	a.note(ctx, c.Workflow, l.program, res)
	switch {
	case res.Status == workflow.Waiting:
		untold("waits for approval: " + a.resumeHint(id) + " --yes")
	case res.Status != workflow.Done && res.Error != nil:
		untold(fmt.Sprintf("ended as %s: %s; see pflow runs show %s", res.Status, oneLine(res.Error.Error()), id))
	case res.Status != workflow.Done:
		untold(fmt.Sprintf("ended as %s; see pflow runs show %s", res.Status, id))
	case !a.quiet:
		a.say(fmt.Sprintf("%s: ran %s, run %s\n", kind, c.Workflow, id))
	}
}

// noticeStore makes what tells of a run ready: only as it was approved, and nothing of the run that is secret.
func (a *app) noticeStore(ctx context.Context, kind string, c *consent.Consent, e ending) (*loaded, map[string]any, error) {
	l, err := a.loadWorkflow(ctx, c.Workflow)
	if err != nil {
		return nil, nil, err
	}
	now, err := a.approvalOf(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	if why := unapproved(c, l, now); why != "" {
		return nil, nil, errors.New(why)
	}
	if err := a.readSecrets(ctx, l); err != nil {
		return nil, nil, err
	}
	store, missing, err := l.program.Bind(declaredOf(l.program, e.values(func(v any) any {
		return l.program.Mask().Value(e.program.Mask().Value(v))
	})))
	switch {
	case err != nil:
		return nil, nil, err
	case len(missing) > 0:
		return nil, nil, fmt.Errorf("it lacks %s", missing[0].Name)
	}
	foreseen := l.program.DryRun(store)
	if refused := foreseen.Refused(); len(refused) > 0 {
		return nil, nil, errors.New(strings.Join(refused, "; "))
	}
	if what := destroyed(foreseen); what != "" && !c.Approved.Destructive {
		return nil, nil, fmt.Errorf("%s may destroy what is there, which was not approved", what)
	}
	if c.Approved.Destructive {
		l.program.Grant(foreseen, true)
	}
	return l, store, nil
}

// untold reports whether a run of a schedule has ended and nothing has begun of what is to tell so.
func (a *app) untold(named, name, run string) bool {
	g, err := journal.Look(a.homeDir(), run)
	if err != nil || g.End == nil || g.Running {
		return false
	}
	notices, _ := a.noticesOf(name, bySchedule+named)
	if notices.Of(noticeKind(workflow.Status(g.End.Status))) == nil {
		return false
	}
	_, err = journal.Look(a.homeDir(), noticeRun(run))
	return errors.Is(err, fs.ErrNotExist)
}

// tellAgain tells of a run whose process was killed before it did.
func (a *app) tellAgain(ctx context.Context, run string) error {
	_, past, documents, err := a.readRun(run)
	if err != nil {
		return err
	}
	r, program, err := a.reload(run, past, documents)
	if err != nil {
		return usage("run %s: %s", run, strings.TrimSpace(err.Error()))
	}
	res, err := program.Past(&past.History, past.Status, engine.Watch{})
	if err != nil {
		return err
	}
	res.RunID = run
	l := &loaded{source: r.Source, program: program, written: r.Env.Written, by: past.About.By, parent: past.About.Parent}
	a.tell(ctx, a.endingOf(l, res, savedName(l)))
	return nil
}

// changedSince says why a saved workflow is not the one that was agreed to; "" if it is, as far as its document tells.
func (a *app) changedSince(c *consent.Consent) string {
	r, _, err := a.library().Get(c.Workflow)
	switch {
	case err != nil && fault.Of(err).Kind == fault.NotFound:
		return fmt.Sprintf("there is no saved workflow %s", c.Workflow)
	case err != nil:
		return fmt.Sprintf("the workflow %s cannot be read: %v", c.Workflow, err)
	case r.Workflow().Hash() != c.IRHash:
		return fmt.Sprintf("the workflow %s was changed since this was approved", c.Workflow)
	}
	return ""
}
