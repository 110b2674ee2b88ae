package main

import (
	"fmt"
	"strings"

	"pflow/internal/experiment"
	"pflow/internal/printable"
	"pflow/internal/stats"
	"pflow/internal/tune"
)

// tuneReport is what pflow tune prints, and its JSON.
type tuneReport struct {
	Schema    string          `json:"schema"`
	ID        string          `json:"id"`
	Flow      string          `json:"flow"`
	Primary   string          `json:"primary"`
	Cases     tuneCases       `json:"cases"`
	Space     []tuneDimension `json:"space"`
	Size      int             `json:"size"` // candidates there are, the flow as it is among them
	Search    tunePlans       `json:"search"`
	HeldOut   tunePlans       `json:"held_out"`
	Propose   *tunePropose    `json:"propose,omitempty"`   // with --propose
	Proposals []tune.Proposal `json:"proposals,omitempty"` // that were made
	Planned   int             `json:"planned"`             // candidates that were planned, beside the flow as it is
	Rungs     []tune.Ran      `json:"rungs"`               // as they came out
	Left      []tune.Left     `json:"left"`                // candidates that could not be judged
	Best      *string         `json:"best"`                // what the best has else; null where none was better
	Searched  *tune.Means     `json:"searched"`            // too good: the best was chosen by these cases
	Verdict   string          `json:"verdict"`             // on the held-out part; "" where nothing was held to it
	Reason    string          `json:"reason"`              // of the verdict
	Held      *tuneHeld       `json:"held_out_part"`       // what decides
	Warnings  []string        `json:"warnings"`
	Files     []string        `json:"files"` // that were written, the flow last
	settings  []string
}

type tuneCases struct {
	Search       int `json:"search"`
	SearchGroups int `json:"search_groups"` // what is independent: groups, and cases without one
	HeldOut      int `json:"held_out"`
	HeldGroups   int `json:"held_out_groups"`
}

type tuneDimension struct {
	Path   string   `json:"path"`
	Values []string `json:"values"`
	Now    string   `json:"now"`
}

type tunePlans struct {
	Plans int         `json:"plans"` // at most
	Rungs []tune.Rung `json:"rungs,omitempty"`
}

// tunePropose is what --propose does at most.
type tunePropose struct {
	Proposals int  `json:"proposals"`
	Calls     int  `json:"calls"`      // for them
	Plans     int  `json:"plans"`      // to find what fails
	PlanCalls *int `json:"plan_calls"` // for all plans, those of the search and of the verdict among them; null where the flow has no limit
}

type tuneHeld struct {
	Cases    int            `json:"cases"`
	AsIs     float64        `json:"as_it_is"`
	Tuned    float64        `json:"tuned"`
	Mean     float64        `json:"difference"`
	Interval stats.Interval `json:"interval"`
	P        float64        `json:"p"`
}

func newTuneReport(id string, t *tuneRun) *tuneReport {
	s := t.search
	plan := s.Schedule()
	r := &tuneReport{
		Schema: "pflow.tune/v1", ID: id, Flow: s.Flow.Flow, Primary: string(s.Spec.Primary), Size: s.Space.Size(),
		Cases:  tuneCases{len(s.Split.Search), tune.Groups(s.Split.Search), len(s.Split.HeldOut), tune.Groups(s.Split.HeldOut)},
		Search: tunePlans{plan.Plans, plan.Rungs}, HeldOut: tunePlans{Plans: s.HeldOutPlans()},
		Rungs: []tune.Ran{}, Left: []tune.Left{}, Warnings: []string{}, Files: []string{},
	}
	for _, d := range s.Space {
		one := tuneDimension{Path: d.Path, Now: d.Values[d.Now].Label}
		for _, v := range d.Values {
			one.Values = append(one.Values, v.Label)
		}
		r.Space = append(r.Space, one)
	}
	if p := t.proposer; p != nil {
		r.Propose = &tunePropose{Proposals: p.n, Calls: p.n * proposalCalls, Plans: p.plans}
		if n, bounded := mostCalls(t.flow, p.plans+r.Search.Plans+r.HeldOut.Plans); bounded {
			r.Propose.PlanCalls = &n
		}
	}
	if n := r.Cases.HeldGroups; n < stats.LoudBelow {
		r.Warnings = append(r.Warnings, fmt.Sprintf("ONLY %d INDEPENDENT CASES are held out: below %d take no verdict from this alone", n, stats.LoudBelow))
	}
	return r
}

// outcome adds what a search came to.
func (t *tuneRun) outcome(o *tune.Outcome) {
	r := t.told
	r.Planned, r.Rungs, r.Left = o.Candidates, append(r.Rungs, o.Rungs...), append(r.Left, o.Left...)
	if o.Unanswered > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s of %s as it is got no answer, each counted as a fail; pflow experiment run --a %[2]s with the same cases shows why", count(o.Unanswered, "plan"), shellQuote(r.Flow)))
	}
	if o.Best == nil {
		return
	}
	label := t.search.Space.Label(o.Best)
	r.Best, r.Searched = &label, &o.Searched
	for i, d := range t.search.Space {
		if o.Best[i] != d.Now {
			for _, s := range d.Values[o.Best[i]].Set {
				r.settings = append(r.settings, "--set "+shellQuote(s.Path+"="+s.Value))
			}
		}
	}
	c := o.Held.Comparisons[0]
	r.Verdict, r.Reason = string(c.Verdict), c.Reason
	for _, m := range c.Metrics {
		if m.Metric == o.Held.Primary {
			r.Held = &tuneHeld{m.Cases, m.Baseline, m.Variant, m.TTest.Mean, m.TTest.Interval, c.PHolm}
		}
	}
}

// planned says what is going to be done.
func (r *tuneReport) planned() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s to search on, %s held out\n", r.Flow, casesOf(r.Cases.Search, r.Cases.SearchGroups), casesOf(r.Cases.HeldOut, r.Cases.HeldGroups))
	for _, d := range r.Space {
		fmt.Fprintf(&b, "  %s: %s (now %s)\n", d.Path, cutList(d.Values), d.Now)
	}
	if p := r.Propose; p != nil && r.Proposals == nil {
		fmt.Fprintf(&b, "%d plans to find what fails, and %d proposals of at most %d calls together", p.Plans, p.Proposals, p.Calls)
		if p.PlanCalls != nil {
			fmt.Fprintf(&b, "; all plans together take at most %d", *p.PlanCalls)
		}
		b.WriteString("\n")
	}
	for i, rung := range r.Search.Rungs {
		if i == 0 {
			fmt.Fprintf(&b, "%d of %d candidates, beside the flow as it is; at most %d plans, and %d for the verdict\n", rung.Candidates, r.Size-1, r.Search.Plans, r.HeldOut.Plans)
		}
		fmt.Fprintf(&b, "  rung %d: %d candidates on %d cases more\n", i+1, rung.Candidates, rung.Cases)
	}
	return b.String()
}

func casesOf(n, independent int) string {
	if n == independent {
		return fmt.Sprintf("%d cases", n)
	}
	return fmt.Sprintf("%d cases (%d independent)", n, independent)
}

// cutList shows the ends of a long list.
func cutList(list []string) string {
	if len(list) > 8 {
		list = append(append(append([]string{}, list[:3]...), "…"), list[len(list)-2:]...)
	}
	return strings.Join(list, ", ")
}

// further is what may still be done where nothing better was found.
func (r *tuneReport) further() string {
	if last := len(r.Rungs) - 1; last >= 0 && experiment.Metric(r.Primary).Rate() {
		switch of := r.Rungs[last]; {
		case of.AsIs == 1:
			return "these cases cannot show anything better, for it meets all that were searched: bring harder ones"
		case of.AsIs == 0 && of.Best == 0:
			return fmt.Sprintf("no candidate met any of these cases: pflow experiment run --a %s --cases FILE shows why they fail", shellQuote(r.Flow))
		}
	}
	if r.Planned+len(r.Left) < r.Size-1 {
		return "a larger --plans tries more of the candidates"
	}
	return "--over searches other places or values, --propose N lets a model propose prompts"
}

// text is what people read, the verdict first.
func (r *tuneReport) text() string {
	var b strings.Builder
	switch {
	case r.Best == nil:
		fmt.Fprintf(&b, "nothing better was found than %s as it is; nothing is written\n", r.Flow)
		fmt.Fprintf(&b, "  searched:  %d of %d candidates, on the cases searched alone; the %d held out were not looked at\n", r.Planned, r.Size-1, r.Cases.HeldOut)
		fmt.Fprintf(&b, "next: keep it as it is; %s\n", r.further())
	default:
		fmt.Fprintf(&b, "%s: %s\n  %s\n", r.Verdict, *r.Best, r.Reason)
		fmt.Fprintf(&b, "  held out:  %s %.3f -> %.3f on %d cases that the search did not see\n", r.Primary, r.Held.AsIs, r.Held.Tuned, r.Held.Cases)
		fmt.Fprintf(&b, "  searched:  %s %.3f -> %.3f on %d cases: too good, since it was chosen by them\n", r.Primary, r.Searched.AsIs, r.Searched.Best, r.Searched.Cases)
		if len(r.Files) == 0 {
			fmt.Fprintf(&b, "nothing is written: it is not shown to be better, so keep %s as it is\n", r.Flow)
			if r.Verdict != "REJECT" {
				fmt.Fprintf(&b, "next: bring more cases; --held-out says how large a share of them decides\n")
			}
			if len(r.settings) > 0 {
				fmt.Fprintf(&b, "to try it anyway: pflow plan --flow %s %s\n", shellQuote(r.Flow), strings.Join(r.settings, " "))
			}
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, p := range r.Proposals {
		if p.Problem == "" {
			fmt.Fprintf(&b, "%s: %s\n", p.Label(), printable.Line(p.Why))
		} else {
			fmt.Fprintf(&b, "%s: dropped: %s\n", p.Label(), printable.Line(p.Problem))
		}
	}
	for i, rung := range r.Rungs {
		fmt.Fprintf(&b, "rung %d: %d candidates on %d cases: best %.3f (%s), as it is %.3f\n", i+1, rung.Candidates, rung.Seen, rung.Best, rung.Of, rung.AsIs)
	}
	if n := len(r.Left); n > 0 {
		fmt.Fprintf(&b, "not judged: %d candidates, such as %s: %s\n", n, r.Left[0].Label, r.Left[0].Why)
	}
	if len(r.Files) > 0 {
		file := r.Files[len(r.Files)-1]
		for _, f := range r.Files {
			fmt.Fprintf(&b, "wrote %s\n", f)
		}
		fmt.Fprintf(&b, "use it: pflow plan --flow %s \"…\"\ncompare: pflow flow diff %s %[1]s; pflow experiment report %[3]s\n", shellQuote(file), shellQuote(r.Flow), r.ID)
	}
	return b.String()
}

func (a *app) showTune(r *tuneReport) error {
	switch {
	case a.asJSON:
		return a.printJSON(r)
	case r.Rungs == nil || r.Planned == 0 && len(r.Left) == 0:
		_, err := fmt.Fprint(a.stdout, r.planned())
		return err
	}
	_, err := fmt.Fprint(a.stdout, r.text())
	return err
}
