package experiment_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pflow/internal/experiment"
	"pflow/internal/llm"
	"pflow/nodes"
)

const branches = `flow: branches
version: 1
description: Ask the same in three places at once.
state:
  user_input: {type: string, required: true}
  planner_output: {type: any, default: null}
nodes:
  all:
    op: parallel
    with:
      branches:
        first: {flow: planner-parameters, prep: {user_input: '"first " + store.user_input', current_date: '"2024-01-15"'}}
        second: {flow: planner-parameters, prep: {user_input: '"second " + store.user_input', current_date: '"2024-01-15"'}}
        third: {flow: planner-parameters, prep: {user_input: '"third " + store.user_input', current_date: '"2024-01-15"'}}
    next: tell
  tell:
    op: eval
    with: {expr: '{"status": "infeasible", "attempts": 0, "error": null}'}
    post: {planner_output: result}
    next: end
`

// TestSideBySide: whoever is answered first, the steps of a plan are in the order of the flow, and each has what it asked
// itself, also where all are answered the same.
func TestSideBySide(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/branches.yaml", branches)
	steps := func(order ...string) string {
		answered := map[string]chan struct{}{}
		for _, branch := range order {
			answered[branch] = make(chan struct{})
		}
		o := surroundings(t, nodes.Deps{Model: func(ctx context.Context, r llm.Request) (*llm.Reply, error) {
			r = experiment.Ask(ctx, r)
			prompt := r.Messages[len(r.Messages)-1].Content
			at := slices.IndexFunc(order, func(branch string) bool { return strings.Contains(prompt, branch+" file-0.txt") })
			if at > 0 {
				<-answered[order[at-1]]
			}
			defer close(answered[order[at]])
			r.OnExchange(llm.Exchange{Model: r.Model, Messages: r.Messages, Reply: `{"params": []}`})
			reply := &llm.Reply{Text: `{"params": []}`, Value: map[string]any{"params": []any{}}, Model: r.Model, Usage: llm.Usage{Calls: 1}}
			experiment.Answered(ctx, reply)
			return reply, nil
		}})
		s := specOf(t, 1, "allow_equal: true\nvariants: [{name: a, flow: "+dir+"/branches.yaml}, {name: b, flow: planner-offline}]\n")
		x, store := started(t, s, o)
		if ended, err := x.Run(context.Background(), false); err != nil || ended.Missing > 0 {
			t.Fatalf("%+v %v", ended, err)
		}
		var text strings.Builder
		list, err := experiment.StepsOf(store, experiment.Key{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			fmt.Fprintf(&text, "%s %d\n", s.Node, s.Visit)
			for _, e := range s.Exchange {
				for _, branch := range []string{"first", "second", "third"} {
					if strings.Contains(e.Prompt, branch+" file-0.txt") {
						fmt.Fprintf(&text, "  asked of %s\n", branch)
					}
				}
			}
		}
		return text.String()
	}
	want := `all.first/ask 1
  asked of first
all.first/mask 1
all.second/ask 1
  asked of second
all.second/mask 1
all.third/ask 1
  asked of third
all.third/mask 1
all 1
tell 1
`
	for _, order := range [][]string{{"first", "second", "third"}, {"third", "first", "second"}, {"second", "third", "first"}} {
		if got := steps(order...); got != want {
			t.Errorf("answered in the order %v:\n%s", order, got)
		}
	}
}

// TestAtOnce: plans are made side by side by themselves only where no model is called and nothing is timed.
func TestAtOnce(t *testing.T) {
	for more, want := range map[string]int{
		"":                                    1,
		"concurrency: 3\n":                    3,
		"replies: {record: r}\n":              1,
		"replies: {replay: r}\n":              runtime.GOMAXPROCS(0),
		"replies: {replay: r, carry: true}\n": runtime.GOMAXPROCS(0),
		"replies: {replay: r, replay_or_call: true}\n": 1,
		"replies: {replay: r}\nconcurrency: 1\n":       1,
	} {
		doc := "experiment: x\ncases: c.jsonl\nvariants: [{flow: planner}, {flow: planner-fast}]\n" + more
		s, found := experiment.ReadSpec(filepath.Join(t.TempDir(), "x.yaml"), []byte(doc))
		if s == nil {
			t.Fatal(found.Text())
		}
		if got := s.AtOnce(); got != want {
			t.Errorf("%q: %d plans at once, want %d", more, got, want)
		}
		if s.Concurrency = 100_000; s.AtOnce() != 256 || s.Problem() != "concurrency 100000: want at most 256" { // each takes memory
			t.Errorf("%d plans at once; %q", s.AtOnce(), s.Problem())
		}
	}
}
