package nodes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/coverage"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/ir"
)

// validateOp checks workflows.
func validateOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "validate",
		Summary: "Lists what is wrong with a workflow: its form, its nodes, the data that flows between them, and what of a request it leaves open.",
		Prep: []engine.Field{
			{Name: "workflow", Type: value.Any, Required: true, Doc: "the IR: an object, or text that holds one"},
			{Name: "discovered_params", Type: value.Any, Doc: "values of the request, which must not stand in the workflow"},
			{Name: "request", Type: value.String, Doc: "what the workflow is to do; with it parts are held against it, \"\" leaves that out"},
			{Name: "parts", Type: value.Any, Doc: "what stands for the words of the request: [{text: copied from it, by: node:ID, input:NAME or phrase}]"},
			{Name: "check_run", Type: value.Boolean, Default: false, Doc: "a workflow without errors is run with made-up results in the place of what its nodes would do; nothing is touched. What fails whatever they are is the error fake-run"},
			{Name: "now", Type: value.Any, Doc: "the date that relative words of the request count from; the run's own if not given"},
		},
		With: []engine.Field{
			{Name: "planning", Type: value.Boolean, Default: false, Doc: "the workflow was made for a request: what is declared for it and not used is an error, not a warning"},
			{Name: "nearest", Type: value.Integer, Default: 3, Doc: "how many components are named, and described, for a type that does not exist"},
			{Name: "tokens", Type: value.Integer, Default: 1500, Doc: "the budget of their description"},
		},
		Result: value.Object,
		ResultDoc: "{valid, errors, warnings, notes, coverage, nearest, outputs, made_up}; a finding is {severity, code, message, key, path?, node?, suggestion?, alternatives?}, key being " +
			"the same for the same finding in the next draft; errors begin with those of form, and no kind of them hides another; coverage is {parts: [{text, start, " +
			"end, by}], open: [{text, start, end, why}]}, offsets in bytes of the request; nearest is {names, context: their interfaces as text} for types that do not exist, which made_up names; outputs is [{id, keys}]: " +
			"what each step outputs",
		Idempotent: true,
		Instant:    true,
		Example: `flow: validate-example
version: 1
description: Check a workflow that has no nodes.
state:
  workflow: {type: any, default: {ir_version: 0.1.0, nodes: [], edges: []}}
  errors:   {type: array, default: []}
nodes:
  check:
    op: validate
    prep: {workflow: store.workflow}
    post: {errors: result.errors}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			planning := s.Value("planning") == true
			most, tokens := option(s, "nearest", 3), option(s, "tokens", 1500)
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				data, isText := in.Prep["workflow"].(string)
				if !isText {
					data = value.JSON(in.Prep["workflow"])
				}
				discovered, _ := in.Prep["discovered_params"].(map[string]any)
				found := d.check([]byte(data), shelf.Catalogue, ir.Options{Planning: planning, Discovered: discovered})
				w, _ := ir.Decode([]byte(data))
				if in.Prep["check_run"] == true && d.Rehearse != nil && !found.HasErrors() {
					failed, err := d.Rehearse(ctx, w, shelf.Shelf)
					if err != nil {
						return engine.Output{}, err
					}
					found = append(found, failed...)
				}
				near, err := shelf.nearest(ctx, w, found, most)
				if err != nil {
					return engine.Output{}, err
				}
				var cover coverage.Coverage
				if request, _ := in.Prep["request"].(string); request != "" && len(w.Nodes) > 0 {
					read, err := d.reading(ctx, request, in.Prep["now"], in.Now)
					if err != nil {
						return engine.Output{}, err
					}
					said, problems, err := coverage.Told(ctx, request, read.Entities, partsOf(in.Prep["parts"]), speakers(w))
					if err != nil {
						return engine.Output{}, err
					}
					cover, found = said, append(found, uncovered(problems)...)
				}
				errors, warnings, notes := []any{}, []any{}, []any{}
				for _, f := range byImportance(found) {
					switch f.Severity {
					case diag.Error:
						errors = append(errors, findingValue(f))
					case diag.Note:
						notes = append(notes, findingValue(f))
					default:
						warnings = append(warnings, findingValue(f))
					}
				}
				return engine.Output{Result: map[string]any{"valid": len(errors) == 0, "errors": errors, "warnings": warnings, "notes": notes,
					"coverage": coverageValue(cover),
					"outputs":  stepOutputs(w, shelf.Catalogue), "made_up": madeUp(w, shelf.Catalogue), "nearest": map[string]any{"names": plainList(namesOf(near)),
						"context": catalogue.Planning(near, catalogue.ContextOptions{Tokens: tokens, Rank: catalogue.AsGiven}).Text}}}, nil
			}
		},
	}
}

// stepOutputs are the output keys of each node whose type there is.
func stepOutputs(w *ir.Workflow, c *ir.Catalogue) []any {
	out := []any{}
	for _, n := range w.Nodes {
		if of := c.Get(n.Type); of != nil {
			out = append(out, map[string]any{"id": n.ID, "keys": plainList(of.OutputKeys())})
		}
	}
	return out
}

// madeUp are the types of nodes that there are not, each once.
func madeUp(w *ir.Workflow, c *ir.Catalogue) []any {
	out := []any{}
	for _, n := range w.Nodes {
		if n.Type != "" && c.Get(n.Type) == nil && !slices.Contains(out, any(n.Type)) {
			out = append(out, n.Type)
		}
	}
	return out
}

func (d Deps) check(data []byte, c *ir.Catalogue, o ir.Options) diag.List {
	if d.Check != nil {
		return d.Check(data, c, o)
	}
	_, found := ir.Check(data, c, o)
	return found
}

// importance orders codes: by their tiers, and last an input that nothing uses, which mostly comes of another mistake.
func importance(code string) int {
	if code == ir.UnusedInput {
		return ir.Tier(ir.UnresolvedTemplate) + 1
	}
	return ir.Tier(code)
}

// byImportance puts findings of form first and those of the data flow last. Whoever tells only the first ones shall tell of
// all that is wrong: of one code a few come at a time, then those of other codes, then more.
func byImportance(found diag.List) diag.List {
	const atATime = 4
	type placed struct {
		diag.Finding
		round int
	}
	counted := map[string]int{}
	list := make([]placed, len(found))
	for i, f := range found {
		list[i] = placed{f, counted[f.Kind] / atATime}
		counted[f.Kind]++
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(importance(a.Kind), importance(b.Kind)))
	})
	out := make(diag.List, len(list))
	for i, f := range list {
		out[i] = f.Finding
	}
	return out
}

// nearest are the components that nodes of types which do not exist may have meant, by their names and by the words of
// type and purpose. The findings name them.
func (s *candidates) nearest(ctx context.Context, w *ir.Workflow, found diag.List, most int) ([]*ir.Interface, error) {
	var out []*ir.Interface
	for k := range found {
		f := &found[k]
		var n int
		if _, err := fmt.Sscanf(f.Path, "nodes[%d].type", &n); f.Kind != ir.UnknownNodeType || err != nil || n >= len(w.Nodes) {
			continue
		}
		var names []string
		if f.Suggestion != "" {
			names = append(names, f.Suggestion)
		}
		ranked, err := s.rankComponents(ctx, w.Nodes[n].Type+" "+w.Nodes[n].Purpose, most)
		if err != nil {
			return nil, err
		}
		for _, r := range ranked {
			if r.Confidence > 0 && len(names) < most && !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		f.Alternatives = names
		for _, name := range names {
			if c := s.Catalogue.Get(name); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

func namesOf(components []*ir.Interface) []string {
	var out []string
	for _, c := range components {
		out = append(out, c.Name)
	}
	return out
}

// findingValue is a finding as a value, with its place where that is known. Its key does not tell at which place of a list it is, so that it is the same when
// the next draft has another node before it.
func findingValue(f diag.Finding) map[string]any {
	_, inside, _ := strings.Cut(f.Path, "].")
	if f.Node == "" {
		inside = f.Path
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Kind, f.Node, inside, f.Message}, "\x00")))
	m := map[string]any{"severity": string(f.Severity), "code": f.Kind, "message": f.Message, "key": hex.EncodeToString(sum[:6])}
	for k, text := range map[string]string{"path": f.Path, "node": f.Node, "suggestion": f.Suggestion} {
		if text != "" {
			m[k] = text
		}
	}
	if f.Place.Line > 0 {
		m["place"] = map[string]any{"line": f.Place.Line, "column": f.Place.Col}
	}
	if len(f.Alternatives) > 0 {
		m["alternatives"] = plainList(f.Alternatives)
	}
	return m
}

func plainList(names []string) []any {
	out := []any{}
	for _, n := range names {
		out = append(out, n)
	}
	return out
}
