package nodes

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/retrieve"
	"pflow/internal/shelf"
)

// savedRecords are so many different saved workflows.
func savedRecords(n int) []*library.Record {
	verbs, things := []string{"archive", "fetch", "rename", "merge", "publish"}, []string{"invoices", "photos", "logs", "notes", "contracts", "tickets", "backups"}
	out := make([]*library.Record, n)
	for i := range out {
		about := verbs[i%5] + " " + things[i/5%7]
		out[i] = library.NewRecord(fmt.Sprintf("%s-%d", verbs[i%5], i), []byte(`{"ir_version": "0.1.0", "nodes": []}`), nil)
		out[i].Description, out[i].Keywords, out[i].Examples = about, []string{verbs[i%5]}, []string{fmt.Sprintf("%s of week %d into out%d.csv", about, i, i)}
	}
	return out
}

func discovered(t *testing.T, records []*library.Record, usual []string, file shelf.Index) *retrieve.Index {
	t.Helper()
	index, err := discoveryOf(records, usual, file)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// TestDiscoveryIndex: the index of a file ranks as one that is made anew, whatever changed since, and whatever is in the file.
func TestDiscoveryIndex(t *testing.T) {
	records, usual := savedRecords(150), []string{"copy-file Copy a file."}
	file := shelf.Index{Path: filepath.Join(t.TempDir(), "cache", "discovery.index"), Program: "this program"}
	requests := []string{"archive the invoices of week 3", "publish notes", "merge photos into all.csv", "nothing like it"}
	same := func(name string, index *retrieve.Index) {
		t.Helper()
		want := discovered(t, records, usual, shelf.Index{})
		for _, request := range requests {
			a, _ := want.First(t.Context(), request, 20)
			b, err := index.First(t.Context(), request, 20)
			if err != nil || fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("%s, %q: %v, want %v", name, request, b, a)
			}
		}
	}
	same("made", discovered(t, records, usual, file))
	good, err := os.ReadFile(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	same("kept", discovered(t, records, usual, file))
	if now, _ := os.ReadFile(file.Path); string(now) != string(good) {
		t.Error("an index of the same workflows is made again")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		damaged := append([]byte{}, good...)
		damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
		if err := os.WriteFile(file.Path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, index := readDiscovery(file.Path, file.Program); index != nil {
			t.Fatal("a damaged index is taken")
		}
	}
	same("damaged", discovered(t, records, usual, file))
	if _, _, index := readDiscovery(file.Path, file.Program); index == nil {
		t.Error("the damaged index was not replaced")
	}
	if _, _, index := readDiscovery(file.Path, "another program"); index != nil {
		t.Error("the index of another program is taken")
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"another description", func() { records[7].Description = "fetch all the contracts at once" }},
		{"another past request", func() { records[8].Examples = []string{"publish notes, now and here"} }},
		{"another keyword", func() { records[9].Keywords = []string{"photos"} }},
		{"another name", func() { records[10].Name = "merge-photos-at-last" }},
		{"one is gone", func() { records = append(records[:11:11], records[12:]...) }},
		{"one is new", func() { records = append(records, savedRecords(151)[150]) }},
		{"another order", func() { records[0], records[1] = records[1], records[0] }},
		{"other node types", func() { usual = append(usual, "publish Publish notes.") }},
	} {
		c.do()
		same(c.name, discovered(t, records, usual, file))
		same(c.name+", kept", discovered(t, records, usual, file))
	}
	// What was read of past requests is taken from the index, not read again.
	_, sums, index := readDiscovery(file.Path, file.Program)
	if known := knownTexts(sums, index); len(known) != len(records) {
		t.Errorf("the index knows %d workflows of %d", len(known), len(records))
	}
}

// TestDiscoveryIndexPanic: what breaks while a past request is read is an error of kind bug, not a request less.
func TestDiscoveryIndexPanic(t *testing.T) {
	records := savedRecords(150)
	records[70] = nil // which reading cannot be kept from: it panics
	if _, err := workflowCandidates(records, nil, nil); err == nil || fault.Of(err).Kind != fault.Bug {
		t.Errorf("%v, want a bug", err)
	}
}
