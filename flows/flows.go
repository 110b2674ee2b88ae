// Package flows holds the flows that pflow ships.
package flows

import "embed"

//go:embed *.yaml
var FS embed.FS // a flow under its name and ".yaml"
