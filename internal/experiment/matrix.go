package experiment

// MatrixRow is one case under every variant.
type MatrixRow struct {
	ID       string `json:"id"`
	Group    string `json:"group,omitempty"`
	Request  string `json:"request"`            // cut where it is long
	Expected string `json:"expected,omitempty"` // one of Outcomes; "" if the case does not say
	Cells    []Cell `json:"cells"`              // in the order of Report.Variants
}

// Cell is a case under one variant.
type Cell struct {
	Passes  int      `json:"passes"`
	Runs    int      `json:"runs"`              // 0: not made yet
	Outcome string   `json:"outcome,omitempty"` // one of Outcomes
	Plan    string   `json:"plan,omitempty"`    // in few words
	Failed  []string `json:"failed"`            // what was not as expected
}

// keepRequest is how much of a request a report tells, in bytes.
const keepRequest = 2000

func newMatrixRow(c caseLine, variants int) MatrixRow {
	row := MatrixRow{ID: c.id, Group: c.group, Request: clip(c.request, keepRequest), Expected: c.expected, Cells: make([]Cell, variants)}
	for i := range row.Cells {
		row.Cells[i].Failed = []string{}
	}
	return row
}

// add adds a repeat. A cell tells the first that failed, or else the first.
func (c *Cell) add(r *Row) {
	failed := r.Values[Pass] != 1
	if c.Runs == 0 || failed && c.Passes == c.Runs {
		c.Outcome, c.Plan = r.Outcome, r.InWords
		if len(r.Failed) > 0 {
			c.Failed = r.Failed
		}
	}
	c.Runs++
	if !failed {
		c.Passes++
	}
}

// matrixOf are the cells of some variants of a case.
func (x *results) matrixOf(ord int, variants ...int) []Cell {
	var out []Cell
	for _, v := range variants {
		out = append(out, x.matrix[ord].Cells[v])
	}
	return out
}
