package main

import (
	"fmt"
	"strings"
)

// page is docs/evaluation.md.
func (o *options) page(sets []string) (string, error) {
	known, err := readPublished(o.data)
	if err != nil {
		return "", err
	}
	all, groups, err := readSandbox(o.results)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Evaluation

What the planner without a model makes of requests with known answers. Written by `+"`make eval EVAL=DIR`"+` on %s, of commit %s; not to be
edited. Brackets hold 95 %% intervals.

The data are public sets and a sandbox, and no part of this repository. DIR holds

| in DIR | is |
|---|---|
| `+"`SET/set.json`"+` and beside it | the cases of a set, what is expected, declared nodes or a library, its licence |
| `+"`run.sh SET PROGRAM OUT`"+` | runs pflow on a set, with `+"`planner-offline`"+` and an empty home, and writes SET.score.json into OUT |
| `+"`score.py`"+` | scores; it says what each metric means |
| `+"`README.md`"+` | has a table of the sets with published results |
| `+"`newcomer/run.py PROGRAM`"+` | the sandbox: everyday requests, each in a fresh folder, and what is there afterwards |

## The sandbox

%d steps. A step is right when the folder, the repository and what was sent are as a person would want them; held back when pflow asked
or declined and changed nothing, where that is not what was wanted; wrong otherwise, harmful when something was lost or sent in
a way that nobody asked for. Wrong includes harmful.

| group | steps | %s |
|---|---|%s
`, o.date, o.commit, all.n, strings.Join(outcomes, " | "), strings.Repeat("---|", len(outcomes)))
	for _, t := range append([]*tally{&all}, groups...) {
		fmt.Fprintf(&b, "| %s | %d |", t.group, t.n)
		for _, outcome := range outcomes {
			fmt.Fprintf(&b, " %s |", t.share(outcome).text(3))
		}
		b.WriteString("\n")
	}
	b.WriteString(`
## The sets

"Simple" is a short script without tuning, on the same cases; in brackets on the whole public set. "Published" are results of models
for the whole public set, in % where they are above 1, those of TaskBench of GPT-4, GPT-3.5-turbo and CodeLlama-13B: a yardstick,
not the same cases. Both are as the README of the data has them. A small set has a wide interval.

| set | n | measures | pflow | simple | published | licence |
|---|---|---|---|---|---|---|
`)
	lacking := 0
	for _, set := range sets {
		s, err := readScore(o.results, set)
		if err != nil {
			return "", err
		}
		p := of(known, set)
		lacking += s.lacking
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", set, s.n, p.measures, strings.Join(s.figures, "<br>"), p.naive, p.models, p.licence)
	}
	if lacking > 0 {
		fmt.Fprintf(&b, "\n%d cases have no result that could be read, and count as wrong.\n", lacking)
	}
	return b.String(), nil
}
