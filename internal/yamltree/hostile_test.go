// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package yamltree

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"pflow/internal/cputime"
)

// hostile gives documents that are made to be slow or large, by name.
func hostile() map[string]string {
	fill := func(unit string, size int) string { return strings.Repeat(unit, size/len(unit)) }
	bomb := "a0: &a0 [x]\n"
	for i := 1; i < 60; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
	}
	var keys, deep strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&keys, "key%d: %d\n", i, i)
	}
	for i := range 2800 {
		deep.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	docs := map[string]string{
		"alias bomb":            bomb,
		"alias bomb, wide":      "a: &a [" + strings.Repeat("x,", 1000) + "x]\nb: [" + strings.Repeat("*a,", 1000) + "*a]",
		"100,000 keys":          keys.String(),
		"one key 100,000 times": strings.Repeat("a: 1\n", 100_000),
		"deep block":            deep.String(),
		"deep flow list":        strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"deep flow map":         strings.Repeat("{a: ", 10_000) + strings.Repeat("}", 10_000),
		"deep lists":            strings.Repeat("- ", 10_000),
		"deep through an alias": "a: &a " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "\nb: " + strings.Repeat("[", 60) + "*a" + strings.Repeat("]", 60),
		"100 MB":                fill("x", 100<<20),
		"100 MB of keys":        fill("key: value\n", 100<<20),
	}
	for _, unit := range []string{
		"[", "{", "- ", "? ", "&a ", "!a ", "\"", "'", "# c\n", "\n", ": ", "%a\n", "*a ", "a: b # c\n", "a: |\n b\n", "x ", "x\n", "\t",
		"\r", "---\n", "...\n", "a,", "[a,", "é: ", "|", "a: >\n\n", "a:\n - b\n", "{}, ", "'' ", "\"\\\n", "- # x\n", " #\n-", "a: \n# c\n\n",
	} {
		docs[fmt.Sprintf("4 MiB of %q", unit)] = fill(unit, MaxSize)
		docs[fmt.Sprintf("a list of %q", unit)] = "[" + fill(unit, 400_000)
		docs[fmt.Sprintf("an error after %q", unit)] = "a: {" + fill(unit, maxTried-10)
		docs[fmt.Sprintf("an open quote after %q", unit)] = fill("a: "+strings.TrimSpace(unit)+"\n", maxTried-10) + "b: \"\n"
	}
	return docs
}

// TestHostile: every document gets its answer in bounded time and memory. What is measured is at most 0.9 s (the
// search for the place of an error) and 500 MB allocated in all; the bounds leave room for slow machines and -race.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		_, found := Parse("f", []byte(text))
		took := time.Since(begin)
		runtime.ReadMemStats(&after)
		if testing.Verbose() && took > 300*time.Millisecond {
			t.Log(name, took, (after.TotalAlloc-before.TotalAlloc)>>20, "MB")
		}
		if took > 120*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 1500 {
			t.Errorf("%s: allocated %d MB", name, mb)
		}
		if len(found) > maxFindings {
			t.Errorf("%s: %d findings", name, len(found))
		}
	}
}

func TestHostileAnswers(t *testing.T) {
	docs := hostile()
	for name, want := range map[string]string{
		"alias bomb":            "f:6:18: error: aliases make this document too large: they add more than 50000 values [bad-yaml]",
		"alias bomb, wide":      "f:2:152: error: aliases make this document too large: they add more than 50000 values [bad-yaml]",
		"100,000 keys":          "",
		"one key 100,000 times": "f:2:1: error: the key \"a\" stands here twice; the first is in line 1 [duplicate-key]",
		"deep block":            "f:101:101: error: lists and mappings nest deeper than 100 levels here [bad-yaml]",
		"deep flow list":        "f:1:101: error: lists and mappings nest deeper than 100 levels here [bad-yaml]",
		"deep flow map":         "f:1:401: error: lists and mappings nest deeper than 100 levels here [bad-yaml]",
		"deep through an alias": "f:2:64: error: lists and mappings nest deeper than 100 levels here [bad-yaml]",
		"deep lists":            "f:1:201: error: lists and mappings nest deeper than 100 levels here [bad-yaml]",
		"100 MB":                "f:1:1: error: the document has 104857600 bytes; at most 4194304 are read [bad-yaml]",
		"100 MB of keys":        "f:1:1: error: the document has 104857599 bytes; at most 4194304 are read [bad-yaml]",
	} {
		_, found := Parse("f", []byte(docs[name]))
		got, _, _ := strings.Cut(found.Text(), "\n")
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// Time grows with the number of keys and not with its square.
func TestKeysAreLinear(t *testing.T) {
	measure := func(n int) time.Duration {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k%d: 1\n", i)
		}
		begin := cputime.Used()
		if _, found := Parse("f", []byte(b.String())); len(found) > 0 {
			t.Fatal(found.Text())
		}
		return cputime.Used() - begin
	}
	for try := 1; ; try++ { // a busy machine is no fault of the reader
		few, many := measure(10_000), measure(100_000)
		if many <= 40*few {
			return
		}
		if try == 20 {
			t.Fatalf("10,000 keys take %s, 100,000 take %s", few, many)
		}
	}
}
