package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
)

// OfVariants is an experiment without a document: a baseline, and what is held against it, if anything is.
func OfVariants(name string, variants []Variant) *Spec {
	s := Defaults()
	s.Name = name
	taken := map[string]int{}
	for _, v := range variants {
		if taken[v.Name]++; taken[v.Name] > 1 {
			v.Name = fmt.Sprintf("%s-%d", v.Name, taken[v.Name])
		}
		s.Variants = append(s.Variants, v)
	}
	return &s
}

// Problem says what of a spec that flags have changed cannot be, or "".
func (s *Spec) Problem() string {
	switch {
	case s.Repeats < 1:
		return fmt.Sprintf("repeats %d: want at least 1", s.Repeats)
	case s.Repeats > mostRepeats:
		return tooOften(s.Repeats)
	case s.Concurrency < 0:
		return fmt.Sprintf("concurrency %d: want at least 1", s.Concurrency)
	case s.Concurrency > mostAtOnce:
		return fmt.Sprintf("concurrency %d: want at most %d", s.Concurrency, mostAtOnce)
	case !(s.Budget.CostUSD >= 0 && s.Budget.CostUSD <= math.MaxFloat64) || s.Budget.Calls < 0 || s.Budget.Tokens < 0:
		return "a budget is a number of at least 0"
	case !(s.Effect >= 0 && s.Effect <= math.MaxFloat64):
		return fmt.Sprintf("effect %v: want a number of at least 0", s.Effect)
	case !slices.Contains(Metrics, s.Primary):
		return fmt.Sprintf("there is no metric %q; there are: %s", s.Primary, strings.Join(metricNames(), ", "))
	case s.Primary.Rate() && s.Effect > 1:
		return tooLarge(s.Primary, s.Effect)
	case s.guards(s.Primary):
		return guardedPrimary(s.Primary)
	case s.Date != "" && !isDate(s.Date):
		return fmt.Sprintf("the date %q is none: write one like 2024-01-31", s.Date)
	case s.Replies.ReplayOrCall && s.Replies.Replay == "":
		return "calling what is not recorded needs a folder of recordings: --replay FOLDER"
	case s.Replies.Carry && s.Replies.Replay == "":
		return "carrying replies over needs a folder of recordings: --replay FOLDER"
	case s.Replies.Carry && s.Replies.ReplayOrCall:
		return "a call that is not recorded is answered from other words, or made: leave out one of carry and replay_or_call"
	case s.Replies.Carry && s.Replies.Record != "":
		return "replies that are carried over are no recordings of what was asked: leave out one of carry and record"
	}
	return ""
}

// mostRepeats and mostRows bound an experiment: what is kept of a row while it is run and reported on must fit into memory.
const (
	mostRepeats = 10_000
	mostRows    = 5_000_000
)

func tooOften(repeats int) string {
	return fmt.Sprintf("repeats %d: want at most %d; further cases tell more than further repeats", repeats, mostRepeats)
}

// tooLarge says that no rate differs by so much.
func tooLarge(m Metric, effect float64) string {
	return fmt.Sprintf("effect %v: %s is a rate, of which 1 is all; 5 points are 0.05", effect, m)
}

// guards reports whether a metric has a guardrail.
func (s *Spec) guards(m Metric) bool {
	return slices.ContainsFunc(s.Guardrails, func(g Guardrail) bool { return g.Metric == m })
}

// guardedPrimary says what to do where a metric is both what decides and what may not get worse.
func guardedPrimary(m Metric) string {
	other := CostUSD
	if !m.More() {
		other = Pass
	}
	return fmt.Sprintf("%s is the primary, which is judged by itself: a variant that is worse is rejected. To let it get worse by so much, "+
		"make primary what should get better, such as %s; else leave out this guardrail", m, other)
}

// eachCase hands on every case of the experiment.
func (s *Spec) eachCase(each func(Case) error) error {
	if s.CasesFile == "" {
		for _, c := range s.Inline {
			if err := each(c); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := OpenCases(s.CasesFile)
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := ReadCases(s.CasesFile, f, each)
	if found.HasErrors() {
		return found.Err()
	}
	return err
}

// OpenCases opens a file of cases.
func OpenCases(file string) (*os.File, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fault.New(fault.InvalidRequest, "%s is a folder; want a file of cases, such as %s", file, filepath.Join(file, "cases.jsonl"))
	}
	return f, nil
}

// absolute makes every path one from the root, so that the experiment can be gone on with from another directory.
// Afterwards Dir is what the paths of cases are relative to.
func (s *Spec) absolute() error {
	if s.CasesFile != "" {
		s.Dir = filepath.Dir(s.CasesFile)
	}
	paths := []*string{&s.Dir, &s.CasesFile, &s.Library, &s.Replies.Record, &s.Replies.Replay}
	for i := range s.Catalogue {
		paths = append(paths, &s.Catalogue[i])
	}
	for i := range s.Variants {
		v := &s.Variants[i]
		if engine.IsPath(v.Flow) {
			paths = append(paths, &v.Flow)
		}
		for k := range v.Prompts {
			paths = append(paths, &v.Prompts[k].Path)
		}
	}
	for _, p := range paths {
		if *p == "" {
			continue
		}
		abs, err := filepath.Abs(*p)
		if err != nil {
			return fmt.Errorf("%s: %w", *p, err)
		}
		*p = abs
	}
	return nil
}

// storedSpec is a spec with what it leaves out of its JSON and still needs.
type storedSpec struct {
	*Spec
	Folder string `json:"folder"`
}

// MarshalJSON writes the spec as it is kept.
func (s *Spec) MarshalJSON() ([]byte, error) {
	type plain Spec
	return json.Marshal(struct {
		*plain
		Folder string `json:"folder"`
	}{(*plain)(s), s.Dir})
}

// Spec gives the spec of a stored experiment, and its variants with the flows they were loaded as.
func (s *Store) Spec() (*Spec, []storedVariant, error) {
	data, err := s.Meta("spec")
	if err != nil {
		return nil, nil, err
	}
	if data == "" {
		return nil, nil, fault.New(fault.InvalidRequest, "the experiment in %s was never begun; start it again", s.Dir)
	}
	spec := &Spec{}
	kept := storedSpec{Spec: spec}
	if err := json.Unmarshal([]byte(data), &kept); err != nil {
		return nil, nil, fault.New(fault.Malformed, "the spec of the experiment in %s cannot be read: %v", s.Dir, err)
	}
	spec.Dir = kept.Folder
	variants, err := s.variants()
	for _, v := range variants {
		spec.Variants = append(spec.Variants, v.Variant)
	}
	return spec, variants, err
}
