package nodes

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"pflow/internal/atomicfile"
	"pflow/internal/compose"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/shelf"
)

// The index that finds saved workflows is kept in a file, with a check sum of all that it was made of. One that is not there,
// that is damaged or was made of other workflows is made anew; of it is kept what was read of workflows that are the same,
// since reading their past requests takes the longest.

// leastKept is how many workflows there are before an index is kept: one of fewer is made as quickly.
const leastKept = 100

// discoveryMagic begins the file. Behind it stand the check sum of the rest, the sum of what the index was made of, the sum of
// each workflow, and the index.
const discoveryMagic = "pflow discovery 1\n"

const sumSize = 16

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// discoveryOf gives the index of saved workflows, from the file where that is one of them.
func discoveryOf(records []*library.Record, usual []string, file shelf.Index) (*retrieve.Index, error) {
	if file.Path == "" || len(records) < leastKept {
		all, err := workflowCandidates(records, nil, nil)
		if err != nil {
			return nil, err
		}
		return retrieve.NewDiscovery(shared, all, usual...)
	}
	all := sha256.New()
	addTexts(all, file.Program)
	addTexts(all, usual...)
	sums := make([]byte, 0, len(records)*sumSize)
	one := sha256.New()
	for _, r := range records {
		one.Reset()
		addTexts(one, r.Name, r.Description)
		addTexts(one, r.Keywords...)
		addTexts(one, r.Examples...)
		sums = append(sums, one.Sum(nil)[:sumSize]...)
	}
	all.Write(sums)
	sum := all.Sum(nil)
	kept, was, index := readDiscovery(file.Path, file.Program)
	if index != nil && bytes.Equal(kept, sum) && index.Len() == len(records) {
		return index, nil
	}
	candidates, err := workflowCandidates(records, sums, knownTexts(was, index))
	if err != nil {
		return nil, err
	}
	if index, err = retrieve.NewDiscovery(shared, candidates, usual...); err != nil {
		return nil, err
	}
	writeDiscovery(file, sum, sums, index)
	return index, nil
}

// addTexts adds texts to a sum, so that no others give the same.
func addTexts(to hash.Hash, list ...string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(list)))
	to.Write(n[:])
	for _, s := range list {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		to.Write(n[:])
		io.WriteString(to, s)
	}
}

// workflowCandidates are workflows as they are found. known are past requests as they were read before, by the sum of the
// workflow. One that cannot be read is no evidence; a panic is an error, not a request that is left out of what is kept.
func workflowCandidates(records []*library.Record, sums []byte, known map[string][]string) ([]retrieve.Candidate, error) {
	all := make([]retrieve.Candidate, len(records))
	errs := fault.Each(len(records), func(n int) error {
		r := records[n]
		all[n] = retrieve.Candidate{Name: r.Name, Description: r.Description, Keywords: r.Keywords}
		if known != nil {
			if texts, ok := known[string(sums[n*sumSize:(n+1)*sumSize])]; ok {
				all[n].Examples = texts
				return nil
			}
		}
		for _, e := range r.Examples {
			if read, err := mapparams.Read(shared, e, time.Time{}); err == nil {
				all[n].Examples = append(all[n].Examples, compose.Unvalued(read)) // its values are no evidence
			}
		}
		return nil
	})
	return all, cmp.Or(errs...)
}

// knownTexts are the past requests that an index has, by the sums of its workflows.
func knownTexts(sums []byte, index *retrieve.Index) map[string][]string {
	if index == nil || len(sums) != index.Len()*sumSize {
		return nil
	}
	out := make(map[string][]string, index.Len())
	for n := range index.Len() {
		out[string(sums[n*sumSize:(n+1)*sumSize])] = index.Texts(n)[1:] // the first is name and description
	}
	return out
}

// readDiscovery gives the index of a file with the sums of what it was made of; nil where it is none of this program.
func readDiscovery(file, program string) (sum, sums []byte, index *retrieve.Index) {
	data, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(data, []byte(discoveryMagic)) {
		return nil, nil, nil
	}
	data = data[len(discoveryMagic):]
	if len(data) < 4 || binary.LittleEndian.Uint32(data) != crc32.Checksum(data[4:], castagnoli) {
		return nil, nil, nil
	}
	data = data[4:]
	part := func() []byte {
		if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
			data = nil
			return nil
		}
		n := binary.LittleEndian.Uint64(data)
		out := data[8 : 8+n]
		data = data[8+n:]
		return out
	}
	if string(part()) != program {
		return nil, nil, nil
	}
	sum, sums = part(), part()
	if index, err = retrieve.ReadDiscovery(part()); err != nil {
		return nil, nil, nil
	}
	return sum, sums, index
}

// writeDiscovery replaces the file. That it cannot be written changes nothing but how long the next ranking takes.
func writeDiscovery(file shelf.Index, sum, sums []byte, index *retrieve.Index) {
	var data []byte
	for _, part := range [][]byte{[]byte(file.Program), sum, sums, index.Append(nil)} {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(part)))
		data = append(data, part...)
	}
	if os.MkdirAll(filepath.Dir(file.Path), 0o700) != nil {
		return
	}
	_ = atomicfile.Replace(file.Path, 0o600, binary.LittleEndian.AppendUint32([]byte(discoveryMagic), crc32.Checksum(data, castagnoli)), data)
}
