// Command fit chooses the weights of left.yaml by development cases.
//
// It reads the folder of the sets (each a folder with cases.jsonl; that of the set coverage has expected.jsonl too) and a folder with
// SET.jsonl, the plans that a flow with decline_open: false made for them, and prints the weights that keep most right plans while
// what must be declined is declined. The same files give the same weights.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"pflow/internal/coverage"
)

// What must be reached, with a margin to the goals (silent .15, an added part .80, a tool taken away .45, asked .10), since other
// requests come than these.
const (
	mostSilent   = 0.13
	leastAdded   = 0.86
	leastRemoved = 0.52
	mostAsked    = 0.08
	missed       = 20 // what a goal that is missed costs, against what is kept
	keptCounts   = 3  // what right plans of the coverage set count, against those of each other set
)

// sets are those that are weighed, beside coverage.
var sets = []string{"bfcl", "sealtools", "nestful", "metatool", "metatool-none"}

// plan is a case as it was planned, and what is known of it.
type plan struct {
	kind    string
	decline bool
	right   bool    // it has the nodes that are known to be right
	f1      float64 // of the nodes
	asking  bool
	none    bool // there is no plan
	single  bool
	left    coverage.Left
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: fit FOLDER_OF_THE_SETS FOLDER_OF_THE_PLANS")
		os.Exit(2)
	}
	all := map[string][]plan{}
	for _, set := range append([]string{"coverage"}, sets...) {
		plans, err := read(filepath.Join(os.Args[1], set), filepath.Join(os.Args[2], set+".jsonl"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "fit:", err)
			os.Exit(1)
		}
		all[set] = plans
	}
	w := fit(all)
	fmt.Printf("weights:\n  clause: %.2f\n  weight: %.2f\n  clauses: %.2f\n  wishes: %.2f\n  share: %.2f\n  one: %.2f\n  asking: %.2f\n  single: %.2f\n",
		w.Clause, w.Weight, w.Clauses, w.Wishes, w.Share, w.One, w.Asking, w.Single)
	covered := scoreCoverage(all["coverage"], w)
	fmt.Fprintf(os.Stderr, "coverage %+v\n", covered)
	for _, set := range sets {
		f1, choice := score(all[set], w)
		fmt.Fprintf(os.Stderr, "%s: F1 %.3f, choice %.3f\n", set, f1, choice)
	}
}

// starts are where the search begins.
var starts = []coverage.Weights{
	{Clause: 0.5, Weight: 0.4, Clauses: 0.1, Share: 0.1, One: -0.1, Single: -0.1},
	{Clause: 0.3, Weight: 0.8, Clauses: 0.1, Wishes: 0.2, One: -0.2, Single: -0.2},
	{Clause: 0.2, Weight: 0.5, Wishes: 0.5, Share: 0.2},
	{Clauses: 0.4, Wishes: 0.5, Share: 0.7},
}

// fit moves one weight or two at a time, by smaller and smaller steps, as long as that is better.
func fit(all map[string][]plan) (best coverage.Weights) {
	most := math.Inf(-1)
	for _, w := range starts {
		if w, v := climb(all, w); v > most {
			best, most = w, v
		}
	}
	return best
}

func climb(all map[string][]plan, best coverage.Weights) (coverage.Weights, float64) {
	most := worth(all, best)
	for _, step := range []float64{0.2, 0.1, 0.05} {
		for better := true; better; {
			better = false
			for a := range fields(&best) {
				for b := range fields(&best) {
					for _, move := range [][2]float64{{step, 0}, {-step, 0}, {step, step}, {step, -step}, {-step, -step}} {
						w := best
						*fields(&w)[a] += move[0]
						if a != b {
							*fields(&w)[b] += move[1]
						}
						if w.Clause < 0 || w.Weight < 0 || w.Clauses < 0 || w.Wishes < 0 || w.Share < 0 || w.Asking < 0 {
							continue // what is open is never in favour
						}
						if v := worth(all, w); v > most+1e-9 {
							best, most, better = w, v, true
						}
					}
				}
			}
		}
	}
	return best, most
}

func fields(w *coverage.Weights) []*float64 {
	return []*float64{&w.Clause, &w.Weight, &w.Clauses, &w.Wishes, &w.Share, &w.One, &w.Asking, &w.Single}
}

// worth is what is to be as high as can be.
func worth(all map[string][]plan, w coverage.Weights) float64 {
	s := scoreCoverage(all["coverage"], w)
	sum := keptCounts*s.KeptRight - missed*(max(0, s.Silent-mostSilent)+max(0, leastAdded-s.Added)+max(0, leastRemoved-s.Removed)+max(0, s.Asked-mostAsked))
	for _, set := range sets {
		f1, choice := score(all[set], w)
		sum += (f1 + choice) / 2
	}
	return sum
}

// declined reports whether a case is.
func (p *plan) declined(w coverage.Weights) bool {
	return p.none || p.left.Sum(w, p.asking, p.single) >= 1
}

// score is the mean F1 of the nodes where there are right ones, and the share of right choices.
func score(plans []plan, w coverage.Weights) (f1, choice float64) {
	there := 0.0
	for _, p := range plans {
		no := p.declined(w)
		if !p.decline {
			there++
			if !no {
				f1 += p.f1
			}
		}
		if p.decline == no && (no || p.right) {
			choice++
		}
	}
	return f1 / max(1, there), choice / max(1, float64(len(plans)))
}

// scores are what the scorer of the coverage set gives. Added is the least of all kinds.
type scores struct{ KeptRight, Silent, Asked, Removed, Added float64 }

func scoreCoverage(plans []plan, w coverage.Weights) scores {
	var s scores
	whole, must := 0.0, 0.0
	kinds, declined := map[string]float64{}, map[string]float64{}
	for _, p := range plans {
		no := p.declined(w)
		if !p.decline {
			whole++
			if p.right && !no && !p.asking {
				s.KeptRight++
			}
			continue
		}
		must++
		kinds[p.kind]++
		switch {
		case no:
			declined[p.kind]++
		case p.asking:
			s.Asked++
		default:
			s.Silent++
		}
	}
	s.KeptRight, s.Silent, s.Asked = s.KeptRight/whole, s.Silent/must, s.Asked/must
	s.Removed, s.Added = declined["tool-removed"]/kinds["tool-removed"], 1
	for k, n := range kinds {
		if k != "tool-removed" {
			s.Added = min(s.Added, declined[k]/n)
		}
	}
	return s
}

// read reads the cases of a set and their plans.
func read(folder, plansFile string) ([]plan, error) {
	type expected struct {
		ID, Kind string
		Decline  bool
		Nodes    []string
	}
	known := map[string]expected{}
	type request struct {
		ID, Request string
		Expect      *expected
	}
	requests := map[string]string{}
	if err := lines(filepath.Join(folder, "cases.jsonl"), func(r request) {
		requests[r.ID] = r.Request
		if r.Expect != nil {
			r.Expect.Decline = len(r.Expect.Nodes) == 0
			known[r.ID] = *r.Expect
		}
	}); err != nil {
		return nil, err
	}
	if filepath.Base(folder) == "coverage" {
		if err := lines(filepath.Join(folder, "expected.jsonl"), func(e expected) { known[e.ID] = e }); err != nil {
			return nil, err
		}
	}
	type row struct {
		ID, Status string
		IR         struct{ Nodes []struct{ Type string } } `json:"workflow_ir"`
		Coverage   coverage.Coverage
	}
	var out []plan
	err := lines(plansFile, func(r row) {
		e := known[r.ID]
		p := plan{kind: e.Kind, decline: e.Decline, asking: r.Status == "needs_input", none: r.Status != "ready" && r.Status != "needs_input",
			single: len(r.IR.Nodes) == 1, left: r.Coverage.Left(requests[r.ID])}
		both, rest := 0, slices.Clone(e.Nodes)
		for _, n := range r.IR.Nodes {
			if at := slices.Index(rest, n.Type); at >= 0 {
				both++
				rest = slices.Delete(rest, at, at+1)
			}
		}
		p.f1 = 2 * float64(both) / float64(cmp.Or(len(e.Nodes)+len(r.IR.Nodes), 1))
		p.right = both == len(e.Nodes) && both == len(r.IR.Nodes)
		out = append(out, p)
	})
	return out, err
}

// lines reads a file of JSON lines.
func lines[T any](file string, each func(T)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewScanner(f)
	r.Buffer(nil, 1<<24)
	for n := 1; r.Scan(); n++ {
		var v T
		if err := json.Unmarshal(r.Bytes(), &v); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		each(v)
	}
	return r.Err()
}
