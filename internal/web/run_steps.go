package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/printable"
)

// runShown is a run as `pflow runs show --json` tells of it.
type runShown struct {
	Run       runRow             `json:"run"`
	Children  []runRow           `json:"children"`
	Outputs   any                `json:"outputs"`
	Error     *runError          `json:"error"`
	Approvals []runApproval      `json:"approvals"`
	Digest    string             `json:"digest"` // approves exactly these
	Waits     []string           `json:"waits"`
	Usage     map[string]float64 `json:"usage"`
	Warnings  []string           `json:"warnings"`
	Steps     []*runStep         `json:"steps"`
	Counts    map[string]int     `json:"counts"`
	Inputs    map[string]any     `json:"inputs"`
	Given     []string           `json:"given"` // the inputs that were given beside the request, or against it
	Saved     string             `json:"saved"` // of its workflow, where it was no file: yes, gone or draft
	Source    struct {
		Workflow json.RawMessage `json:"workflow"`
		Flow     json.RawMessage `json:"flow"`
		Nodes    []runNode       `json:"nodes"`
	} `json:"source"`
}

// Unsaved says that the library does not have the workflow, where one may think it does; "" else.
func (d *runShown) Unsaved() string {
	switch {
	case d.Saved == "gone":
		return "saved no more"
	case d.Saved != "draft":
		return ""
	case d.Run.Status == "failed" || d.Run.Status == "limit":
		return "not saved, since its run failed"
	case d.Run.Running() || d.Run.Resumable:
		return "saved once its run is done"
	}
	return "not saved"
}

// Instead are the inputs that have other values than what was asked for says, or values that it does not say.
func (d *runShown) Instead() []shownValue {
	return slices.DeleteFunc(valuesOf(anyMap(d.Inputs)), func(v shownValue) bool { return !slices.Contains(d.Given, v.Name) })
}

// runApproval is a step that waits.
type runApproval struct {
	Node        string `json:"node"`
	Type        string `json:"type"`
	Destructive bool   `json:"destructive"`
	Why         string `json:"why"`
	Params      any    `json:"params"`
}

// Given are the params that it would get.
func (a *runApproval) Given() []shownValue { return valuesOf(a.Params) }

// Gate is the step that waits before it.
func (a *runApproval) Gate() string { return a.Node + gateEnd }

// gateEnd ends the names of steps that wait for the approval of a node.
const gateEnd = ":approval"

// runNode is what became of a node of a workflow or flow.
type runNode struct {
	Node    string         `json:"node"`
	Status  string         `json:"status"`
	Visits  int            `json:"visits"`
	Kept    bool           `json:"kept"`
	Actions []string       `json:"actions"`
	Inside  map[string]int `json:"inside"`
}

// runStep is a step of a run.
type runStep struct {
	Name       string         `json:"name"`
	Label      string         `json:"label"`
	Type       string         `json:"type"`
	Status     string         `json:"status"`
	StartedAt  *time.Time     `json:"started_at"`
	DurationMS float64        `json:"duration_ms"`
	Action     *string        `json:"action"`
	Because    string         `json:"because"`
	Not        []string       `json:"not"`
	Saw        map[string]any `json:"saw"`
	Params     any            `json:"params"`
	Outputs    any            `json:"outputs"`
	Attempts   []runAttempt   `json:"attempts"`
	Why        string         `json:"why"`
	Inside     map[string]int `json:"inside"`
	Steps      []*runStep     `json:"steps"`

	State string `json:"-"` // as pages show it
	Href  string `json:"-"`
	Open  bool   `json:"-"` // its details are open
}

// runAttempt is an attempt of a step.
type runAttempt struct {
	Attempt    int                `json:"attempt"`
	StartedAt  time.Time          `json:"started_at"`
	DurationMS float64            `json:"duration_ms"`
	Error      *runError          `json:"error"`
	Waits      string             `json:"waits"`
	Usage      map[string]float64 `json:"usage"`
	Kept       string             `json:"kept"`
	Open       bool               `json:"open"`
}

// settle gives steps, and what is inside them, the states and addresses that pages show.
func (r *runRow) settle(steps []*runStep) {
	for _, s := range steps {
		kept := len(s.Attempts) > 0 && s.Attempts[len(s.Attempts)-1].Kept != ""
		s.State, s.Href = r.state(s.Status, kept), r.StepPage(s.Name)
		s.cases()
		r.settle(s.Steps)
	}
}

// cases says of a switch which of its cases held, and which before it did not.
func (s *runStep) cases() {
	params, _ := s.Params.(map[string]any)
	list, ok := params["cases"].([]any)
	if s.Type != "switch" || !ok || s.Action == nil || s.Because != "" {
		return
	}
	for _, v := range list {
		one, _ := v.(map[string]any)
		expr, _ := one["expr"].(string)
		if one["action"] == *s.Action {
			s.Because = expr
			break
		}
		s.Not = append(s.Not, expr)
	}
	s.Saw, _ = params["inputs"].(map[string]any)
}

// state is that of a step of the run.
func (r *runRow) state(status string, kept bool) string {
	switch {
	case status == "done" && kept:
		return stateKept
	case status == "open" && r.Running():
		return stateRunning
	case status == "open":
		return stateOpen
	}
	return status
}

// StepPage is the page of a step.
func (r *runRow) StepPage(name string) string { return r.Page() + "/steps/" + url.PathEscape(name) }

// graph is what ran, with the states of the run over it; nil where that is not known.
func (d *runShown) graph() *Graph {
	var g *Graph
	var err error
	switch {
	case isObject(d.Source.Workflow):
		g, err = GraphOfWorkflow(d.Source.Workflow)
	case isObject(d.Source.Flow):
		g, err = GraphOfFlow(d.Source.Flow)
	}
	if g == nil || err != nil {
		return nil
	}
	g.Label = d.Run.Name
	came := map[string]Visited{}
	for _, n := range d.Source.Nodes {
		if node, ok := strings.CutSuffix(n.Node, gateEnd); ok && n.Status == "waiting" {
			came[node] = Visited{State: stateWaiting}
			continue
		} else if _, waits := came[n.Node]; waits {
			continue // its approval does
		}
		came[n.Node] = Visited{State: d.Run.state(n.Status, n.Kept), Count: n.count(), Actions: n.Actions}
	}
	g.Light(came)
	g.Link(func(n *GraphNode) string {
		if v, ok := came[n.ID]; !ok || v.State == "" {
			return ""
		}
		return d.Run.StepPage(n.ID)
	})
	return g
}

func isObject(data json.RawMessage) bool { return len(data) > 0 && data[0] == '{' }

// count says how often a node was visited, or how many of what is inside it are done.
func (n *runNode) count() string {
	total := sum(n.Inside)
	failed := ""
	if k := n.Inside["failed"]; k > 0 {
		failed = fmt.Sprintf(", %d failed", k)
	}
	switch {
	case total > 1 && n.Inside["done"] < total:
		return fmt.Sprintf("%d of %d%s", n.Inside["done"], total, failed)
	case total > 1:
		return strconv.Itoa(total)
	case n.Visits > 1:
		return fmt.Sprintf("×%d", n.Visits)
	}
	return ""
}

func sum(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// Total is how many steps are inside.
func (s *runStep) Total() int { return max(sum(s.Inside), len(s.Steps)) }

// Left is how many of them are not told.
func (s *runStep) Left() int { return s.Total() - len(s.Steps) }

// gate reports whether it waits for the approval of a node.
func (s *runStep) gate() bool { return strings.HasSuffix(s.Label, gateEnd) }

// Title is what a step is called within what it is in.
func (s *runStep) Title() string {
	if node, ok := strings.CutSuffix(s.Label, gateEnd); ok {
		return "approval of " + node
	}
	return s.Label
}

// Ran reports whether the step began.
func (s *runStep) Ran() bool { return s.StartedAt != nil }

// Took is how long it took; "" while that is not known.
func (s *runStep) Took() string {
	if s.StartedAt == nil || s.Status == "open" || s.Status == "waiting" {
		return ""
	}
	return took(s.DurationMS)
}

// Outcome is the action that chose its edge, unless it is the usual one.
func (s *runStep) Outcome() string {
	if s.Action == nil || *s.Action == "default" {
		return ""
	}
	return *s.Action
}

// Failure is the error of the last attempt.
func (s *runStep) Failure() *runError {
	if len(s.Attempts) == 0 || s.Status != "failed" {
		return nil
	}
	return s.Attempts[len(s.Attempts)-1].Error
}

// Retried reports whether its attempts are worth a list: there are several, or one that says more than its step.
func (s *runStep) Retried() bool {
	return len(s.Attempts) > 1 || len(s.Attempts) == 1 && (s.Attempts[0].Error != nil && s.Status != "failed" || s.Attempts[0].Kept != "" || s.Attempts[0].Open && s.State != "running" || len(s.Attempts[0].Usage) > 0)
}

// Given are the params, Gave the outputs, and Read what the conditions saw.
func (s *runStep) Given() []shownValue { return valuesOf(s.Params) }

func (s *runStep) Gave() []shownValue {
	if s.Status == "failed" {
		return nil
	}
	return valuesOf(s.Outputs)
}

func (s *runStep) Read() []shownValue { return valuesOf(s.Saw) }

// Used says what an attempt used.
func (a *runAttempt) Used() string { return usageText(a.Usage) }

func usageText(usage map[string]float64) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(usage)) {
		v := usage[name]
		if name == "cost_usd" {
			out = append(out, money(v))
			continue
		}
		out = append(out, strconv.FormatFloat(v, 'f', -1, 64)+" "+strings.ReplaceAll(name, "_", " "))
	}
	return strings.Join(out, ", ")
}

// shownValue is a value as it is shown.
type shownValue struct {
	Name  string // "" of one that stands alone
	Text  string
	Lines bool  // it has several lines, or is long
	Bytes int64 // of the whole one, where it is cut
}

// valuesOf are the members of an object, or the one value.
func valuesOf(v any) []shownValue {
	object, ok := v.(map[string]any)
	if _, cut := object["$cut"]; v == nil || ok && len(object) == 0 {
		return nil
	} else if _, secret := object["$env"]; !ok || cut || secret && len(object) == 1 {
		return []shownValue{valueOf("", v)}
	}
	var out []shownValue
	for _, name := range slices.Sorted(maps.Keys(object)) {
		out = append(out, valueOf(name, object[name]))
	}
	return out
}

const shortValue = 90 // characters that stand on one line

func valueOf(name string, v any) shownValue {
	out := shownValue{Name: printable.Line(name)}
	object, _ := v.(map[string]any)
	if cut, ok := object["$cut"].(string); ok && len(object) == 2 {
		n, _ := object["bytes"].(json.Number)
		bytes, _ := n.Int64()
		out.Text, out.Bytes, out.Lines = printable.Text(cut)+"…", bytes, true
		return out
	}
	if env, ok := object["$env"].(string); ok && len(object) == 1 {
		out.Text = "the secret " + printable.Line(env)
		return out
	}
	switch text, ok := v.(string); {
	case ok && text == "":
		out.Text = `""`
	case ok:
		out.Text = printable.Text(text)
	default:
		text := jsonText(v, "")
		if len(text) > shortValue {
			text = jsonText(v, "  ")
		}
		out.Text = printable.Text(text)
	}
	out.Lines = strings.Contains(out.Text, "\n") || len(out.Text) > shortValue
	return out
}

// chip is a way to narrow steps by their state.
type chip struct {
	State, Words string
	Count        int
	Href         string
	Chosen       bool
}

// chipsOf are those for what there is of each state. address gives the page for one state, or for all.
func chipsOf(r *runRow, counts map[string]int, chosen string, address func(status string) string) []chip {
	if len(counts) < 2 && chosen == "" {
		return nil
	}
	out := []chip{{Words: "all", Count: sum(counts), Href: address(""), Chosen: chosen == ""}}
	for _, status := range stepStates {
		if n := counts[status]; n > 0 || status == chosen {
			out = append(out, chip{r.state(status, false), stateWords(r.state(status, false)), n, address(status), status == chosen})
		}
	}
	return out
}

// stateWords is a state as people say it.
func stateWords(state string) string { return strings.ReplaceAll(state, "_", " ") }
