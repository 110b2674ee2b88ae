package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/fault"
	"pflow/internal/llm"
)

// modelCheck is what `model check --json` prints.
type modelCheck struct {
	Schema    string       `json:"schema"`
	Model     string       `json:"model"`
	Endpoint  string       `json:"endpoint"`
	OK        bool         `json:"ok"`
	Reply     string       `json:"reply"`
	LatencyMS int64        `json:"latency_ms"`
	Usage     llm.Usage    `json:"usage"`
	Features  []llm.Probed `json:"features,omitempty"`    // with --probe
	Step      string       `json:"ladder_step,omitempty"` // with --probe: where calls begin from now on
	Error     *checkError  `json:"error"`
}

type checkError struct {
	Kind    fault.Kind `json:"kind"`
	Message string     `json:"message"`
}

func (a *app) modelCheckCommand() *cobra.Command {
	probe := false
	timeout := time.Minute
	c := &cobra.Command{
		Use:   "check [PROVIDER/MODEL]",
		Short: "Call a model, to see whether key, address and name are right",
		Long: `Call a model once, to see whether key, address and name are right; without a name the default model. With --probe, measure
what the endpoint does with what flows ask for: the ways to get a structured reply, tools, temperature 0, streaming. That
takes about ten short calls, which the provider may charge for. What was found is remembered, so that calls begin with
the first way that works.`,
		Example: "  pflow model check openai/gpt-4.1-mini\n  pflow model check --probe",
		Args:    atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.modelClient(llm.Options{})
			if err != nil {
				return err
			}
			name, _ := client.Default()
			if len(args) == 1 {
				name = args[0]
			}
			if name == "" {
				return fail(exitFailed, "there is no model to check: set the key of a provider, or name a model; pflow model list shows them")
			}
			provider, _, err := client.Models().Find(name)
			if err != nil {
				return usage("%v", err)
			}
			if timeout <= 0 {
				return usage("--timeout %s: want more than nothing, as in --timeout 30s", timeout)
			}
			ctx, cancel := context.WithTimeout(c.Context(), timeout)
			defer cancel()
			got := &modelCheck{Schema: "pflow.model-check/v1", Model: name, Endpoint: provider.Where(a.getenv)}
			return a.checked(got, a.checkModel(ctx, client, got, probe))
		},
	}
	c.Flags().BoolVar(&probe, "probe", false, "measure what the endpoint honours")
	c.Flags().DurationVar(&timeout, "timeout", timeout, "how long all calls together may take")
	return c
}

// checkModel calls and measures. In text it shows what it found as it finds it.
func (a *app) checkModel(ctx context.Context, client *llm.Client, got *modelCheck, probe bool) error {
	r, err := client.Call(ctx, llm.Request{Model: got.Model, Messages: []llm.Message{{Role: "user", Content: "Reply with the word ready, and nothing else."}}})
	got.Reply, got.LatencyMS, got.Usage = r.Text, r.Latency.Milliseconds(), r.Usage
	if err != nil {
		return err
	}
	if !a.asJSON {
		cost := "unpriced"
		if r.Usage.Priced {
			cost = dollars(r.Usage.CostUSD)
		}
		fmt.Fprintf(a.stdout, "%s at %s replied %q in %d ms: %d tokens in, %d out, %s\n",
			got.Model, got.Endpoint, oneLine(r.Text), got.LatencyMS, r.Usage.PromptTokens, r.Usage.CompletionTokens, cost)
	}
	if !probe {
		return nil
	}
	report, err := client.Probe(ctx, got.Model, nil)
	got.Features, got.Step = report.Features, report.Step
	got.Usage.Add(report.Usage)
	if err == nil && report.Step == "" {
		err = fault.New(fault.Schema, "%s gives a structured reply in none of the ways of its ladder: flows that need one will fail with it", got.Model)
	}
	if a.asJSON {
		return err
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, f := range report.Features {
		note := ""
		if f.Note != "" {
			note = "\t" + oneLine(f.Note)
		}
		fmt.Fprintf(w, "%s\t%s%s\n", f.Feature, f.Verdict, note)
	}
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	if report.Step != "" {
		fmt.Fprintf(a.stdout, "structured replies are asked for by %s\n", report.Step)
	}
	return err
}

// checked shows how a check ended, and gives the exit status.
func (a *app) checked(got *modelCheck, err error) error {
	if errors.Is(err, context.Canceled) {
		return fail(exitFailed, "the check of %s was stopped", got.Model)
	}
	got.OK = err == nil
	if err != nil {
		f := fault.Of(err)
		got.Error = &checkError{f.Kind, f.Message}
	}
	if a.asJSON {
		if err := a.printJSON(got); err != nil {
			return err
		}
	}
	if err != nil {
		return fail(exitFailed, "%s: %s", got.Error.Kind, got.Error.Message)
	}
	return nil
}
