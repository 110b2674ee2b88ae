package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// published is what the README of the data says of a set.
type published struct {
	set, measures, licence string
	naive                  string // what a short script without tuning gets on the same cases, in brackets on the whole public set
	models                 string // published results of models on the whole public set, "–" where there are none
}

// readPublished reads the table of the sets in the README of the data: set, n, measures, licence, naive, published.
func readPublished(data string) ([]published, error) {
	text, err := os.ReadFile(filepath.Join(data, "README.md"))
	if err != nil {
		return nil, err
	}
	var out []published
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) != 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] != "set" && strings.Trim(cells[0], "-: ") != "" {
			out = append(out, published{set: cells[0], measures: cells[2], licence: cells[3], naive: cells[4], models: cells[5]})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("README.md of the data has no table of the sets: set, n, measures, licence, naive, published")
	}
	return out, nil
}

// of gives what is published for a set. A row may be for several sets: "llmplans-hf, -mm".
func of(all []published, set string) published {
	for _, p := range all {
		first, rest, _ := strings.Cut(p.set, ",")
		if first == set {
			return p
		}
		stem, _, _ := strings.Cut(first, "-")
		for _, other := range strings.Split(rest, ",") {
			if other = strings.TrimSpace(other); other == set || other != "" && stem+other == set {
				return p
			}
		}
	}
	return published{set: set, measures: "–", naive: "–", models: "–", licence: "–"}
}
