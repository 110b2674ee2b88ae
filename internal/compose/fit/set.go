package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"pflow/internal/catalogue"
	"pflow/internal/compose"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/ir"
	"pflow/nodes"
)

// set is the requests of one folder.
type set []task

// task is a request, ready to be composed again and again.
type task struct {
	ground *compose.Ground
	half   int
	deal   [2]int // the half of all cases, and the half of that
	nodes  []string
	edges  []string // "from to", empty where the set says none
}

// mostInterfaces is how many a request is composed of, as in planner-words.
const mostInterfaces = 200

func readSet(ctx context.Context, folder string) (set, error) {
	var builtin []*ir.Interface
	for _, t := range nodes.Types(nodes.Deps{}) {
		builtin = append(builtin, t.Interface)
	}
	from, found := catalogue.Load(catalogue.Options{Builtin: builtin, Sources: []catalogue.Source{{Path: filepath.Join(folder, "nodes.yaml")}}})
	if found.HasErrors() {
		return nil, found.Err()
	}
	all := from.Catalogue.All()
	index, err := indexOf(ctx, all)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(folder, "cases.jsonl"))
	if err != nil {
		return nil, err
	}
	var out set
	for n, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var c struct {
			ID, Request string
			Date        string `json:"current_date"`
			Only        []string
			Expect      struct {
				Nodes []string
				Edges [][2]string
			}
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("cases.jsonl:%d: %w", n+1, err)
		}
		if len(c.Expect.Nodes) == 0 {
			continue // what nothing fits is for the thresholds and for coverage
		}
		now, _ := time.Parse(time.DateOnly, c.Date)
		read, err := mapparams.Read(ctx, c.Request, now)
		if err != nil {
			return nil, err
		}
		ranked, err := index.Rank(ctx, compose.Masked(read))
		if err != nil {
			return nil, err
		}
		var some []*ir.Interface
		for _, r := range ranked {
			i := all[r.Index]
			if len(some) < mostInterfaces && (c.Only == nil || slices.Contains(c.Only, i.Name)) && (r.Confidence > 0 || c.Only != nil || len(all) <= mostInterfaces) {
				some = append(some, i)
			}
		}
		t := task{nodes: c.Expect.Nodes, deal: [2]int{halfOf(c.ID, 0), halfOf(c.ID, 1)}}
		t.half = t.deal[0]
		for _, e := range c.Expect.Edges {
			t.edges = append(t.edges, e[0]+" "+e[1])
		}
		if t.ground, err = compose.NewGround(ctx, read, some); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// indexOf finds components by what they say, as browse-components does.
func indexOf(ctx context.Context, all []*ir.Interface) (*retrieve.Index, error) {
	candidates := make([]retrieve.Candidate, len(all))
	for k, c := range all {
		candidates[k] = retrieve.Candidate{Name: c.Name, Description: c.Description}
		for _, ports := range [][]ir.Port{c.Inputs, c.OnlyParams(), c.Outputs} {
			for _, p := range ports {
				candidates[k].Keywords = append(candidates[k].Keywords, p.Key, p.Kind)
			}
		}
		for _, f := range c.Forms {
			candidates[k].Keywords = append(candidates[k].Keywords, f.Says...)
		}
	}
	return retrieve.NewIndex(ctx, candidates)
}

// halfOf deals the cases into two halves, the same each time. Another deal is independent of it.
func halfOf(id string, deal int) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() >> (7 + deal) & 1)
}

// parted takes one half of the cases from the others; each is dealt into halves again.
func parted(sets []set, half int) (own, others []set) {
	for _, s := range sets {
		var parts [2]set
		for _, t := range s {
			t.half = t.deal[1]
			parts[t.deal[0]] = append(parts[t.deal[0]], t)
		}
		own, others = append(own, parts[half]), append(others, parts[1-half])
	}
	return own, others
}

// halves are the mean F1 in the two halves of the cases.
type halves [2]float64

func (h halves) mean() float64 { return (h[0] + h[1]) / 2 }

// worth is what weights are worth: the mean F1 of the sets, each counting by the square root of its size, so that neither a large set
// nor a handful of cases decides.
func worth(sets []set, w compose.Weights) (halves, error) {
	var out halves
	all := 0.0
	for _, s := range sets {
		all += math.Sqrt(float64(len(s)))
	}
	for _, s := range sets {
		var sum, n halves
		for _, t := range s {
			f1, err := t.score(w)
			if err != nil {
				return out, err
			}
			sum[t.half] += f1
			n[t.half]++
		}
		for half := range out {
			out[half] += sum[half] / max(1, n[half]) * math.Sqrt(float64(len(s))) / all
		}
	}
	return out, nil
}

// reference is what leads an output to an input.
var reference = regexp.MustCompile(`\$\{([A-Za-z0-9_-]+)\.`)

// score is the F1 of the steps of a request, or the mean of that and the F1 of its wires.
func (t task) score(w compose.Weights) (float64, error) {
	r, err := t.ground.Compose(context.Background(), w, false)
	if err != nil || r.Workflow == nil {
		return 0, err
	}
	var steps, wires []string
	types := map[string]string{}
	for _, n := range r.Workflow.Nodes {
		steps, types[n.ID] = append(steps, n.Type), n.Type
	}
	for _, n := range r.Workflow.Nodes {
		text, err := json.Marshal(n.Params)
		if err != nil {
			return 0, err
		}
		for _, m := range reference.FindAllSubmatch(text, -1) {
			if wire := types[string(m[1])] + " " + n.Type; types[string(m[1])] != "" && !slices.Contains(wires, wire) {
				wires = append(wires, wire)
			}
		}
	}
	if len(t.edges) == 0 && len(wires) == 0 {
		return f1(t.nodes, steps), nil
	}
	return (f1(t.nodes, steps) + f1(t.edges, wires)) / 2, nil
}

// f1 compares two lists; what one has several times counts so often.
func f1(want, got []string) float64 {
	both, rest := 0, slices.Clone(want)
	for _, g := range got {
		if k := slices.Index(rest, g); k >= 0 {
			both++
			rest = slices.Delete(rest, k, k+1)
		}
	}
	return 2 * float64(both) / float64(max(1, len(want)+len(got)))
}
