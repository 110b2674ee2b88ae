package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"pflow/engine"
)

// Text is an experiment for a terminal.
func (s *Shown) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %d of %s made\n", s.Name, counted(s.Cases, "case"), counted(len(s.Variants), "variant"), s.Rows, counted(s.Total, "row"))
	for _, line := range []struct{ head, text string }{{"", s.Description}, {"replies: ", s.Replies}, {"again: ", s.Command}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s%s\n", line.head, oneLine(line.text))
		}
	}
	b.WriteString("\nvariants\n")
	for i, v := range s.Variants {
		mark := ""
		if i == 0 && len(s.Variants) > 1 {
			mark = " (baseline)"
		}
		fmt.Fprintf(&b, "  %s%s\n    flow %s, hash %s\n", v.Name, mark, v.Flow, clip(v.Hash, 12))
		for _, line := range v.lines() {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	b.WriteString("\nas it was run\n")
	var keys map[string]json.RawMessage
	if json.Unmarshal(s.Document, &keys) == nil {
		d := json.NewDecoder(bytes.NewReader(s.Document)) // for the order of the keys
		_, _ = d.Token()
		for d.More() {
			key, err := d.Token()
			if err != nil {
				break
			}
			var value json.RawMessage
			if d.Decode(&value) != nil {
				break
			}
			if key != "variants" && key != "command" && key != "description" && string(value) != "{}" {
				fmt.Fprintf(&b, "  %v: %s\n", key, value)
			}
		}
	}
	return b.String()
}

// lines are what makes a variant, beside its flow.
func (v *ShownVariant) lines() []string {
	var out []string
	if v.Rev != "" {
		out = append(out, fmt.Sprintf("revision %s, commit %s", v.Rev, v.Commit))
	}
	if v.Model != "" {
		out = append(out, "model "+v.Model)
	}
	for _, s := range v.Set {
		out = append(out, "set "+setText(s))
	}
	for _, p := range v.Prompts {
		out = append(out, strings.TrimSpace("prompts "+p.Name)+" "+p.Path)
	}
	return out
}

func setText(s engine.Setting) string { return s.Path + "=" + s.Value }

// Text is a case for a terminal.
func (c *ShownCase) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", c.ID, oneLine(c.Request))
	if c.Group != "" {
		fmt.Fprintf(&b, "  group: %s\n", c.Group)
	}
	fmt.Fprintf(&b, "  %s\n", c.Rest)
	for _, cell := range c.Cells {
		if len(cell.Runs) == 0 {
			fmt.Fprintf(&b, "\n%s: not made yet\n", cell.Variant)
			continue
		}
		fmt.Fprintf(&b, "\n%s: passes %d of %s\n", cell.Variant, cell.Passes, counted(len(cell.Runs), "run"))
		for i := range cell.Runs {
			if len(cell.Runs) > 1 {
				fmt.Fprintf(&b, "  run %d\n", cell.Runs[i].Repeat+1)
			}
			cell.Runs[i].text(&b)
		}
	}
	return b.String()
}

func (r *ShownRun) text(b *strings.Builder) {
	fmt.Fprintf(b, "  %s: %s\n", r.Outcome, r.InWords)
	for _, f := range r.Failed {
		fmt.Fprintf(b, "    not as expected: %s\n", f)
	}
	var took []string
	for _, m := range []Metric{Calls, Tokens, CostUSD, Latency} {
		if v, ok := r.Took[string(m)]; ok && v != 0 {
			took = append(took, string(m)+" "+m.show(v))
		}
	}
	if len(took) > 0 {
		fmt.Fprintf(b, "    took %s\n", strings.Join(took, ", "))
	}
	b.WriteString("  route\n")
	for _, s := range r.Route {
		s.text(b)
	}
	var plan bytes.Buffer
	if json.Indent(&plan, r.Plan, "    ", "  ") == nil {
		fmt.Fprintf(b, "  plan\n    %s\n", plan.String())
	}
}

// text is a step: what it took, why, what came of it, and what was asked and answered.
func (s *Step) text(b *strings.Builder) {
	action := s.Action
	if action == "" {
		action = "failed"
	}
	fmt.Fprintf(b, "    %s", s.Node)
	if s.Visit > 1 {
		fmt.Fprintf(b, " (visit %d)", s.Visit)
	}
	fmt.Fprintf(b, " -> %s", action)
	if s.Because != "" {
		fmt.Fprintf(b, ", because %s", oneLine(s.Because))
	}
	b.WriteByte('\n')
	if s.Result != "" {
		fmt.Fprintf(b, "      result %s\n", oneLine(s.Result))
	}
	for _, e := range s.Exchange {
		fmt.Fprintf(b, "      asked %s\n", e.Model)
		quoted(b, e.Prompt)
		switch {
		case e.Error != "":
			fmt.Fprintf(b, "      no answer: %s\n", oneLine(e.Error))
		case e.Carried:
			b.WriteString("      answered, to the same question in other words\n")
			quoted(b, e.Reply)
		default:
			b.WriteString("      answered\n")
			quoted(b, e.Reply)
		}
	}
}

func quoted(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "        | %s\n", strings.TrimRight(line, "\r\n"))
	}
}
