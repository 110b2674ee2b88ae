package coverage

import "testing"

// TestDropped: what is joined to a value that is taken, and is not, leaves the request done in part.
func TestDropped(t *testing.T) {
	said := []Said{{By: "node:weather", Texts: []string{"get the current weather of a city, temperature, for some days; check a file; find books"}}}
	says := []string{"get the current weather of a city for some days"}
	for _, tt := range []struct {
		request string
		taken   []string
		want    int
	}{
		{"What is the current weather in Beijing and Tokyo?", []string{"Beijing"}, 1},
		{"What is the current weather in Beijing and Tokyo?", []string{"Beijing", "Tokyo"}, 0},
		{"get the weather in Paris, London and Rome", []string{"Rome"}, 2},
		{"get the weather in Paris and in San Marino", []string{"Paris"}, 1},
		{"get the weather in both Paris and Rome for 3 days", []string{"Rome", "3"}, 1},
		{"get the weather in Paris as well as Rome", []string{"Paris"}, 1},
		{"get the weather in Paris and the humidity in Rome", []string{"Paris"}, 1},
		{"get the weather for 3 and 5 days", []string{"5"}, 1},
		{"get the weather for 3 days and 5 days in Rome", []string{"3", "Rome"}, 1},
		{"check a.txt or b.txt", []string{"a.txt"}, 1},
		{`find the book "Emma" and also the book "Dracula"`, []string{"Emma"}, 1},
		{"find the weather in paris and rome.", []string{"paris"}, 1},

		{"get the weather in Paris, France", []string{"Paris"}, 0},
		{"My name is John. Get the weather in Paris", []string{"Paris"}, 0},
		{"My name is John and I live in Paris", []string{"Paris"}, 0},
		{"find the weather in paris and nice old hotels there", []string{"paris"}, 0},
		{"get the weather in Rome and send 3 copies", []string{"Rome"}, 0},
		{"find books of Austen. Dracula and others are fine", []string{"Austen"}, 0},
		{"get the weather in Beijing and Tokyo", nil, 0},
	} {
		var values []Value
		for _, text := range tt.taken {
			values = append(values, Value{By: "input:a", Text: text})
		}
		left := ByWords(tt.request, said, values, nil).Left(tt.request, says)
		if left.Dropped != tt.want {
			t.Errorf("%s, %v taken: %d dropped, want %d", tt.request, tt.taken, left.Dropped, tt.want)
		}
		if m := left.Measure(false, true); tt.want > 0 && m < 1 {
			t.Errorf("%s, %v taken: the measure is %.2f", tt.request, tt.taken, m)
		}
	}
}
