package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/diag"
)

// specKinds are the kinds of the contract, each of which needs its cases.
var specKinds = strings.Fields(`
	bad-yaml unknown-key duplicate-key wrong-kind missing-key bad-name bad-type unknown-op unknown-param bad-param
	missing-prep unknown-node unreachable-node no-path-to-end unrouted-action impossible-action no-default-route
	bad-expression bad-condition condition-not-bool unknown-state-key read-before-write unknown-flow flow-cycle
	unknown-prompt unknown-schema prompt-missing-var prompt-unused-var bad-retry bad-function bad-extends bad-catch-all unknown-meter`)

// loadFile compiles a test flow; flows/ and prompts/ beside it hold what it names.
func loadFile(t testing.TB, file string, set ...engine.Setting) (*engine.Flow, diag.List) {
	t.Helper()
	doc, err := engine.ReadDocument(engine.FlowDocument, file)
	if err != nil {
		t.Fatal(err)
	}
	l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{Home: filepath.Dir(file)}, Set: set}
	return l.Load(doc)
}

// want is what a document says of itself: # want "regexp" on a line is a finding of that line.
type want struct {
	file    string
	line    int
	pattern *regexp.Regexp
}

func wantsOf(t *testing.T, file string) []want {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []want
	for i, line := range strings.Split(string(data), "\n") {
		_, rest, ok := strings.Cut(line, "# want ")
		for ok {
			q, err := strconv.QuotedPrefix(strings.TrimLeft(rest, " "))
			if err != nil {
				break
			}
			rest = strings.TrimLeft(rest, " ")[len(q):]
			pattern, _ := strconv.Unquote(q)
			out = append(out, want{file, i + 1, regexp.MustCompile(pattern)})
		}
	}
	return out
}

// TestFindings loads every testdata/err/*.yaml: it has the findings that its lines want and no others. Where findings
// are in another document that it names, that document's lines want them.
func TestFindings(t *testing.T) {
	files, _ := filepath.Glob("testdata/err/*.yaml")
	cases := map[string]int{}
	for _, file := range files {
		_, found := loadFile(t, file)
		wants := wantsOf(t, file)
		seen := map[string]bool{file: true}
		for _, f := range found {
			if p := f.Place.File; !seen[p] && p != "" {
				seen[p] = true
				wants = append(wants, wantsOf(t, p)...)
			}
		}
		for _, f := range found {
			if !slices.Contains(kindNames(), f.Kind) {
				t.Errorf("%s: the kind %s is not listed", file, f.Kind)
			}
			text := fmt.Sprintf("%s [%s]", f.Message, f.Kind)
			i := slices.IndexFunc(wants, func(w want) bool {
				return w.file == f.Place.File && w.line == f.Place.Line && w.pattern.MatchString(text)
			})
			if i < 0 {
				t.Errorf("%s: not wanted:\n%s", file, f.Text())
				continue
			}
			cases[f.Kind]++
			wants = slices.Delete(wants, i, i+1)
		}
		for _, w := range wants {
			t.Errorf("%s:%d: no finding matches %q", w.file, w.line, w.pattern)
		}
	}
	for _, kind := range specKinds {
		if cases[kind] < 3 {
			t.Errorf("the kind %s has %d cases; it needs three", kind, cases[kind])
		}
	}
	if testing.Verbose() {
		for _, kind := range kindNames() {
			t.Logf("%-20s %d", kind, cases[kind])
		}
	}
}

func kindNames() []string {
	var names []string
	for _, k := range engine.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func TestKindsAreListed(t *testing.T) {
	names := kindNames()
	if !slices.IsSorted(names) {
		t.Error("the kinds are not sorted")
	}
	for _, kind := range specKinds {
		if !slices.Contains(names, kind) {
			t.Errorf("Kinds lacks %s", kind)
		}
	}
}

// TestSilent loads every testdata/ok/*.yaml: no finding at all.
func TestSilent(t *testing.T) {
	files, _ := filepath.Glob("testdata/ok/*.yaml")
	if len(files) < 5 {
		t.Fatal("the good flows are gone")
	}
	for _, file := range files {
		if flow, found := loadFile(t, file); flow == nil || len(found) > 0 {
			t.Errorf("%s", found.Text())
		}
	}
}
