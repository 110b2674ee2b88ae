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

	"pflow/internal/catalogue"
	"pflow/internal/coverage"
)

// What must be reached, with a margin to the goals (silent .15, an added part .80, a tool taken away .45, asked .10), since other
// requests come than these.
const (
	mostSilent   = 0.13
	leastAdded   = 0.87
	leastRemoved = 0.50
	mostAsked    = 0.08
	missed       = 20    // what a goal that is missed costs, against what is kept
	keptCounts   = 3     // what right plans of the coverage set count, against those of each other set
	large        = 0.002 // what a weight costs by its size: of those that do as well the smallest are taken
)

// sets are those that are weighed, beside coverage, and what their F1 of nodes and their right choices count.
var sets = []struct {
	name       string
	f1, choice float64
}{{"bfcl", 0.2, 1}, {"sealtools", 0.5, 0.5}, {"nestful", 0.5, 0.5}, {"metatool", 1, 0}, {"metatool-none", 0.2, 1}}

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
	half    int
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: fit FOLDER_OF_THE_SETS FOLDER_OF_THE_PLANS")
		os.Exit(2)
	}
	all := map[string][]plan{}
	names := []string{"coverage"}
	for _, set := range sets {
		names = append(names, set.name)
	}
	for _, set := range names {
		plans, err := read(os.Args[1], set, filepath.Join(os.Args[2], set+".jsonl"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "fit:", err)
			os.Exit(1)
		}
		all[set] = plans
	}
	w := fit(all)
	fmt.Println("weights:")
	for k, f := range fields(&w) {
		fmt.Printf("  %s: %.2f\n", fieldNames[k], *f)
	}
	tell("all", all, w)
	for half := range 2 { // what is fitted to one half has to do for the other
		one, other := halves(all, half)
		tell(fmt.Sprintf("half %d by the other", half), other, fit(one))
	}
}

// tell prints what weights do.
func tell(what string, all map[string][]plan, w coverage.Weights) {
	fmt.Fprintf(os.Stderr, "%s: coverage %+v\n", what, scoreCoverage(all["coverage"], w))
	for _, set := range sets {
		f1, choice := score(all[set.name], w)
		fmt.Fprintf(os.Stderr, "  %s: F1 %.3f, choice %.3f\n", set.name, f1, choice)
	}
}

// halves divides plans by the texts of their requests; those made of one request stay together, as far as they begin alike.
func halves(all map[string][]plan, half int) (one, other map[string][]plan) {
	one, other = map[string][]plan{}, map[string][]plan{}
	for set, plans := range all {
		for _, p := range plans {
			if p.half == half {
				other[set] = append(other[set], p)
			} else {
				one[set] = append(one[set], p)
			}
		}
	}
	return one, other
}

// starts are where the search begins.
var starts = []coverage.Weights{
	{Clause: 0.2, Weight: 0.5, Clauses: 0.4, Wishes: 0.2, Share: 0.1, One: -0.2},
	{Base: 0.3, Weight: 0.8, Clauses: 0.3, Said: -0.3, One: -0.2},
	{Base: -0.5, Weight: 1.5, Clauses: 0.4, Said: -0.2},
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
	for _, step := range []float64{0.4, 0.2, 0.1, 0.05} {
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
						if w.Clause < 0 || w.Weight < 0 || w.Clauses < 0 || w.Wishes < 0 || w.Share < 0 || w.Asking < 0 || w.Said > 0 {
							continue // what is open is never in favour, what is said never against
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
	return []*float64{&w.Base, &w.Clause, &w.Weight, &w.Clauses, &w.Wishes, &w.Share, &w.One, &w.Asking, &w.Single, &w.Said}
}

// fieldNames are those of fields in left.yaml.
var fieldNames = []string{"base", "clause", "weight", "clauses", "wishes", "share", "one", "asking", "single", "said"}

// worth is what is to be as high as can be.
func worth(all map[string][]plan, w coverage.Weights) float64 {
	s := scoreCoverage(all["coverage"], w)
	sum := keptCounts*s.KeptRight - missed*(max(0, s.Silent-mostSilent)+max(0, leastAdded-s.Added)+max(0, leastRemoved-s.Removed)+max(0, s.Asked-mostAsked))
	for _, set := range sets {
		f1, choice := score(all[set.name], w)
		sum += set.f1*f1 + set.choice*choice
	}
	for _, f := range fields(&w) {
		sum -= large * math.Abs(*f)
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

// read reads the cases of a set, what its components say of themselves, and the plans.
func read(sets, set, plansFile string) ([]plan, error) {
	folder := filepath.Join(sets, set)
	says, err := components(sets, set)
	if err != nil {
		return nil, err
	}
	type expected struct {
		ID, Kind string
		Decline  bool
		Nodes    []string
	}
	known := map[string]expected{}
	type request struct {
		ID, Request string
		Expect      *expected
		Nodes       []struct{ Name, Description string }
	}
	requests, own := map[string]string{}, map[string]map[string]string{}
	if err := lines(filepath.Join(folder, "cases.jsonl"), func(r request) {
		requests[r.ID], own[r.ID] = r.Request, map[string]string{}
		for _, n := range r.Nodes {
			own[r.ID][n.Name] = n.Name + " " + n.Description
		}
		if r.Expect != nil {
			r.Expect.Decline = len(r.Expect.Nodes) == 0
			known[r.ID] = *r.Expect
		}
	}); err != nil {
		return nil, err
	}
	if set == "coverage" {
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
	err = lines(plansFile, func(r row) {
		e := known[r.ID]
		p := plan{kind: e.Kind, decline: e.Decline, asking: r.Status == "needs_input", none: r.Status != "ready" && r.Status != "needs_input",
			single: len(r.IR.Nodes) == 1, half: half(requests[r.ID])}
		var steps []string
		for _, n := range r.IR.Nodes {
			if text := cmp.Or(own[r.ID][n.Type], says[n.Type]); text != "" {
				steps = append(steps, text)
			}
		}
		p.left = r.Coverage.Left(requests[r.ID], steps)
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

// components are the names and descriptions of the nodes of a set, those of one catalogue before those of the next.
func components(sets, set string) (map[string]string, error) {
	var of struct{ Nodes []string }
	text, err := os.ReadFile(filepath.Join(sets, set, "set.json"))
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil {
		return nil, err
	}
	if len(of.Nodes) == 0 {
		of.Nodes = []string{set}
	}
	var o catalogue.Options
	for _, name := range of.Nodes {
		o.Sources = append(o.Sources, catalogue.Source{Path: filepath.Join(sets, name, "nodes.yaml"), Optional: true})
	}
	read, _ := catalogue.Load(o) // what is left out makes no step
	out := map[string]string{}
	for _, i := range read.Catalogue.All() {
		out[i.Name] = i.Name + " " + i.Description
	}
	return out, nil
}

// half tells the half that a request belongs to, by how it begins.
func half(request string) int {
	sum := 0
	for _, c := range []byte(request[:min(len(request), 25)]) {
		sum += int(c)
	}
	return sum % 2
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
