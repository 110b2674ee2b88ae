package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// failsEverywhere: no variant passes it in any run, and each ran it.
func (m *MatrixRow) failsEverywhere() bool {
	return !slices.ContainsFunc(m.Cells, func(c Cell) bool { return c.Runs == 0 || c.Passes > 0 })
}

// passesEverywhere also holds for what is not made yet: it is told with what is missing.
func (m *MatrixRow) passesEverywhere() bool {
	return !slices.ContainsFunc(m.Cells, Cell.fails)
}

func (c Cell) fails() bool { return c.Passes < c.Runs }

// Mark is a cell in a sign: + passes, - fails, 2/3 passes so many of its runs, . is not made yet.
func (c Cell) Mark() string {
	switch {
	case c.Runs == 0:
		return "."
	case c.Passes == c.Runs:
		return "+"
	case c.Passes == 0:
		return "-"
	}
	return fmt.Sprintf("%d/%d", c.Passes, c.Runs)
}

// failure is why a cell fails, on one line.
func (c Cell) failure() string {
	why := oneLine(strings.Join(c.Failed, "; "))
	if why == "" {
		why = c.Outcome
	}
	if c.Passes > 0 {
		why = fmt.Sprintf("%d of %d fail: %s", c.Runs-c.Passes, c.Runs, why)
	}
	return clip(why, 200)
}

// failures are what is wrong with a case under each variant that fails it; variants that fail alike stand together.
func (r *Report) failures(row MatrixRow) []string {
	var whys []string
	who := map[string][]string{}
	for i, c := range row.Cells {
		if !c.fails() {
			continue
		}
		why := c.failure()
		if who[why] == nil {
			whys = append(whys, why)
		}
		who[why] = append(who[why], r.Variants[i].Name)
	}
	for i, why := range whys {
		if n := len(who[why]); n < len(row.Cells) {
			whys[i] = strings.Join(who[why], ", ") + ": " + why
		}
	}
	return whys
}

// failGroup are failing cases under one title.
type failGroup struct {
	title   string
	rows    []MatrixRow
	variant int // whose failures are told, -1 for those of all
}

// failGroups are the cases that fail under all variants, and then those that each variant fails beside them. Of two variants
// the lists of fixed and broken cases tell most of these.
func (r *Report) failGroups() []failGroup {
	all := failGroup{"fails under all", nil, -1}
	rest := make([]failGroup, len(r.Variants))
	for i, v := range r.Variants {
		rest[i] = failGroup{"fails under " + v.Name, nil, i}
	}
	some := failGroup{"fails in some runs", nil, -1}
	for _, row := range r.Matrix {
		switch {
		case row.passesEverywhere():
		case len(r.Variants) > 1 && row.failsEverywhere():
			all.rows = append(all.rows, row)
		case len(r.Variants) == 2 && r.toldAsDifferent(&row):
		case len(r.Variants) == 2:
			some.rows = append(some.rows, row)
		default:
			for i, c := range row.Cells {
				if c.fails() {
					rest[i].rows = append(rest[i].rows, row)
				}
			}
		}
	}
	if len(all.rows) > 0 {
		for i := range rest {
			rest[i].title += ", not under all"
		}
	}
	return slices.DeleteFunc(append([]failGroup{all, some}, rest...), func(g failGroup) bool { return len(g.rows) == 0 })
}

// why is what was not as expected in a case of the group.
func (g *failGroup) why(r *Report, row MatrixRow) []string {
	if g.variant >= 0 {
		return []string{row.Cells[g.variant].failure()}
	}
	return r.failures(row)
}

func (r *Report) failureLines(b *strings.Builder, most int) {
	for _, g := range r.failGroups() {
		fmt.Fprintf(b, "\n%s: %s\n", g.title, counted(len(g.rows), "case"))
		for _, row := range g.rows[:min(most, len(g.rows))] {
			fmt.Fprintf(b, "  %s  %s\n", row.ID, clip(oneLine(row.Request), 100))
			for _, why := range g.why(r, row) {
				fmt.Fprintf(b, "    %s\n", why)
			}
		}
		if most > 0 {
			cutLine(b, "  ", len(g.rows), most)
		}
	}
}

// toldAsDifferent reports whether a case of two variants is in the lists of those that were fixed and broken.
func (r *Report) toldAsDifferent(row *MatrixRow) bool {
	if r.Comparisons[0].MoreFixed+r.Comparisons[0].MoreBroken > 0 {
		return false
	}
	a, b := row.Cells[0], row.Cells[1]
	return a.Runs > 0 && b.Runs > 0 && a.Passes*b.Runs != b.Passes*a.Runs
}

func cutLine(b *strings.Builder, indent string, there, told int) {
	if there > told {
		fmt.Fprintf(b, "%sand %d more\n", indent, there-told)
	}
}

// AllDetails is the number of details that leaves nothing out.
const AllDetails = 1 << 30

// matrixPart is how many cases the matrix of the text has for each that lists have: its lines are short.
const matrixPart = 4

// matrixLines is the matrix as text. Only cases that fail somewhere are told, unless all are wanted.
func (r *Report) matrixLines(b *strings.Builder, most int) {
	var rows []MatrixRow
	for _, row := range r.Matrix {
		if most == AllDetails || !row.passesEverywhere() {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 || most == 0 {
		return
	}
	fmt.Fprintf(b, "\ncases: + passes, - fails%s%s\n", r.partly(rows), r.leftOut(len(rows)))
	told := rows
	if most < AllDetails {
		told = rows[:min(len(rows), most*matrixPart)]
	}
	heads := r.columnNames(b)
	widths := []int{4}
	for _, row := range told {
		widths[0] = max(widths[0], utf8.RuneCountInString(row.ID))
	}
	for _, h := range heads {
		widths = append(widths, max(3, utf8.RuneCountInString(h)))
	}
	line := func(cells []string, rest string) {
		for i, cell := range cells {
			pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell)))
			if i == 0 {
				fmt.Fprintf(b, "  %s%s", cell, pad)
			} else {
				fmt.Fprintf(b, "  %s%s", pad, cell)
			}
		}
		fmt.Fprintf(b, "  %s\n", rest)
	}
	line(append([]string{"case"}, heads...), "request")
	for _, row := range told {
		cells := []string{row.ID}
		for _, c := range row.Cells {
			cells = append(cells, c.Mark())
		}
		line(cells, clip(oneLine(row.Request), 80))
	}
	cutLine(b, "  ", len(rows), len(told))
}

// columnNames are the names of the variants, or letters where the names would fill the line: then it says which is which.
func (r *Report) columnNames(b *strings.Builder) []string {
	const most = 60
	var names []string
	total := 0
	for _, v := range r.Variants {
		names = append(names, v.Name)
		total += 2 + utf8.RuneCountInString(v.Name)
	}
	if total <= most {
		return names
	}
	for i, name := range names {
		names[i] = letters(i)
		fmt.Fprintf(b, "  %s = %s\n", names[i], name)
	}
	return names
}

// letters counts a, b, … z, aa, ab, …
func letters(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letters(i/26-1) + letters(i%26)
}

func (r *Report) partly(rows []MatrixRow) string {
	out := ""
	has := func(holds func(Cell) bool) bool {
		return slices.ContainsFunc(rows, func(m MatrixRow) bool { return slices.ContainsFunc(m.Cells, holds) })
	}
	if r.Repeats > 1 {
		out += ", 1/2 passes one of two runs"
	}
	if has(func(c Cell) bool { return c.Runs == 0 }) {
		out += ", . is not made yet"
	}
	return out
}

// leftOut says of which cases nothing is told.
func (r *Report) leftOut(told int) string {
	switch n := len(r.Matrix) - told; {
	case n == 0:
		return ""
	case len(r.Variants) == 1:
		return fmt.Sprintf("; %s %s and %s left out (--all)", counted(n, "case"), verb(n, "passes", "pass"), verb(n, "is", "are"))
	default:
		return fmt.Sprintf("; %s %s under all and %s left out (--all)", counted(n, "case"), verb(n, "passes", "pass"), verb(n, "is", "are"))
	}
}

// matrixTable is the whole matrix: every case under every variant.
func (r *Report) matrixTable() grid {
	head := []string{"case", "request", "expected"}
	for _, v := range r.Variants {
		head = append(head, v.Name)
	}
	g := grid{head}
	for _, row := range r.Matrix {
		line := []string{row.ID, clip(oneLine(row.Request), 200), cmp.Or(row.Expected, "any")}
		for _, c := range row.Cells {
			cell := c.Mark()
			if c.fails() {
				cell += " " + clip(oneLine(c.Plan), 120)
			}
			line = append(line, cell)
		}
		g = append(g, line)
	}
	return g
}
