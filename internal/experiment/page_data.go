package experiment

import (
	"encoding/json"
	"slices"
)

// pageData is what the script of the page knows before a cell is opened. Texts that cells share stand in it once.
type pageData struct {
	Variants []string  `json:"variants"`
	Outcomes []string  `json:"outcomes"`
	Repeats  int       `json:"repeats"`
	Missing  int       `json:"missing"`
	Words    []string  `json:"words"` // plans, and findings
	Cases    []pageRow `json:"cases"`
	IDs      []string  `json:"ids,omitempty"` // of the experiments of the variants, where a command must name them
}

// pageRow is a case: id, group, request, expected, the block of its details (-1: left out), cells.
type pageRow [6]any

// pageCell is a case under a variant: passes, runs, outcome, words of the plan, words of the findings. Outcomes and words
// are places in their lists.
type pageCell [5]any

// words keeps texts once.
type words struct {
	list []string
	at   map[string]int
}

func (w *words) add(text string) int {
	at, known := w.at[text]
	if !known {
		if w.at == nil {
			w.at = map[string]int{}
		}
		at = len(w.list)
		w.at[text] = at
		w.list = append(w.list, text)
	}
	return at
}

// pageData makes it; block has the block of each case.
func (r *Report) pageData(block []int) *pageData {
	out := &pageData{Outcomes: Outcomes, Repeats: r.Repeats, Missing: r.Missing, Cases: []pageRow{}}
	for _, v := range r.Variants {
		out.Variants = append(out.Variants, v.Name)
	}
	if slices.Contains(block, -1) {
		for _, s := range r.from {
			out.IDs = append(out.IDs, s.store.id())
		}
	}
	var w words
	for i, row := range r.Matrix {
		cells := make([]pageCell, len(row.Cells))
		for k, c := range row.Cells {
			failed := make([]int, len(c.Failed))
			for n, f := range c.Failed {
				failed[n] = w.add(f)
			}
			cells[k] = pageCell{c.Passes, c.Runs, slices.Index(Outcomes, c.Outcome), w.add(c.Plan), failed}
		}
		out.Cases = append(out.Cases, pageRow{row.ID, row.Group, row.Request, slices.Index(Outcomes, row.Expected), block[i], cells})
	}
	out.Words = w.list
	return out
}

// dataScript is an element that no browser runs. What encoding/json writes holds no < and so no end of it.
func dataScript(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return `<script type="application/json" id="data">` + string(data) + "</script>\n", nil
}
