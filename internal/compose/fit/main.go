// Fit looks for better weights of the composer: go run ./internal/compose/fit FOLDER... writes them into
// internal/compose/weights.yaml. Each folder is a set of requests whose steps are known: cases.jsonl {request, current_date?, only?,
// expect: {nodes, edges?}} and nodes.yaml, the components that there are beside the built-in ones.
//
// One weight after the other is moved, up and down, by smaller and smaller shares, as long as that is better. Better is what raises the
// mean over the sets of the F1 of steps, and of wires where there are any, and lowers it in neither half of the cases: a move that one
// half alone likes is chance. The thresholds stay: what they hold back is not among the requests that have steps; and what the values
// of a request weigh: these sets have next to no files and addresses, so that they would only move it by chance. Before that it prints
// what the weights found in each half of the cases are worth in the other. The same folders give the same file.
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"pflow/internal/compose"
)

const file = "internal/compose/weights.yaml"

// What the search goes by.
const (
	leastGain = 0.0005 // of the mean F1; less is not worth another number
	passes    = 2      // over all weights, for each share
)

// kept are the sections that these sets say nothing of.
var kept = map[string]bool{"thresholds": true, "values": true}

// shares of a weight by which it is moved.
var shares = []float64{0.5, 0.2}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(folders []string) error {
	if len(folders) == 0 {
		return fmt.Errorf("name the folders of the sets, such as nestful and sealtools")
	}
	var sets []set
	for _, folder := range folders {
		s, err := readSet(context.Background(), folder)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		sets = append(sets, s)
	}
	if err := crossed(sets, compose.Shipped()); err != nil {
		return err
	}
	fmt.Print("all: ")
	w, moved, err := search(sets, compose.Shipped())
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, f := range w.Fields() {
		if moved[f.Section+"."+f.Key] {
			if text, err = written(text, f); err != nil {
				return err
			}
		}
	}
	if _, found := compose.ReadWeights(filepath.Base(file), text); found.HasErrors() {
		return found.Err()
	}
	fmt.Printf("%d weights moved\n", len(moved))
	return os.WriteFile(file, text, 0o644)
}

// crossed prints what weights found in one half of the cases are worth in the other, beside those that there are: what the search
// tells of its own cases is more than the next ones will show.
func crossed(sets []set, w compose.Weights) error {
	for half := range 2 {
		own, others := parted(sets, half)
		fmt.Printf("half %d: ", half)
		found, _, err := search(own, w)
		if err != nil {
			return err
		}
		before, err := worth(others, w)
		if err != nil {
			return err
		}
		after, err := worth(others, found)
		if err != nil {
			return err
		}
		fmt.Printf("half %d by half %d: F1 %.4f -> %.4f\n", 1-half, half, before.mean(), after.mean())
	}
	return nil
}

// search moves the weights that can be fitted, and says which were.
func search(sets []set, w compose.Weights) (compose.Weights, map[string]bool, error) {
	most, err := worth(sets, w)
	if err != nil {
		return w, nil, err
	}
	fmt.Printf("F1 %.4f (%.4f and %.4f in the halves)\n", most.mean(), most[0], most[1])
	moved, idle := map[string]bool{}, map[int]bool{} // idle weights decide nothing in these sets
	for _, share := range shares {
		for range passes {
			better := false
			for k, f := range w.Fields() {
				if kept[f.Section] || idle[k] {
					continue
				}
				same := true
				for _, by := range []float64{share, -share} {
					tried := w
					v := tried.Fields()[k].Value
					*v = rounded(*v * (1 + by))
					if *v == *f.Value {
						continue
					}
					got, err := worth(sets, tried)
					if err != nil {
						return w, nil, err
					}
					same = same && got == most
					if got.mean() > most.mean()+leastGain && got[0] >= most[0] && got[1] >= most[1] {
						fmt.Printf("%s.%s %g -> %g: F1 %.4f (%.4f and %.4f)\n", f.Section, f.Key, *f.Value, *v, got.mean(), got[0], got[1])
						w, most, better = tried, got, true
						moved[f.Section+"."+f.Key] = true
						break
					}
				}
				idle[k] = same && share == shares[0]
			}
			if !better {
				break
			}
		}
	}
	return w, moved, nil
}

// rounded is a number with two digits that count.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)
	out, _ := strconv.ParseFloat(strconv.FormatFloat(math.Round(v/unit)*unit, 'g', 3, 64), 64)
	return out
}

// written puts a weight in the place of the one that stands in the file; what is said of it stays.
func written(text []byte, f compose.Weight) ([]byte, error) {
	at := regexp.MustCompile(`(?ms)^` + f.Section + `:.*?^  ` + f.Key + `: *(-?[0-9.]+)`).FindSubmatchIndex(text)
	if at == nil {
		return nil, fmt.Errorf("%s has no %s.%s", file, f.Section, f.Key)
	}
	out := append([]byte{}, text[:at[2]]...)
	out = append(out, strconv.FormatFloat(*f.Value, 'g', -1, 64)...)
	return append(out, text[at[3]:]...), nil
}
