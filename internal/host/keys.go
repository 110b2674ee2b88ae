package host

import (
	"context"
	"slices"
	"strings"

	"pflow/internal/llm"
)

// KeyVariables are the environment variables that hold keys, which are masked wherever they come up and not given to the
// commands of workflows: those of the providers in models.yaml, GitHub's, a collector's, those that settings.yaml maps, and whatever else is
// called so.
func (h *Host) KeyVariables() []string {
	names := []string{"GITHUB_TOKEN", "GH_TOKEN", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}
	for _, m := range h.Secrets().Mapped() {
		names = append(names, m.Name)
	}
	models, err := llm.ReadModels(h.Home().Dir())
	if err != nil { // whoever calls a model says why
		models, err = llm.ReadModels("")
	}
	if err == nil {
		for _, p := range models.Providers {
			if p.KeyVar != "" {
				names = append(names, p.KeyVar)
			}
		}
	}
	for _, v := range h.environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasSuffix(name, "_API_KEY") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// environWithoutKeys is what a program that is a model finds in its environment: neither keys nor secrets of saved workflows.
func (h *Host) environWithoutKeys() []string {
	hidden := h.KeyVariables()
	if shelf, err := h.Shelf(context.Background()); err == nil {
		hidden = append(hidden, shelf.Secrets...)
	}
	return slices.DeleteFunc(slices.Clone(h.environ()), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(hidden, name)
	})
}
