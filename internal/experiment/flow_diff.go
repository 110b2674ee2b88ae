package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/flowdiff"
)

// metaDiffs is where a store keeps how each variant differs from the baseline. It is worked out when the experiment is made:
// by the time of a report the documents may say something else.
const metaDiffs = "diffs"

// flowDiffs are the lines that say how each variant differs from the first, in the order of the variants.
func flowDiffs(variants []Variant, flows []*engine.Flow) [][]string {
	out := make([][]string, len(variants))
	for i, v := range variants {
		out[i] = []string{}
		if i == 0 {
			continue
		}
		if v.Model != variants[0].Model {
			out[i] = append(out[i], fmt.Sprintf("~ model: %s -> %s", orDefault(variants[0].Model), orDefault(v.Model)))
		}
		changes := slices.DeleteFunc(flowdiff.Compare(flows[0], flows[i]), func(c flowdiff.Change) bool { return c.Kind == "search" }) // which no plan goes by
		for line := range strings.Lines(flowdiff.Text(changes)) {
			out[i] = append(out[i], strings.TrimRight(line, "\n"))
		}
	}
	return out
}

// orDefault names the model of a variant.
func orDefault(model string) string {
	if model == "" {
		return "the default one"
	}
	return model
}

// flowDiffs reads what Create kept.
func (s *Store) flowDiffs() (out [][]string, err error) {
	text, err := s.Meta(metaDiffs)
	if err == nil && text != "" {
		if err = json.Unmarshal([]byte(text), &out); err != nil {
			err = fault.New(fault.Malformed, "the experiment in %s cannot be read: its %s: %v", s.Dir, metaDiffs, err)
		}
	}
	return out, err
}

// flowDiff is that of a variant; none where two experiments are compared, whose flows are gone.
func (x *results) flowDiff(variant int) []string {
	if variant < len(x.diffs) {
		return x.diffs[variant]
	}
	return []string{}
}
