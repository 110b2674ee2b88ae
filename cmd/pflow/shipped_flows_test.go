package main

import (
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// shippedFlows are the names of the shipped flows, in order.
func shippedFlows(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(flows.FS, "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var names []string
	for _, file := range files {
		if !strings.HasSuffix(file, testEnding+".yaml") {
			names = append(names, strings.TrimSuffix(file, ".yaml"))
		}
	}
	return names
}

// loadShipped compiles a shipped flow.
func loadShipped(t *testing.T, name string) *engine.Flow {
	t.Helper()
	a := newApp(strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
	a.root = a.rootCommand()
	flow, _, err := a.load("shipped:" + name)
	if err != nil {
		t.Fatal(err)
	}
	return flow
}

// promptsOf are the prompts that a flow asks a model with at nodes of its own.
func promptsOf(f *engine.Flow) []string { return promptsAt(f, "llm") }

// promptsAt are the prompts that a flow's own nodes of an op use.
func promptsAt(f *engine.Flow, op string) []string {
	used := map[string]bool{}
	for _, n := range f.Definition().Tree.Get("nodes").Entries {
		if n.Value.Get("op") != nil && n.Value.Get("op").Text == op {
			used[n.Value.Get("with").Get("prompt").Text] = true
		}
	}
	return value.SortedKeys(used)
}

// TestShippedComments: where a shipped flow says which prompt a step asks, the compiled flow asks it; planner.yaml says it of
// every step that asks.
func TestShippedComments(t *testing.T) {
	says := regexp.MustCompile(`flow: ([a-z-]+)\}? +# asks prompts/([a-z]+)\.tmpl`)
	for _, name := range shippedFlows(t) {
		data, err := fs.ReadFile(flows.FS, name+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		flow := loadShipped(t, name)
		said := map[string]bool{}
		for _, line := range strings.Split(string(data), "\n") {
			m := says.FindStringSubmatch(line)
			if m == nil {
				if strings.Contains(line, "# asks") {
					t.Errorf("%s: what does this line say?\n%s", name, line)
				}
				continue
			}
			said[m[1]] = true
			inner := flow.Definition().Inner[m[1]]
			if inner == nil || !slices.Equal(promptsOf(inner), []string{m[2]}) {
				t.Errorf("%s: %s asks %v", name, m[1], promptsOf(loadShipped(t, m[1])))
			}
		}
		if name != "planner" {
			continue
		}
		for inner, f := range flow.Definition().Inner {
			if len(promptsOf(f)) > 0 && !said[inner] {
				t.Errorf("%s does not say which prompt %s asks", name, inner)
			}
		}
	}
}

// TestPromptsTable: the page of the prompts says which flows use each.
func TestPromptsTable(t *testing.T) {
	data, err := os.ReadFile("../../prompts/README.md")
	if err != nil {
		t.Fatal(err)
	}
	got, want := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([a-z]+) \| (planner[^|]*) \|`).FindAllStringSubmatch(string(data), -1) {
		got[m[1]] = strings.Join(regexp.MustCompile(`planner[a-z-]*`).FindAllString(m[2], -1), ", ")
	}
	for _, name := range shippedFlows(t) {
		flow := loadShipped(t, name)
		for _, p := range append(promptsOf(flow), promptsAt(flow, "template")...) {
			want[p] = strings.TrimPrefix(want[p]+", "+name, ", ")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prompts/README.md (-flows +page):\n%s", diff)
	}
}

// TestShippedForm: the shipped flows can be read at a glance.
func TestShippedForm(t *testing.T) {
	const widest, longest, lines = 120, 3, 200
	for _, name := range shippedFlows(t) {
		data, err := fs.ReadFile(flows.FS, name+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n > lines {
			t.Errorf("%s.yaml has %d lines", name, n)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if n := utf8.RuneCountInString(line); n > widest {
				t.Errorf("%s.yaml:%d is %d columns wide", name, i+1, n)
			}
		}
		tree, found := yamltree.Parse(name+".yaml", data)
		if len(found) > 0 {
			t.Fatal(found.Text())
		}
		eachScalar(tree, "", func(path string, v *yamltree.Value) {
			if !expressions.MatchString(path) {
				return
			}
			text := strings.TrimRight(v.Text, "\n")
			if n := v.At(max(0, len(text)-1)).Line - v.At(0).Line + 1; n > longest {
				t.Errorf("%s.yaml:%d: the expression at %s has %d lines", name, v.Place.Line, path, n)
			}
		})
	}
}

// expressions are the paths at which a flow has expressions.
var expressions = regexp.MustCompile(`^\.(functions\.[^.]+\.(expr|cel)|nodes\.[^.]+\.(prep|post|vars|actions|action$|fallback|retry\.on|with\.(expr|prep|branches\.[^.]+\.prep)))`)

// eachScalar gives the scalars inside a value with their paths.
func eachScalar(v *yamltree.Value, path string, f func(path string, v *yamltree.Value)) {
	for _, item := range v.Items {
		eachScalar(item, path, f)
	}
	for _, e := range v.Entries {
		eachScalar(e.Value, path+"."+e.Key, f)
	}
	if len(v.Items)+len(v.Entries) == 0 {
		f(path, v)
	}
}
