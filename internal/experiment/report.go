package experiment

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/mask"
	"pflow/internal/stats"
)

// ReportSchema names the shape of Report as JSON.
const ReportSchema = "pflow.experiment/v1"

// Report is what the rows of an experiment say. It holds no clock and nothing of the machine: equal rows give equal
// reports, byte for byte. Times are measured data, so with recordings, where they mean nothing, they are left out.
type Report struct {
	Schema      string          `json:"schema"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Replies     string          `json:"replies,omitempty"` // where those of models come from, unless they were called anew
	Baseline    string          `json:"baseline"`
	Primary     Metric          `json:"primary"`
	Effect      float64         `json:"effect"`
	Seed        uint64          `json:"seed"`
	Repeats     int             `json:"repeats"`
	Cases       int             `json:"cases"`
	Groups      int             `json:"groups"` // 0 where no case has one
	Rows        int             `json:"rows"`
	Missing     int             `json:"missing"` // rows that are still to be made
	Errors      int             `json:"errors"`  // rows without an answer
	Metrics     []Metric        `json:"metrics"` // that have values here
	Warnings    []string        `json:"warnings"`
	Notes       []string        `json:"notes"`
	Variants    []VariantReport `json:"variants"`
	Comparisons []Comparison    `json:"comparisons"`
	Matrix      []MatrixRow     `json:"matrix"` // every case, in the order of the cases
	Factors     []FactorEffect  `json:"factors,omitempty"`
	Scoring     Scoring         `json:"scoring"`

	FailOn []string     `json:"-"` // the verdicts that JUnit tells as failures, by default those of the experiment's gate; empty is REJECT
	FailIf []Condition  `json:"-"` // the conditions that JUnit tests, by default those of the experiment's gate
	Masks  *mask.Masker `json:"-"` // takes secrets out of whatever the report is written as; nil: there are none

	few  bool        // cases, so that no verdict is to be taken
	from []rowSource // of the variants: the page reads plans and steps there, so the stores must still be open
}

// VariantReport is one variant by itself.
type VariantReport struct {
	Name     string                    `json:"name"`
	Flow     string                    `json:"flow"`
	Hash     string                    `json:"hash"`
	Model    string                    `json:"model,omitempty"`
	Levels   map[string]string         `json:"levels,omitempty"`
	Rows     int                       `json:"rows"`
	Errors   int                       `json:"errors"`
	Said     string                    `json:"said"`             // the primary metric by itself and how many cases fail, in words
	Means    map[Metric]float64        `json:"means"`            // over cases, each counting once
	Medians  map[Metric]float64        `json:"medians"`          // over cases
	Score    *stats.Estimate           `json:"score,omitempty"`  // of the primary metric by itself; nil: no case has a value of it
	PassK    []float64                 `json:"pass_k,omitempty"` // the chance that k runs of a case all pass, k = 1, 2, …
	Micro    map[Metric]float64        `json:"micro,omitempty"`  // F1 over all hits of all rows
	Totals   map[Metric]float64        `json:"totals"`           // calls, tokens and cost of all rows; no cost if any is unpriced
	Latency  *Quantiles                `json:"latency_ms,omitempty"`
	Carried  *Carried                  `json:"carried,omitempty"`  // nil: every call was answered in its own words
	Outcomes map[string]map[string]int `json:"outcomes,omitempty"` // expected -> what happened -> rows

	latencies []float64 // sorted means of the cases
}

// Quantiles are those of the means of cases, in milliseconds.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Comparison is a variant against the baseline. p, interval and verdict stand apart.
type Comparison struct {
	Variant    string           `json:"variant"`
	Diff       []string         `json:"diff"` // how its flow differs from the baseline's, as pflow flow diff tells it, and its model
	Verdict    stats.Verdict    `json:"verdict"`
	Reason     string           `json:"reason"`
	Advice     string           `json:"advice"` // what to do about the verdict, in words
	Said       string           `json:"said"`   // the reason, which cases changed sides, and what a case takes more or less
	Further    int              `json:"further,omitempty"`
	P          float64          `json:"p"`      // of the paired t on the primary metric
	PHolm      float64          `json:"p_holm"` // the same, adjusted for the number of variants
	SignFlip   stats.SignFlip   `json:"sign_flip"`
	McNemar    *stats.McNemar   `json:"mcnemar,omitempty"` // of pass, only where each case was run once
	Differ     int              `json:"differ"`            // cases on which the primary metric differs
	Detectable *float64         `json:"detectable,omitempty"`
	Metrics    []Difference     `json:"metrics"`
	Guardrails []stats.Checked  `json:"guardrails"`
	Fixed      []CaseDifference `json:"fixed"`  // cases that pass more often
	Broken     []CaseDifference `json:"broken"` // cases that pass less often
	MoreFixed  int              `json:"more_fixed,omitempty"`
	MoreBroken int              `json:"more_broken,omitempty"`
	slopes     []slope          // of the plot
	unjudged   string           // what to do instead of taking the verdict for one of quality: what a model replies is not known; else ""
}

// Difference is one metric of a variant against the baseline.
type Difference struct {
	Metric   Metric        `json:"metric"`
	Cases    int           `json:"cases"`
	Missing  int           `json:"missing,omitempty"` // cases without a value under one of the two
	Baseline float64       `json:"baseline"`
	Variant  float64       `json:"variant"`
	TTest    stats.TTest   `json:"t_test"`                      // variant minus baseline
	Median   *stats.Median `json:"median_difference,omitempty"` // of what is no rate
	Ratio    *stats.Ratio  `json:"ratio_of_means,omitempty"`    // of what is no rate; its p is adjusted among all ratios of the report
}

// CaseDifference is a case that one variant passes more often than the other.
type CaseDifference struct {
	ID       string      `json:"id"`
	Group    string      `json:"group,omitempty"`
	Request  string      `json:"request"`
	Baseline Cell        `json:"baseline"` // outcome, plan and findings are those of the repeat
	Variant  Cell        `json:"variant"`
	Repeat   int         `json:"repeat"` // the one that is shown
	Diverge  *Divergence `json:"diverge"`
}

// FactorEffect is what one level of a node's variants does against the first, over all else.
type FactorEffect struct {
	Node   string      `json:"node"`
	Level  string      `json:"level"`
	Versus string      `json:"versus"`
	TTest  stats.TTest `json:"t_test"` // of the primary metric
}

// shownCases is how many fixed, and how many broken cases are told in full.
const shownCases = 100

// NewReport works out what the rows of a store say.
func NewReport(s *Store) (*Report, error) {
	x, err := collect(s)
	if err != nil {
		return nil, err
	}
	return x.report()
}

func (x *results) report() (*Report, error) {
	r := &Report{
		Schema: ReportSchema, Name: x.spec.Name, Description: x.spec.Description, Baseline: x.variants[0].Name,
		Primary: x.spec.Primary, Effect: x.spec.Effect, Seed: x.spec.Seed, Repeats: x.spec.Repeats, Scoring: x.spec.Scoring,
		Cases: x.all, Rows: x.rows, Missing: x.missing, Errors: x.errors,
		Matrix: x.matrix, Metrics: x.metrics(), Warnings: []string{}, Notes: []string{}, Comparisons: []Comparison{}, Groups: x.groups(),
		FailOn: slices.Clone(x.spec.FailOn), FailIf: slices.Clone(x.spec.FailIf), from: x.from,
	}
	if x.asked() {
		r.Replies = x.spec.Replies.inWords()
	}
	for i := range x.variants {
		v := x.variant(i, r.Metrics)
		score, err := x.score(i)
		if err != nil {
			return nil, err
		}
		v.Score = score
		r.Variants = append(r.Variants, v)
	}
	if err := x.compare(r); err != nil {
		return nil, err
	}
	var err error
	if r.Factors, err = x.factors(); err != nil {
		return nil, err
	}
	x.remarks(r)
	r.say()
	return r, nil
}

// say puts into words what the verdicts and numbers come to.
func (r *Report) say() {
	for i := range r.Variants {
		r.Variants[i].Said = r.score(i)
	}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		c.Advice, c.Said = r.advice(c), c.said()
	}
}

func (x *results) groups() int {
	seen := map[string]bool{}
	for _, c := range x.cases {
		if c.group != "" {
			seen[c.group] = true
		}
	}
	return len(seen)
}

// remarks says what keeps a report from being taken at its word.
func (x *results) remarks(r *Report) {
	if n := len(x.cases); n < stats.LoudBelow {
		r.few = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("ONLY %s: below %d, intervals rest on assumptions that cannot be checked; take no verdict from this alone", counted(n, "CASE"), stats.LoudBelow))
	}
	if r.Missing > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s of %d are missing: the run was stopped; pflow experiment run --resume goes on", counted(r.Missing, "row"), r.Rows+r.Missing))
	}
	r.Warnings = append(r.Warnings, r.carriedWarnings()...)
	if n := r.Errors - r.missed(); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s without an answer, each counted as a fail; --resume --retry-errors plans them again%s", counted(n, "row"), x.firstUnanswered()))
	}
	if c := x.spec.Replies.Clock; c != nil && x.asked() {
		r.Notes = append(r.Notes, x.clockNote(c))
		r.Warnings = append(r.Warnings, x.untimedWarnings()...)
	}
	if !x.spec.Replies.Timed() {
		r.Notes = append(r.Notes, "replies of models were recorded: latency is not compared, since recorded replies take no time")
	}
	if x.left > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s of one experiment alone, or with other expectations, left out", counted(x.left, "case")))
	}
	if r.Repeats == 1 {
		r.Notes = append(r.Notes, "each case was run once: how much a case varies from run to run is not known")
	}
	var unpriced []string
	for i, v := range x.variants {
		if n := x.unpriced(i); n > 0 {
			unpriced = append(unpriced, counted(n, "row")+" of "+v.Name)
		}
	}
	if len(unpriced) > 0 {
		r.Notes = append(r.Notes, strings.Join(unpriced, ", ")+" unpriced, and not in any cost_usd: prices go into models.yaml")
	}
	if len(r.Comparisons) > 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("verdicts go by p as Holm adjusts it for %d comparisons, better or worse; what is ruled out, by intervals as Bonferroni widens them; the intervals that are shown are of each comparison alone", len(r.Comparisons)))
	}
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if thing == "CASE" {
		return fmt.Sprintf("%d CASES", n)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
