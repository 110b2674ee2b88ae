package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/otlp"
)

// theClient is the client of all model calls of this process.
func (a *app) theClient() (*llm.Client, error) {
	a.clientOnce.Do(func() {
		a.client, a.clientErr = a.modelClient(llm.Options{Model: a.model, Record: a.record, Replay: a.replay, ReplayOrCall: a.replayOrCall, Carry: a.carry, Clock: a.clock, Sampling: a.sampling})
	})
	return a.client, a.clientErr
}

// callModel is how ops and nodes call a model: what was said is kept with the run, and progress is shown as it comes.
func (a *app) callModel(ctx context.Context, r llm.Request) (*llm.Reply, error) {
	c, err := a.theClient()
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%v", err)
	}
	if r.Model == "" {
		r.Model = a.sampledModel(c)
	}
	keep, kept := ctx.Value(exchangesKey{}).(*exchanges)
	asked, told := r, false
	r.OnExchange = func(x llm.Exchange) {
		told = true
		if asked.OnExchange != nil {
			asked.OnExchange(x)
		}
		if kept {
			keep.add(keptExchange{stepOf(ctx), x})
		}
		otlp.Chat(ctx, &asked, x)
	}
	r.OnText = onText(ctx)
	reply, err := c.Call(ctx, r)
	if kept && err != nil && !told {
		keep.unsent(keptExchange{stepOf(ctx), llm.Exchange{Prompt: r.Prompt, Model: reply.Model, Messages: r.Messages, Error: err.Error()}})
	}
	return reply, err
}

func (a *app) priced(model string) (bool, error) {
	c, err := a.theClient()
	if err != nil {
		return false, fault.New(fault.InvalidRequest, "%v", err)
	}
	if model == "" {
		model = a.sampledModel(c)
	}
	return c.Priced(model)
}

// hasModel reports whether a model can be called: there is a default one, or replies that were recorded.
func (a *app) hasModel() (bool, error) {
	if a.replay != "" {
		return true, nil
	}
	c, err := a.theClient()
	if err != nil {
		return false, err
	}
	_, ok := c.Default()
	return ok || a.sampledModel(c) != "", nil
}

// sampledModel is the model of the client that is served, where it offers it and no other is configured; "" elsewhere.
func (a *app) sampledModel(c *llm.Client) string {
	if !a.samples {
		return ""
	}
	return c.Sampled()
}

// exchangesFile lies beside the journal of a run: what was sent to models and what came back, one JSON object a line.
const exchangesFile = "exchanges.jsonl"

// exchanges keeps those of one run.
type exchanges struct {
	file string
	mu   sync.Mutex
	err  error // the first, after which nothing more is kept

	notSent []keptExchange // calls that came to no exchange, such as one without a key
}

func (e *exchanges) unsent(x keptExchange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notSent = append(e.notSent, x)
}

// keptExchange is one of them, with the step that asked.
type keptExchange struct {
	Step string `json:"step,omitempty"` // in the whole run
	llm.Exchange
}

// stepOf names the step of a context as runs show does: an item of get is get[3].
func stepOf(ctx context.Context) string {
	name, index := engine.StepOf(ctx), engine.IndexOf(ctx)
	switch {
	case index == "":
	case strings.Trim(index, "0123456789") == "":
		name += "[" + index + "]"
	default:
		name += "." + index
	}
	return name
}

type exchangesKey struct{}

// withExchanges has what a run says to models kept in its folder.
func (a *app) withExchanges(ctx context.Context, run string) context.Context {
	return context.WithValue(ctx, exchangesKey{}, &exchanges{file: a.home().Path("runs", run, exchangesFile)})
}

func (e *exchanges) add(x keptExchange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return
	}
	line, err := json.Marshal(x)
	if err != nil {
		panic(fmt.Sprintf("an exchange is no JSON: %v", err))
	}
	f, err := os.OpenFile(e.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		if closing := f.Close(); err == nil {
			err = closing
		}
	}
	e.err = err
}
