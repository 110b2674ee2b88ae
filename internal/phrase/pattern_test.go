package phrase

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"
)

// What the outline of a pattern says is what its automaton has: of every shipped pattern, and of hard ones.
func TestOutlines(t *testing.T) {
	names, err := fs.Glob(os.DirFS("../../nodes/phrases"), "*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := file{Words: map[string][]string{}, Is: map[string][]string{}}
	for _, name := range names {
		data, err := os.ReadFile("../../nodes/phrases/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := decode(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if err := all.take(f, name, false); err != nil {
			t.Fatal(err)
		}
	}
	classes := map[string]*class{}
	for name, words := range all.Words {
		classes[name] = newClass(words)
	}
	says := []string{"[a] b", "[a [b]] {c}", "(a|[b]) c", "(a|) (b|c)", "[a] [b]", "(|a)", "! a", "[!] ! {c+}", "[<copy>|{x:file+}] (a [b]|c) d", "", "()", "((a))", "[[a]]|b c"}
	for _, r := range all.Rules {
		says = append(says, r.Says...)
	}
	for _, text := range says {
		automaton, err := compilePattern(text, classes)
		if err != nil {
			t.Fatal(err)
		}
		first, any := map[arc]bool{}, map[arc]bool{}
		nothing, err := outline(text, classes, func(a arc, begins bool) {
			if a.empty() {
				return
			}
			any[a] = true
			if begins {
				first[a] = true
			}
		})
		if err != nil || nothing != automaton.ends(0) {
			t.Errorf("%q: it may be nothing: %v, %v", text, nothing, err)
		}
		begin, every := map[arc]bool{}, map[arc]bool{}
		for state, arcs := range automaton.states {
			for _, a := range arcs {
				if a.to = 0; a.empty() {
					continue
				}
				every[a] = true
				if state == 0 {
					begin[a] = true
				}
			}
		}
		if !maps.Equal(first, begin) || !maps.Equal(any, every) {
			t.Errorf("%q: begins with %v, want %v", text, slices.Collect(maps.Keys(first)), slices.Collect(maps.Keys(begin)))
		}
	}
}

// What is wrong with a pattern is found when the grammar is loaded, not when a reading comes by.
func TestFaultsOfPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"a (b":      `"a (b": want ')'`,
		"a b)":      `"a b)": ")" closes nothing`,
		"[a":        `"[a": want ']'`,
		"a {b":      `"a {b": want '}'`,
		"a {:b}":    `"a {:b}": want {slot:sort}, got {:b}`,
		"<nowhere>": `"<nowhere>": there is no list of words <nowhere>`,
		"[a] [b]":   `"[a] [b]": it may be nothing`,
		"a }":       `"a }": "}" closes nothing`,
	} {
		_, err := compile(&file{Rules: []Rule{{As: "do", Says: []string{"fine", text}, source: "f.yaml"}}}, func(string) bool { return true })
		if err == nil || err.Error() != "f.yaml: "+want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
