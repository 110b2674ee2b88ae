package flowdiff

import "testing"

// TestCloseUp: blanks that mean nothing go, and no two expressions become one.
func TestCloseUp(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a+b", "a\n  + b", true},
		{"a and b", "aand b", false},
		{"a and b", "a\tand  b", true},
		{`"a b"`, `"ab"`, false},
		{`"a \" b" + c`, `"a \" b"+c`, true},
		{`"a \" b"`, `"a \"b"`, false},
		{"a ? .b : c", "a?.b : c", false},
		{"x - -1", "x--1", false},
		{"f( x , y )", "f(x,y)", true},
		{"`\\` + b", "`\\`+b", true},
	} {
		if got := closeUp(c.a) == closeUp(c.b); got != c.same {
			t.Errorf("%q and %q: %q and %q, want the same: %v", c.a, c.b, closeUp(c.a), closeUp(c.b), c.same)
		}
	}
}
