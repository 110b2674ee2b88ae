package llm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/llmtest"
)

// worded is a call of a prompt that asks for the city of a person.
func worded(words, person string) llm.Request {
	return llm.Request{Messages: say(words + " " + person), Prompt: "city", Variables: map[string]any{"person": person}, Schema: city()}
}

func carrying(o *llm.Options) { o.Carry = true }

// TestCarry: a prompt in other words is answered by what was replied to the same question, and the reply says so. Tokens of the
// prompt are those of the new words.
func TestCarry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{
		{Match: "Where does Anna", JSON: map[string]any{"name": "Bern"}, Usage: &llmtest.Usage{Prompt: 50, Completion: 7}},
		{Match: "Where does Emil", JSON: map[string]any{"name": "Rom"}},
	}}, func(o *llm.Options) { o.Record = dir })
	for _, person := range []string{"Anna", "Emil"} {
		if _, err := client.Call(t.Context(), worded("Where does "+person+" live?", person)); err != nil {
			t.Fatal(err)
		}
	}
	edited := worded("In which city, town or village is the home of", "Anna")
	if _, err := replaying(t, dir).Call(t.Context(), edited); fault.Of(err).Kind != fault.NotFound {
		t.Errorf("without carry: want not_found, got %v", err)
	}
	var seen []llm.Exchange
	c := replaying(t, dir, carrying, func(o *llm.Options) { o.OnExchange = func(e llm.Exchange) { seen = append(seen, e) } })
	got, err := c.Call(t.Context(), edited)
	if err != nil {
		t.Fatal(err)
	}
	if got.Text != `{"name":"Bern"}` || got.Carried != 1 || !got.Replayed || got.Missed {
		t.Errorf("got %+v", got)
	}
	more := (len("In which city, town or village is the home of Anna") - len("Where does Anna live? Anna")) / 4
	if u := got.Usage; u.PromptTokens != 50+more || u.CompletionTokens != 7 || got.CarriedTokens != 57+more {
		t.Errorf("want %d and 7 tokens, got %+v, carried %d", 50+more, u, got.CarriedTokens)
	}
	if len(seen) != 1 || !seen[0].Carried {
		t.Errorf("exchanges: %+v", seen)
	}
	same, err := c.Call(t.Context(), worded("Where does Anna live?", "Anna"))
	if err != nil || same.Carried != 0 {
		t.Errorf("the same words: carried %d, %v", same.Carried, err)
	}
}

// TestCarryOnlyTheSameQuestion: another value, prompt, model, repeat or turn is another question.
func TestCarryOnlyTheSameQuestion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{JSON: map[string]any{"name": "Bern"}}}}, func(o *llm.Options) { o.Record = dir })
	if _, err := client.Call(t.Context(), worded("Where is", "Anna")); err != nil {
		t.Fatal(err)
	}
	c := replaying(t, dir, carrying)
	for name, change := range map[string]func(*llm.Request){
		"variable": func(r *llm.Request) { r.Variables = map[string]any{"person": "Emil"} },
		"prompt":   func(r *llm.Request) { r.Prompt = "town" },
		"none":     func(r *llm.Request) { r.Prompt = "" },
		"model":    func(r *llm.Request) { r.Model = "openai/other" },
		"repeat":   func(r *llm.Request) { r.Repeat = 1 },
		"turn":     func(r *llm.Request) { r.Messages = append(r.Messages, llm.Message{Role: "user", Content: "and?"}) },
	} {
		r := worded("In which city is", "Anna")
		change(&r)
		if got, err := c.Call(t.Context(), r); fault.Of(err).Kind != fault.NotFound || !got.Missed || got.Carried != 0 {
			t.Errorf("%s: want not_found, got %v, %+v", name, err, got)
		}
	}
	r := worded("In which city is", "Anna")
	hot := 1.5
	r.Temperature, r.MaxTokens = &hot, 100
	if got, err := c.Call(t.Context(), r); err != nil || got.Carried != 1 {
		t.Errorf("other settings: %v, %+v", err, got)
	}
}

// TestCarryHoldsToTheSchema: a reply that does not fit the schema of today is a finding of the run, and not a recording that is
// missing: what the model says to the complaint nobody knows.
func TestCarryHoldsToTheSchema(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{JSON: map[string]any{"name": "Bern"}}}}, func(o *llm.Options) { o.Record = dir })
	if _, err := client.Call(t.Context(), worded("Where is", "Anna")); err != nil {
		t.Fatal(err)
	}
	r := worded("Where is", "Anna")
	r.Schema = &llm.Schema{Name: "country", JSON: map[string]any{"type": "object", "properties": map[string]any{"country": map[string]any{"type": "string"}}},
		Check: func(v any) []string {
			if m, _ := v.(map[string]any); m["country"] == nil {
				return []string{"country: is missing"}
			}
			return nil
		}}
	ctx, run := llm.InRun(t.Context())
	got, err := replaying(t, dir, carrying).Call(ctx, r)
	if err == nil || got.Carried != 1 || !got.Missed {
		t.Fatalf("got %v, %+v", err, got)
	}
	missed := run.Missed()
	if f := fault.Of(missed); missed == nil || f.Kind != fault.Schema || !strings.Contains(f.Message, "country: is missing") || !strings.Contains(f.Message, "in other words") {
		t.Errorf("the run misses: %v", missed)
	}
}

func TestCarryGoesAlone(t *testing.T) {
	for _, o := range []llm.Options{{Carry: true}, {Carry: true, Replay: "x", ReplayOrCall: true}, {Carry: true, Replay: "x", Record: "y"}} {
		if _, err := llm.New(o); err == nil {
			t.Errorf("%+v: want an error", o)
		}
	}
}

// BenchmarkCarryIndex looks the first question of a folder of 20,000 recordings up.
func BenchmarkCarryIndex(b *testing.B) {
	dir := b.TempDir()
	long := strings.Repeat("x", 11_000)
	for i := range 20_000 {
		text := fmt.Sprintf(`{"schema": "pflow.exchange/v1", "key": "%032d", "question": "%032d", "request": {"messages": [{"content": %q}]}, "reply": {"text": "x"}}`, i, i, long)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%032d.json", i)), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		c, err := llm.New(llm.Options{Replay: dir, Carry: true, Model: "openai/gpt-4.1-mini"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Call(context.Background(), worded("Where is", "Anna")); fault.Of(err).Kind != fault.NotFound {
			b.Fatal(err)
		}
	}
}
