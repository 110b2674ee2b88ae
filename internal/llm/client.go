package llm

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/outbound"
	"pflow/internal/secret"
	"pflow/internal/value"
)

// Options are a client's surroundings.
type Options struct {
	Models    *Models             // nil: the shipped ones
	Getenv    func(string) string // nil: an empty environment
	Environ   func() []string     // what providers that are programs find in their environment, without keys and secrets; nil: nothing
	Sampling  Completer           // the model of a client that pflow serves; nil: there is none
	Secrets   *secret.Store       // what keys are read from; nil: Getenv
	Transport http.RoundTripper   // nil: net/http's
	Home      string              // where the steps of the ladder are remembered; "": only as long as the client lives
	Model     string              // where a request names none; "": Models.DefaultModel, NoModel: there is none
	Timeout   time.Duration       // of a call whose context has no deadline; 0: DefaultTimeout

	Record       string // a folder that keeps every exchange; "": none
	Replay       string // a folder from which exchanges are served; "": none
	ReplayOrCall bool   // what Replay does not have is called, and recorded: in Record, else in Replay
	Clock        *Clock // how long a call takes whose recording does not say; nil: that is not known
	Carry        bool   // what Replay does not have is answered by the reply to the same question in other words

	OnExchange func(Exchange) // told of each exchange of every call; may be called from many goroutines
}

// Clock is an assumption of how long calls take.
type Clock struct {
	CallMS   float64 `json:"call_ms"`                 // whatever is asked
	PromptMS float64 `json:"prompt_ms_per_1k_tokens"` // more for each thousand tokens of the prompt
	ReplyMS  float64 `json:"reply_ms_per_token"`      // more for each token of the reply
}

// NoModel is the name of no model: none is called unless a request names one, whatever keys there are.
const NoModel = "none"

// DefaultTimeout bounds a call whose context has no deadline.
const DefaultTimeout = 5 * time.Minute

// DefaultAsks is how often a model is asked for a reply that fits its schema, the first time counted.
const DefaultAsks = 2

// Client calls models. It is safe for concurrent use; the limits of a provider hold over all calls of one client.
//
// How many HTTP calls one Call makes at most: one for each ask, at most MaxAsks, and at the first of them one more for each
// step of the ladder that the endpoint refuses, at most 4. No request that failed is repeated: the one retry policy is that of
// the flow or of the workflow's step. The time that a provider wants to be left alone (Retry-After) holds all the same: the
// next call waits for it, within its own deadline, and fails at once where the deadline comes first.
type Client struct {
	o         Options
	transport http.RoundTripper
	memory    *memory

	mu       sync.Mutex
	limiters map[string]*limiter
	masked   []string // the keys that masker masks
	masker   *mask.Masker

	questions questions // of the folder Replay

	called, replayed atomic.Int64
}

// shortestKey is the length from which on a key is masked: a shorter one is a placeholder, and may be part of a word.
const shortestKey = 8

// New makes a client.
func New(o Options) (*Client, error) {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Secrets == nil {
		o.Secrets = secret.Environment(o.Getenv)
	}
	if o.Models == nil {
		m, err := ReadModels("")
		if err != nil {
			return nil, err
		}
		o.Models = m
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.ReplayOrCall && o.Replay == "" {
		return nil, fault.New(fault.InvalidRequest, "calling what is not recorded needs a folder of recordings: --replay DIR")
	}
	switch {
	case !o.Carry:
	case o.Replay == "":
		return nil, fault.New(fault.InvalidRequest, "carrying replies over needs a folder of recordings: --replay DIR")
	case o.ReplayOrCall:
		return nil, fault.New(fault.InvalidRequest, "a call that is not recorded is answered from other words, or made: leave out one of carry and replay_or_call")
	case o.Record != "":
		return nil, fault.New(fault.InvalidRequest, "replies that are carried over are no recordings of what was asked: leave out one of carry and record")
	}
	c := &Client{o: o, transport: o.Transport, memory: newMemory(o.Home), limiters: map[string]*limiter{}}
	if c.transport == nil {
		c.transport = outbound.Transport(nil)
	}
	return c, nil
}

// keys masks the keys of the providers, as far as they are known now.
func (c *Client) keys() *mask.Masker {
	var keys []mask.Secret
	var values []string
	for _, name := range value.SortedKeys(c.o.Models.Providers) {
		p := c.o.Models.Providers[name]
		if key := strings.TrimSpace(c.o.Secrets.Known(p.KeyVar)); p.KeyVar != "" && len(key) >= shortestKey {
			keys, values = append(keys, mask.Secret{Value: key, Mark: "[key]"}), append(values, key)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(values, c.masked) {
		c.masked, c.masker = values, mask.New(keys...)
	}
	return c.masker
}

// Default gives the model that a request without one calls, and whether there is one.
func (c *Client) Default() (model string, ok bool) {
	switch c.o.Model {
	case "":
	case NoModel:
		return "", false
	default:
		return c.o.Model, true
	}
	return c.o.Models.DefaultModel(c.o.Getenv, c.o.Secrets.Has)
}

// Sampled is the model of whoever pflow serves, for where no model is configured; "" where one is, or none is wanted.
func (c *Client) Sampled() string {
	if _, ok := c.Default(); ok || c.o.Model != "" || c.o.Sampling == nil {
		return ""
	}
	for _, name := range c.o.Models.order {
		if p := c.o.Models.Providers[name]; p.By == BySampling {
			if model := p.named(c.o.Getenv); model != "" {
				return name + "/" + model
			}
		}
	}
	return ""
}

// Models are the providers and models that the client knows.
func (c *Client) Models() *Models { return c.o.Models }

// Priced reports whether the cost of calling a model is known; "" is the default model. An error is that of a model that
// cannot be called by any means.
func (c *Client) Priced(model string) (bool, error) {
	model, err := c.modelName(model)
	if err != nil {
		return false, err
	}
	p, name, err := c.o.Models.Find(model)
	if err != nil {
		return false, err
	}
	return (&target{provider: p, entry: p.Entry(name)}).priced(), nil
}

// Stats counts exchanges.
type Stats struct{ Called, Replayed int }

// Stats gives how many exchanges were made and how many were served from recordings.
func (c *Client) Stats() Stats { return Stats{int(c.called.Load()), int(c.replayed.Load())} }

func (c *Client) modelName(name string) (string, error) {
	if name != "" {
		return name, nil
	}
	if name, ok := c.Default(); ok {
		return name, nil
	}
	var vars []string
	for _, n := range c.o.Models.Default {
		if p := c.o.Models.Providers[n]; p != nil && p.KeyVar != "" {
			vars = append(vars, p.KeyVar)
		}
	}
	return "", fault.New(fault.Authentication, "there is no model to call: set %s, or name a model (--model PROVIDER/MODEL); pflow model list shows what there is", strings.Join(vars, " or "))
}

// target finds where a model is called. The key is asked for only when a call is really made.
func (c *Client) target(model string) (*target, error) {
	model, err := c.modelName(model)
	if err != nil {
		return nil, err
	}
	p, name, err := c.o.Models.Find(model)
	if err != nil {
		return nil, err
	}
	e := p.Endpoint(c.o.Getenv, c.o.Secrets.Has)
	t := &target{name: model, model: name, provider: p, entry: p.Entry(name), baseURL: e.BaseURL, redact: func(s string) string { return c.keys().Text(s) }}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limiters[p.Name] == nil {
		c.limiters[p.Name] = newLimiter(p.Concurrency, p.PerMinute)
	}
	t.limiter = c.limiters[p.Name]
	return t, nil
}

// Ready reports why no call of a model can be answered, as far as that is known before one is made; "" is the default model. What
// is replayed needs a name alone.
func (c *Client) Ready(ctx context.Context, model string) error {
	t, err := c.target(model)
	if err != nil || c.o.Replay != "" {
		return err
	}
	return t.ready(ctx, c.o)
}

// priced reports whether what a call costs will be known.
func (t *target) priced() bool {
	return t.entry.Prices != nil || t.provider.Program != nil && t.provider.Program.Reply["cost_usd"] != nil
}

// ready reads the key of a target, and reports why it cannot be called, or nil.
func (t *target) ready(ctx context.Context, o Options) error {
	if t.provider.BaseURL == "" { // no endpoint: whoever is asked instead says what is wrong
		return nil
	}
	var err error
	if t.key, err = o.Secrets.Read(ctx, t.provider.KeyVar); err != nil {
		return err
	}
	t.key = strings.TrimSpace(t.key)
	if t.provider.Endpoint(o.Getenv, o.Secrets.Has).KeyMissing {
		return fault.New(fault.Authentication, "%s needs a key: set %s", t.name, t.provider.KeyVar)
	}
	if why := checkURL(t.baseURL); why != "" {
		return fault.New(fault.InvalidRequest, "the base URL of %s%s: %s", t.provider.Name, t.urlHint(), why)
	}
	if strings.ContainsFunc(t.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.New(fault.Authentication, "%s holds characters that no key has, such as a blank or a line break: set it again", t.provider.KeyVar)
	}
	return nil
}
