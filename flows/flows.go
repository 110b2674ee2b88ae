// Package flows holds the flows that pflow ships, embedded.
package flows

import "embed"

// FS holds each flow as NAME.yaml.
//
//go:embed *.yaml
var FS embed.FS
