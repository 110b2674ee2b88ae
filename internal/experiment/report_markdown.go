package experiment

import (
	"fmt"
	"strings"
)

// Markdown is the report as a page for people, such as a comment on a change. details is how many fixed, and how many
// broken cases are told.
func (r *Report) Markdown(details int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", inline(r.Name))
	if r.Description != "" {
		fmt.Fprintf(&b, "%s\n\n", inline(r.Description))
	}
	fmt.Fprintf(&b, "%s, %s, %s each. Baseline: %s. Decided by %s; a difference of %s matters.\n\n",
		counted(r.Cases, "case"), counted(len(r.Variants), "variant"), counted(r.Repeats, "run"), inline(r.Baseline), r.Primary, plain(r.Effect))
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "> **%s**\n\n", inline(w))
	}
	b.WriteString("## Variants\n\n")
	b.WriteString(r.means().markdown())
	for _, c := range r.Comparisons {
		fmt.Fprintf(&b, "\n## %s against %s: %s\n\n%s.\n\n", inline(c.Variant), inline(r.Baseline), c.Verdict, upperFirst(inline(c.Reason)))
		b.WriteString(r.differences(c).markdown())
		if g := r.bootstraps(c); len(g) > 1 {
			b.WriteString("\n" + g.markdown())
		}
		fmt.Fprintf(&b, "\n%s: %s.\n", r.Primary, inline(c.tests(len(r.Comparisons))))
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
	b.WriteString("\n## What happened\n\n")
	b.WriteString(r.outcomes().markdown())
	if len(r.Notes) > 0 {
		b.WriteString("\n## Notes\n\n")
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "- %s.\n", upperFirst(inline(n)))
		}
	}
	return b.String()
}

func caseTable(b *strings.Builder, kind string, cases []CaseDifference, more, most int) {
	if len(cases) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s: %s\n\n", kind, counted(len(cases)+more, "case"))
	g := grid{{"case", "request", "baseline", "variant", "where they part"}}
	for i, c := range cases {
		if i == most {
			break
		}
		g = append(g, []string{c.ID, clip(oneLine(c.Request), 160), clip(c.Baseline.Plan, 160), clip(c.Variant.Plan, 160), c.parted()})
	}
	b.WriteString(g.markdown())
	if left := len(cases) + more - most; left > 0 {
		fmt.Fprintf(b, "\nand %d more.\n", left)
	}
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
