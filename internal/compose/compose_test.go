package compose

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		r := Compose(c.request, tools, Options{Now: time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC), Least: 0.2, LeastStep: 0.25})
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
