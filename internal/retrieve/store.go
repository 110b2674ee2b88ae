package retrieve

import (
	"encoding/binary"
	"errors"
	"math"
)

// errStored is the error of reading an index out of what is none.
var errStored = errors.New("this is no index")

// Append writes an index of NewDiscovery behind what is there, for ReadDiscovery. What is written is no promise to other
// programs, nor to the next version of this one.
func (x *Index) Append(to []byte) []byte {
	w := storeWriter{to}
	w.texts(x.names)
	w.texts(x.words)
	w.bytes(x.past)
	w.floats(x.rarity)
	w.u64(math.Float64bits(x.most))
	for _, l := range []*lists[posting]{&x.postings, &x.shares} {
		w.u32s(l.from)
		w.postings(l.items)
	}
	w.u32s(x.mentions.from)
	w.u64(uint64(len(x.mentions.items)))
	for _, e := range x.mentions.items {
		w.u32(uint32(e))
	}
	w.u64(uint64(len(x.examples)))
	for _, e := range x.examples {
		w.u32(uint32(e.candidate))
		w.u32(math.Float32bits(e.weight))
	}
	w.bytes([]byte(x.like.texts.all))
	w.u32s(x.like.texts.ends)
	w.u32s(x.like.texts.first)
	w.u32s(x.like.with)
	return w.to
}

// ReadDiscovery reads what Append wrote. Of anything else it gives an error, or an index that is none: who keeps it has to
// know that it is whole.
func ReadDiscovery(data []byte) (x *Index, err error) {
	defer func() {
		if recover() != nil { // a length that leads behind the end
			x, err = nil, errStored
		}
	}()
	r := storeReader{data}
	x = &Index{stems: allStems, names: r.texts(), words: r.texts(), past: r.bytes(), rarity: r.floats(), most: math.Float64frombits(r.u64())}
	for _, l := range []*lists[posting]{&x.postings, &x.shares} {
		l.from, l.items = r.u32s(), r.postings()
	}
	x.mentions.from = r.u32s()
	x.mentions.items = make([]int32, r.length(4))
	for i := range x.mentions.items {
		x.mentions.items[i] = int32(r.u32())
	}
	x.examples = make([]example, r.length(8))
	for i := range x.examples {
		x.examples[i] = example{int32(r.u32()), math.Float32frombits(r.u32())}
	}
	texts := &texts{all: string(r.bytes()), ends: r.u32s(), first: r.u32s()}
	with := r.u32s()
	if len(with) != blocks*buckets || len(r.data) > 0 || len(texts.first) != len(x.names)+1 {
		return nil, errStored
	}
	x.like = likenessOf(texts, with)
	return x, nil
}

// Texts are those that NewDiscovery compares of a candidate: its name and description, and its past requests.
func (x *Index) Texts(candidate int) []string { return x.like.texts.of(candidate) }

// Len is how many candidates there are.
func (x *Index) Len() int { return len(x.names) }

type storeWriter struct{ to []byte }

func (w *storeWriter) u32(n uint32) { w.to = binary.LittleEndian.AppendUint32(w.to, n) }
func (w *storeWriter) u64(n uint64) { w.to = binary.LittleEndian.AppendUint64(w.to, n) }

func (w *storeWriter) bytes(b []byte) {
	w.u64(uint64(len(b)))
	w.to = append(w.to, b...)
}

func (w *storeWriter) u32s(list []uint32) {
	w.u64(uint64(len(list)))
	for _, n := range list {
		w.u32(n)
	}
}

func (w *storeWriter) floats(list []float64) {
	w.u64(uint64(len(list)))
	for _, n := range list {
		w.u64(math.Float64bits(n))
	}
}

func (w *storeWriter) postings(list []posting) {
	w.u64(uint64(len(list)))
	for _, p := range list {
		w.u32(uint32(p.candidate))
		w.u32(math.Float32bits(p.weight))
	}
}

func (w *storeWriter) texts(list []string) {
	var ends []uint32
	var all []byte
	for _, s := range list {
		all = append(all, s...)
		ends = append(ends, uint32(len(all)))
	}
	w.u32s(ends)
	w.bytes(all)
}

// storeReader reads what storeWriter wrote; it panics at the end of what there is.
type storeReader struct{ data []byte }

func (r *storeReader) take(n int) []byte {
	out := r.data[:n:n]
	r.data = r.data[n:]
	return out
}

func (r *storeReader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *storeReader) u64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

// length is that of a list of items of so many bytes, for which there is room.
func (r *storeReader) length(size int) int {
	n := r.u64()
	if n > uint64(len(r.data)/size) {
		panic(errStored)
	}
	return int(n)
}

func (r *storeReader) bytes() []byte { return r.take(r.length(1)) }

func (r *storeReader) u32s() []uint32 {
	out := make([]uint32, r.length(4))
	from := r.take(4 * len(out))
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(from[4*i:])
	}
	return out
}

func (r *storeReader) floats() []float64 {
	out := make([]float64, r.length(8))
	for i := range out {
		out[i] = math.Float64frombits(r.u64())
	}
	return out
}

func (r *storeReader) postings() []posting {
	out := make([]posting, r.length(8))
	from := r.take(8 * len(out))
	for i := range out {
		out[i] = posting{int32(binary.LittleEndian.Uint32(from[8*i:])), math.Float32frombits(binary.LittleEndian.Uint32(from[8*i+4:]))}
	}
	return out
}

func (r *storeReader) texts() []string {
	ends := r.u32s()
	all := string(r.bytes())
	out := make([]string, len(ends))
	start := uint32(0)
	for i, end := range ends {
		out[i], start = all[start:end], end
	}
	return out
}
