package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/planner"
	"pflow/internal/runs"
	"pflow/internal/split"
)

// splitOf is the split of this command line, nil if one flow plans all; from is what says it.
func (a *app) splitOf() (arms split.Split, from string, losing bool, err error) {
	if a.splitText != "" {
		if a.flowName != "" {
			return nil, "", false, usage("--flow and --split both say what plans: leave one out")
		}
		if arms, err = split.Parse(a.splitText); err != nil {
			return nil, "", false, usage("--split %v", err)
		}
		dir, err := workingDir()
		if err != nil {
			return nil, "", false, err
		}
		return a.absolute(arms, dir), "--split", false, nil
	}
	s, err := a.settings()
	if err != nil {
		return nil, "", false, err
	}
	if a.flowName != "" || s.Planner.Split == nil {
		return nil, "", false, nil
	}
	return a.absolute(s.Planner.Split, a.homeDir()), s.Places["planner"].String() + " (planner.split)", s.Planner.Losing, nil
}

// absolute has the arms that are files begin in a folder: wherever pflow is called, they are the same ones.
func (a *app) absolute(arms split.Split, dir string) split.Split {
	out := make(split.Split, len(arms))
	for i, arm := range arms {
		if rest, own := strings.CutPrefix(arm.Flow, "~/"); own {
			arm.Flow = filepath.Join(a.getenv("HOME"), rest)
		}
		if engine.IsPath(arm.Flow) && !strings.HasPrefix(arm.Flow, engine.Shipped) && !filepath.IsAbs(arm.Flow) {
			arm.Flow = filepath.Join(dir, arm.Flow)
		}
		out[i] = arm
	}
	return out
}

// assigned is the flow that plans a request.
type assigned struct {
	flow *engine.Flow
	docs *engine.Recording
	arm  string // of a split, "" where one flow plans all, and where the request does not count
	*divided
}

// divided is a split as requests go by it now.
type divided struct {
	arms split.Split // those that are stopped have weight 0
	key  []byte
	from string // what says it
}

// divided is the split of now; nil where one flow plans all.
func (a *app) divided() (*divided, error) {
	arms, from, losing, err := a.splitOf()
	if err != nil || arms == nil {
		return nil, err
	}
	open, err := a.openArms(arms, losing)
	if err != nil {
		return nil, err
	}
	key, err := split.Key(a.homeDir())
	if err != nil {
		return nil, fail(exitFailed, "%s: what the split goes by: %s", from, fileError(err))
	}
	return &divided{open, key, from}, nil
}

// plannerFor loads the flow that plans a request: the one flow, or the arm that the request is assigned to. An arm that cannot be
// loaded is an error: no other one plans in its place.
func (a *app) plannerFor(request string) (*assigned, error) {
	among, err := a.divided()
	if err != nil {
		return nil, err
	}
	out := &assigned{divided: among}
	if among == nil {
		out.flow, out.docs, err = a.plannerFlow()
		return out, err
	}
	if err := a.findArms(among.arms, among.from); err != nil {
		return nil, err
	}
	arm := among.arms.Choose(among.key, request).Flow
	if len(a.set) == 0 { // else what plans is not the flow of the arm, and is neither noted as that nor counted
		out.arm = arm
	}
	out.flow, out.docs, err = a.armFlow(arm, among.from)
	return out, err
}

// plannerOfEach gives the flow that plans each of many requests, at once. What is planned so is neither kept nor asked about, and does not count.
func (a *app) plannerOfEach() (func(request string) *engine.Flow, error) {
	among, err := a.divided()
	if err != nil {
		return nil, err
	}
	if among == nil {
		flow, _, err := a.plannerFlow()
		return func(string) *engine.Flow { return flow }, err
	}
	flows := map[string]*engine.Flow{}
	for _, arm := range among.arms {
		if arm.Weight > 0 {
			if flows[arm.Flow], _, err = a.armFlow(arm.Flow, among.from); err != nil {
				return nil, err
			}
		}
	}
	return func(request string) *engine.Flow { return flows[among.arms.Choose(among.key, request).Flow] }, nil
}

// findArms looks for the flows of all arms that get requests: a name that is written wrong is told by the first request, whichever arm
// it goes to, or else pflow would plan some requests and refuse others.
func (a *app) findArms(arms split.Split, from string) error {
	for _, arm := range arms {
		if arm.Weight <= 0 {
			continue
		}
		if _, err := a.document(a.folders(), arm.Flow); err != nil {
			return cannotPlan(arm.Flow, from, err)
		}
	}
	return nil
}

func cannotPlan(arm, from string, err error) error {
	return usage("%s: the flow %s cannot plan, and no other one does in its place: %s", from, arm, strings.TrimSpace(err.Error()))
}

// armFlow loads the flow of an arm.
func (a *app) armFlow(arm, from string) (*engine.Flow, *engine.Recording, error) {
	flow, docs, err := a.load(arm)
	if err == nil && !planner.Is(flow) {
		err = fmt.Errorf("it is no planner: it has no state key planner_output")
	}
	if err != nil {
		return nil, nil, cannotPlan(arm, from, err)
	}
	return flow, docs, nil
}

// openArms is a split without what is stopped. What came of earlier requests is noted first; with losing, an arm that loses by
// now is stopped.
func (a *app) openArms(arms split.Split, losing bool) (split.Split, error) {
	if err := a.needsHome(); err != nil {
		return nil, err
	}
	l := split.LedgerOf(a.homeDir())
	if !l.Exists() {
		return arms, nil
	}
	now := time.Now()
	if err := l.Follow(a.splitHistory(), now); err != nil {
		a.warn("what came of earlier requests is not noted: %s", fileError(err))
	}
	s, err := l.Read()
	if err != nil {
		return nil, fail(exitFailed, "%s", fileError(err))
	}
	if losing {
		stopped, err := a.stopLosing(l, s, arms, now)
		if err != nil {
			a.warn("no arm is stopped: %s", fileError(err))
		}
		if stopped {
			if s, err = l.Read(); err != nil {
				return nil, fail(exitFailed, "%s", fileError(err))
			}
		}
	}
	return s.Open(arms), nil
}

// stopLosing stops the arms that lose, and says so.
func (a *app) stopLosing(l *split.Ledger, s *split.State, arms split.Split, now time.Time) (stopped bool, err error) {
	losing, err := s.Losing(arms)
	if err != nil {
		return false, err
	}
	for _, stop := range losing {
		if err := l.Stop(arms, stop.Flow, stop.Why, now); err != nil {
			return stopped, err
		}
		stopped = true
		a.warn("%s gets no more requests: %s; pflow experiment live tells more, pflow experiment live --start %s undoes it", stop.Flow, stop.Why, shellQuote(stop.Flow))
	}
	return stopped, nil
}

// countRequest notes that a request was assigned, for pflow experiment live.
func (a *app) countRequest(of *assigned, request, run string, asked split.Asked) {
	if of.arm == "" {
		return
	}
	if err := split.LedgerOf(a.homeDir()).Begin(of.key, request, run, of.arms, of.arm, of.flow.Hash, asked, time.Now()); err != nil {
		a.warn("this request does not count for the split: %s", fileError(err))
	}
}

// splitHistory is what the outcomes of requests are read from.
func (a *app) splitHistory() split.History {
	var kept map[string]string
	return split.History{Home: a.homeDir(), Runs: a.history(), Kept: func(plan string) string {
		if kept == nil {
			kept = map[string]string{}
			for _, r := range a.library().List().Records {
				var origin struct {
					Run string `json:"run_id"`
				}
				if json.Unmarshal(r.Origin(), &origin) == nil && origin.Run != "" {
					kept[origin.Run] = r.Name
				}
			}
		}
		return kept[plan]
	}}
}

// leaving notes what is known of runs that are about to be removed.
func (a *app) leaving(rows []runs.Row) error {
	l := split.LedgerOf(a.homeDir())
	if !l.Exists() {
		return nil
	}
	if err := l.Follow(a.splitHistory(), time.Now(), rows...); err != nil {
		return fmt.Errorf("they are kept, since what came of their requests cannot be noted: %w", err)
	}
	return nil
}
