package experiment

import (
	"fmt"
	"strings"
)

// Markdown is the report as a page for people, such as a comment on a change. details is how long its lists are; the matrix
// of the cases is whole.
func (r *Report) Markdown(details int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", inline(r.Name))
	if r.Replies != "" {
		fmt.Fprintf(&b, "> **Replies**: %s\n\n", inline(r.Replies))
	}
	if r.Description != "" {
		fmt.Fprintf(&b, "%s\n\n", inline(r.Description))
	}
	fmt.Fprintf(&b, "%s, %s, %s each.", counted(r.Cases, "case"), counted(len(r.Variants), "variant"), counted(r.Repeats, "run"))
	if len(r.Comparisons) > 0 {
		fmt.Fprintf(&b, " Baseline: %s. Decided by %s; a difference of %s matters.", inline(r.Baseline), r.Primary, r.Primary.size(r.Effect))
	}
	b.WriteString("\n\n")
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "> **%s**\n\n", inline(w))
	}
	if len(r.Comparisons) == 0 {
		fmt.Fprintf(&b, "- **%s**\n", inline(r.score(0)))
	}
	for _, c := range r.Comparisons {
		fmt.Fprintf(&b, "- **%s against %s: %s, %s.** %s.\n", inline(c.Variant), inline(r.Baseline), c.Verdict, inline(r.advice(&c)),
			upperFirst(inline(c.said())))
	}
	b.WriteString("\n## Variants\n\n")
	b.WriteString(r.means().markdown())
	for _, c := range r.Comparisons {
		fmt.Fprintf(&b, "\n## %s against %s\n", inline(c.Variant), inline(r.Baseline))
		folded(&b, "What it changes: "+counted(len(c.Diff), "line"), len(c.Diff), func() {
			for _, line := range c.Diff {
				fmt.Fprintf(&b, "    %s\n", line) // a block of code, whatever the line has
			}
		})
		b.WriteString("\n" + r.differences(c).markdown())
		if g := r.ratios(c); len(g) > 1 {
			b.WriteString("\n" + g.markdown())
		}
		fmt.Fprintf(&b, "\n%s: %s.\n", r.Primary, inline(c.tests(r.Primary, len(r.Comparisons))))
		for _, g := range c.Guardrails {
			fmt.Fprintf(&b, "\nGuardrail %s: **%s**. %s.\n", g.Metric, g.State, upperFirst(inline(g.Reason)))
		}
		caseTable(&b, "Fixed", c.Fixed, c.MoreFixed, details)
		caseTable(&b, "Broken", c.Broken, c.MoreBroken, details)
	}
	if len(r.Factors) > 0 {
		b.WriteString("\n## Node variants, each over all else\n\n")
		b.WriteString(r.factorTable().markdown())
	}
	r.failureTables(&b, details)
	if g := r.outcomes(); len(g) > 1 {
		b.WriteString("\n## What happened\n\n" + g.markdown())
	}
	b.WriteString("\n## Cases\n")
	folded(&b, fmt.Sprintf("%s under %s: + passes, - fails%s", counted(len(r.Matrix), "case"), counted(len(r.Variants), "variant"), r.partly(r.Matrix)), len(r.Matrix), func() {
		b.WriteString(r.matrixTable().markdown())
	})
	if len(r.Notes) > 0 {
		b.WriteString("\n## Notes\n\n")
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "- %s.\n", upperFirst(inline(n)))
		}
	}
	return b.String()
}

// folded writes what a reader opens to see, if there are lines of it.
func folded(b *strings.Builder, title string, lines int, write func()) {
	if lines == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", inline(title))
	write()
	b.WriteString("\n</details>\n")
}

func (r *Report) failureTables(b *strings.Builder, most int) {
	for _, group := range r.failGroups() {
		fmt.Fprintf(b, "\n## %s: %s\n\n", upperFirst(inline(group.title)), counted(len(group.rows), "case"))
		g := grid{{"case", "request", "what was not as expected"}}
		for _, row := range group.rows[:min(most, len(group.rows))] {
			g = append(g, []string{row.ID, clip(oneLine(row.Request), 160), strings.Join(group.why(r, row), "; ")})
		}
		b.WriteString(g.markdown())
		moreLine(b, len(group.rows), most)
	}
}

func moreLine(b *strings.Builder, there, told int) {
	if there > told {
		fmt.Fprintf(b, "\nand %d more.\n", there-told)
	}
}

func caseTable(b *strings.Builder, kind string, cases []CaseDifference, more, most int) {
	if len(cases) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s: %s\n\n", kind, counted(len(cases)+more, "case"))
	g := grid{{"case", "request", "baseline", "variant", "where they part", "what was not as expected"}}
	for i, c := range cases {
		if i == most {
			break
		}
		g = append(g, []string{c.ID, clip(oneLine(c.Request), 160), clip(c.Baseline.Plan, 160), clip(c.Variant.Plan, 160), c.parted(), strings.Join(c.failures(), "; ")})
	}
	b.WriteString(g.markdown())
	moreLine(b, len(cases)+more, min(most, len(cases)))
}

// outcomes is what happened under each variant, by what was expected.
func (r *Report) outcomes() grid {
	g := grid{append([]string{"variant", "expected"}, Outcomes...)}
	for _, v := range r.Variants {
		for _, expected := range append(append([]string{}, Outcomes...), "any") {
			got, ok := v.Outcomes[expected]
			if !ok {
				continue
			}
			row := []string{v.Name, expected}
			for _, o := range Outcomes {
				row = append(row, fmt.Sprint(got[o]))
			}
			g = append(g, row)
		}
	}
	return g
}

// markdown writes a table.
func (g grid) markdown() string {
	var b strings.Builder
	for i, row := range g {
		for _, cell := range row {
			b.WriteString("| " + inline(cell) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|---", len(row)-1) + "|\n")
		}
	}
	return b.String()
}

// inline writes text that nobody reads as markup.
func inline(s string) string {
	return escapes.Replace(oneLine(s))
}

var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "#", `\#`)

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
