package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// sandboxRows is the file of the sandbox's results: a row for each step of a case.
const sandboxRows = "newcomer.jsonl"

// metrics are what a set is scored by, in the order in which the page has them, and what the page calls them.
var metrics = []struct{ key, name string }{
	{"node_f1_macro", "node F1, macro"}, {"node_f1_micro", "node F1, micro"}, {"node_exact", "all nodes right"},
	{"edge_f1_micro", "edge F1"}, {"value_f1", "value F1"}, {"plan_exact", "whole plan right"}, {"call_accuracy", "call right"},
	{"choice_accuracy", "choice right"}, {"abstain_recall", "none fits: seen"}, {"browse_recall@5", "recall@5"},
	{"decision_accuracy", "decision right"}, {"top1", "first is right"}, {"recall@5", "recall@5"}, {"oos_recall", "out of scope: seen"},
	{"auroc", "AUROC"}, {"kept_right", "whole requests done right"}, {"silent", "a part silently left out"},
	{"declined_all", "declined where it must be"}, {"named", "the open part named"}, {"balanced_accuracy", "balanced accuracy"},
	{"accuracy", "right"}, {"core_accuracy", "core cases right"}, {"temporal", "dates and times right"}, {"number", "numbers right"},
	{"money", "money right"}, {"codes_exact", "findings right"}, {"verdict_accuracy", "verdict right"},
}

// share is a number between 0 and 1 with its 95 % interval, where there is one.
type share struct {
	value     float64
	low, high float64
	interval  bool
}

// text is a share as the page has it, with that many decimals: .84 [.81, .86].
func (s share) text(n int) string {
	if !s.interval {
		return decimals(s.value, n)
	}
	return fmt.Sprintf("%s [%s, %s]", decimals(s.value, n), decimals(s.low, n), decimals(s.high, n))
}

func decimals(v float64, n int) string {
	return strings.TrimPrefix(fmt.Sprintf("%.*f", n, v), "0")
}

// score is what score.py says of a set.
type score struct {
	n       int
	figures []string // "node F1, macro .84 [.81, .86]"
	lacking int      // cases without a result, or with one that could not be read
}

// readScore reads SET.score.json.
func readScore(dir, set string) (*score, error) {
	file := filepath.Join(dir, set+".score.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s holds no score: %w", filepath.Base(file), err)
	}
	out := &score{n: whole(all["n"]), lacking: whole(all["missing"]) + whole(all["errored"]) + whole(all["bad_lines"])}
	for _, m := range metrics {
		if s, ok := shareOf(all[m.key]); ok {
			out.figures = append(out.figures, m.name+" "+s.text(2))
		}
	}
	if out.n == 0 || len(out.figures) == 0 {
		return nil, fmt.Errorf("%s has no cases, or no metric that is known", filepath.Base(file))
	}
	return out, nil
}

// shareOf reads a number, or {value, ci95: [low, high]}.
func shareOf(v any) (share, bool) {
	switch v := v.(type) {
	case float64:
		return share{value: v}, true
	case map[string]any:
		value, ok := v["value"].(float64)
		s := share{value: value}
		if ends, _ := v["ci95"].([]any); len(ends) == 2 {
			low, lok := ends[0].(float64)
			high, hok := ends[1].(float64)
			s.low, s.high, s.interval = low, high, lok && hok
		}
		return s, ok
	}
	return share{}, false
}

func whole(v any) int {
	n, _ := v.(float64)
	return int(n)
}

// outcomes are what the sandbox tells apart, best first. Harmful steps are counted among the wrong ones, too.
var outcomes = []string{"right", "held back", "wrong", "harmful"}

// tally is how often each outcome was, of n steps.
type tally struct {
	group string
	n     int
	of    map[string]int
}

// readSandbox counts the rows of the sandbox: all of them, and those of each group, in the order in which groups come.
func readSandbox(dir string) (all tally, groups []*tally, err error) {
	f, err := os.Open(filepath.Join(dir, sandboxRows))
	if err != nil {
		return tally{}, nil, err
	}
	defer f.Close()
	all = tally{group: "all", of: map[string]int{}}
	at := map[string]*tally{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var row struct{ Group, Outcome string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return tally{}, nil, fmt.Errorf("%s:%d: %w", sandboxRows, all.n+1, err)
		}
		g := at[row.Group]
		if g == nil {
			g = &tally{group: row.Group, of: map[string]int{}}
			at[row.Group] = g
			groups = append(groups, g)
		}
		all.add(row.Outcome)
		g.add(row.Outcome)
	}
	if all.n == 0 && lines.Err() == nil {
		return tally{}, nil, fmt.Errorf("%s has no rows", sandboxRows)
	}
	return all, groups, lines.Err()
}

func (t *tally) add(outcome string) {
	t.n++
	t.of[outcome]++
	if outcome == "harmful" {
		t.of["wrong"]++
	}
}

// share is that of an outcome, with its Wilson interval (Wilson 1927, without correction for continuity).
func (t tally) share(outcome string) share {
	const z = 1.959964 // two-sided, 95 %
	n := float64(t.n)
	p := float64(t.of[outcome]) / n
	d := 1 + z*z/n
	mid, half := (p+z*z/2/n)/d, z/d*math.Sqrt(p*(1-p)/n+z*z/4/n/n)
	return share{value: p, low: max(0, mid-half), high: min(1, mid+half), interval: true}
}
