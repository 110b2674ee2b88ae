package retrieve

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestStored: an index that was written and read ranks as the one that was made, and of anything else nothing is read.
func TestStored(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 300} {
		all, text := randomLibrary(r, n)
		made, err := NewDiscovery(t.Context(), all, text(9), text(9))
		if err != nil {
			t.Fatal(err)
		}
		data := made.Append(nil)
		read, err := ReadDiscovery(data)
		if err != nil {
			t.Fatal(err)
		}
		if read.Len() != n {
			t.Fatalf("%d candidates, want %d", read.Len(), n)
		}
		for i := range all {
			if want := append([]string{all[i].Name + ". " + all[i].Description}, all[i].Examples...); fmt.Sprint(read.Texts(i)) != fmt.Sprint(want) {
				t.Errorf("%d: %q, want %q", i, read.Texts(i), want)
			}
		}
		for range 20 {
			request := text(9)
			want, _ := made.First(t.Context(), request, 50)
			got, err := read.First(t.Context(), request, 50)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q: %v, want %v", request, got, want)
			}
		}
		for _, cut := range []int{0, 7, 8, len(data) / 2, len(data) - 1} {
			if _, err := ReadDiscovery(data[:cut]); err == nil {
				t.Errorf("%d of %d bytes are read as an index", cut, len(data))
			}
		}
		if _, err := ReadDiscovery(append(data[:len(data):len(data)], 0)); err == nil {
			t.Error("an index with more behind it is read")
		}
	}
}

// TestRankingWork: what is looked at for a request grows with its different words, not with its length: a word that is said
// ten thousand times counts once.
func TestRankingWork(t *testing.T) {
	all, _ := randomLibrary(rand.New(rand.NewPCG(13, 14)), 200)
	x, err := NewDiscovery(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	looked := func(request string) int {
		n := 0
		for _, s := range distinct(x.stems(request)) {
			if w := x.word(s); w >= 0 {
				n += len(x.postings.of(w)) + len(x.shares.of(w)) + len(x.mentions.of(w))
			}
		}
		return n
	}
	once, long := "copy the weekly file report", ""
	for len(long) < 100_000 {
		long += once + " "
	}
	if a, b := looked(once), looked(long); a == 0 || a != b {
		t.Errorf("%d for a short request, %d for the same said over and over", a, b)
	}
}
