package experiment

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/llm"
)

// Step is one visit of a node of a plan's flow, with what is needed to see why it went where it went.
type Step struct {
	Node     string     `json:"node"`
	Visit    int        `json:"visit"`
	Action   string     `json:"action"` // "" if it failed
	Because  string     `json:"because,omitempty"`
	Result   string     `json:"result,omitempty"` // JSON, cut where it is long
	Exchange []exchange `json:"exchanges,omitempty"`
}

// exchange is what was asked and answered.
type exchange struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"` // cut where it is long
	Reply  string `json:"reply"`
	Error  string `json:"error,omitempty"`
}

// How much of a result, a prompt and a reply is kept, in bytes.
const (
	keepResult = 1 << 10
	keepPrompt = 12 << 10
	keepReply  = 4 << 10
)

// recorder takes the steps of one run. Observed runs in one goroutine, exchanges come from any.
type recorder struct {
	steps []Step

	mu      sync.Mutex
	pending []llm.Exchange
	waited  float64 // ms
}

// observed is told of every step that ends.
func (r *recorder) observed(t engine.Transition) {
	s := Step{Node: t.Node, Visit: t.Visit, Because: t.Because}
	if t.Action != nil {
		s.Action = *t.Action
	}
	if t.Result != nil {
		s.Result = clipResult(said(t.Result))
	}
	for _, e := range r.take(t.Result) {
		var prompt []string
		for _, m := range e.Messages {
			prompt = append(prompt, m.Role+":\n"+m.Content)
		}
		s.Exchange = append(s.Exchange, exchange{
			Model: e.Model, Prompt: clip(strings.Join(prompt, "\n\n"), keepPrompt), Reply: clip(e.Reply, keepReply), Error: e.Error,
		})
	}
	r.steps = append(r.steps, s)
}

// take gives the exchanges of a step that ended. An op that asks a model gives the beginning of the reply as
// result.call.reply; nodes that run side by side are told apart by it.
func (r *recorder) take(result any) []llm.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.pending
	m, _ := result.(map[string]any)
	made, asked := m["call"].(map[string]any)
	if len(all) == 0 || result != nil && !asked {
		return nil
	}
	reply := text(made["reply"])
	for i := len(all) - 1; i >= 0 && asked; i-- {
		if strings.HasPrefix(all[i].Reply, strings.TrimSuffix(reply, "…")) {
			r.pending = append([]llm.Exchange{}, all[i+1:]...)
			return all[:i+1]
		}
	}
	r.pending = nil
	return all
}

// said is a result without what is told of a call: prompt and reply are kept beside it, and how long it took is no
// property of an experiment that was recorded.
func said(result any) any {
	m, _ := result.(map[string]any)
	if _, asked := m["call"].(map[string]any); !asked {
		return result
	}
	out := maps.Clone(m)
	delete(out, "call")
	delete(out, "timing")
	return out
}

// clipResult writes a result as JSON without making all of a long one.
func clipResult(v any) string {
	w := &bounded{most: keepResult}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(shallow(v, 0)) // values of a run are JSON
	return clip(strings.TrimSpace(w.b.String()), keepResult)
}

// shallow cuts lists, texts and depth, so that little is written of what is long.
func shallow(v any, depth int) any {
	const items, deep = 8, 6
	switch v := v.(type) {
	case string:
		return clip(v, keepResult/2)
	case []any:
		if depth > deep {
			return "…"
		}
		out := make([]any, 0, min(len(v), items+1))
		for i, item := range v {
			if i == items {
				out = append(out, "…")
				break
			}
			out = append(out, shallow(item, depth+1))
		}
		return out
	case map[string]any:
		if depth > deep {
			return "…"
		}
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = shallow(item, depth+1)
		}
		return out
	}
	return v
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	b    strings.Builder
	most int
}

func (w *bounded) Write(p []byte) (int, error) {
	if room := w.most + utf8.UTFMax - w.b.Len(); room > 0 {
		w.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// clip cuts a text to a number of bytes, at a character.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// asking is what calls of models are told of the row they are made for.
type asking struct {
	*recorder
	model  string
	repeat int
}

type askingKey struct{}

// Ask settles a call of a model that is made while a case is planned: the variant's model where the call names none,
// and the repeat, so that equal calls of two repeats are two calls. It is told of the exchanges.
func Ask(ctx context.Context, r llm.Request) llm.Request {
	a, ok := ctx.Value(askingKey{}).(*asking)
	if !ok {
		return r
	}
	if r.Model == "" {
		r.Model = a.model
	}
	r.Repeat += a.repeat
	before := r.OnExchange
	r.OnExchange = func(e llm.Exchange) {
		if before != nil {
			before(e)
		}
		a.mu.Lock()
		a.pending = append(a.pending, e)
		a.mu.Unlock()
	}
	return r
}

// Answered takes the time that a call has waited for rate limits.
func Answered(ctx context.Context, r *llm.Reply) {
	if a, ok := ctx.Value(askingKey{}).(*asking); ok && r != nil {
		a.mu.Lock()
		a.waited += float64(r.Waited.Microseconds()) / 1000
		a.mu.Unlock()
	}
}
