package library

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pflow/internal/atomicfile"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/workflowfile"
)

// The index holds what was read of each file, beside the file's size and time of change. A listing asks the folder for
// those and reads the files that are new or other than before; of the rest it takes what the index has. The index is a file
// of its own, outside of the folder, and nothing is lost with it: one that is not there, that is damaged, of another
// program or of another folder is made anew, and nobody is told. It is replaced as a whole, so that processes at the same
// time each have one that is whole; what the last of them wrote stays.

// indexFormat is written into an index; one of another format is made anew.
const indexFormat = 1

// leastIndexed is how many files a folder has before an index is kept: fewer are read as quickly.
const leastIndexed = 100

// settled is how old a file's time of change has to be, when the file is read, to tell later changes from it: file systems
// count time in steps.
const settled = 2 * time.Second

// indexMagic begins the file. Behind it stand the check sum of the rest and the rest.
const indexMagic = "pflow library\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// indexed is what the index knows of a file.
type indexed struct {
	file          string
	size, changed int64 // changed is 0 where the file is to be read again in any case
	record        *Record
	found         diag.List
	stored        *stored
}

// stored is a record's body as it lies in the index: {ir, origin, extra}.
type stored struct{ text string }

func (s *stored) body() (ir, origin json.RawMessage, extra map[string]json.RawMessage) {
	var b storedBody
	if err := json.Unmarshal([]byte(s.text), &b); err != nil {
		panic("library: the index holds what it was not given: " + err.Error()) // it has a check sum
	}
	return b.IR, b.Origin, b.Extra
}

type storedBody struct {
	IR     json.RawMessage            `json:"ir"`
	Origin json.RawMessage            `json:"origin,omitempty"`
	Extra  map[string]json.RawMessage `json:"extra,omitempty"`
}

// storedFinding is a finding with the line of the file that it shows.
type storedFinding struct {
	diag.Finding
	Snippet string `json:"snippet,omitempty"`
}

// Indexed keeps an index of the folder in a file, which is made anew by another program than the one that by names. A
// folder in which it cannot be written has none.
func (l *Library) Indexed(file, by string) *Library {
	out := *l
	out.index, out.program = file, by
	return &out
}

// readIndex gives what the index knows, in the order of files; nothing where there is no index of use.
func (l *Library) readIndex() []indexed {
	if l.index == "" {
		return nil
	}
	f, err := os.Open(l.index)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var text strings.Builder
	text.Grow(int(info.Size()))
	sum := crc32.New(castagnoli)
	head := make([]byte, len(indexMagic)+4)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(indexMagic)]) != indexMagic {
		return nil
	}
	if _, err := io.Copy(io.MultiWriter(&text, sum), f); err != nil || binary.LittleEndian.Uint32(head[len(indexMagic):]) != sum.Sum32() {
		return nil
	}
	var out []indexed
	if fault.Guard(func() error { out = l.decodeIndex(text.String()); return nil }) != nil {
		return nil // what another program wrote under the same format
	}
	return out
}

func (l *Library) decodeIndex(text string) []indexed {
	r := &indexReader{text: text}
	if r.number() != indexFormat || r.string() != l.program || r.string() != l.dir {
		return nil
	}
	types := r.strings()
	n := int(r.number())
	if n > len(text) {
		return nil
	}
	entries, records, bodies, kept, traits := make([]indexed, n), make([]Record, n), make([]body, n), make([]stored, n), make([]Traits, n)
	for i := range n {
		e, rec, b, t := &entries[i], &records[i], &bodies[i], &traits[i]
		e.file, e.size, e.changed = r.string(), r.number(), r.number()
		rec.Name, rec.Description, rec.Keywords, rec.Examples = nameOf(e.file), r.string(), r.strings(), r.strings()
		rec.CreatedAt, rec.UpdatedAt, rec.Version = r.time(), r.time(), int(r.number())
		t.Hash, t.Steps, t.Whole, t.Secrets = r.string(), r.string(), r.string(), r.strings()
		t.Types = make([]string, r.number())
		for k := range t.Types {
			t.Types[k] = types[r.number()]
		}
		if found := r.string(); found != "" {
			var list []storedFinding
			if json.Unmarshal([]byte(found), &list) != nil {
				return nil
			}
			for _, f := range list {
				f.Finding.Snippet = f.Snippet
				e.found = append(e.found, f.Finding)
			}
		}
		kept[i].text = r.string()
		e.stored, b.stored, b.traits, rec.body, e.record = &kept[i], &kept[i], t, b, rec
	}
	return entries
}

// knownFiles is what the index knows of files, nil for one that it does not know.
type knownFiles struct {
	of   []*indexed
	gone bool // it knows others, too
}

func (l *Library) knownFiles(files []string) knownFiles {
	out := knownFiles{of: make([]*indexed, len(files))}
	all := l.readIndex()
	for i, file := range files { // both are in the same order
		for len(all) > 0 && cmpFiles(all[0].file, file) < 0 {
			all, out.gone = all[1:], true
		}
		if len(all) > 0 && all[0].file == file {
			out.of[i], all = &all[0], all[1:]
		}
	}
	out.gone = out.gone || len(all) > 0
	return out
}

// listed reads a file, or takes what the index knows of it.
func (l *Library) listed(file string, known *indexed, now time.Time) (of *indexed, same bool, err error) {
	info, err := os.Lstat(l.dir + string(filepath.Separator) + file)
	if err == nil && known != nil && info.Mode().IsRegular() {
		if size, changed := stamp(info, now); size == known.size && changed == known.changed {
			if workflowfile.IsYAML(file) {
				known.record.Version = max(known.record.Version, l.lastVersion(known.record.Name)+1) // as read does
			}
			return known, true, nil
		}
	}
	of = &indexed{file: file}
	if of.record, of.found, err = l.read(file, nameOf(file), 0); err != nil {
		return nil, false, err
	}
	if l.index == "" || info == nil || !info.Mode().IsRegular() || workflowfile.IsYAML(file) && l.lastVersion(of.record.Name) > 0 {
		return of, false, nil // the version of one in YAML is more than its file says
	}
	if of.stored, err = of.record.store(); err == nil {
		of.size, of.changed = stamp(info, now)
		of.record.body = &body{stored: of.stored, traits: of.record.Traits()} // as from the index: of thousands, few are read again
	}
	return of, false, nil
}

// writeIndex replaces the index. That it cannot be written changes nothing but how long the next listing takes.
func (l *Library) writeIndex(of []*indexed) {
	w := &indexWriter{}
	w.number(indexFormat)
	w.string(l.program)
	w.string(l.dir)
	at := map[string]int64{}
	var types []string
	n := 0
	for _, e := range of {
		if e == nil {
			continue
		}
		n++
		for _, t := range e.record.Traits().Types {
			if _, known := at[t]; !known {
				at[t] = int64(len(types))
				types = append(types, t)
			}
		}
	}
	w.strings(types)
	w.number(int64(n))
	for _, e := range of {
		if e == nil {
			continue
		}
		rec, t := e.record, e.record.Traits()
		w.string(e.file)
		w.number(e.size)
		w.number(e.changed)
		w.string(rec.Description)
		w.strings(rec.Keywords)
		w.strings(rec.Examples)
		w.time(rec.CreatedAt)
		w.time(rec.UpdatedAt)
		w.number(int64(rec.Version))
		w.string(t.Hash)
		w.string(t.Steps)
		w.string(t.Whole)
		w.strings(t.Secrets)
		w.number(int64(len(t.Types)))
		for _, name := range t.Types {
			w.number(at[name])
		}
		var found []byte
		if len(e.found) > 0 {
			var list []storedFinding
			for _, f := range e.found {
				list = append(list, storedFinding{f, f.Snippet})
			}
			var err error
			if found, err = json.Marshal(list); err != nil {
				return
			}
		}
		w.string(string(found))
		w.string(e.stored.text)
	}
	head := binary.LittleEndian.AppendUint32([]byte(indexMagic), crc32.Checksum(w.text, castagnoli))
	if os.MkdirAll(filepath.Dir(l.index), 0o700) != nil {
		return
	}
	_ = atomicfile.Replace(l.index, 0o600, head, w.text)
}

// stamp is the size of a file and when it was changed; changed is 0 for one whose next change might not be told from it.
func stamp(info fs.FileInfo, now time.Time) (size, changed int64) {
	changed = info.ModTime().UnixNano()
	if now.Sub(info.ModTime()) < settled || changed == 0 {
		changed = 0
	}
	return info.Size(), changed
}

// store gives a record's body as it is kept.
func (r *Record) store() (*stored, error) {
	b := r.read()
	var text strings.Builder
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false) // the document stays as it was written, but for blanks
	err := to.Encode(storedBody{b.ir, b.origin, b.extra})
	return &stored{text.String()}, err
}

// indexWriter writes numbers and texts one behind the other.
type indexWriter struct{ text []byte }

func (w *indexWriter) number(n int64) { w.text = binary.AppendVarint(w.text, n) }

func (w *indexWriter) string(s string) {
	w.number(int64(len(s)))
	w.text = append(w.text, s...)
}

func (w *indexWriter) strings(list []string) {
	w.number(int64(len(list)))
	for _, s := range list {
		w.string(s)
	}
}

func (w *indexWriter) time(t time.Time) {
	if t.IsZero() {
		w.string("")
		return
	}
	text, err := t.MarshalBinary()
	if err != nil {
		text = nil
	}
	w.string(string(text))
}

// indexReader reads what indexWriter wrote. It panics over anything else.
type indexReader struct{ text string }

func (r *indexReader) number() int64 {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := r.text[0]
		r.text = r.text[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int64(n>>1) ^ -int64(n&1)
		}
	}
}

func (r *indexReader) string() string {
	n := r.number()
	s := r.text[:n]
	r.text = r.text[n:]
	return s
}

func (r *indexReader) strings() []string {
	n := r.number()
	if n == 0 {
		return nil
	}
	if n > int64(len(r.text)) {
		panic(fmt.Sprintf("%d texts in %d bytes", n, len(r.text)))
	}
	out := make([]string, n)
	for i := range out {
		out[i] = r.string()
	}
	return out
}

func (r *indexReader) time() (t time.Time) {
	if s := r.string(); s != "" {
		if err := t.UnmarshalBinary([]byte(s)); err != nil {
			panic(errors.New("no time"))
		}
	}
	return t
}
