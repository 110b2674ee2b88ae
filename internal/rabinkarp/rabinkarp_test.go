package rabinkarp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naive is what Find does, word by word.
func naive(words []string, text string, wanted func(word, start int) bool) []string {
	var lengths []int
	for _, w := range words {
		lengths = append(lengths, len(w))
	}
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	slices.Reverse(lengths)
	var out []string
	for _, n := range lengths {
		for start := 0; n > 0 && start+n <= len(text); start++ {
			for k, w := range words {
				if w == text[start:start+n] && wanted(k, start) {
					out = append(out, fmt.Sprint(k, "@", start))
					start += n - 1
					break
				}
			}
		}
	}
	return out
}

func found(words []string, text string, wanted func(word, start int) bool) []string {
	var out []string
	New(words).Find(text, wanted, func(word, start int) { out = append(out, fmt.Sprint(word, "@", start)) })
	return out
}

func TestFind(t *testing.T) {
	any := func(int, int) bool { return true }
	for _, c := range []struct {
		words  []string
		text   string
		wanted func(word, start int) bool
		want   string
	}{
		{nil, "a", any, ""},
		{[]string{""}, "a", any, ""},
		{[]string{"a"}, "", any, ""},
		{[]string{"longer"}, "long", any, ""},
		{[]string{"whole"}, "whole", any, "0@0"},
		{[]string{"b", "a"}, "aba", any, "1@0 0@1 1@2"},
		{[]string{"a", "abc", "bc"}, "abc", any, "1@0 2@1 0@0"}, // longer ones first
		{[]string{"aa"}, "aaaaa", any, "0@0 0@2"},               // none within another
		{[]string{"aa"}, "aaaaa", func(_, at int) bool { return at > 0 }, "0@1 0@3"},
		{[]string{"x", "x"}, "x", any, "0@0"},
		{[]string{"x", "x"}, "x", func(word, _ int) bool { return word == 1 }, "1@0"},
		{[]string{"é", "日本"}, "é 日本 é", any, "1@3 0@0 0@10"},
		{[]string{"\x00", "\x00\x00"}, "\x00\x00\x00", any, "1@0 0@0 0@1 0@2"}, // a byte that counts nothing
	} {
		if got := strings.Join(found(c.words, c.text, c.wanted), " "); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.words, c.text, got, c.want)
		}
	}
}

// Words and texts of few letters overlap in every way there is.
func TestFindAgainstWordByWord(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab\x00\xff"[r.IntN(4)]
		}
		return string(b)
	}
	for range 2000 {
		var words []string
		for range r.IntN(8) {
			words = append(words, letters(r.IntN(6)))
		}
		text, odd := letters(r.IntN(40)), r.IntN(3)
		wanted := func(word, start int) bool { return (word+start)%3 != odd }
		if got, want := found(words, text, wanted), naive(words, text, wanted); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %q, want %q", words, text, got, want)
		}
	}
}

// BenchmarkFind looks for so many words in 100 KB: what it takes must not grow with them.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprintf("value%08d", i)
		}
		text := strings.Repeat("a text with a value 12 ", 100_000/23)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := New(words)
			for b.Loop() {
				s.Find(text, func(int, int) bool { return true }, func(int, int) {})
			}
		})
	}
}
