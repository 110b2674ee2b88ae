package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
	"pflow/ir"
)

func TestCompatible(t *testing.T) {
	types := []value.Type{value.String, value.Integer, value.Number, value.Boolean, value.Array, value.Object, value.Any}
	for _, c := range []struct {
		in   value.Type
		want []bool // of an output of each type
	}{
		{value.String, []bool{true, true, true, false, true, true, true}}, // a text can be made of most
		{value.Integer, []bool{true, true, true, false, false, false, true}},
		{value.Number, []bool{true, true, true, false, false, false, true}},
		{value.Boolean, []bool{false, false, false, true, false, false, true}},
		{value.Array, []bool{true, false, false, false, true, false, true}},
		{value.Object, []bool{false, false, false, false, false, true, true}},
		{value.Any, []bool{true, true, true, true, true, true, true}},
	} {
		for k, out := range types {
			if got := compatible(&ir.Port{Type: out}, &ir.Port{Type: c.in}); got != c.want[k] {
				t.Errorf("%s to %s: %v", out, c.in, got)
			}
		}
	}
	for _, c := range []struct {
		out, in string
		want    bool
	}{{"image", "image", true}, {"image", "audio", false}, {"", "audio", true}, {"image", "", true}} {
		if got := compatible(&ir.Port{Type: value.String, Kind: c.out}, &ir.Port{Type: value.String, Kind: c.in}); got != c.want {
			t.Errorf("%q to %q: %v", c.out, c.in, got)
		}
	}
}

// TestFits: of two outputs the one that an input means.
func TestFits(t *testing.T) {
	c := &composer{w: Shipped(), Ground: &Ground{known: &known{}}}
	of := &ir.Interface{Name: "city-weather"}
	for _, x := range []struct {
		name             string
		in, better, less ir.Port
	}{
		{"the same key before a part of it", port("sky_code", value.String), port("sky_code", value.String), port("code", value.String)},
		{"a whole key of two words before one word", port("origin_sky_code", value.String), port("sky_code", value.String), port("sky", value.String)},
		{"a word of the key before none", port("city_id", value.String), port("id", value.String), port("name", value.String)},
		{"the same type", port("city", value.String), port("city", value.String), port("city", value.Integer)},
		{"the same kind", port("picture", value.String, "", "image"), port("x", value.String, "", "image"), port("x", value.String)},
		{"words of both descriptions", port("a", value.String, "where the airport is"), port("b", value.String, "the airport"), port("b", value.String, "the ticket")},
		{"for whatever there is, content before a flag", port("text", value.Any), port("content", value.String), port("written", value.Boolean)},
		{"for whatever there is of a kind, text before a count", port("text", value.String, "", "note"), port("content", value.String), port("lines", value.Integer)},
		{"a key of small words is its own", port("to", value.String), port("to", value.String), port("from", value.String)},
	} {
		if better, less := c.fits(&x.better, &x.in, of), c.fits(&x.less, &x.in, of); better <= less {
			t.Errorf("%s: %.2f, the other %.2f", x.name, better, less)
		}
	}
	named, other := port("place", value.String, "as the city weather calls it"), port("place", value.String, "where")
	out := port("x", value.String)
	if c.named(&out, &named, of) <= c.named(&out, &other, of) {
		t.Error("a description that names the component says nothing")
	}
	number := port("n", value.Boolean)
	if c.named(&out, &number, of) != 0 {
		t.Error("what cannot be given is named")
	}
}

// TestWiring: what stands in the request is an input, what an earlier step gives is led on, and what nothing gives is asked for.
func TestWiring(t *testing.T) {
	parts := []*ir.Interface{
		{Name: "airport", Description: "Look up an airport by its city.", Inputs: []ir.Port{port("city", value.String, "The city")}, Outputs: []ir.Port{port("sky_code", value.String, "The code of the airport")}},
		{Name: "flights", Description: "Find flights from an airport.", Inputs: []ir.Port{port("origin_sky_code", value.String, "The code of the airport")}, Outputs: []ir.Port{port("flights", value.Array)}},
		{Name: "picture", Description: "Paint a picture of something.", Inputs: []ir.Port{port("prompt", value.String, "What it shows")}, Outputs: []ir.Port{port("picture", value.String, "", "image")}},
		{Name: "frame", Description: "Frame a photo.", Inputs: []ir.Port{port("photo", value.String, "", "image")}, Outputs: []ir.Port{port("photo", value.String, "", "image")}},
		{Name: "volume", Description: "Compute the volume of a cube.", Inputs: []ir.Port{port("side", value.Number, "Length of a side")}, Outputs: []ir.Port{port("volume", value.Number)}},
		{Name: "note", Description: "Note a number down.", Inputs: []ir.Port{port("number", value.Number, "What to note")}, Outputs: []ir.Port{port("noted", value.Boolean)}},
	}
	for _, c := range []struct{ request, want string }{
		{"find flights from Oslo", "airport city=${city}\nflights origin_sky_code=${airport.sky_code}"},
		{"find flights", "flights origin_sky_code=${origin_sky_code}"}, // to ask for the city is no better
		{`paint a picture of "a tree", then frame it`, "picture prompt=${prompt}\nframe photo=${picture.picture}"},
		{"frame the photo tree.jpg", "frame photo=${frame_photo}"}, // the output hides the name
		{"compute the volume of a cube with a side of 3, then note the volume down", "volume side=${side}\nnote number=${volume.volume}"},
		{"note the number 7 down", "note number=${number}"},
	} {
		if diff := cmp.Diff(c.want, wiring(composed(t, c.request, parts, Options{}))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.request, diff)
		}
	}
}

// TestPiped: what is piped in goes to an input that nothing else gives, and is written only if the request speaks of it.
func TestPiped(t *testing.T) {
	for _, c := range []struct{ request, input string }{
		{"sort the lines", "text"},
		{"write this to a.txt", "content"},
		{"save the input to a.txt", "content"},
		{"save to a.txt", ""},
		{"sort the lines of a.txt", ""},
		{"read a.txt", ""},
	} {
		for _, piped := range []bool{true, false} {
			r := composed(t, c.request, office, Options{Piped: piped})
			got := ""
			if r.Workflow == nil {
				t.Errorf("%q: %s", c.request, r.Reason)
				continue
			}
			for _, in := range r.Workflow.Inputs {
				if in.FromStdin {
					got += in.Name
				}
			}
			if want := c.input; piped && got != want || !piped && got != "" {
				t.Errorf("%q, piped %v: %q, want %q\n%s", c.request, piped, got, want, wiring(r))
			}
		}
	}
}
