// Fit works out what a score of a discovery means: go run ./internal/retrieve/fit FOLDER... writes calibration.json beside
// the package. Each folder holds requests whose workflow is known, cases.jsonl {request, expect: {workflow}}, and the library
// they were asked of, home/workflows. Each library counts as it is, and with 3, 1 and no past requests a workflow, since one
// confidence has to mean the same in all of them. The same folders give the same file.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"pflow/internal/compose"
	"pflow/internal/library"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
)

const file = "internal/retrieve/calibration.json"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

// sample is one request: the score of what is ranked first, and whether that is right.
type sample struct {
	score float64
	right bool
}

func run(folders []string) error {
	if len(folders) == 0 {
		return fmt.Errorf("name the folders of the sets, such as clinc150 and banking77")
	}
	var all []sample
	for _, folder := range folders {
		for _, most := range []int{0, 1, 3, 1 << 30} {
			some, err := samples(folder, most)
			if err != nil {
				return err
			}
			all = append(all, some...)
		}
	}
	offset, slope := logistic(all)
	text := fmt.Sprintf("{\"offset\": %.2f, \"slope\": %.2f}\n", offset, slope)
	fmt.Printf("%d requests: %s", len(all), text)
	return os.WriteFile(file, []byte(text), 0o644)
}

// samples ranks the requests of a set with at most so many past requests a workflow.
func samples(folder string, most int) ([]sample, error) {
	listing := library.New(filepath.Join(folder, "home", "workflows")).List()
	if len(listing.Records) == 0 {
		return nil, fmt.Errorf("%s has no home/workflows", folder)
	}
	var candidates []retrieve.Candidate
	for _, r := range listing.Records {
		c := retrieve.Candidate{Name: r.Name, Description: r.Description, Keywords: r.Keywords}
		for _, e := range r.Examples[:min(most, len(r.Examples))] {
			text, err := unvalued(e)
			if err != nil {
				return nil, err
			}
			c.Examples = append(c.Examples, text)
		}
		candidates = append(candidates, c)
	}
	index, err := retrieve.NewDiscovery(context.Background(), candidates)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(folder, "cases.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []sample
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var c struct {
			Request string
			Expect  struct{ Workflow *string }
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		text, err := unvalued(c.Request)
		if err != nil {
			return nil, err
		}
		ranked, err := index.First(context.Background(), text, 1)
		if err != nil {
			return nil, err
		}
		out = append(out, sample{ranked[0].Score, c.Expect.Workflow != nil && *c.Expect.Workflow == ranked[0].Name})
	}
	return out, nil
}

// unvalued is a request without what would be values, as discovery compares it.
func unvalued(text string) (string, error) {
	read, err := mapparams.Read(context.Background(), text, time.Time{})
	if err != nil {
		return "", err
	}
	return compose.Unvalued(read), nil
}

// logistic fits the curve by Newton's method.
func logistic(all []sample) (offset, slope float64) {
	for range 50 {
		var g0, g1, h00, h01, h11 float64
		for _, s := range all {
			p, y := 1/(1+math.Exp(-offset-slope*s.score)), 0.0
			if s.right {
				y = 1
			}
			v := p * (1 - p)
			g0, g1 = g0+y-p, g1+(y-p)*s.score
			h00, h01, h11 = h00+v, h01+v*s.score, h11+v*s.score*s.score
		}
		det := h00*h11 - h01*h01
		if det <= 0 {
			break
		}
		offset += (h11*g0 - h01*g1) / det
		slope += (h00*g1 - h01*g0) / det
	}
	return offset, slope
}
