package llm

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// A recording is found by all that was asked, to the letter, so an edited prompt finds none. Its question is what was asked
// beside the words: the model, the name of the prompt, the values that filled it in, what was said after it, and which of
// several equal calls it is. The words of the prompt, the schema's, the tools' and the settings of the model are no part of
// it. So the reply to a question can be carried over to a prompt that asks the same in other words. What the model would have
// said to those is another matter: whoever is given such a reply is told.

// asksFor is the hash of what the call asks for; before is how many equal calls of the run were answered. It is "" for a
// call that no prompt of a name begins.
func (c *call) asksFor(before int) (string, error) {
	if c.request.Prompt == "" {
		return "", nil
	}
	doc := map[string]any{
		"model": c.target.name, "prompt": c.request.Prompt, "variables": c.request.Variables, "said": listed(c.shown(c.messages[1:])),
		"repeat": c.request.Repeat, "equal_before": before,
	}
	v, err := value.Normalize(doc)
	if err != nil {
		return "", fault.New(fault.InvalidRequest, "the values of the prompt %s cannot be written as JSON: %v", c.request.Prompt, err)
	}
	return keyOf(c.shownValue(v).(map[string]any)), nil
}

// carry gives the reply to the same question in other words; found is false if there is none. doc is what is asked now. Of
// several one that was asked for a reply of the same schema goes first, then the one whose file does.
func (c *call) carry(doc map[string]any) (a *answer, step string, found bool, err error) {
	if c.asks == "" {
		return nil, "", false, nil
	}
	keys, err := c.questions.find(c.o.Replay, c.asks)
	if err != nil {
		return nil, "", false, err
	}
	schema := value.JSON(doc["schema"])
	var best *recording
	for _, key := range keys {
		r, _, err := readRecording(c.o.Replay, key)
		if err != nil {
			return nil, "", false, err
		}
		if r == nil || r.Reply == nil { // that a request was refused is said of its words
			continue
		}
		var request any
		if asked, _ := r.Request.(json.RawMessage); len(asked) > 0 {
			if request, err = value.ParseJSON(asked); err != nil {
				return nil, "", false, fault.New(fault.InvalidRequest, "the recording %s.json in %s cannot be read: request: %v; record it again", key, c.o.Replay, err)
			}
		}
		r.Request = request
		m, _ := request.(map[string]any)
		if same := value.JSON(m["schema"]) == schema; best == nil || same {
			if best = r; same {
				break
			}
		}
	}
	if best == nil {
		return nil, "", false, nil
	}
	a = best.Reply.answer()
	was, _ := best.Request.(map[string]any)
	u := &a.Usage
	u.PromptTokens = max(1, u.PromptTokens+(promptBytes(doc)-promptBytes(was))/4)
	u.CachedTokens = min(u.CachedTokens, u.PromptTokens)
	a.Cost = nil // it is that of the other words
	return a, best.Reply.LadderStep, true, nil
}

// promptBytes is how long what a request sends is: a token for each four of them, as Tokens has it, is what other words take
// more or less.
func promptBytes(request map[string]any) int {
	n := 0
	messages, _ := request["messages"].([]any)
	for _, m := range messages {
		m, _ := m.(map[string]any)
		text, _ := m["content"].(string)
		n += len(text)
	}
	for _, part := range []string{"schema", "tools"} {
		if request[part] != nil {
			n += len(value.JSON(request[part]))
		}
	}
	return n
}

// carriedMisfit is the fault of a reply that was carried over and does not fit the schema of today.
func (c *call) carriedMisfit(got reading) error {
	wrong := "it is no JSON"
	if got.Found {
		wrong = strings.Join(got.Wrong[:min(len(got.Wrong), 5)], "; ")
	}
	return fault.New(fault.Schema, "the reply of %s to the same question in other words does not fit the schema %s: %s; what it would reply now is not recorded, so ask it with --replay-or-call",
		c.target.name, c.request.Schema.Name, wrong)
}

// questions is an index of a folder of recordings by their questions. It is made when the first is looked for, of the first
// bytes of each file. The zero value is ready.
type questions struct {
	once sync.Once
	keys map[string][]string
	err  error
}

// find gives the keys of the recordings of a question, sorted.
func (q *questions) find(dir, question string) ([]string, error) {
	q.once.Do(func() { q.keys, q.err = indexQuestions(dir) })
	return q.keys[question], q.err
}

func indexQuestions(dir string) (map[string][]string, error) {
	entries, err := os.ReadDir(dir) // in the order of names
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the recordings of %s cannot be listed: %v", dir, err)
	}
	out := map[string][]string{}
	head := make([]byte, questionWithin)
	for _, e := range entries {
		key, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON {
			continue
		}
		if question := questionIn(filepath.Join(dir, e.Name()), head); question != "" {
			out[question] = append(out[question], key)
		}
	}
	for _, keys := range out {
		slices.Sort(keys)
	}
	return out, nil
}

// questionWithin is within how many bytes of a recording its question is looked for.
const questionWithin = 512

// questionIn is the question of a recording, "" if it has none. A file that is no recording says so when it is read whole.
func questionIn(file string, head []byte) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(head[:n]))
	if _, err := d.Token(); err != nil { // {
		return ""
	}
	for {
		var text string
		key, err := d.Token()
		if err != nil || d.Decode(&text) != nil {
			return ""
		}
		if key == "question" {
			return text
		}
	}
}
