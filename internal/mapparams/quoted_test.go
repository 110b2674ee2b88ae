package mapparams

import (
	"context"
	"testing"
	"time"

	"pflow/internal/extract"
)

func TestWholeRequestInQuotes(t *testing.T) {
	for text, want := range map[string]string{
		`"Book a flight to Paris for two."`:         ` Book a flight to Paris for two. `,
		`Please: “Book a flight to Paris”`:          `Please:    Book a flight to Paris   `,
		`'What's the weather in Rome today'`:        ` What's the weather in Rome today `,
		`"hello"`:                                   `"hello"`,
		`"say this to him" and "say that to her"`:   `"say this to him" and "say that to her"`,
		`translate "where is the station" please`:   `translate "where is the station" please`,
		`"where is the station" into French please`: `"where is the station" into French please`,
		`don't delete the files in 'docs'`:          `don't delete the files in 'docs'`,
		`"`:                                         `"`,
		``:                                          ``,
	} {
		r, err := Read(context.Background(), text, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Text != want {
			t.Errorf("%s: read as %q, want %q", text, r.Text, want)
		}
		if quoted := len(r.Entities) > 0 && r.Entities[0].Kind == extract.Quoted; quoted != (text == want && len(text) > 2) {
			t.Errorf("%s: a value is quoted: %v", text, quoted)
		}
	}
}

func TestReadingsKeepQuoted(t *testing.T) {
	var kept Readings
	const text = `"List the files in the folder"`
	first, _ := kept.Read(context.Background(), text, time.Time{})
	if again, _ := kept.Read(context.Background(), text, time.Time{}); again != first {
		t.Error("a request in quotes was read twice")
	}
}
