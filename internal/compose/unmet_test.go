package compose

import (
	"strings"
	"testing"
)

// TestUnmet: of what would do only a part nothing is made, and the reason says which part is left.
func TestUnmet(t *testing.T) {
	for _, c := range []struct{ request, why string }{
		{"do not delete a.txt", `it is not to be done: "do not delete a.txt"`},
		{"Read a.txt. Please don't copy it.", `it is not to be done: "Please don't copy it."`},
		{"never delete a.txt", "not to be done"},
		{"read a.txt, but not b.txt", "makes exceptions"},
		{"copy a.txt to b.txt unless it is there", "makes exceptions"},
		{"delete a.txt only if it is old", "makes exceptions"},
		{"copy a.txt to b.txt and c.txt", `"c.txt"`},
		{`copy a.txt to b.txt "quickly"`, `takes "quickly"`},
		{"copy a.txt to b.txt 3 times", "3"},
		{"copy a.txt to b.txt tomorrow", "tomorrow"},
		{"copy a.txt to b.txt for $20", "$20"},
		{"copy the sorted a.txt to b.txt", `"sorted"`},
		{"copy a.txt to b.txt and translate the poem", `nothing there is does "translate the poem"`},
		{"sort the lines of a.txt backwards and write them to b.txt", `"backwards"`},
		{"paint the fence", "does what is asked for"},
	} {
		r := composed(t, c.request, office, Options{})
		if r.Workflow != nil || !strings.Contains(r.Reason, c.why) {
			t.Errorf("%q: %s\n%s\nwant a reason with %s", c.request, r.Reason, wiring(r), c.why)
		}
	}
	for _, request := range []string{"copy a.txt to b.txt", "Don't worry, copy a.txt to b.txt", "please delete a.txt", `write "3 times" to a.txt`} {
		if r := composed(t, request, office, Options{}); r.Workflow == nil {
			t.Errorf("%q: %s", request, r.Reason)
		}
	}
}

// TestMostSteps: no workflow is made of a part of a long list of wishes.
func TestMostSteps(t *testing.T) {
	request := strings.Repeat("read a.txt, then delete b.txt, then ", mostSteps/2) + "read c.txt"
	if r := composed(t, request, office, Options{}); r.Workflow != nil || !strings.Contains(r.Reason, "more than 12 steps") {
		t.Errorf("%s\n%s", r.Reason, wiring(r))
	}
}

func TestRefuses(t *testing.T) {
	for request, refused := range map[string]bool{
		"": false, "copy a.txt": false, "do not copy a.txt": true, "don’t copy a.txt": true, "Never delete it": true, "please do not send it": true,
		"read it. Do not delete it.": true, "do not worry": false, "write 'do not delete' to a.txt": false, "donut copy": false,
	} {
		if why := Refuses(request); (why != "") != refused {
			t.Errorf("%q: %q", request, why)
		}
	}
}
