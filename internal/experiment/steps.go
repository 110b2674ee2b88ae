package experiment

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/llm"
	"pflow/internal/planner"
	"pflow/internal/value"
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
	Of     string `json:"prompt_name,omitempty"`
	Prompt string `json:"prompt"` // cut where it is long
	Reply  string `json:"reply"`
	Error  string `json:"error,omitempty"`

	Carried bool `json:"carried,omitempty"` // the reply was given to the same question in other words
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
	times nodeTimes

	mu       sync.Mutex
	pending  map[string][]made // by step
	waits    []wait
	priced   int  // answered calls whose price is known
	unpriced bool // there was one whose price is not
	unheard  unheard
	timing   timing
}

// made is an exchange, and the item or the branch of its step that it was made for.
type made struct {
	index string
	llm.Exchange
}

// wait is when a call waited for rate limits.
type wait struct{ from, to time.Time }

// waited is how long there was any call that waited, in milliseconds: calls that wait side by side wait once.
func (r *recorder) waited() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.waits, func(a, b wait) int { return a.from.Compare(b.from) })
	var total time.Duration
	var end time.Time
	for _, w := range r.waits {
		if w.from.Before(end) {
			w.from = end
		}
		if w.to.After(w.from) {
			total += w.to.Sub(w.from)
			end = w.to
		}
	}
	return float64(total.Microseconds()) / 1000
}

// heard is what of the row no model has said to its words.
func (r *recorder) heard() unheard {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unheard
}

// timed is what of the time of its calls nobody measured.
func (r *recorder) timed() timing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.timing
}

// price settles what a plan cost where its calls were told to Answered. The meters of a run, from which the plan has it,
// cannot tell calls that are free from calls without a price, and sum up what of both there is.
func (r *recorder) price(u *planner.Usage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.unpriced:
		u.CostUSD = nil
	case u.CostUSD == nil && r.priced >= u.Calls:
		u.CostUSD = new(float64)
	}
}

// observed is told of every step that ends.
func (r *recorder) observed(t engine.Transition) {
	r.times.observed(t)
	s := Step{Node: t.Node, Visit: t.Visit, Because: t.Because}
	if t.Action != nil {
		s.Action = *t.Action
	}
	if t.Result != nil {
		s.Result = clipResult(said(t.Result))
	}
	for _, e := range r.take(t.Node) {
		var prompt []string
		for _, m := range e.Messages {
			prompt = append(prompt, m.Role+":\n"+m.Content)
		}
		s.Exchange = append(s.Exchange, exchange{
			Model: e.Model, Of: e.Prompt, Prompt: clip(strings.Join(prompt, "\n\n"), keepPrompt), Reply: clip(e.Reply, keepReply), Error: e.Error, Carried: e.Carried,
		})
	}
	r.steps = append(r.steps, s)
}

// take gives the exchanges of a step that ended: those of its items and branches one after the other, whoever was answered
// first.
func (r *recorder) take(step string) []made {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.pending[step]
	delete(r.pending, step)
	slices.SortStableFunc(list, func(a, b made) int {
		return cmp.Or(cmp.Compare(len(a.index), len(b.index)), cmp.Compare(a.index, b.index))
	})
	return list
}

// order puts the steps in the order of the run's, which is that of the flow: of what runs side by side it is chance what ends
// first.
func (r *recorder) order(run []engine.Step) {
	at := make(map[visit]int, len(run))
	for i := range run {
		at[visit{run[i].Node, run[i].Visit}] = i
	}
	place := func(s Step) int {
		if i, ok := at[visit{s.Node, s.Visit}]; ok {
			return i
		}
		return len(run)
	}
	slices.SortStableFunc(r.steps, func(a, b Step) int { return cmp.Compare(place(a), place(b)) })
}

// visit names a step.
type visit struct {
	node string
	n    int
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
	return clip(string(appendCut(nil, v, 0)), keepResult)
}

// appendCut appends JSON of which lists, texts and depth are cut, until there is more than is kept: an experiment does this
// for every step of every plan.
func appendCut(dst []byte, v any, depth int) []byte {
	const items, deep = 8, 6
	if len(dst) > keepResult {
		return dst
	}
	switch v := v.(type) {
	case string:
		return value.AppendString(dst, clip(v, keepResult/2))
	case []any:
		if depth > deep {
			return append(dst, `"…"`...)
		}
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if i == items {
				dst = append(dst, `"…"`...)
				break
			}
			dst = appendCut(dst, item, depth+1)
		}
		return append(dst, ']')
	case map[string]any:
		if depth > deep {
			return append(dst, `"…"`...)
		}
		dst = append(dst, '{')
		for i, k := range value.SortedKeys(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(value.AppendString(dst, k), ':')
			dst = appendCut(dst, v[k], depth+1)
		}
		return append(dst, '}')
	}
	return value.AppendJSON(dst, v) // values of a run are normalised
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
	before, step, index := r.OnExchange, engine.StepOf(ctx), engine.IndexOf(ctx)
	r.OnExchange = func(e llm.Exchange) {
		if before != nil {
			before(e)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.pending == nil {
			a.pending = map[string][]made{}
		}
		a.pending[step] = append(a.pending[step], made{index, e})
	}
	return r
}

// Answered takes from a reply when its call waited for rate limits, whether its price is known, what it was carried over from, and how long it took by the clock of a
// simulated run. It must be told at once
// when the reply is there. A reply says how long its call took and waited, not when: calls wait for their turn before they
// are sent, so it counts as having waited first.
func Answered(ctx context.Context, r *llm.Reply) {
	a, ok := ctx.Value(askingKey{}).(*asking)
	if !ok || r == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Waited > 0 {
		from := time.Now().Add(-max(r.Latency, r.Waited))
		a.waits = append(a.waits, wait{from, from.Add(r.Waited)})
	}
	engine.Spend(ctx, r.Took)
	a.timing.Assumed += r.Assumed
	a.timing.Untimed = a.timing.Untimed || r.Untimed
	a.unheard.Carried += r.Carried
	a.unheard.CarriedTokens += r.CarriedTokens
	a.unheard.Missed = a.unheard.Missed || r.Missed
	switch u := r.Usage; {
	case u.Priced:
		a.priced += u.Calls
	case u.Calls > 0:
		a.unpriced = true
	}
}
