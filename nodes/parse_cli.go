package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/ir"
)

// parseCLIOp reads workflows in CLI notation.
func parseCLIOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "parse-cli",
		Summary: "Reads a workflow in CLI notation, which plans are shown in, or says that a text is none.",
		Prep: []engine.Field{
			{Name: "text", Type: value.String, Required: true, Doc: "a request"},
			{Name: "stdin", Type: value.Any, Doc: "piped text, for the input with from_stdin"},
			{Name: "now", Type: value.Any, Doc: "the date that values are read with; the run's own if not given"},
		},
		Result: value.Object,
		ResultDoc: "{notation: whether the text is CLI notation; if it is not, all else is null or empty. workflow: the IR, null where the text cannot be read, title, templatized: the text with {input} for values, " +
			"extracted: {input: value}, missing: [{name, type, description}], errors: [findings], each with place {line, column} in the text, " +
			"coverage: {parts: [{text, start, end, by}], open}}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: parse-cli-example
version: 1
description: Read a step of a component that there is not.
state:
  text:     {type: string, default: "read-file --file_path=a.txt >> write-file --file_path=b.txt"}
  notation: {type: boolean, default: false}
nodes:
  read:
    op: parse-cli
    prep: [text]
    post: [notation]
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				text, _ := in.Prep["text"].(string)
				n := ir.ReadNotation(text, shelf.Catalogue)
				if n == nil {
					return engine.Output{Result: map[string]any{"notation": false, "workflow": nil, "title": "", "templatized": "", "extracted": map[string]any{},
						"missing": []any{}, "errors": []any{}, "coverage": map[string]any{"parts": []any{}, "open": []any{}}}}, nil
				}
				document := n.JSON()
				w, form := ir.Decode(document) // what is wrong with it is found below, with its place
				if !n.Whole && len(n.Problems) == 0 && !form.HasErrors() {
					now, err := nowOf(in.Prep["now"], in.Now)
					if err != nil {
						return engine.Output{}, err
					}
					if err := settleTyped(ctx, n, w, shelf.Catalogue, now); err != nil {
						return engine.Output{}, err
					}
					document = w.Encode()
				}
				errors := []any{}
				for _, f := range n.Locate(d.check(document, shelf.Catalogue, ir.Options{})) {
					if f.Severity == diag.Error {
						errors = append(errors, findingValue(f))
					}
				}
				var workflow any
				if len(n.Problems) == 0 { // else it is not what was meant
					if workflow, err = w.Plain(); err != nil {
						return engine.Output{}, err
					}
				}
				settled := settle(inputValuesOf(w, shelf.Catalogue), n.Values, in.Prep["stdin"])
				return engine.Output{Result: map[string]any{"notation": true, "workflow": workflow, "title": notationTitle(n, w), "templatized": withoutValues(n, text),
					"extracted": settled["extracted"], "missing": settled["missing"], "errors": errors, "coverage": notationCoverage(n, text)}}, nil
			}
		},
	}
}

// notationTitle is the name that stands above the steps, else the types of the first ones.
func notationTitle(n *ir.Notation, w *ir.Workflow) string {
	if n.Name != "" {
		return n.Name
	}
	const most = 3
	title := ""
	for i, node := range w.Nodes[:min(most, len(w.Nodes))] {
		if i > 0 {
			title += "-"
		}
		title += node.Type
	}
	if len(w.Nodes) == 1 {
		title += "-workflow" // the type's name is the component's
	}
	return title
}

// notationCoverage accounts for the text: every part of it is read, or a mistake.
func notationCoverage(n *ir.Notation, text string) map[string]any {
	parts := []any{}
	for _, p := range n.Parts() {
		parts = append(parts, map[string]any{"text": text[p.Start:p.End], "start": p.Start, "end": p.End, "by": p.By})
	}
	return map[string]any{"parts": parts, "open": []any{}}
}
