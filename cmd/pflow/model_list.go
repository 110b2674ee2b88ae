package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/internal/llm"
	"pflow/internal/printable"
)

// providerItem is one provider of `model list --json`.
type providerItem struct {
	Name      string      `json:"name"`
	BaseURL   string      `json:"base_url"`
	Program   string      `json:"program,omitempty"` // that is run instead
	Installed *bool       `json:"installed,omitempty"`
	KeyEnv    string      `json:"key_env"`
	KeySet    bool        `json:"key_set"`
	KeyNeeded bool        `json:"key_needed"`
	Ladder    []string    `json:"ladder"`
	Models    []modelItem `json:"models"`
}

// modelItem is what is known of the models of a name or pattern. Prices are null where there are none.
type modelItem struct {
	Name    string     `json:"name"`
	Context *int       `json:"context"`
	Ladder  []string   `json:"ladder"`
	Prices  *priceItem `json:"prices"`
}

type priceItem struct {
	Input       float64 `json:"input_usd"`
	CachedInput float64 `json:"cached_input_usd"`
	Output      float64 `json:"output_usd"`
	Date        string  `json:"date"`
}

func (a *app) modelListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the providers, whether their keys are set, and what their models cost",
		Long: `List the providers, whether their keys are set, and what their models cost. A provider takes any model it has;
what is not listed is unpriced, and a flow with a limit on cost_usd does not call it.`,
		Example: "  pflow model list\n  pflow model list --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			client, err := a.modelClient(llm.Options{})
			if err != nil {
				return err
			}
			var providers []providerItem
			for _, name := range client.Models().Names() {
				providers = append(providers, a.providerItem(client.Models(), client.Models().Providers[name]))
			}
			model, ok := client.Default()
			if a.asJSON {
				doc := map[string]any{"schema": "pflow.models/v1", "default": nil, "providers": providers}
				if ok {
					doc["default"] = model
				}
				return a.printJSON(doc)
			}
			if !ok {
				model = "none; set the key of a provider, or model in settings.yaml"
				if on := client.Models().Programs(a.getenv); len(on) > 0 {
					model = "none; on the PATH is " + on[0] + ": name it in settings.yaml, or with --model"
				}
			}
			fmt.Fprintf(a.stdout, "default model: %s\n", model)
			for _, p := range providers {
				if err := a.printProvider(p); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (a *app) providerItem(models *llm.Models, p *llm.Provider) providerItem {
	e := p.Endpoint(a.getenv, a.secrets().Has)
	out := providerItem{
		Name: p.Name, BaseURL: e.Shown(), KeyEnv: p.KeyVar, KeySet: e.HasKey, KeyNeeded: e.HasKey || e.KeyMissing, Ladder: p.Ladder, Models: []modelItem{},
	}
	if p.BaseURL == "" {
		out.BaseURL = ""
	}
	if p.Program != nil {
		there := models.Installed(p, a.getenv) != ""
		out.Program, out.Installed = p.Program.Name(), &there
	}
	for _, m := range p.Models {
		entry := p.Entry(m.Pattern)
		item := modelItem{Name: m.Pattern, Ladder: entry.Ladder}
		if m.Context > 0 {
			item.Context = &m.Context
		}
		if m.Prices != nil {
			item.Prices = &priceItem{m.Prices.Input, m.Prices.CachedInput, m.Prices.Output, m.Prices.Date}
		}
		out.Models = append(out.Models, item)
	}
	return out
}

func (a *app) printProvider(p providerItem) error {
	key, where := p.KeyEnv+" is not set", p.BaseURL
	switch {
	case p.Installed != nil && *p.Installed:
		key, where = "on the PATH", "the program "+p.Program
	case p.Installed != nil:
		key, where = "not on the PATH", "the program "+p.Program
	case p.BaseURL == "":
		key, where = "where it offers sampling", "the client of pflow mcp serve"
	case p.KeySet:
		key = p.KeyEnv + " is set"
	case !p.KeyNeeded:
		key = "needs no key"
	}
	fmt.Fprintf(a.stdout, "\n%s: %s, %s\n", p.Name, where, key)
	if p.BaseURL == "" && len(p.Models) == 0 {
		return nil
	}
	fmt.Fprintf(a.stdout, "  replies by: %s\n", strings.Join(p.Ladder, ", "))
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, m := range p.Models {
		size := ""
		if m.Context != nil {
			size = fmt.Sprintf("%d tokens", *m.Context)
		}
		price := "unpriced"
		if c := m.Prices; c != nil {
			price = fmt.Sprintf("%s in, %s cached, %s out a million (%s)", dollars(c.Input), dollars(c.CachedInput), dollars(c.Output), c.Date)
		}
		fmt.Fprintf(w, "  %s/%s\t%s\t%s\n", printable.Line(p.Name), printable.Line(m.Name), size, price)
	}
	fmt.Fprintf(w, "  any other\t\tunpriced\n")
	return w.Flush()
}
