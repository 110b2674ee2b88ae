// Package schemas has the schemas of what commands print with --json, embedded.
package schemas

import "embed"

// FS holds each schema as NAME.json.
//
//go:embed *.json
var FS embed.FS
