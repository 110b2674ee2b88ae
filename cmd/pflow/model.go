package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/llm"
)

func (a *app) modelCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "model",
		Short: "List and check the language models that flows can ask",
		Long: `A model is named PROVIDER/MODEL. Providers are data: models.yaml in your home adds to those that pflow ships, or
changes them. Keys come from the environment, or from where settings.yaml says.`,
		Example: "  pflow model list\n  pflow model check openai/gpt-4.1-mini",
	}
	c.AddCommand(a.modelCheckCommand(), a.modelListCommand())
	return c
}

// modelClient makes the client that calls models. What o leaves open is that of the home: its models.yaml, and the model
// of its settings.
func (a *app) modelClient(o llm.Options) (*llm.Client, error) {
	o, err := a.host().ModelOptions(o)
	if err != nil {
		return nil, documentError(err)
	}
	c, err := llm.New(o)
	if err != nil {
		return nil, usage("%v", err)
	}
	return c, nil
}

// dollars shows an amount to the billionth: a call may cost less than a thousandth of a cent.
func dollars(f float64) string {
	return "$" + strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.9f", f), "0"), ".")
}
