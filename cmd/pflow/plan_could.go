package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/language"
	"pflow/internal/planner"
	"pflow/internal/planshape"
	"pflow/internal/printable"
	"pflow/internal/retrieve"
	"pflow/nodes"
)

// How many components and programs are named for what no plan does, and how well they must fit what is open: this well, and half
// as well as the best of all.
const (
	mostCould  = 3
	leastCould = 0.15
)

// couldDo adds to a plan what might do what it leaves open, or all of the request if there is no workflow: the nearest components,
// and programs on the PATH, each with the command that declares a node of it.
func (a *app) couldDo(ctx context.Context, request string, p *planner.Result) {
	if e, _ := p.Error.(map[string]any); language.Detect(request) != "" || e["kind"] == planshape.UnclearTrigger {
		return // components are in English: what is near to other words is so by chance
	}
	var open []string
	for _, part := range openParts(p) {
		open = append(open, part.text)
	}
	if p.Status == planner.Infeasible && p.WorkflowIR == nil {
		open = []string{request}
	}
	shelf, err := a.shelfOf(ctx)
	if len(open) == 0 || err != nil || p.Status != planner.Infeasible && p.WorkflowIR == nil {
		return
	}
	could := &planner.Could{Components: []planner.CouldComponent{}, Programs: []planner.CouldProgram{}}
	query := strings.Join(open, "\n")
	var components []retrieve.Candidate
	for _, i := range shelf.Catalogue.NodeTypes() {
		c := retrieve.Candidate{Name: i.Name, Description: i.Description}
		for _, f := range i.Forms {
			c.Keywords = append(c.Keywords, f.Says...)
		}
		components = append(components, c)
	}
	const near = 20 // saved workflows that are looked at
	saved, err := nodes.NearWorkflows(ctx, a.deps(), query, near)
	if err != nil {
		return
	}
	for _, r := range saved {
		if !shelf.Catalogue.IsNodeType(r.Name) {
			components = append(components, retrieve.Candidate{Name: r.Name, Description: r.Description})
		}
	}
	for _, n := range fitting(ctx, query, components, func(int) bool { return true }) {
		could.Components = append(could.Components, planner.CouldComponent{Name: components[n].Name, Description: components[n].Description})
	}
	programs := nodes.Programs()
	candidates := make([]retrieve.Candidate, len(programs))
	for n, known := range programs {
		candidates[n] = retrieve.Candidate{Name: known.Name, Description: known.Does}
	}
	for _, n := range fitting(ctx, query, candidates, func(n int) bool { return a.onPath(programs[n].Name) }) {
		name := programs[n].Name
		if shelf.Catalogue.Get(name) != nil {
			name = "my-" + name
		}
		could.Programs = append(could.Programs, planner.CouldProgram{Program: programs[n].Name, Does: programs[n].Does,
			Declare: fmt.Sprintf("pflow node new %s --shell %s", name, shellQuote(programs[n].Command))})
	}
	p.Could = could
}

// fitting lists the best candidates for a query by their indexes, of those that may be taken.
func fitting(ctx context.Context, query string, candidates []retrieve.Candidate, may func(int) bool) []int {
	index, err := retrieve.NewIndex(ctx, candidates)
	if err != nil {
		return nil
	}
	ranked, err := index.Rank(ctx, query)
	if err != nil {
		return nil
	}
	var out []int
	for _, r := range ranked {
		if r.Confidence >= max(leastCould, ranked[0].Confidence/2) && len(out) < mostCould && may(r.Index) {
			out = append(out, r.Index)
		}
	}
	return out
}

// onPath reports whether a program of this name is on the PATH.
func (a *app) onPath(name string) bool {
	for _, dir := range filepath.SplitList(a.getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// writeCould says what might do what a plan leaves open.
func writeCould(to io.Writer, could *planner.Could) {
	if could == nil {
		return
	}
	if len(could.Components) > 0 {
		fmt.Fprintln(to, "nearest to that:")
	}
	for _, c := range could.Components {
		fmt.Fprintf(to, "  %s: %s\n", printable.Line(c.Name), oneLine(c.Description))
	}
	if len(could.Programs) == 0 {
		fmt.Fprintln(to, "a program that does it becomes a node with: pflow node new NAME --shell 'PROGRAM ${input}'")
		return
	}
	fmt.Fprintln(to, "programs on your PATH that might do it, and what makes a node of each:")
	for _, c := range could.Programs {
		fmt.Fprintf(to, "  %s %s\n    %s\n", c.Program, c.Does, c.Declare)
	}
}
