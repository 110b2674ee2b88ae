package tune

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/prompt"
	"pflow/internal/value"
)

// Failures plans the part that is searched with the flow as it is, and gives what came out wrong. Held-out cases are no part of it.
func (s *Search) Failures(ctx context.Context) ([]experiment.Failure, error) {
	store, err := s.run(ctx, "the cases that fail", filepath.Join(s.Dir, "failed-cases"), []experiment.Variant{s.Flow}, s.Split.Search)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return experiment.Failures(store)
}

// Wanted is a proposal to be asked for.
type Wanted struct {
	Prompt string
	Number int // of the proposals for this prompt, from 1
	Cases  []experiment.Failure
}

// casesTold is how many failed cases stand in the question for one proposal.
const casesTold = 8

// Want settles which n proposals are asked for: each prompt of the flow that failed cases asked has its turn, that of the most failed
// cases first, and each proposal for a prompt is told of other cases while there are others.
func Want(failures []experiment.Failure, prompts []string, n int) []Wanted {
	by := map[string][]experiment.Failure{}
	for _, f := range failures {
		for _, name := range f.Prompts() {
			if slices.Contains(prompts, name) {
				by[name] = append(by[name], f)
			}
		}
	}
	names := value.SortedKeys(by)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(by[b]), len(by[a])) })
	var out []Wanted
	for i := 0; len(names) > 0 && i < n; i++ {
		name, turn := names[i%len(names)], i/len(names)
		of := by[name]
		w := Wanted{Prompt: name, Number: turn + 1}
		for k := range min(casesTold, len(of)) {
			w.Cases = append(w.Cases, of[(turn*casesTold+k)%len(of)])
		}
		out = append(out, w)
	}
	return out
}

// Proposal is what came of asking for other words of a prompt.
type Proposal struct {
	Prompt  string            `json:"prompt"`
	Number  int               `json:"number"`
	File    string            `json:"file"`    // of the prompt in other words; "" where it was dropped
	Why     string            `json:"why"`     // as the model said it
	Problem string            `json:"problem"` // why it was dropped; "" of a candidate
	Took    experiment.Budget `json:"took"`
}

// Label names a proposal.
func (p *Proposal) Label() string {
	return fmt.Sprintf("%s%s=proposal %d", engine.PromptPath, p.Prompt, p.Number)
}

// Proposed is a prompt with another body, under its own front matter, or what is wrong with it: it must use the same variables, differ
// and, where it is known what the prompt was filled in with, be filled in by it.
func Proposed(ctx context.Context, file string, old []byte, body string, find prompt.Find, variables map[string]any) (data []byte, problem string) {
	head, before := prompt.Split(old)
	if strings.TrimSpace(body) == "" {
		return nil, "the model proposed nothing"
	}
	if strings.TrimSpace(body) == strings.TrimSpace(before) {
		return nil, "it is the prompt as it is"
	}
	data = []byte(head + strings.TrimRight(body, "\n") + "\n")
	p, found := prompt.Parse(file, data, find)
	if p == nil || found.HasErrors() {
		var problems []string
		for _, f := range found {
			problems = append(problems, f.Message)
		}
		return nil, strings.Join(problems, "; ")
	}
	if variables != nil {
		if _, err := p.Render(ctx, variables); err != nil {
			return nil, "it cannot be filled in: " + err.Error()
		}
	}
	return data, ""
}

// With adds the proposals that are candidates to a space.
func (s Space) With(proposals []Proposal) Space {
	out := slices.Clone(s)
	for _, p := range proposals {
		if p.Problem != "" {
			continue
		}
		i := slices.IndexFunc(out, func(d Dimension) bool { return d.Path == engine.PromptPath+p.Prompt })
		if i < 0 {
			i, out = len(out), append(out, Dimension{Path: engine.PromptPath + p.Prompt, Values: []Value{{Label: "as it is"}}})
		}
		v := Value{Label: fmt.Sprintf("proposal %d", p.Number), Prompts: []experiment.Prompts{{Name: p.Prompt, Path: p.File}}}
		out[i].Values = append(slices.Clone(out[i].Values), v)
	}
	return out
}

// Told is the cases as the flow that proposes takes them.
func (w *Wanted) Told() []any {
	out := []any{}
	for _, f := range w.Cases {
		failed := []any{}
		for _, text := range f.Failed {
			failed = append(failed, text)
		}
		out = append(out, map[string]any{"request": f.Request, "failed": failed, "reply": f.Replies[w.Prompt]})
	}
	return out
}

// Variables are those that a prompt file declares.
func Variables(file string, data []byte, find prompt.Find) []string {
	if p, _ := prompt.Parse(file, data, find); p != nil {
		return p.Variables
	}
	return nil
}
