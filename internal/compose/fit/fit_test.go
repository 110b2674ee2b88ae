package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pflow/internal/compose"
)

const components = `name: picture
description: Paint a picture of something.
inputs: [{key: prompt, type: string, required: true}]
outputs: [{key: picture, type: string, kind: image}]
---
name: frame
description: Frame a photo.
inputs: [{key: photo, type: string, kind: image, required: true}]
outputs: [{key: photo, type: string, kind: image}]
`

const cases = `{"id": "a", "request": "paint a picture of \"a tree\", then frame it", "only": ["picture", "frame"], "expect": {"nodes": ["picture", "frame"], "edges": [["picture", "frame"]]}}
{"id": "b", "request": "paint a picture of \"a house\", then frame it", "only": ["picture", "frame"], "expect": {"nodes": ["picture", "frame"], "edges": [["picture", "frame"]]}}
{"id": "c", "request": "sing a song", "only": ["picture", "frame"], "expect": {"nodes": []}}
`

func folder(t *testing.T, nodes, cases string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"nodes.yaml": nodes, "cases.jsonl": cases} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSearch: a weight that is far off is found again, and twice the same way.
func TestSearch(t *testing.T) {
	s, err := readSet(t.Context(), folder(t, components, cases))
	if err != nil {
		t.Fatal(err)
	}
	if len(s) != 2 {
		t.Fatalf("%d tasks; what nothing fits is none", len(s))
	}
	good, err := worth([]set{s}, compose.Shipped())
	if err != nil {
		t.Fatal(err)
	}
	off := compose.Shipped()
	for _, f := range off.Fields() {
		if f.Section == "wires" && f.Key == "least" {
			*f.Value = 5
		}
	}
	bad, err := worth([]set{s}, off)
	if err != nil {
		t.Fatal(err)
	}
	found, moved, err := search([]set{s}, off)
	if err != nil {
		t.Fatal(err)
	}
	got, err := worth([]set{s}, found)
	if err != nil {
		t.Fatal(err)
	}
	if bad.mean() >= good.mean() || got.mean() != good.mean() || !moved["wires.least"] {
		t.Errorf("off %v, found %v by %v, good %v", bad, got, moved, good)
	}
	again, _, err := search([]set{s}, off)
	if err != nil || again != found {
		t.Errorf("the same sets gave other weights: %v, %v", again, err)
	}
}

// TestWritten: a weight is put in its place, and nothing else of the file changes.
func TestWritten(t *testing.T) {
	text, err := os.ReadFile("../weights.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := compose.Shipped()
	for _, f := range w.Fields() {
		same, err := written(text, f)
		if err != nil {
			t.Fatal(err)
		}
		read, found := compose.ReadWeights("weights.yaml", same)
		if found.HasErrors() || read != w {
			t.Fatalf("%s.%s: written again the file is another\n%s", f.Section, f.Key, found.Text())
		}
		v := -7.5
		if f.Section == "thresholds" {
			v = 0.75
		}
		f.Value = &v
		other, err := written(text, f)
		if err != nil {
			t.Fatal(err)
		}
		if read, found = compose.ReadWeights("weights.yaml", other); found.HasErrors() {
			t.Fatal(found.Text())
		}
		for k, got := range read.Fields() {
			if want := *w.Fields()[k].Value; got.Key == f.Key && got.Section == f.Section {
				if *got.Value != v {
					t.Errorf("%s.%s is %g", f.Section, f.Key, *got.Value)
				}
			} else if *got.Value != want {
				t.Errorf("writing %s.%s moved %s.%s", f.Section, f.Key, got.Section, got.Key)
			}
		}
	}
}

// TestFaults: what is wrong with a set is said with its place.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ nodes, cases, want string }{
		{components, cases + "{\n", "cases.jsonl:4: "},
		{"", cases, "nodes.yaml"},
	} {
		dir := folder(t, c.nodes, c.cases)
		if c.nodes == "" {
			if err := os.Remove(filepath.Join(dir, "nodes.yaml")); err != nil {
				t.Fatal(err)
			}
		}
		if err := run([]string{dir}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if err := run(nil); err == nil {
		t.Error("no set is one")
	}
}

// TestParted: each half of the cases is dealt into halves again, and what one half has the other has not.
func TestParted(t *testing.T) {
	var all set
	for n := range 64 {
		id := strconv.Itoa(n)
		all = append(all, task{deal: [2]int{halfOf(id, 0), halfOf(id, 1)}, nodes: []string{id}})
	}
	own, others := parted([]set{all}, 1)
	if len(own[0])+len(others[0]) != len(all) || len(own[0]) == 0 || len(others[0]) == 0 {
		t.Fatalf("%d and %d of %d cases", len(own[0]), len(others[0]), len(all))
	}
	for _, part := range []set{own[0], others[0]} {
		var n [2]int
		for _, task := range part {
			if task.deal[0] != part[0].deal[0] {
				t.Errorf("case %s is of the other half", task.nodes[0])
			}
			n[task.half]++
		}
		if n[0] == 0 || n[1] == 0 {
			t.Errorf("%d and %d cases in the halves of a half: a move is to be judged by two", n[0], n[1])
		}
	}
}
