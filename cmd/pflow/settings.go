package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pflow/engine/journal"
	"pflow/internal/yamltree"
)

// retention reads which finished runs are kept from settings.yaml in the home:
//
//	retention: {runs: 200, days: 30}
//
// With an error nothing of the file holds.
func (a *app) retention() (journal.Retention, error) {
	keep := journal.DefaultRetention
	file := filepath.Join(a.homeDir(), "settings.yaml")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return keep, nil
	}
	if err != nil {
		return keep, err
	}
	tree, found := yamltree.Parse(file, data)
	if err := found.Err(); err != nil {
		return keep, errors.New(strings.TrimSpace(err.Error()))
	}
	got := keep
	for _, e := range tree.Entries {
		if e.Key != "retention" {
			return keep, fmt.Errorf("%s: there is no setting %q; there is: retention", e.KeyPlace, e.Key)
		}
		for _, e := range e.Value.Entries {
			n, ok := e.Value.Scalar.(int)
			switch {
			case e.Key != "runs" && e.Key != "days":
				return keep, fmt.Errorf("%s: retention has no key %q; it has: days, runs", e.KeyPlace, e.Key)
			case !ok || n < 0 || n > maxKept:
				return keep, fmt.Errorf("%s: retention.%s: want a whole number from 0 to %d", e.Value.Place, e.Key, maxKept)
			case e.Key == "runs":
				got.Runs = n
			default:
				got.Age = time.Duration(n) * 24 * time.Hour
			}
		}
	}
	return got, nil
}

// maxKept bounds both settings, so that days fit a time.Duration.
const maxKept = 100_000
