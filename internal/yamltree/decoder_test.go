package yamltree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDecoder reads what fits, leaves what does not, and says all of that at its place.
func TestDecoder(t *testing.T) {
	tree, found := Parse("d.yaml", []byte(`name: x
title: ""
size: 11
share: -1
on: yes
mode: fsat
tags: [a, 3, ""]
extra: 1
nme: y
inner: {b: null}
`))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	var got struct {
		Name, Title, Mode, B string
		Size                 int
		Share                float64
		On                   bool
		Tags                 []string
		Extra                map[string]any
	}
	got.Mode, got.B = "slow", "kept"
	d := Decoder{NullIsAbsent: true}
	d.Mapping(tree, "a thing", Fields{
		"name": d.Text(&got.Name), "title": d.Text(&got.Title), "size": d.Within(&got.Size, 1, 10), "share": d.Number(&got.Share, 0),
		"on": d.Truth(&got.On), "mode": d.OneOf(&got.Mode, "fast", "slow"), "tags": d.Texts(&got.Tags), "extra": d.Object(&got.Extra),
		"inner": func(v *Value) { d.Mapping(v, "an inner thing", Fields{"b": d.Text(&got.B)}) },
	})
	if got.Name != "x" || got.Title != "" || got.Size != 0 || got.Share != 0 || got.On || got.Mode != "slow" || got.B != "kept" || len(got.Tags) != 1 {
		t.Errorf("%+v", got)
	}
	want := `d.yaml:2:8: error: this text is empty; leave the key out, or say something [bad-value]
  title: ""
         ^
d.yaml:3:7: error: want at most 10 [bad-value]
  size: 11
        ^
d.yaml:4:8: error: want at least 0 [bad-value]
  share: -1
         ^
d.yaml:5:5: error: want true or false, got text [wrong-kind]
  on: yes
      ^
d.yaml:6:7: error: want one of: fast, slow; got "fsat" [bad-value]
  mode: fsat
        ^
  did you mean "fast"?
d.yaml:7:11: error: want text, got an integer [wrong-kind]
  tags: [a, 3, ""]
            ^
d.yaml:7:14: error: this text is empty; leave the key out, or say something [bad-value]
  tags: [a, 3, ""]
               ^
d.yaml:8:8: error: want a mapping, got an integer [wrong-kind]
  extra: 1
         ^
d.yaml:9:1: error: there is no key "nme" here [unknown-key]
  nme: y
  ^
  did you mean "name"?
`
	if diff := cmp.Diff(want, d.Found.Sort().Text()); diff != "" {
		t.Error(diff)
	}
	lenient := Decoder{Lenient: true}
	lenient.Mapping(tree.Get("inner"), "an inner thing", Fields{})
	if lenient.Found.HasErrors() || len(lenient.Found) != 1 {
		t.Errorf("a lenient decoder: %s", lenient.Found.Text())
	}
}
