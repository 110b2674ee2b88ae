package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/language"
	"pflow/internal/value"
)

// detectLanguageOp tells the language of a request.
func detectLanguageOp() engine.Op {
	return engine.Op{
		Name:    "detect-language",
		Summary: "Tells the language of a request by its script, its words and its letters; quoted texts, paths and other values do not count.",
		Prep: []engine.Field{
			{Name: "text", Type: value.String, Required: true, Doc: "the request"},
		},
		Result: value.Object,
		ResultDoc: "{language, bytes}: the English name of the language, \"\" for English and where it is not certain; " +
			"and how long the text is",
		Idempotent: true,
		Instant:    true,
		Example: `flow: detect-language-example
version: 1
description: Ask in German.
state:
  request:  {type: string, default: kopiere a.txt nach b.txt}
  language: {type: string, default: ""}
nodes:
  detect:
    op: detect-language
    prep: {text: store.request}
    post: {language: result.language}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				text, _ := in.Prep["text"].(string)
				return engine.Output{Result: map[string]any{"language": language.Detect(text), "bytes": len(text)}}, nil
			}
		},
	}
}
