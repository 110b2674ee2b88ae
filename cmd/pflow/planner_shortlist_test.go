package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/library"
	"pflow/internal/shelf"
)

// TestPlannerDiscoveryBudget: with 1,000 saved workflows the prompt that is really sent keeps its budget, says how many it
// leaves out, and has the one that is meant.
func TestPlannerDiscoveryBudget(t *testing.T) {
	p := newPlanning(t, "found", "taken")
	manyWorkflows(t, p.home, 1000)
	p.savedAs("duplicate-file", duplicateFile)
	plan, stderr, status := p.plan("copy a.txt to b.txt")
	if got := summary(plan); got != reused || status != 0 {
		t.Errorf("%s, exit %d\n%s", got, status, stderr)
	}
	sent := p.sent("discovery", 1)
	if n := catalogue.Tokens(sent); n > 6000 || !strings.Contains(sent, "- duplicate-file: Copy a file to another place.") || !strings.Contains(sent, "more left out for lack of room") {
		t.Errorf("%d tokens:\n%s", n, sent)
	}
}

// shortlistFlow gives the context of the discovery prompt.
const shortlistFlow = `flow: shortlist
version: 1
description: What the discovery prompt lists for a request.
state:
  request: {type: string, required: true}
  context: {type: string, default: ""}
nodes:
  shortlist:
    op: browse-workflows
    prep: {request: store.request}
    with: {most: 10, tokens: 5400}
    post: {context: result.context}
    next: end
`

// TestShortlistRecall measures how often the saved workflow that is meant is among those that the discovery prompt lists, on
// the discovery sets of the folder PFLOW_EVAL: as they are, and with other workflows beside them.
func TestShortlistRecall(t *testing.T) {
	dir := os.Getenv("PFLOW_EVAL")
	if dir == "" {
		t.Skip("PFLOW_EVAL names no folder of evaluation sets")
	}
	for _, set := range []string{"clinc150", "banking77"} {
		for _, c := range []struct{ others, each int }{{0, 1}, {1_000, 1}, {10_000, 1}, {100_000, 5}} {
			t.Run(fmt.Sprintf("%s and %d others", set, c.others), func(t *testing.T) { shortlistRecall(t, filepath.Join(dir, set), c.others, c.each) })
		}
	}
}

// shortlistRecall takes every each-th case of a set.
func shortlistRecall(t *testing.T, dir string, others, each int) {
	a := newApp(strings.NewReader(""), io.Discard, os.Stderr, func(name string) string {
		return map[string]string{"PFLOW_HOME": filepath.Join(dir, "home")}[name]
	})
	a.root = a.rootCommand()
	offered, err := a.loadShelf()
	if err != nil {
		t.Fatal(err)
	}
	offered = &shelf.Shelf{Catalogue: offered.Catalogue, Records: append([]*library.Record{}, offered.Records...)}
	template := offered.Records[0]
	for i := range others {
		r := *template
		r.Name, r.Keywords, r.Examples = fmt.Sprintf("other-%d", i), nil, nil
		r.Description = otherDescription(i)
		offered.Records = append(offered.Records, &r)
	}
	file := filepath.Join(t.TempDir(), "shortlist.yaml")
	if err := os.WriteFile(file, []byte(shortlistFlow), 0o600); err != nil {
		t.Fatal(err)
	}
	flow, _, err := a.load(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := offered.Within(t.Context())
	cases, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer cases.Close()
	asked, listed, most, line := 0, 0, 0, 0
	var took time.Duration
	lines := bufio.NewScanner(cases)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct {
			Request string
			Expect  struct{ Workflow *string }
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if line++; c.Expect.Workflow == nil || line%each != 0 {
			continue
		}
		start := time.Now()
		run, err := engine.Execute(ctx, flow, map[string]any{"request": c.Request}, engine.Options{})
		took += time.Since(start)
		if err != nil || run.Status != engine.Done {
			t.Fatal(err, run)
		}
		text := run.Store["context"].(string)
		asked++
		if strings.Contains(text, "\n- "+*c.Expect.Workflow+":") {
			listed++
		}
		most = max(most, catalogue.Tokens(text))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d workflows, %d requests: recall %.3f, at most %d tokens, %.1f ms a request", len(offered.Records), asked, float64(listed)/float64(max(asked, 1)), most,
		took.Seconds()*1000/float64(max(asked, 1)))
}

// otherDescription makes up what a workflow does, of common words in an order that i decides.
func otherDescription(i int) string {
	words := strings.Fields(`account address alarm appointment bank bill book calendar call card change charge check city code cost credit day delay direction
		distance email exchange fee file flight food fraud fuel goal holiday hotel insurance interest invoice item language letter limit list loan location lunch
		mail meal meeting message mile money movie music name number oil order payment phone photo plan playlist price rate recipe reminder report reservation
		restaurant review salary schedule score shop song speed status store tax ticket time timer tire traffic transfer translation travel trip update vaccine
		visa volume weather week word year`)
	pick := func(k int) string { return words[(i*(2*k+1)+i/len(words)*k+7*k)%len(words)] }
	return fmt.Sprintf("Get the %s of a %s, write the %s and the %s to the %s of the %s.", pick(1), pick(2), pick(3), pick(4), pick(5), pick(6))
}
