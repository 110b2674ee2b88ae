package mapparams

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

// mapped maps in a context that does not end.
func mapped(t *testing.T, request string, inputs []Input, about string, now time.Time) Result {
	t.Helper()
	r, err := Read(t.Context(), request, now)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Map(t.Context(), r, inputs, about)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestMap(t *testing.T) {
	now := time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC)
	text := func(name, description string) Input {
		return Input{Name: name, Type: value.String, Required: true, Description: description}
	}
	number := func(name, description string) Input {
		return Input{Name: name, Type: value.Integer, Required: true, Description: description}
	}
	optional := func(in Input) Input { in.Required = false; return in }
	for _, c := range []struct {
		request string
		inputs  []Input
		want    string
	}{
		{"move a.txt to b/c.txt", []Input{text("source_path", "The file"), text("dest_path", "Its new place")}, `{"dest_path":"b/c.txt","source_path":"a.txt"}`},
		{"put a copy of x.txt in y.txt", []Input{text("source_path", "The file"), text("dest_path", "Its new place")}, `{"dest_path":"y.txt","source_path":"x.txt"}`},
		{"fly from Paris, France to New York on 5 May", []Input{text("origin", "city"), text("destination", "city"), text("date", "The day, YYYY-MM-DD")},
			`{"date":"2024-05-05","destination":"New York","origin":"Paris, France"}`},
		{"a room for 3 nights and 2 guests", []Input{number("guests", "how many people"), number("nights", "how long")}, `{"guests":2,"nights":3}`},
		{"the film \"Up\" with id X7q", []Input{text("title", "title of the film"), text("film_id", "id of the film")}, `{"film_id":"X7q","title":"Up"}`},
		{"convert it to pdf", []Input{{Name: "format", Type: value.String, Enum: []any{"pdf", "png"}}}, `{"format":"pdf"}`},
		{"list the names, include archived ones", []Input{{Name: "include_archived", Type: value.Boolean}}, `{"include_archived":true}`},
		{"list the names without archived ones", []Input{{Name: "archived", Type: value.Boolean}}, `{"archived":false}`},
		{"add up 4, 7 and 9", []Input{{Name: "numbers", Type: value.Array, Required: true}}, `{"numbers":[4,7,9]}`},
		{"show the .go files of src", []Input{text("path", "The folder"), optional(Input{Name: "pattern", Type: value.String, Default: "*", HasDefault: true})},
			`{"path":"src","pattern":"*.go"}`},
		// a value without a word in it has no words beside it on that side
		{"\"+\" then go", []Input{text("sign", "What stands first")}, `{"sign":"+"}`},
		{"go then \"+\"", []Input{text("sign", "What stands last")}, `{"sign":"+"}`},
		{"what a nice day", []Input{optional(text("query", "words to look for"))}, `{}`},
	} {
		got := mapped(t, c.request, c.inputs, "", now)
		if diff := cmp.Diff(c.want, value.JSON(got.Extracted)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.request, diff)
		}
	}
}

// TestMapMissing: what a required input lacks is named in the order given.
func TestMapMissing(t *testing.T) {
	r := mapped(t, "do it", []Input{{Name: "b", Type: value.Integer, Required: true}, {Name: "a", Type: value.String, Required: true, Default: "x", HasDefault: true}, {Name: "c", Type: value.Number, Required: true}}, "", time.Time{})
	if len(r.Missing) != 2 || r.Missing[0].Name != "b" || r.Missing[1].Name != "c" || len(r.Extracted) != 0 {
		t.Errorf("%+v", r)
	}
}
