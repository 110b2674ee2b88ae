package llm

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/repair"
	"pflow/internal/value"
)

// Call asks a model and gives what it replied. The Reply is never nil: with an error it holds what the call used.
func (c *Client) Call(ctx context.Context, r Request) (*Reply, error) {
	start := time.Now()
	reply := &Reply{}
	defer func() { reply.Latency = time.Since(start) }()
	t, err := c.target(r.Model)
	if err != nil {
		return reply, err
	}
	reply.Model = t.name // whatever comes of the call
	if err := check(&r); err != nil {
		return reply, err
	}
	reply.Usage.Priced = t.priced()
	ctx, cancel := c.bounded(ctx, t.provider)
	defer cancel()
	call := &call{Client: c, secrets: mask.From(ctx), target: t, request: &r, messages: slices.Clone(r.Messages), reply: reply}
	t.redact = call.redact
	if say := r.OnText; say != nil {
		shown := &shownText{call: call, say: say}
		r.OnText = shown.piece
		defer shown.end()
	}
	err = call.run(ctx)
	if reply.Usage.Calls == 0 {
		reply.Usage.Priced = false
	}
	return reply, err
}

// bounded gives a call the timeout of its provider; without one the client's, where the caller has no deadline.
func (c *Client) bounded(ctx context.Context, p *Provider) (context.Context, context.CancelFunc) {
	timeout := p.Timeout
	if _, has := ctx.Deadline(); !has && timeout == 0 {
		timeout = c.o.Timeout
	}
	if timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

// check refuses requests that no endpoint could answer, and normalises what is sent.
func check(r *Request) error {
	if len(r.Messages) == 0 {
		return fault.New(fault.InvalidRequest, "a model needs at least one message")
	}
	if t := r.Temperature; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)) {
		return fault.New(fault.InvalidRequest, "the temperature %v is no number", *t)
	}
	if r.MaxAsks <= 0 {
		r.MaxAsks = DefaultAsks
	}
	if r.Schema != nil {
		v, err := value.Normalize(r.Schema.JSON)
		m, ok := v.(map[string]any)
		if err != nil || !ok || m == nil {
			return fault.New(fault.InvalidRequest, "the schema %q is no JSON object: %v", r.Schema.Name, err)
		}
		s := *r.Schema
		s.JSON = m
		r.Schema = &s
	}
	return nil
}

// call is one Call under way.
type call struct {
	*Client
	target   *target
	request  *Request
	messages []Message // those of the request, and what was said about replies that did not fit
	reply    *Reply
	secrets  *mask.Masker // of whoever calls

	key, asks string // of the recording of what is asked now
}

// redact takes keys and secrets out of a text that is kept or shown.
func (c *call) redact(s string) string { return c.secrets.Text(c.keys().Text(s)) }

func (c *call) shownValue(v any) any { return c.secrets.Value(c.keys().Value(v)) }

// shown are messages without keys and secrets.
func (c *call) shown(messages []Message) []Message {
	out := slices.Clone(messages)
	for i := range out {
		m := &out[i]
		m.Content = c.redact(m.Content)
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			m.ToolCalls[k].Arguments = c.shownValue(m.ToolCalls[k].Arguments)
		}
	}
	return out
}

// shownText takes keys and secrets out of a reply that comes in pieces.
type shownText struct {
	call          *call
	say           func(string)
	secrets, keys *mask.Stream // from the first piece on: by then the key is known
}

func (s *shownText) piece(text string) {
	if s.keys == nil {
		s.secrets, s.keys = s.call.secrets.Stream(), s.call.keys().Stream()
	}
	s.give(s.keys.Next(s.secrets.Next([]byte(text))))
}

// end gives what may have been the beginning of a secret and was none.
func (s *shownText) end() {
	if s.keys != nil {
		s.give(append(s.keys.Next(s.secrets.Rest()), s.keys.Rest()...))
	}
}

func (s *shownText) give(text []byte) {
	if len(text) > 0 {
		s.say(string(text))
	}
}

// run asks until a reply fits, at most MaxAsks times.
func (c *call) run(ctx context.Context) error {
	for {
		a, step, err := c.ask(ctx)
		if err != nil {
			return err
		}
		r := c.reply
		r.Asks++
		r.Text, r.FinishReason, r.LadderStep = a.Text, a.FinishReason, step
		r.Model = orText(a.Model, c.target.name)
		if err := a.ended(c.target.name); err != nil {
			return err
		}
		text, err := c.toolCalls(a, step)
		if err != nil || c.request.Schema == nil || len(r.ToolCalls) > 0 {
			return err
		}
		r.Text = text
		got := readReply(text, c.request.Schema, step == StrictJSONSchema, isWrapped(c.request.Schema, step))
		if got.Found && len(got.Wrong) == 0 {
			r.Value, r.Repaired = got.Value, got.Mended
			return nil
		}
		if r.Carried > 0 {
			runCalls(ctx).unfit(c.carriedMisfit(got))
		}
		if r.Asks >= c.request.MaxAsks {
			return c.misfit(got)
		}
		if err := c.complain(ctx, text, step, got); err != nil {
			return err
		}
	}
}

// toolCalls reads the calls of an answer. text is that of the structured reply, which at one step of the ladder is what
// the model gave as the arguments of the function named by the schema.
func (c *call) toolCalls(a *answer, step string) (text string, err error) {
	text = a.Text
	answered := false
	for _, raw := range a.ToolCalls {
		if step == ToolCallStep && raw.Name == schemaName(c.request.Schema.Name) {
			if !answered {
				text, answered = raw.Arguments, true
			}
			continue
		}
		if len(c.request.Tools) == 0 {
			continue // nobody offered it
		}
		call := ToolCall{ID: raw.ID, Name: raw.Name}
		if strings.TrimSpace(raw.Arguments) != "" {
			v, err := value.ParseJSON([]byte(raw.Arguments))
			if err != nil {
				v, err = repair.JSON(raw.Arguments)
			}
			m, ok := v.(map[string]any)
			if err != nil || !ok && v != nil {
				return "", fault.New(fault.Malformed, "%s called %s with arguments that are no JSON object: %s", c.target.name, raw.Name, clip(raw.Arguments, 100))
			}
			if ok {
				call.Arguments = m
			}
		}
		c.reply.ToolCalls = append(c.reply.ToolCalls, call)
	}
	if answered {
		c.reply.ToolCalls = nil // it answered; what else it wanted to call no longer matters
	}
	return text, nil
}

// misfit is the fault of a reply that does not fit when no more may be asked.
func (c *call) misfit(got reading) error {
	times := "once"
	if c.reply.Asks > 1 {
		times = "each time"
	}
	if !got.Found {
		return fault.New(fault.Malformed, "%s was asked for JSON of the schema %s and %s replied with something else: %s", c.target.name, c.request.Schema.Name, times, clip(c.redact(c.reply.Text), 120))
	}
	return fault.New(fault.Schema, "the reply of %s does not fit the schema %s: %s", c.target.name, c.request.Schema.Name, strings.Join(got.Wrong[:min(len(got.Wrong), 5)], "; "))
}

// maxEchoed bounds what of a misfit is sent back to the model, in bytes.
const maxEchoed = 16 << 10

// complain adds a reply that does not fit and what is wrong with it to the conversation.
func (c *call) complain(ctx context.Context, text, step string, got reading) error {
	if len(text) > maxEchoed {
		text = strings.ToValidUTF8(text[:maxEchoed], "") + "…"
	}
	say, err := c.complaint(ctx, step, got)
	if err != nil {
		return err
	}
	c.messages = append(c.messages, Message{Role: "assistant", Content: text}, Message{Role: "user", Content: say})
	return nil
}

// complaint says what is wrong with a reply.
func (c *call) complaint(ctx context.Context, step string, got reading) (string, error) {
	texts := c.o.Models.Texts
	if got.Found {
		wrong := []any{}
		for _, w := range got.Wrong[:min(len(got.Wrong), 20)] {
			wrong = append(wrong, w)
		}
		return texts.Misfit.Render(ctx, map[string]any{"wrong": wrong})
	}
	form := ""
	if !inWords(step) { // the endpoint may have kept the schema to itself
		var err error
		if form, err = c.form(ctx); err != nil {
			return "", err
		}
	}
	return texts.NoJSON.Render(ctx, map[string]any{"form": form})
}

// form demands a reply that fits the schema in words.
func (c *call) form(ctx context.Context) (string, error) {
	return c.o.Models.Texts.Form.Render(ctx, map[string]any{"schema": schemaText(c.request.Schema.JSON)})
}

// ask gets one answer: from a recording, or from the endpoint.
func (c *call) ask(ctx context.Context) (*answer, string, error) {
	recorded := c.o.Replay != "" || c.o.Record != ""
	if !recorded && c.o.OnExchange == nil && c.request.OnExchange == nil {
		return c.climb(ctx)
	}
	run := runCalls(ctx)
	first, doc, err := asked(c.target.name, c.shown(c.messages), c.request)
	if err != nil && recorded {
		return nil, "", err
	}
	key, before := first, run.before(first)
	if before > 0 && doc != nil {
		doc["equal_before"] = before
		key = keyOf(doc)
	}
	c.key, c.asks = key, ""
	if key != "" {
		c.asks, err = c.asksFor(before)
	}
	switch {
	case !recorded:
		a, step, err := c.climb(ctx)
		if err == nil {
			run.answer(first)
		}
		return a, step, err
	case err != nil:
		return nil, "", err
	}
	if c.o.Replay != "" {
		start := time.Now()
		a, step, found, err := replay(c.o.Replay, key)
		carried := false
		if !found && err == nil && c.o.Carry {
			a, step, carried, err = c.carry(doc)
		}
		if found || carried {
			q, failed := c.question(ctx, step)
			if failed != nil {
				return nil, "", failed
			}
			c.replayed.Add(1)
			c.reply.Replayed = true
			if carried {
				c.reply.Carried++
				c.reply.CarriedTokens += a.Usage.PromptTokens + a.Usage.CompletionTokens
			}
			if a != nil {
				c.add(a)
				c.timed(a)
				if c.request.OnText != nil {
					c.request.OnText(a.Text)
				}
			}
			c.tell(a, q, start, told{replayed: true, carried: carried}, err)
			if err == nil {
				run.answer(first)
			}
			if c.o.Record != "" && c.o.Record != c.o.Replay {
				if failed := c.record(c.o.Record, key, doc, a, step, err); failed != nil {
					return nil, "", failed
				}
			}
			return a, step, err
		}
		if err != nil {
			return nil, "", run.miss(err)
		}
		if !c.o.ReplayOrCall {
			c.reply.Missed = true
			return nil, "", run.miss(missed(c.o.Replay, key, c.target.name, c.shown(c.messages), c.request))
		}
	}
	a, step, err := c.climb(ctx)
	if err == nil {
		run.answer(first)
	}
	if err == nil || ctx.Err() == nil {
		if failed := c.record(orText(c.o.Record, c.o.Replay), key, doc, a, step, err); failed != nil && err == nil {
			err = failed
		}
	}
	return a, step, err
}

// record keeps an exchange of the call.
func (c *call) record(dir, key string, doc map[string]any, a *answer, step string, failed error) error {
	return record(dir, key, c.asks, c.shownValue(doc), a, step, failed)
}

// climb asks the endpoint, at the step of the ladder that it is known to honour, and steps down as long as it complains
// of the form.
func (c *call) climb(ctx context.Context) (*answer, string, error) {
	t := c.target
	if err := t.ready(ctx, c.o); err != nil {
		return nil, "", err
	}
	if c.request.Schema == nil {
		a, err := c.once(ctx, "")
		return a, "", err
	}
	steps := t.entry.Ladder
	memo := t.memo()
	at := slices.Index(steps, c.memory.step(memo, steps))
	for stepped := false; ; at++ {
		step := steps[at]
		if _, ok := schemaSent(c.request.Schema, step); !ok && at+1 < len(steps) {
			continue
		}
		a, err := c.once(ctx, step)
		if status, ok := err.(*statusError); ok && status.stepDown && at+1 < len(steps) {
			stepped = true
			continue
		}
		if err == nil && stepped {
			c.memory.set(memo, step)
		}
		return a, step, err
	}
}

// question is the exchange to be made at a step, with what is said of the form of the reply.
func (c *call) question(ctx context.Context, step string) (question, error) {
	q := question{messages: c.messages, schema: c.request.Schema, step: step, tools: c.request.Tools, request: c.request}
	var err error
	switch {
	case q.schema == nil:
	case inWords(step):
		q.form, err = c.form(ctx)
	case step == ToolCallStep:
		q.form, err = c.o.Models.Texts.Function.Render(ctx, map[string]any{"name": schemaName(q.schema.Name)})
	}
	return q, err
}

// once makes one exchange at one step.
func (c *call) once(ctx context.Context, step string) (*answer, error) {
	start := time.Now()
	trip := &trip{}
	q, err := c.question(ctx, step)
	if err != nil {
		return nil, err
	}
	var first time.Duration
	if say := c.request.OnText; say != nil {
		streamed := *c.request
		streamed.OnText = func(text string) {
			if first == 0 {
				first = time.Since(start)
			}
			say(text)
		}
		q.request = &streamed
	}
	a, err := c.answer(ctx, q, trip)
	took := time.Since(start) - trip.waited
	c.called.Add(1)
	c.reply.Waited += trip.waited
	c.reply.Usage.Calls += trip.calls
	if err == nil {
		a.Usage.Calls = trip.calls
		c.reply.Usage.Calls -= trip.calls // add counts them
		if !a.Counted {
			a.estimate(q)
		}
		c.add(a)
		a.LatencyMS = milliseconds(took)
		if first > 0 {
			a.FirstTokenMS = milliseconds(first - trip.waited)
		}
		c.timed(a)
		a.redact(c.redact)
	}
	c.tell(a, q, start, told{}, err)
	return a, err
}

// answer asks once, by whatever way the provider is asked.
func (c *call) answer(ctx context.Context, q question, trip *trip) (*answer, error) {
	by, err := c.completer(c.target)
	switch {
	case err != nil:
		return nil, err
	case by != nil:
		return c.complete(ctx, c.target, by, q, trip)
	}
	return c.exchange(ctx, c.target, q, trip)
}

// Tokens estimates how many tokens a number of characters is: four each, as is usual for English.
func Tokens(chars int) int { return (chars + 3) / 4 }

// estimate counts tokens where an endpoint does not, so that limits on tokens hold there, too. It gives no price.
func (a *answer) estimate(q question) {
	sent := 0
	for _, m := range q.sent() {
		sent += utf8.RuneCountInString(m.Content)
	}
	a.Usage.PromptTokens, a.Usage.CompletionTokens = Tokens(sent), Tokens(utf8.RuneCountInString(a.Text))
}

// redact takes keys out of what an endpoint says back: it goes to results, journals and recordings.
func (a *answer) redact(redact func(string) string) {
	a.Text, a.Refusal, a.Model, a.FinishReason = redact(a.Text), redact(a.Refusal), redact(a.Model), redact(a.FinishReason)
	for i := range a.ToolCalls {
		a.ToolCalls[i].Name, a.ToolCalls[i].Arguments = redact(a.ToolCalls[i].Name), redact(a.ToolCalls[i].Arguments)
	}
}

// add adds what an answer used to what the call used.
func (c *call) add(a *answer) {
	u := &a.Usage
	switch p := c.target.entry.Prices; {
	case a.Cost != nil:
		u.CostUSD, u.Priced = *a.Cost, true
	case p != nil && a.Counted:
		u.CostUSD, u.Priced = p.cost(*u), true
	default:
		u.CostUSD, u.Priced = 0, false
	}
	c.reply.Usage.Add(*u)
}

// told is how an exchange came about.
type told struct{ replayed, carried bool }

// tell reports an exchange to those who want to know.
func (c *call) tell(a *answer, q question, start time.Time, by told, err error) {
	if c.o.OnExchange == nil && c.request.OnExchange == nil {
		return
	}
	e := Exchange{Prompt: c.request.Prompt, Model: c.target.name, LadderStep: q.step, Latency: time.Since(start), Replayed: by.replayed, Carried: by.carried, Key: c.key, Question: c.asks}
	e.Messages = append(e.Messages, c.shown(q.sent())...)
	if a != nil {
		e.FinishReason, e.Usage, e.AnsweredBy = a.FinishReason, a.Usage, a.Model
		e.Reply = a.Text
		for _, call := range a.ToolCalls {
			e.Reply = strings.TrimLeft(e.Reply+"\n"+call.Name+" "+call.Arguments, "\n")
		}
		e.Reply = c.redact(e.Reply + a.Refusal)
		if len(a.ToolCalls) > 0 || a.Refusal != "" {
			e.Whole = c.whole(a)
		}
	}
	if err != nil {
		e.Error, e.Err = c.redact(err.Error()), err
	}
	for _, f := range []func(Exchange){c.o.OnExchange, c.request.OnExchange} {
		if f != nil {
			f(e)
		}
	}
}
