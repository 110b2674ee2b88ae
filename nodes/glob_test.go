package nodes

import "testing"

func TestGlobAnyCase(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"(?i)*.jpg", "IMG_1.JPG", true},
		{"(?i)*.{JPG,png}", "a.Png", true},
		{"(?i)*.jpg", ".JPG", false}, // hidden
		{"*.jpg", "IMG_1.JPG", false},
		{"(?i)", "A", true},
		{"(?i)[A-C]*", "bob", true},
		{"(?i)*.jpg", "a.jpeg", false},
	} {
		g, err := newGlob(c.pattern)
		if err != nil {
			t.Fatal(c.pattern, err)
		}
		if got := g.matches([]string{"Photos", c.name}); got != c.want {
			t.Errorf("%s matches %s: %v", c.pattern, c.name, got)
		}
	}
}
