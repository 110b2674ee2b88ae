package compose

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/mapparams"
	"pflow/internal/value"
	"pflow/ir"
)

func port(key string, t value.Type, more ...string) ir.Port {
	p := ir.Port{Key: key, Type: t, Required: true}
	if len(more) > 0 {
		p.Description = more[0]
	}
	if len(more) > 1 {
		p.Kind = more[1]
	}
	return p
}

var tools = []*ir.Interface{
	{Name: "airport", Description: "Look up an airport by its city.", Inputs: []ir.Port{port("city", value.String, "The city")}, Outputs: []ir.Port{port("sky_code", value.String, "The code of the airport")}},
	{Name: "flights", Description: "Find flights from an airport.", Inputs: []ir.Port{port("origin_sky_code", value.String, "The code of the airport")}, Outputs: []ir.Port{port("flights", value.Array)}},
	{Name: "mail", Description: "Send a message to somebody.", Inputs: []ir.Port{port("recipient", value.String, "The address"), port("text", value.Any, "What it says")}},
	{Name: "speak", Description: "Read text out aloud.", Inputs: []ir.Port{port("words", value.String, "", "text")}, Outputs: []ir.Port{port("sound", value.String, "", "audio")}},
	{Name: "louder", Description: "Make a recording louder.", Inputs: []ir.Port{port("track", value.String, "", "audio")}, Outputs: []ir.Port{port("track", value.String, "", "audio")}},
}

// composed composes in a context that does not end.
func composed(t *testing.T, request string, interfaces []*ir.Interface, o Options) Result {
	t.Helper()
	read, err := mapparams.Read(t.Context(), request, time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compose(t.Context(), read, interfaces, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wiring writes the nodes of a workflow with their params, one a line.
func wiring(r Result) string {
	if r.Workflow == nil {
		return "none"
	}
	var lines []string
	for _, n := range r.Workflow.Nodes {
		line := n.Type
		for _, k := range value.SortedKeys(n.Params) {
			line += " " + k + "=" + string(ir.Text(n.Params[k]))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestCompose(t *testing.T) {
	for _, c := range []struct{ request, want string }{
		{"send a message to ann@example.org that says \"hello\"", "mail recipient=${recipient} text=${text}"},
		// what comes before is found by working back from an input that nothing gives
		{"find flights from Rome", "airport city=${city}\nflights origin_sky_code=${airport.sky_code}"},
		// outputs are led on, by kind and to whatever takes anything
		{"read \"good night\" out aloud, then make the recording louder", "speak words=${words}\nlouder track=${speak.sound}"},
		{"look up the airport of Oslo and send a message with it to bo@example.org", "airport city=${city}\nmail recipient=${recipient} text=${airport.sky_code}"},
		{"paint the fence", "none"},
		{"", "none"},
	} {
		r := composed(t, c.request, tools, Options{})
		if diff := cmp.Diff(c.want, wiring(r)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.request, diff)
		}
		if r.Workflow == nil {
			continue
		}
		if found := ir.Validate(r.Workflow, ir.NewCatalogue(tools...), ir.Options{}); found.HasErrors() {
			t.Errorf("%q: %s", c.request, found.Text())
		}
	}
}

// TestInterfaces: an interface survives its way through the store.
func TestInterfaces(t *testing.T) {
	for _, i := range tools {
		got, err := Interfaces([]any{Plain(i)})
		if err != nil || len(got) != 1 || got[0].Name != i.Name || len(got[0].Inputs) != len(i.Inputs) || len(got[0].Inputs) > 0 && got[0].Inputs[0].Kind != i.Inputs[0].Kind {
			t.Errorf("%s: %v %+v", i.Name, err, got)
		}
	}
	if _, err := Interfaces([]any{map[string]any{}}); err == nil {
		t.Error("an interface without a name is taken")
	}
}

// TestForms: a component is used by its forms, and what a clause names is read first for a form that takes anything.
func TestForms(t *testing.T) {
	parts := []*ir.Interface{
		{Name: "reader", Description: "Read a file.", Effects: []ir.Effect{ir.Reads}, Inputs: []ir.Port{port("file_path", value.String, "The file")}, Outputs: []ir.Port{port("content", value.String)}},
		{Name: "calc", Description: "Compute an expression.", Inputs: []ir.Port{{Key: "inputs", Type: value.Object}},
			Params:  []ir.Port{{Key: "expression", Type: value.String, Required: true, Raw: true}},
			Outputs: []ir.Port{port("result", value.Any)},
			Forms: []ir.Form{
				{Says: []string{"Shuffle the words of a text."}, Inputs: []ir.Port{port("text", value.String)},
					With: map[string]any{"expression": "shuffle(text)", "inputs": map[string]any{"text": "${text}"}}},
				{Says: []string{"Repeat a text some times."}, Inputs: []ir.Port{port("text", value.String), port("times", value.Integer, "How many times")},
					With: map[string]any{"expression": "repeat(text, times)", "inputs": map[string]any{"text": "${text}", "times": "${times}"}}},
			}},
	}
	for _, c := range []struct{ request, want string }{
		{"shuffle the words of notes.txt", "reader file_path=${file_path}\ncalc expression=shuffle(text) inputs={\"text\":\"${reader.content}\"}"},
		{"read notes.txt, then repeat it 3 times", "reader file_path=${file_path}\ncalc expression=repeat(text, times) inputs={\"text\":\"${reader.content}\",\"times\":\"${times}\"}"},
		{"compute an expression", "none"},
	} {
		r := composed(t, c.request, parts, Options{})
		if diff := cmp.Diff(c.want, wiring(r)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.request, diff)
		}
	}
}

// TestSpokenOutput: of the outputs there are, an input takes the one that its clause speaks of.
func TestSpokenOutput(t *testing.T) {
	parts := []*ir.Interface{
		{Name: "measure", Description: "Measure a tree.", Inputs: []ir.Port{port("tree", value.String, "The name of the tree")}, Outputs: []ir.Port{port("age", value.Integer), port("height", value.Number)}},
		{Name: "label", Description: "Print a label.", Inputs: []ir.Port{port("number", value.Number, "What stands on it")}, Outputs: []ir.Port{port("done", value.Boolean)}},
	}
	r := composed(t, `measure the tree "Oak", then print a label with the height`, parts, Options{})
	if diff := cmp.Diff("measure tree=${tree}\nlabel number=${measure.height}", wiring(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// FuzzCompose: whatever is asked for and whatever interfaces say, there is a workflow without faults or none.
func FuzzCompose(f *testing.F) {
	f.Add("find flights from Rome, then send it to ann@example.org", "airport", "Look up an airport.", "sky_code", "text")
	f.Add("look at photo.jpg and say 'hello'", "see", "Look at an image", "image", "image")
	f.Add("", "", "", "", "")
	f.Fuzz(func(t *testing.T, request, name, description, key, kind string) {
		if len(request) > 2000 || len(name)+len(description)+len(key) > 2000 {
			return
		}
		odd := &ir.Interface{Name: name, Description: description, Inputs: []ir.Port{port(key, value.String, description, kind), port("text", value.Any)},
			Outputs: []ir.Port{port(key+"_2", value.Any, name), port("result", value.Array, "", kind)}}
		all := append(slices.Clone(tools), odd)
		r := composed(t, request, all, Options{Weights: lax(), Piped: len(request)%2 == 1})
		if r.Workflow == nil || !identifier.MatchString(name) || !identifier.MatchString(key) || key == "text" {
			return
		}
		if found := ir.Validate(r.Workflow, ir.NewCatalogue(all...), ir.Options{}); found.HasErrors() {
			t.Errorf("%q: %s\n%s", request, found.Text(), wiring(r))
		}
	})
}

// lax are weights that take nearly anything to fit.
func lax() *Weights {
	w := Shipped()
	w.Workflow, w.Step = 0.1, 0.1
	return &w
}
