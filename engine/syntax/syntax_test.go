package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// decodeAll decodes a document as the engine does: the flow, and then what map and parallel hold. A first line
// `# extends` makes a document of two: the child stands behind `---`.
func decodeAll(file string, data []byte) diag.List {
	tree, found := read(file, data)
	if tree == nil {
		return found
	}
	flow, more := Decode(tree)
	found = append(found, more...)
	if flow == nil {
		return found.Sort()
	}
	for _, n := range flow.Nodes {
		switch n.Op.Text {
		case "map":
			_, more := DecodeUnit(n.With)
			found = append(found, more...)
		case "parallel":
			if branches := n.With.Get("branches"); branches != nil {
				for _, e := range branches.Entries {
					_, more := DecodeBranch(e.Value)
					found = append(found, more...)
				}
			}
		}
	}
	return found.Sort()
}

func read(file string, data []byte) (*yamltree.Value, diag.List) {
	if !strings.HasPrefix(string(data), "# extends\n") {
		return Parse(file, data)
	}
	trees, found := yamltree.ParseAll(file, data)
	for len(trees) > 1 && !found.HasErrors() {
		var more diag.List
		trees[1], more = Extend(trees[0], trees[1])
		trees, found = trees[1:], append(found, more...)
	}
	if len(trees) == 0 || found.HasErrors() {
		return nil, found
	}
	return trees[0], found
}

var wanted = regexp.MustCompile(`# want( [0-9]+)? "((?:[^"\\]|\\.)*)"`)

// TestErr compares the findings of each document of testdata/err with its comments: `# want "REGEXP"` stands on the
// line that must be reported, `# want COL "REGEXP"` also says at which column; the expression matches "message [kind]".
// Several may stand on one line. Every finding must be wanted.
func TestErr(t *testing.T) {
	files, err := filepath.Glob("testdata/err/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents", err)
	}
	kinds := map[string]int{}
	nested := map[string]int{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found := decodeAll("f", data)
			for _, f := range found {
				kinds[f.Kind]++
				if strings.HasPrefix(filepath.Base(file), "nested-") {
					nested[f.Kind]++
				}
			}
			left := found
			for i, line := range strings.Split(string(data), "\n") {
				for _, m := range wanted.FindAllStringSubmatch(line, -1) {
					re, err := regexp.Compile(strings.ReplaceAll(m[2], `\"`, `"`))
					if err != nil {
						t.Fatal(err)
					}
					k := indexFinding(left, i+1, strings.TrimSpace(m[1]), re)
					if k < 0 {
						t.Errorf("line %d: nothing like %s among\n%s", i+1, m[0], found.Text())
						continue
					}
					left = append(left[:k:k], left[k+1:]...)
				}
			}
			if len(left) > 0 {
				t.Errorf("not wanted:\n%s", left.Text())
			}
		})
	}
	for _, kind := range []string{
		yamltree.BadYAML, yamltree.DuplicateKey, UnknownKey, WrongKind, MissingKey, BadName, BadType, BadRetry, BadExtends,
	} {
		if kinds[kind] < 3 {
			t.Errorf("only %d findings of kind %s", kinds[kind], kind)
		}
	}
	for _, kind := range []string{yamltree.DuplicateKey, UnknownKey, WrongKind, BadName} {
		if nested[kind] < 1 {
			t.Errorf("no finding of kind %s inside a nested with", kind)
		}
	}
}

func indexFinding(l diag.List, line int, col string, re *regexp.Regexp) int {
	for i, f := range l {
		if f.Place.Line == line && (col == "" || col == fmt.Sprint(f.Place.Col)) && re.MatchString(f.Message+" ["+f.Kind+"]") {
			return i
		}
	}
	return -1
}

// TestOK: the documents of testdata/ok have no findings.
func TestOK(t *testing.T) {
	files, err := filepath.Glob("testdata/ok/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := decodeAll(file, data); len(found) > 0 {
			t.Error(found.Text())
		}
	}
}
