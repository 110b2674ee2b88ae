package nodes

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/mapparams"
	"pflow/internal/phrase"
	"pflow/internal/value"
	"pflow/ir"
)

var updatePhrases = flag.Bool("update-phrases", false, "write what is read into testdata/phrases")

// TestPhrases reads the requests of testdata/phrases/*.txt: each stands on a line of its own, and what it means in the lines behind,
// which are indented: one for each step. What has no reading is "open". A line that begins with # is a comment.
func TestPhrases(t *testing.T) {
	files, err := filepath.Glob("testdata/phrases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []*ir.Interface
	for _, typ := range Types(Deps{}) {
		all = append(all, typ.Interface)
	}
	catalogue := ir.NewCatalogue(all...)
	g, err := phrase.Load(func(name string) bool { return catalogue.Get(name) != nil }, os.DirFS("phrases"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
		for k := 0; k < len(lines); {
			request := lines[k]
			k++
			fmt.Fprintln(&out, request)
			if request == "" || request[0] == '#' {
				continue
			}
			at, want := k, []string{}
			for ; k < len(lines) && strings.HasPrefix(lines[k], "  "); k++ {
				want = append(want, lines[k][2:])
			}
			got := readPhrase(t, g, catalogue, request)
			for _, line := range got {
				fmt.Fprintln(&out, "  "+line)
			}
			if diff := cmp.Diff(want, got); diff != "" && !*updatePhrases {
				t.Errorf("%s:%d: %s (-want +got):\n%s", file, at, request, diff)
			}
		}
		if *updatePhrases {
			if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What a step becomes by a phrase is a type that phrases speak of, too.
func TestPhrasesSpeakOf(t *testing.T) {
	g, err := phrase.Load(func(string) bool { return true }, os.DirFS("phrases"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"copy-file", "summarise-table", "archive", "compare-files"} {
		if !slices.Contains(g.Types(), name) {
			t.Errorf("no phrase speaks of %s: %v", name, g.Types())
		}
	}
}

// paramChecks are what node types say of their params before anything runs.
var paramChecks = sync.OnceValue(func() map[string]func(map[string]any) []ir.Problem {
	out := map[string]func(map[string]any) []ir.Problem{}
	for _, typ := range Types(Deps{}) {
		out[typ.Interface.Name] = typ.Check
	}
	return out
})

// readPhrase writes what a request means: a step on each line, with the values in the place of inputs.
func readPhrase(t *testing.T, g *phrase.Grammar, catalogue *ir.Catalogue, request string) []string {
	t.Helper()
	read, err := mapparams.Read(context.Background(), request, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Read(context.Background(), read, catalogue.Get, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Workflow == nil {
		return []string{"open"}
	}
	plain, err := r.Workflow.Plain()
	if err != nil {
		t.Fatal(err)
	}
	if found := ir.Validate(r.Workflow, catalogue, ir.Options{}); found.HasErrors() {
		return []string{"invalid: " + found[0].Message}
	}
	for _, o := range r.Workflow.Outputs {
		if strings.ContainsAny(o.Name, ".[]") { // a saved workflow has none of that name
			return []string{"invalid: an output is called " + o.Name}
		}
	}
	doc := plain.(map[string]any)
	for _, n := range r.Workflow.Nodes {
		if check := paramChecks()[n.Type]; check != nil {
			if found := check(n.Params); len(found) > 0 {
				return []string{"invalid: " + found[0].Message}
			}
		}
	}
	var lines []string
	put := func(text string) string {
		for name, v := range r.Values {
			text = strings.ReplaceAll(text, `"${`+name+`}"`, value.JSON(v))
			text = strings.ReplaceAll(text, `${`+name+`}`, fmt.Sprint(v))
		}
		return text
	}
	for _, n := range doc["nodes"].([]any) {
		node := n.(map[string]any)
		line := fmt.Sprintf("%s: %s %s", node["id"], node["type"], put(value.JSON(node["params"])))
		if batch, ok := node["batch"].(map[string]any); ok {
			line += " each " + put(value.JSON(batch["items"]))
		}
		lines = append(lines, line)
	}
	for _, e := range r.Workflow.Edges {
		if e.Action != ir.ActionDefault {
			lines = append(lines, fmt.Sprintf("%s -%s-> %s", e.From, e.Action, e.To))
		}
	}
	for _, o := range r.Workflow.Outputs[:r.Shown] {
		lines = append(lines, "shows "+o.Source)
	}
	for _, typo := range r.Typos {
		lines = append(lines, fmt.Sprintf("reads %s as %s", typo.Was, typo.As))
	}
	return lines
}
