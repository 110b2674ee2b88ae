package experiment

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/shelf"
	"pflow/ir"
)

// maxName bounds what an id takes of the name of an experiment, in bytes.
const maxName = 60

var notInID = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// IDName is how the name of an experiment stands in its id.
func IDName(name string) string {
	out := strings.Trim(notInID.ReplaceAllString(name, "-"), "-_")
	if out = strings.TrimRight(out[:min(len(out), maxName)], "-_"); out == "" {
		return "experiment"
	}
	return out
}

// Identity says what decides the rows of an experiment, all of them together and each by itself.
type Identity struct {
	ID    string   // NAME-HASH8
	Files []string // that cases name and that are read with them

	shared   [32]byte              // what decides every row
	variants [][32]byte            // flow and model
	cases    map[string]identified // by their ids
}

// identified is a case with all that it may use.
type identified struct {
	ord int
	sum [32]byte
}

// ID names an experiment by all that decides its rows.
func ID(spec *Spec, o Options) (string, error) {
	known, err := Identify(spec, o)
	if err != nil {
		return "", err
	}
	return known.ID, nil
}

// Identify works out what decides the rows. Flows count as they compile, cases and the library by what they say, replies by
// what is recorded. Paths do not count, nor does what only reports depend on. The whole of the hash stays with the spec: Create
// keeps it, and Again compares it.
func Identify(spec *Spec, o Options) (*Identity, error) {
	h := &identity{sum: sha256.New(), shelves: map[*shelf.Shelf][32]byte{}}
	h.say("of", o.Of)
	x := &Experiment{Spec: spec, o: o}
	if err := x.load(); err != nil {
		return nil, err
	}
	out := &Identity{cases: map[string]identified{}}
	for i, v := range spec.Variants {
		h.say("variant", []any{v.Name, v.Model, v.Levels, x.flows[i].Hash})
		out.variants = append(out.variants, sumOf("variant", []any{v.Model, x.flows[i].Hash}))
	}
	decides := *spec
	decides.takeReport(&Spec{})
	decides.Model, decides.Variants, decides.CasesFile, decides.Dir, decides.Library, decides.Catalogue = "", nil, "", "", "", nil
	replies := &identity{sum: sha256.New()}
	if r := &decides.Replies; r.Replay != "" {
		if !r.ReplayOrCall { // what is called meanwhile is recorded there
			replies.folder(r.Replay)
			r.Replay = "folder"
		} else if abs, err := filepath.Abs(r.Replay); err == nil {
			r.Replay = abs
		}
	}
	if r := &decides.Replies; r.Record != "" {
		if abs, err := filepath.Abs(r.Record); err == nil {
			r.Record = abs
		}
	}
	recorded := hex.EncodeToString(replies.sum.Sum(nil))
	h.say("replies", recorded)
	h.say("spec", &decides)
	every := decides
	every.Name, every.Repeats, every.AllowEqual = "", 0, false
	out.shared = sumOf("shared", []any{o.Of, recorded, &every})
	today := ""
	err := spec.eachCase(func(c Case) error {
		on := &identity{sum: sha256.New(), shelves: h.shelves}
		on.say("case", c.raw)
		if s, err := o.Shelf(&c); err == nil { // Create says what is wrong with it
			on.shelf(s.Whole())
		}
		if file := c.schemaFile(spec); file != "" {
			data, _ := os.ReadFile(file) // that it cannot be read is a finding of the case
			on.say("schema", string(data))
			out.Files = append(out.Files, file)
		}
		if c.Date == "" && spec.Date == "" {
			today = time.Now().Format(time.DateOnly)
			on.say("today", today)
		}
		sum := [32]byte(on.sum.Sum(nil))
		out.cases[c.ID] = identified{len(out.cases), sum}
		fmt.Fprintf(h.sum, "case %x\n", sum)
		return on.err
	})
	if err == nil {
		err = cmp.Or(h.err, replies.err)
	}
	if err != nil {
		return nil, err
	}
	spec.identity = hex.EncodeToString(h.sum.Sum(nil))
	out.ID = IDName(spec.Name) + "-" + spec.identity[:8]
	return out, nil
}

// schemaFile is the file of the schema that plans are to fit, "" where the case has it itself.
func (c *Case) schemaFile(spec *Spec) string {
	raw, _ := c.raw.(map[string]any)
	expect, _ := raw["expect"].(map[string]any)
	file, _ := expect["schema"].(string)
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	if spec.CasesFile != "" {
		return filepath.Join(filepath.Dir(spec.CasesFile), file)
	}
	return filepath.Join(spec.Dir, file)
}

func sumOf(what string, v any) [32]byte {
	h := &identity{sum: sha256.New()}
	h.say(what, v)
	return [32]byte(h.sum.Sum(nil))
}

// metaIdentity is the key under which an experiment keeps the whole hash of what decides its rows.
const metaIdentity = "identity"

// isOf holds an experiment to the whole hash of a spec: an id has but the beginning of it.
func (s *Store) isOf(spec *Spec) error {
	kept, err := s.Meta(metaIdentity)
	if err == nil && kept != spec.identity {
		err = fault.New(fault.Refused, "the experiment %s is another one, though its id is the same: begin a new one by --again, or name it by --id", s.id())
	}
	return err
}

// takeReport takes over what changes no row: what reports depend on, and how fast and how far a run goes.
func (s *Spec) takeReport(from *Spec) {
	s.Description, s.Command, s.Asked, s.Replies.About = from.Description, from.Command, from.Asked, from.Replies.About
	s.Concurrency, s.Budget = from.Concurrency, from.Budget
	s.Primary, s.Metrics, s.Effect = from.Primary, from.Metrics, from.Effect
	s.Guardrails, s.Targets, s.FlowTargets = from.Guardrails, from.Targets, from.FlowTargets
	s.FailOn, s.FailIf = from.FailOn, from.FailIf
}

// identity sums up what decides rows.
type identity struct {
	sum     hash.Hash
	shelves map[*shelf.Shelf][32]byte
	err     error // the first
}

func (h *identity) say(what string, v any) {
	data, err := json.Marshal(v)
	if err != nil && h.err == nil {
		h.err = fmt.Errorf("%s: %w", what, err)
	}
	fmt.Fprintf(h.sum, "%s %d\n%s\n", what, len(data), data)
}

// shelf says what there is to plan with: node types, declared nodes and saved workflows.
func (h *identity) shelf(s *shelf.Shelf) {
	sum, known := h.shelves[s]
	if !known {
		on := &identity{sum: sha256.New()}
		for _, component := range s.Catalogue.NodeTypes() {
			c := *component
			c.Origin = "" // a path
			on.say("node", (*ir.Interface)(&c))
			if d := s.Declared[c.Name]; d != nil && d.Run != nil {
				on.say("run", []any{d.Run.By, d.Run.Spec})
			}
		}
		for _, r := range s.Records {
			on.say("workflow", r)
			on.say("ir", r.IR())
		}
		if h.err == nil {
			h.err = on.err
		}
		sum = [32]byte(on.sum.Sum(nil))
		h.shelves[s] = sum
	}
	fmt.Fprintf(h.sum, "shelf %x\n", sum)
}

// folder says what the files of a folder hold. One that is not there is told by whoever reads it.
func (h *identity) folder(dir string) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		fmt.Fprintf(h.sum, "file %s %x\n", name, sha256.Sum256(data))
		return err
	})
	if err != nil && h.err == nil {
		h.err = err
	}
}
