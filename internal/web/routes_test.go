package web

import (
	"regexp"
	"strings"
	"testing"
)

// TestRoutesHideNoName: no word of an address stands where a name stands in another, if something may be called so.
func TestRoutesHideNoName(t *testing.T) {
	ids := regexp.MustCompile(`^[0-9]{8}-[0-9a-z-]*$`) // runs get theirs from pflow
	any := regexp.MustCompile("^(" + AnyName + ")$")
	routes := New(Options{}).Routes()
	hides := func(words, names string) (word string) {
		method, path, _ := strings.Cut(words, " ")
		other, named, _ := strings.Cut(names, " ")
		a, b := strings.Split(path, "/"), strings.Split(named, "/")
		if method != other || len(a) != len(b) {
			return ""
		}
		for i := range a {
			switch {
			case a[i] == b[i], strings.HasPrefix(a[i], "{"):
			case !strings.HasPrefix(b[i], "{"), b[i] == "{$}":
				return ""
			case b[i-1] == "runs" && ids.MatchString(a[i]), b[i-1] != "runs" && any.MatchString(a[i]):
				word = a[i]
			}
		}
		return word
	}
	// A part of what is named is no name: {part} of GET /library/{name}/{part}.
	part := regexp.MustCompile(`/\{(part|format)\}$`)
	for _, a := range routes {
		for _, b := range routes {
			if word := hides(a, b); word != "" && !part.MatchString(b) {
				t.Errorf("%s hides what is called %q from %s", a, word, b)
			}
		}
	}
	if hides("GET /library/nodes", "GET /library/{name}") != "nodes" || hides("POST /experiments/live/stop", "POST /experiments/{id}/stop") != "live" || hides("GET /library/_new", "GET /library/{name}") != "" {
		t.Error("what is hidden is not seen")
	}
}
