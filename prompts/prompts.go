// Package prompts holds the shipped prompts and the schemas of their replies, embedded.
package prompts

import "embed"

// FS has NAME.tmpl and NAME.schema.json.
//
//go:embed *.tmpl *.schema.json
var FS embed.FS
