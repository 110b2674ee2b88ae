package web

import (
	"encoding/json"
	"regexp"
	"strings"

	"pflow/internal/printable"
)

// planShown is what `pflow apply --dry-run --json` tells of a plan.
type planShown struct {
	Request  string `json:"request"`
	Dir      string `json:"dir"`
	Digest   string `json:"digest"`
	Destroys string `json:"digest_destroys"`
	Refused  string `json:"refused"`
	Do       string `json:"do"` // at a terminal
	Edited   bool   `json:"edited"`
	Kept     string `json:"kept"`
	Note     string `json:"note"`
	Plan     struct {
		Status      string          `json:"status"`
		Name        *string         `json:"workflow_name"`
		IR          json.RawMessage `json:"workflow_ir"`
		Metadata    map[string]any  `json:"workflow_metadata"`
		Missing     []planMissing   `json:"missing_params"`
		Candidates  []planCandidate `json:"candidates"`
		Coverage    coverage        `json:"coverage"`
		Diagnostics []finding       `json:"diagnostics"`
		Could       *planCould      `json:"could"`
		Error       *planError      `json:"error"`
		Flow        struct {
			Name string `json:"name"`
		} `json:"flow"`
	} `json:"plan"`
	Values      []planValue   `json:"values"`
	DryRun      *dryRun       `json:"dry_run"`
	Destructive []runApproval `json:"destructive"`
	Effects     []string      `json:"effects"`
	Notation    string        `json:"notation"`
	Gone        []string      `json:"gone"` // candidates that are saved no more
	Trigger     *struct {
		Words string   `json:"words"`
		Next  []string `json:"next"`
	} `json:"trigger"`
}

type planMissing struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	FromEnv     string `json:"from_env"`
}

type planCandidate struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

type planCould struct {
	Components []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"components"`
	Programs []struct {
		Program string `json:"program"`
		Does    string `json:"does"`
		Declare string `json:"declare"`
	} `json:"programs"`
}

type planError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Node    string `json:"node"`
}

// planValue is an input of a plan, and where its value comes from.
type planValue struct {
	Name        string   `json:"input"`
	Value       any      `json:"value"`
	From        string   `json:"from"`
	Words       []string `json:"words"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Required    bool     `json:"required"`
	Secret      bool     `json:"secret"`
	FromEnv     string   `json:"from_env"`

	Typed *string `json:"-"` // what somebody typed for it, where that is shown again
}

// Text is the value as a field has it.
func (v planValue) Text() string {
	if v.Typed != nil {
		return *v.Typed
	}
	return asText(v.Value)
}

// Missing reports whether there is no value, and one is needed.
func (v planValue) Missing() bool { return v.From == "missing" }

// Reads is the value with escapes for what would have it read as something else in its box; "" where it holds none.
func (v planValue) Reads() string {
	if text := v.Text(); !v.Secret && printable.Text(text) != text {
		return printable.Text(text)
	}
	return ""
}

// Rows are the lines of its box.
func (v planValue) Rows() int {
	n := strings.Count(v.Text(), "\n") + 1 + len(v.Text())/90
	if v.Type == "object" || v.Type == "array" {
		n = max(n, 3)
	}
	return min(n, 14)
}

// Source says where the value comes from.
func (v planValue) Source() string {
	switch v.From {
	case "words":
		return "your words “" + strings.Join(v.Words, "”, “") + "”"
	case "given":
		return "given by you in the place of what was planned"
	case "default":
		return "its default"
	case "stdin":
		return "the piped text"
	case "missing":
		return "nothing says it"
	case "model":
		if len(v.Words) > 0 {
			return "a model made it of your words “" + strings.Join(v.Words, "”, “") + "”, where it is not written"
		}
		return "a model took it from the request"
	case "composed":
		return "composed: no words of the request stand for it alone"
	}
	return ""
}

// replaced adds to what stands for the words of a request those of values that were planned, in whose place others were given.
func (p *planShown) replaced(made *planShown) {
	given := map[string]bool{}
	for _, v := range p.Values {
		given[v.Name] = v.From == "given"
	}
	for _, part := range made.Plan.Coverage.Parts {
		if name, ok := strings.CutPrefix(part.By, "input:"); ok && given[name] {
			part.By = "given:" + name
			p.Plan.Coverage.Parts = append(p.Plan.Coverage.Parts, part)
		}
	}
}

// Given are the params of a step.
func (s dryStep) Given() []shownValue { return valuesOf(s.Params) }

// changedLine is a line of an excerpt: its number, what happens to it, and what it says.
var changedLine = regexp.MustCompile(`^\s*(\d+) ([-+]) (.*)$`)

// ChangedLines is the excerpt of what changes in files.
func (s dryStep) ChangedLines() (out []diffLine) {
	for _, line := range s.Changes {
		mark := ""
		if m := changedLine.FindStringSubmatch(line); m != nil {
			mark, line = map[string]string{"-": "del", "+": "ins"}[m[2]], m[1]+"  "+m[3]
		}
		out = append(out, diffLine{Mark: mark, Text: line})
	}
	return out
}
