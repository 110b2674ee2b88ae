package experiment

import (
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
	unjudged   bool             // the verdict is not of quality: what a model replies is not known
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
