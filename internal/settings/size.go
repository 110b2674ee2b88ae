package settings

import (
	"fmt"
	"strconv"
	"strings"

	"pflow/internal/yamltree"
)

// sizeUnits are what sizes are given in, the largest first.
var sizeUnits = []struct {
	name  string
	shift int
}{{"GB", 30}, {"MB", 20}, {"KB", 10}}

// size reads a number of bytes, or one of KB, MB or GB.
func size(d *yamltree.Decoder, to *int64) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if n, ok := v.Scalar.(int); ok && n >= 0 {
			*to = int64(n)
			return
		}
		text, _ := v.Scalar.(string)
		for _, u := range sizeUnits {
			digits, ok := strings.CutSuffix(text, u.name)
			n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
			if ok && err == nil && n >= 0 && n <= maxKept {
				*to = n << u.shift
				return
			}
		}
		d.Report(v, yamltree.BadValue, "want a number of bytes, or a size such as 500MB or 1GB")
	}
}

// Size shows a number of bytes as settings give it.
func Size(n int64) string {
	for _, u := range sizeUnits {
		if n > 0 && n&(1<<u.shift-1) == 0 {
			return fmt.Sprintf("%d%s", n>>u.shift, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
