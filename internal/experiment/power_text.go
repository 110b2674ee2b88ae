package experiment

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Text tells it to people.
func (p *Power) Text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s", p.Name, counted(p.Cases, "case"))
	if p.Clusters < p.Cases {
		fmt.Fprintf(&out, " in %s", counted(p.Clusters, "independent group"))
	}
	fmt.Fprintf(&out, ", %d variants, %s each; nothing was run\n", p.Compared+1, counted(p.Repeats, "run"))
	if len(p.Rows) == 0 {
		fmt.Fprintf(&out, "\nhow much %s differs from case to case is not known, and there is nothing to assume: no kept experiment says it of these cases;\nrun them once, with --repeats 1, and ask again\n", p.Primary)
		return out.String()
	}
	first := ""
	if m := p.Measured; m != nil {
		other := ""
		if !m.Same {
			other = ", which are other variants than these"
		}
		fmt.Fprintf(&out, "measured: %s of %s and %s in experiment %s%s: %d of %s differ, %s each\n", p.Primary, m.Baseline, m.Variant, m.Experiment, other, m.Differ, counted(m.Cases, "case"), counted(m.Repeats, "run"))
	} else {
		first = "cases that differ\t"
		fmt.Fprintf(&out, "assumed: no kept experiment says how these cases differ; of %s, so many may differ between two variants\n", p.Primary)
	}
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%schance\tthese cases show\tto show %s\n", first, p.Primary.size(p.Effect))
	for _, r := range p.Rows {
		for _, c := range r.Chances {
			if r.Discordance != nil {
				fmt.Fprintf(w, "%.0f%%\t", 100**r.Discordance)
			}
			shows, needed := "none", "not with any number of cases that can be run"
			if c.Difference != nil {
				shows = p.Primary.size(*c.Difference)
			}
			if c.Needed != nil {
				needed = counted(*c.Needed, "case")
			}
			fmt.Fprintf(w, "%.0f%%\t%s\t%s\n", 100*c.Power, shows, needed)
		}
	}
	w.Flush()
	out.WriteString("\n")
	if p.Measured == nil {
		out.WriteString("the variance of a paired difference is the share of cases that differ less the difference squared (Miettinen 1968, Connor 1987)\n")
		if p.Clusters < p.Cases {
			out.WriteString("the cases of a group are taken to change together, which is the worst they can do\n")
		}
		if p.Repeats > 1 {
			out.WriteString("repeats are taken to agree, so that they help nothing; they help if runs of a case differ\n")
		}
	} else if p.Measured.Repeats != p.Repeats {
		fmt.Fprintf(&out, "with %s each, as here, differences vary otherwise than with the %d that were measured: more runs, less\n", counted(p.Repeats, "run"), p.Measured.Repeats)
	}
	if p.Compared > 1 {
		fmt.Fprintf(&out, "this is one comparison by itself; Holm's adjustment for %d asks for more\n", p.Compared)
	}
	return out.String()
}
