package llm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/llmtest"
)

func recordings(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// replaying makes a client that can reach nothing.
func replaying(t *testing.T, dir string, change ...func(*llm.Options)) *llm.Client {
	t.Helper()
	o := llm.Options{Replay: dir, Model: "openai/gpt-4.1-mini"}
	for _, f := range change {
		f(&o)
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRecordReplay replays what was recorded, without a key or a network: the same replies, usage and errors, streamed
// or not, at whatever step of the ladder they came.
func TestRecordReplay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	client, _ := endpoint(t, llmtest.Script{Reject: []string{"json_schema"}, Replies: []llmtest.Reply{
		{Match: "plain", Text: "hello"},
		{Match: "city", JSON: map[string]any{"people": 1}},
		{Last: "name: want text", JSON: map[string]any{"name": "Bern"}},
		{Match: "tool", ToolCalls: []llmtest.ToolCall{{Name: "find", Arguments: map[string]any{"q": "x"}}}},
		{Match: "bad", Fault: "bad_request"},
		{Match: "never", Fault: "refusal"},
	}}, func(o *llm.Options) { o.Record = dir })
	requests := []llm.Request{
		{Messages: say("plain")}, {Messages: say("city"), Schema: city()}, {Messages: say("tool"), Tools: []llm.Tool{{Name: "find"}}},
		{Messages: say("bad")}, {Messages: say("never")},
	}
	other := replaying(t, dir)
	for _, r := range requests {
		want, wantErr := client.Call(t.Context(), r)
		for range 2 {
			var text string
			r.OnText = func(s string) { text += s }
			got, err := other.Call(t.Context(), r)
			if !got.Replayed && wantErr == nil {
				t.Errorf("%s: not replayed", r.Messages[0].Content)
			}
			ignored := cmpopts.IgnoreFields(llm.Reply{}, "Latency", "Waited", "Replayed")
			// The complaints that led down the ladder and refusals are no exchange of their own.
			calls := cmpopts.IgnoreFields(llm.Usage{}, "Calls")
			if diff := cmp.Diff(want, got, ignored, calls); diff != "" && wantErr == nil {
				t.Errorf("%s, -called +replayed:\n%s", r.Messages[0].Content, diff)
			}
			if (err == nil) != (wantErr == nil) || err != nil && (fault.Of(err).Kind != fault.Of(wantErr).Kind || err.Error() != wantErr.Error()) {
				t.Errorf("%s: %v, want %v", r.Messages[0].Content, err, wantErr)
			}
			if r.Messages[0].Content == "plain" && text != "hello" {
				t.Errorf("streamed %q", text)
			}
		}
	}
	if s := other.Stats(); s.Called != 0 || s.Replayed != 12 {
		t.Errorf("%+v", s)
	}
	for name, text := range recordings(t, dir) {
		if strings.Contains(text, testKey) {
			t.Errorf("%s holds the key:\n%s", name, text)
		}
	}
}

// TestKeyOfRecording: each of what is asked is part of the name, and nothing of how it is asked.
func TestKeyOfRecording(t *testing.T) {
	zero, one := 0.0, 1.0
	base := llm.Request{Messages: say("a")}
	different := []llm.Request{
		base,
		{Messages: say("b")},
		{Messages: say("a"), Model: "openai/gpt-4.1"},
		{Messages: say("a"), Temperature: &zero},
		{Messages: say("a"), Temperature: &one},
		{Messages: say("a"), MaxTokens: 9},
		{Messages: say("a"), Repeat: 1},
		{Messages: say("a"), Schema: &llm.Schema{Name: "s", JSON: map[string]any{"type": "object"}}},
		{Messages: say("a"), Schema: &llm.Schema{Name: "s", JSON: map[string]any{"type": "object", "title": "t"}}},
		{Messages: say("a"), Tools: []llm.Tool{{Name: "f"}}},
	}
	dir := t.TempDir()
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{JSON: map[string]any{}, Times: len(different)}}}, func(o *llm.Options) { o.Replay, o.ReplayOrCall = dir, true })
	for range 2 {
		for _, r := range different {
			if _, err := client.Call(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	base.OnText, base.MaxAsks = func(string) {}, 7
	if _, err := client.Call(t.Context(), base); err != nil {
		t.Error(err)
	}
	if s := client.Stats(); s.Called != len(different) || s.Replayed != len(different)+1 || len(recordings(t, dir)) != len(different) {
		t.Errorf("%+v", s)
	}
}

func TestReplayMiss(t *testing.T) {
	dir := t.TempDir()
	_, err := replaying(t, dir).Call(t.Context(), llm.Request{Messages: say("where is\nBern?"), Schema: city()})
	want := "there is no recording KEY.json in DIR for this call of openai/gpt-4.1-mini (schema city, repeat 0, last message: \"where is Bern?\"): record it with --record DIR, or call what is missing with --replay-or-call"
	got := err.Error()
	if at := strings.Index(got, ".json"); at > 32 {
		got = strings.ReplaceAll(got, got[at-32:at], "KEY")
	}
	if got = strings.ReplaceAll(got, dir, "DIR"); got != want || fault.Of(err).Kind != fault.NotFound {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBrokenRecording(t *testing.T) {
	dir := t.TempDir()
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "x"}}}, func(o *llm.Options) { o.Record = dir })
	if _, err := client.Call(t.Context(), llm.Request{Messages: say("x")}); err != nil {
		t.Fatal(err)
	}
	for name, text := range recordings(t, dir) {
		for _, broken := range []string{"", text[:len(text)/2], `{"schema": "other/v1"}`, `{"schema": "pflow.exchange/v1"}`} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(broken), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := replaying(t, dir).Call(t.Context(), llm.Request{Messages: say("x")})
			if f := fault.Of(err); f == nil || f.Kind != fault.InvalidRequest || !strings.Contains(f.Message, name) || !strings.Contains(f.Message, "record it again") {
				t.Errorf("%q: %v", broken, err)
			}
		}
	}
}

// TestPassingErrorsAreNotKept records what came after them instead.
func TestPassingErrorsAreNotKept(t *testing.T) {
	dir := t.TempDir()
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Fault: "server_error"}, {Text: "fine"}}}, func(o *llm.Options) { o.Record = dir })
	if _, err := client.Call(t.Context(), llm.Request{Messages: say("x")}); err == nil || len(recordings(t, dir)) != 0 {
		t.Errorf("%v, %v", err, recordings(t, dir))
	}
	if _, err := client.Call(t.Context(), llm.Request{Messages: say("x")}); err != nil {
		t.Fatal(err)
	}
	if r, err := replaying(t, dir).Call(t.Context(), llm.Request{Messages: say("x")}); err != nil || r.Text != "fine" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRecordRetry: a call that is repeated in one run, as after a reply that was cut off, is replayed as it went, also from
// a copy that a replay recorded.
func TestRecordRetry(t *testing.T) {
	dir, again := t.TempDir(), t.TempDir()
	request := llm.Request{Messages: say("x")}
	both := func(c *llm.Client) (second *llm.Reply, first error) {
		ctx, calls := llm.InRun(t.Context())
		_, first = c.Call(ctx, request)
		second, err := c.Call(ctx, request)
		if err != nil || calls.Missed() != nil {
			t.Fatal(err, calls.Missed())
		}
		return second, first
	}
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Fault: "truncated"}, {Text: "whole"}}}, func(o *llm.Options) { o.Record = dir })
	reply, want := both(client)
	if want == nil || reply.Text != "whole" || len(recordings(t, dir)) != 2 {
		t.Fatal(want, reply, len(recordings(t, dir)))
	}
	copying := replaying(t, dir, func(o *llm.Options) { o.Record = again })
	for name, c := range map[string]*llm.Client{"replay": replaying(t, dir), "copy": copying} {
		if second, first := both(c); first == nil || first.Error() != want.Error() || second.Text != "whole" {
			t.Errorf("%s: %v, %+v", name, first, second)
		}
	}
	if diff := cmp.Diff(recordings(t, dir), recordings(t, again)); diff != "" {
		t.Errorf("-recorded +copied:\n%s", diff)
	}
}

// TestKeyInWhatIsSaid: a key that a prompt or a reply holds is not kept.
func TestKeyInWhatIsSaid(t *testing.T) {
	dir := t.TempDir()
	var told strings.Builder
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "you said " + testKey}}}, func(o *llm.Options) {
		o.Record = dir
		o.OnExchange = func(e llm.Exchange) { told.WriteString(e.Reply + e.Messages[0].Content) }
	})
	if _, err := client.Call(t.Context(), llm.Request{Messages: say("my key is " + testKey)}); err != nil {
		t.Fatal(err)
	}
	for _, text := range recordings(t, dir) {
		told.WriteString(text)
	}
	if strings.Contains(told.String(), testKey) || strings.Count(told.String(), "[key]") != 4 {
		t.Error(told.String())
	}
}

// TestKeyOfOddCharacters: nor is one that JSON writes otherwise, in a reply, as data or in the arguments of a tool.
func TestKeyOfOddCharacters(t *testing.T) {
	const odd = `sk-<a&b>"\0123`
	dir := t.TempDir()
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{
		{Match: "tool", ToolCalls: []llmtest.ToolCall{{Name: "find", Arguments: map[string]any{"q": odd}}}},
		{Match: "data", JSON: map[string]any{"name": odd}},
		{Match: "text", Text: odd},
	}}, func(o *llm.Options) {
		getenv := o.Getenv
		o.Record, o.Getenv = dir, func(name string) string {
			if name == "OPENAI_API_KEY" {
				return odd
			}
			return getenv(name)
		}
	})
	for _, r := range []llm.Request{
		{Messages: say("tool " + odd), Tools: []llm.Tool{{Name: "find"}}}, {Messages: say("data " + odd), Schema: city()}, {Messages: say("text " + odd)},
	} {
		got, err := client.Call(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if shown := fmt.Sprint(got.Text, got.Value, got.ToolCalls); strings.Contains(shown, odd) || !strings.Contains(shown, "[key]") {
			t.Errorf("%s", shown)
		}
	}
	for name, text := range recordings(t, dir) {
		if strings.Contains(text, "0123") {
			t.Errorf("%s holds the key:\n%s", name, text)
		}
	}
}

// TestManyRecordAtOnce: calls at once, equal ones too, leave whole files only.
func TestManyRecordAtOnce(t *testing.T) {
	dir := t.TempDir()
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: strings.Repeat("x", 100_000), Times: 40}}}, func(o *llm.Options) { o.Record = dir })
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			if _, err := client.Call(t.Context(), llm.Request{Messages: say("x"), Repeat: i % 4}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := len(recordings(t, dir)); n != 4 {
		t.Errorf("%d files", n)
	}
	for i := range 4 {
		if r, err := replaying(t, dir).Call(t.Context(), llm.Request{Messages: say("x"), Repeat: i}); err != nil || len(r.Text) != 100_000 {
			t.Error(err)
		}
	}
}

func TestCannotRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "x"}}}, func(o *llm.Options) { o.Record = filepath.Join(file, "dir") })
	if _, err := client.Call(t.Context(), llm.Request{Messages: say("x")}); fault.Of(err) == nil || fault.Of(err).Kind != fault.Permission {
		t.Error(err)
	}
	if _, err := llm.New(llm.Options{ReplayOrCall: true}); err == nil {
		t.Error("replay-or-call without a folder")
	}
}
