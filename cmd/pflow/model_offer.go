package main

import (
	"context"
	"fmt"
	"strings"

	"pflow/internal/llm"
	"pflow/internal/printable"
	"pflow/internal/settings"
)

// offerModel asks once, on a terminal, whether a program on the PATH that is a model is to plan. It is asked where nothing
// says which model plans, and what is answered is kept in settings.yaml.
func (a *app) offerModel(ctx context.Context) error {
	if !a.interactive() || a.quiet || a.flowName != "" || a.model != "" || a.replay != "" || a.homeDir() == "" {
		return nil
	}
	s, err := a.settings()
	if err != nil || s.Flow != "" || s.Model != "" {
		return nil // whoever needs the settings says what is wrong
	}
	c, err := a.modelClient(llm.Options{})
	if err != nil {
		return nil
	}
	if _, has := c.Default(); has {
		return nil
	}
	on := c.Models().Programs(a.getenv)
	if len(on) == 0 {
		return nil
	}
	model := on[0]
	provider, _, err := c.Models().Find(model)
	if err != nil {
		return nil
	}
	answer, err := a.readLine(ctx, fmt.Sprintf("%s is on the PATH: is it to plan, as %s? It is sent your requests. [y/N]", printable.Line(provider.Program.Name()), printable.Line(model)))
	switch {
	case ctx.Err() != nil:
		return fail(exitDeclined, "nothing was planned")
	case err != nil:
		return nil
	}
	kept := llm.NoModel
	if word := strings.ToLower(strings.TrimSpace(answer)); word == "y" || word == "yes" {
		a.model, kept = model, model
	}
	if err := settings.KeepModel(a.home(), kept); err != nil {
		fmt.Fprintf(a.stderr, "this could not be kept, so it will be asked again: %v\n", err)
		return nil
	}
	fmt.Fprintf(a.stderr, "kept as model: %s in %s\n", kept, printable.Line(a.home().Path(settings.File)))
	return nil
}
