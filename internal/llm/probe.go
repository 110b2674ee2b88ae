package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Verdict is what a probe found of one feature.
type Verdict string

// The verdicts. Ignored says that the endpoint took the request and did something else.
const (
	Honoured Verdict = "honoured"
	Ignored  Verdict = "ignored"
	Rejected Verdict = "refused"
	NotSent  Verdict = "not sent" // models.yaml says that the model refuses it
)

// Probed is one feature of an endpoint, as it was measured.
type Probed struct {
	Feature string  `json:"feature"` // a step of the ladder, tools, temperature or stream
	Verdict Verdict `json:"verdict"`
	Note    string  `json:"note,omitempty"`
}

// Report is what a probe measured. Step is the first step of the model's ladder that was honoured; "" if none was. It is
// remembered, so that calls begin there.
type Report struct {
	Features []Probed
	Step     string
	Usage    Usage
}

// probeSchema is a schema that nobody would fit by chance.
var probeSchema = &Schema{Name: "animal", JSON: map[string]any{
	"type": "object", "additionalProperties": false, "required": []any{"animal", "legs"},
	"properties": map[string]any{
		"animal": map[string]any{"type": "string", "enum": []any{"ant", "bear", "crow"}},
		"legs":   map[string]any{"type": "integer"},
	},
}}

func fitsProbe(v any) bool {
	m, ok := v.(map[string]any)
	_, whole := m["legs"].(int)
	name, _ := m["animal"].(string)
	return ok && whole && len(m) == 2 && slices.Contains([]string{"ant", "bear", "crow"}, name)
}

// Probe measures what an endpoint really does with what it is asked for: each step of the ladder (by a prompt that asks
// for something else than the schema does), tools, temperature 0, streaming. It takes about ten calls, and neither
// records nor replays. tell, if not nil, hears of each feature as it is measured. The report holds what was measured
// before an error.
func (c *Client) Probe(ctx context.Context, model string, tell func(Probed)) (*Report, error) {
	report := &Report{}
	t, err := c.target(model)
	if err == nil {
		err = t.ready(ctx, c.o)
	}
	if err != nil {
		return report, err
	}
	if t.provider.BaseURL == "" {
		return report, fault.New(fault.InvalidRequest, "%s is no endpoint: it is asked in words, and there is nothing else to measure", t.name)
	}
	ctx, cancel := c.bounded(ctx, t.provider)
	defer cancel()
	p := &probe{Client: c, target: t, report: report}
	report.Usage.Priced = true
	defer func() { report.Usage.Priced = report.Usage.Priced && report.Usage.Calls > 0 }()
	for _, step := range ladder {
		measured, err := p.form(ctx, step)
		if err != nil {
			return report, err
		}
		p.add(measured, tell)
		if measured.Verdict == Honoured && report.Step == "" && slices.Contains(t.entry.Ladder, step) {
			report.Step = step
		}
	}
	for _, measure := range []func(context.Context) (Probed, error){p.tools, p.temperature, p.stream} {
		measured, err := measure(ctx)
		if err != nil {
			return report, err
		}
		p.add(measured, tell)
	}
	if report.Step != "" {
		c.memory.set(t.memo(), report.Step)
	}
	return report, nil
}

// probe is a Probe under way.
type probe struct {
	*Client
	target *target
	report *Report
}

func (p *probe) add(m Probed, tell func(Probed)) {
	p.report.Features = append(p.report.Features, m)
	if tell != nil {
		tell(m)
	}
}

// send makes one exchange. An error that says something of the feature is a verdict; any other ends the probe.
func (p *probe) send(ctx context.Context, r Request, step string) (a *answer, refused string, err error) {
	reply := &Reply{Usage: Usage{Priced: p.target.entry.Prices != nil}}
	one := &call{Client: p.Client, target: p.target, request: &r, messages: r.Messages, reply: reply}
	a, err = one.once(ctx, step)
	p.report.Usage.Add(reply.Usage)
	if err == nil {
		return a, "", nil
	}
	if k := fault.Of(err).Kind; k == fault.InvalidRequest || k == fault.NotFound && len(p.report.Features) > 0 || k == fault.Malformed || k == fault.Truncated || errors.Is(err, errNoCompletion) {
		return nil, strings.TrimPrefix(strings.TrimPrefix(err.Error(), p.target.at()+" "), "refused the request with "), nil
	}
	return nil, "", err
}

func ask(text string) []Message { return []Message{{Role: "user", Content: text}} }

// form measures a step of the ladder.
func (p *probe) form(ctx context.Context, step string) (Probed, error) {
	got := Probed{Feature: step}
	text := "Write one short sentence that greets the reader, in plain words."
	if step == JSONObject || step == Prompt { // here the model itself has to read the schema
		text = "Name an animal."
	}
	a, refused, err := p.send(ctx, Request{Messages: ask(text), Schema: probeSchema}, step)
	switch {
	case err != nil:
		return got, err
	case refused != "":
		got.Verdict, got.Note = Rejected, refused
		return got, nil
	}
	reply := a.Text
	if step == ToolCallStep {
		reply = ""
		for _, c := range a.ToolCalls {
			if c.Name == probeSchema.Name {
				reply = c.Arguments
			}
		}
	}
	v, err := value.ParseJSON([]byte(strings.TrimSpace(reply)))
	_, isObject := v.(map[string]any)
	switch {
	case err == nil && fitsProbe(v), err == nil && isObject && step == JSONObject:
		got.Verdict = Honoured
	case step == Prompt && fitsProbe(readReply(reply, probeSchema, false, false).Value):
		got.Verdict, got.Note = Honoured, "the JSON had to be searched for in the reply"
	case step == ToolCallStep && reply == "":
		got.Verdict, got.Note = Ignored, "the function was not called"
	case err == nil && isObject:
		got.Verdict, got.Note = Ignored, "the reply is JSON that does not fit the schema"
	default:
		got.Verdict, got.Note = Ignored, "the reply is no JSON: "+clip(reply, 60)
	}
	return got, nil
}

// tools measures whether an offered function is called.
func (p *probe) tools(ctx context.Context) (Probed, error) {
	got := Probed{Feature: "tools"}
	tool := Tool{Name: "weather", Description: "Tells the weather of a city.", Parameters: map[string]any{
		"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []any{"city"},
	}}
	a, refused, err := p.send(ctx, Request{Messages: ask("What is the weather in Bern? Call the function weather to know."), Tools: []Tool{tool}}, "")
	switch {
	case err != nil:
	case refused != "":
		got.Verdict, got.Note = Rejected, refused
	case slices.ContainsFunc(a.ToolCalls, func(c rawCall) bool { return c.Name == tool.Name }):
		got.Verdict = Honoured
	default:
		got.Verdict, got.Note = Ignored, "the function was not called"
	}
	return got, err
}

// temperature measures whether temperature 0 makes two replies equal.
func (p *probe) temperature(ctx context.Context) (Probed, error) {
	got := Probed{Feature: "temperature"}
	if p.target.entry.NoTemperature {
		got.Verdict, got.Note = NotSent, "models.yaml says that the model refuses it"
		return got, nil
	}
	zero := 0.0
	var texts []string
	for range 2 {
		a, refused, err := p.send(ctx, Request{Messages: ask("Write a random number of twelve digits, and nothing else."), Temperature: &zero}, "")
		if err != nil {
			return got, err
		}
		if refused != "" {
			got.Verdict, got.Note = Rejected, refused
			return got, nil
		}
		texts = append(texts, strings.TrimSpace(a.Text))
	}
	got.Verdict, got.Note = Honoured, "two replies at temperature 0 were equal"
	if texts[0] != texts[1] {
		got.Verdict, got.Note = Ignored, "two replies at temperature 0 differ"
	}
	return got, nil
}

// stream measures in how many pieces a reply comes.
func (p *probe) stream(ctx context.Context) (Probed, error) {
	got := Probed{Feature: "stream"}
	pieces := 0
	start := time.Now()
	var first time.Duration
	a, refused, err := p.send(ctx, Request{Messages: ask("Count from one to thirty in words."), OnText: func(string) {
		if pieces++; pieces == 1 {
			first = time.Since(start)
		}
	}}, "")
	switch {
	case err != nil:
		return got, err
	case refused != "":
		got.Verdict, got.Note = Rejected, refused
		return got, nil
	}
	got.Verdict, got.Note = Honoured, fmt.Sprintf("%d pieces, the first after %s", pieces, first.Round(time.Millisecond))
	if pieces < 2 {
		got.Verdict, got.Note = Ignored, "the reply came in one piece"
	}
	if !a.Counted {
		got.Note += "; tokens are not told"
	}
	return got, nil
}
