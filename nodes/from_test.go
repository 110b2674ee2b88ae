package nodes

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// TestFrom: the params that a type names as paths from which it reads are those without whose file it fails. Those of git are left
// out: a file that is not in the folder may be in the repository.
func TestFrom(t *testing.T) {
	eachPath(t, func(t *testing.T, typ nodetype.Type, port ir.Port) {
		if port.Key == "cwd" || strings.HasPrefix(typ.Interface.Name, "git-") {
			t.Skip()
		}
		params := withPath(typ, port, "absent.csv")
		delete(params, "base") // of the paths in the example
		c := newCall(t, params, ir.Values{})
		before(t, c, typ)
		_, err := typ.Run(t.Context(), c)
		var known *fault.Error
		needs := errors.As(err, &known) && known.Kind == fault.NotFound && strings.Contains(known.Message, "absent.csv")
		if named := slices.Contains(typ.From, port.Key); named != needs {
			t.Errorf("From names it: %v; without the file: %v", named, err)
		}
	})
	for _, typ := range Types(exampleDeps()) {
		for _, key := range typ.From {
			if !namesPath(typ, key) {
				t.Errorf("%s: From names %q, which is no path", typ.Interface.Name, key)
			}
		}
	}
}
