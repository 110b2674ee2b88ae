package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/syntax"
	"pflow/internal/experiment"
	"pflow/internal/filelock"
	"pflow/internal/tune"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// tuneRun is a search and what is told of it.
type tuneRun struct {
	search   *tune.Search
	flow     *engine.Flow // as it is
	told     *tuneReport
	out      string
	proposer *proposer // nil without --propose
	print    string    // of all that decides what comes of it
}

// prepareTune reads everything before anything is planned.
func (a *app) prepareTune(c *cobra.Command, name string, f *tuneFlags) (*tuneRun, error) {
	if f.cases == "" {
		return nil, usage("pflow tune %s: say what it is judged by: --cases FILE, or home:NAME of those that pflow experiment cases lists", shellQuote(name))
	}
	if strings.HasPrefix(f.cases, inHomeCases) {
		file, _, err := a.keptCasesFile(f.cases)
		if err != nil {
			return nil, err
		}
		f.cases = file
	}
	if !(f.heldOut > 0 && f.heldOut < 1) {
		return nil, usage("--held-out %v: want a share between 0 and 1", f.heldOut)
	}
	if f.seed < 0 {
		return nil, usage("--seed %d: want at least 0", f.seed)
	}
	set, err := a.setFlags()
	if err != nil {
		return nil, err
	}
	v := experiment.Variant{Name: flowName(name), Flow: name, Set: set, Model: a.model}
	flow, err := a.tunedFlow(v)
	if err != nil {
		return nil, err
	}
	var p *proposer
	if f.propose != 0 {
		if p, err = a.proposing(&v, f); err != nil {
			return nil, err
		}
	}
	var space tune.Space
	if p == nil || f.over != nil {
		if space, err = a.tuneSpace(flow, f.over); err != nil {
			return nil, err
		}
	}
	spec, cases, err := a.tuneSpec(c, f)
	if err != nil {
		return nil, err
	}
	t := &tuneRun{flow: flow, out: tunedFile(name, f.out), proposer: p}
	if !strings.HasSuffix(t.out, ".yaml") {
		return nil, usage("-o %s: a flow is a file NAME.yaml", f.out)
	}
	split := tune.SplitCases(cases, f.heldOut, spec.Seed)
	if len(split.Search) == 0 || len(split.HeldOut) < 2 {
		return nil, usage("%s: of %s %d are held out, and groups never part: both parts need cases; give more of them, or another --held-out", f.cases, casesOf(len(cases), tune.Groups(cases)), len(split.HeldOut))
	}
	t.search = &tune.Search{Flow: v, Space: space, Split: split, Spec: *spec, Budget: f.plans, Open: a.experimentOptions}
	data, err := os.ReadFile(f.cases)
	if err != nil {
		return nil, usage("%s", fileError(err))
	}
	t.print = tunePrint(t, data)
	id := f.id
	if id == "" {
		id = "tune-" + v.Name + "-" + t.print[:8]
	} else if !keptName.MatchString(id) {
		return nil, usage("--id %s: want letters, digits, hyphens and underscores, at most 100 of them", clipped(id))
	}
	kept, err := a.experimentsDir()
	if err != nil {
		return nil, err
	}
	t.search.Dir, t.search.HeldOut = a.home().Path("tune", id), filepath.Join(kept, id)
	if !spec.Replies.Kept() && v.Model == "" {
		if slices.Contains(flow.Meters(), "calls") && !flow.Gives("model") {
			return nil, usage("the flow %s asks a model, and none is called unless you say so: name one with --model, or answer from recordings with --replay DIR", flow.Name)
		}
		t.search.Spec.Replies.Replay = filepath.Join(t.search.Dir, "replies") // where there are none
	}
	if p != nil {
		p.plans = len(split.Search) * spec.Repeats
		t.search.Space = append(slices.Clone(space), p.dimension())
	}
	if err := a.tuneChecks(c.Context(), t, cases); err != nil {
		return nil, err
	}
	t.told = newTuneReport(id, t)
	t.search.Space = space
	if t.told.Search.Plans == 0 {
		return nil, usage("--plans %d: that is too few: one candidate and the flow as it is take %d on the least number of cases", f.plans, tune.LeastPlans(len(split.Search), spec.Repeats))
	}
	return t, nil
}

// keep makes the folder of the search, or knows it again, and holds it until it is let go: of two processes one is told.
func (t *tuneRun) keep() (letGo func(), err error) {
	dir := t.search.Dir
	if err := os.MkdirAll(filepath.Join(dir, "replies"), 0o700); err != nil {
		return nil, fail(exitFailed, "%s", fileError(err))
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fail(exitFailed, "%s", fileError(err))
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	switch free, err := filelock.Try(lock); {
	case err != nil:
		return nil, fail(exitFailed, "%s: %v", lock.Name(), err)
	case !free:
		return nil, usage("another process works on the search %s: wait for it, or give another --id", filepath.Base(dir))
	}
	file := filepath.Join(dir, "tune.json")
	data, err := os.ReadFile(file)
	var known struct{ Print string }
	if err == nil && json.Unmarshal(data, &known) == nil && known.Print != t.print {
		return nil, usage("%s is kept of another search: give another --id, or leave it out", filepath.Base(dir))
	}
	if err := writeAtomic(file, value.AppendJSON(nil, map[string]any{"print": t.print})); err != nil {
		return nil, fail(exitFailed, "%s", fileError(err))
	}
	return func() { lock.Close() }, nil
}

// tunePrint is a hash of all that decides what a search comes to.
func tunePrint(t *tuneRun, cases []byte) string {
	spec := t.search.Spec
	spec.Concurrency, spec.Budget = 1, experiment.Budget{}
	h := sha256.New()
	enc := json.NewEncoder(h)
	if t.proposer != nil {
		_ = enc.Encode([]any{t.proposer.n, t.proposer.flow.Hash})
	}
	for _, v := range []any{t.flow.Hash, t.search.Flow, t.search.Space, &spec, t.search.Budget, len(t.search.Split.HeldOut)} {
		_ = enc.Encode(v) // data alone
	}
	h.Write(cases)
	for _, d := range t.search.Space {
		for _, v := range d.Values {
			for _, p := range v.Prompts {
				data, _ := os.ReadFile(p.Path) // Load says what is wrong with it
				h.Write(data)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// tunedFile is where the tuned flow goes.
func tunedFile(name, out string) string {
	if out != "" {
		return out
	}
	file := flowName(name) + "-tuned.yaml"
	if engine.IsPath(name) {
		return filepath.Join(filepath.Dir(name), file)
	}
	return file
}

// flowName is what a flow is called, given by name or by path.
func flowName(flow string) string {
	return strings.TrimPrefix(experiment.FlowLabel(flow), engine.Shipped)
}

// tuneSpace is what --over names, or else all that the flow declares.
func (a *app) tuneSpace(flow *engine.Flow, over []string) (tune.Space, error) {
	declared := flow.Search()
	var wanted []engine.Dimension
	for _, list := range over {
		for _, one := range strings.Split(list, ",") {
			d, err := readOver(flow, declared, one)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(wanted, func(w engine.Dimension) bool { return w.Path == d.Path }) {
				return nil, usage("--over names %s twice", d.Path)
			}
			wanted = append(wanted, d)
		}
	}
	if over == nil {
		wanted = declared
	}
	if len(wanted) == 0 {
		return nil, usage("the flow %s declares nothing under search: say what is to be searched: --over params.NAME=FROM:TO:STEP, or =A|B", flow.Name)
	}
	var space tune.Space
	for _, d := range wanted {
		values := d.Values
		now := slices.IndexFunc(values, func(v any) bool { return engine.SameValue(v, d.Now) })
		if now < 0 {
			values, now = append([]any{d.Now}, values...), 0
		}
		dimension := tune.Dimension{Path: d.Path, Now: now}
		for _, v := range values {
			one := tuneValue(flow, d.Path, v)
			for _, p := range one.Prompts {
				if _, err := os.ReadFile(p.Path); err != nil {
					return nil, usage("--over %s: %s", d.Path, fileError(err))
				}
			}
			dimension.Values = append(dimension.Values, one)
		}
		space = append(space, dimension)
	}
	if space.Size() == 1 {
		return nil, usage("there is nothing to search: %s has no value but the one that stands there; give others: --over %[1]s=A|B", space[0].Path)
	}
	return space, nil
}

// readOver reads one entry of --over.
func readOver(flow *engine.Flow, declared []engine.Dimension, text string) (engine.Dimension, error) {
	path, written, given := strings.Cut(strings.TrimSpace(text), "=")
	if !given {
		var names []string
		for _, d := range declared {
			if d.Path == path {
				return d, nil
			}
			names = append(names, d.Path)
		}
		return engine.Dimension{}, usage("--over %s: the flow declares no such search%s; or give values: %[1]s=FROM:TO:STEP, or =A|B", path, didYouMean(path, names))
	}
	source := "[" + strings.ReplaceAll(written, "|", ", ") + "]"
	if ends := strings.Split(written, ":"); len(ends) == 3 {
		if _, err := strconv.ParseFloat(ends[0], 64); err == nil {
			source = fmt.Sprintf("{from: %s, to: %s, step: %s}", number(ends[0]), number(ends[1]), number(ends[2]))
		}
	}
	v, found := yamltree.Parse("--over "+path, []byte(source))
	if err := found.Err(); err != nil {
		return engine.Dimension{}, err
	}
	d, problem := syntax.ReadDimension(path, v)
	if problem != "" && v.Kind == yamltree.Seq && len(v.Items) == 1 {
		d, problem = syntax.Dimension{Values: []any{v.Items[0].Plain()}}, "" // beside what stands there
	}
	if problem != "" {
		return engine.Dimension{}, usage("--over %s: %s", text, problem)
	}
	now, err := flow.Searchable(path, d.Values)
	if err != nil {
		return engine.Dimension{}, usage("--over %s: %v", text, err)
	}
	return engine.Dimension{Path: path, Values: d.Values, Now: now}, nil
}

// number writes .5 as YAML has numbers.
func number(text string) string {
	if strings.HasPrefix(text, ".") {
		return "0" + text
	}
	return text
}

// tuneValue is a value as edits of the flow, or as a prompt from a file.
func tuneValue(flow *engine.Flow, path string, v any) tune.Value {
	label := value.JSON(v)
	if text, is := v.(string); is {
		label = text
	}
	name, prompt := strings.CutPrefix(path, engine.PromptPath)
	switch {
	case prompt && strings.ContainsRune(label, filepath.Separator):
		file, err := filepath.Abs(label)
		if err != nil {
			file = label // reading it says what is wrong
		}
		return tune.Value{Label: label, Prompts: []experiment.Prompts{{Name: name, Path: file}}}
	case prompt:
		var set []engine.Setting
		for _, at := range flow.Options("prompt", name) {
			set = append(set, engine.Setting{Path: at, Value: label})
		}
		return tune.Value{Label: label, Set: set}
	}
	return tune.Value{Label: label, Set: []engine.Setting{{Path: path, Value: value.JSON(v)}}}
}
