package experiment_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/internal/experiment"
)

// TestParseVariant: what a flag says of a variant.
func TestParseVariant(t *testing.T) {
	set := func(path, v string) []engine.Setting { return []engine.Setting{{Path: path, Value: v}} }
	for text, want := range map[string]experiment.Variant{
		"planner":                {Name: "planner", Flow: "planner"},
		"shipped:planner":        {Name: "shipped:planner", Flow: "shipped:planner"},
		"./a/mine.yaml":          {Name: "mine", Flow: "./a/mine.yaml"},
		"planner@HEAD~3":         {Name: "planner@HEAD~3", Flow: "planner", Rev: "HEAD~3"},
		"planner@feature/x.yaml": {Name: "planner@feature/x.yaml", Flow: "planner", Rev: "feature/x.yaml"},
		"./mine.yaml@v1.2":       {Name: "mine@v1.2", Flow: "./mine.yaml", Rev: "v1.2"},
		"./a@b/mine.yaml":        {Name: "mine", Flow: "./a@b/mine.yaml"},
		"./a@b/mine.yml@{1}":     {Name: "mine@{1}", Flow: "./a@b/mine.yml", Rev: "{1}"},
		"x=planner@v1":           {Name: "x", Flow: "planner", Rev: "v1"},
		"planner+params.x=3":     {Name: "planner+params.x=3", Flow: "planner", Set: set("params.x", "3")},
		"planner+params.x=a++b":  {Name: "planner+params.x=a+b", Flow: "planner", Set: set("params.x", "a+b")},
		"planner+params.f=b.tmpl": {Name: "planner+params.f=b.tmpl", Flow: "planner",
			Set: set("params.f", "b.tmpl")},
		"planner+model=openai/x": {Name: "planner+openai/x", Flow: "planner", Model: "openai/x"},
		"planner+./b.tmpl":       {Name: "planner+b.tmpl", Flow: "planner", Prompts: []experiment.Prompts{{Name: "b", Path: "./b.tmpl"}}},
		"planner+a=./b.schema.json": {Name: "planner+b.schema.json", Flow: "planner",
			Prompts: []experiment.Prompts{{Name: "a", Path: "./b.schema.json"}}},
		"y=planner+./p/+model=m": {Name: "y", Flow: "planner", Model: "m", Prompts: []experiment.Prompts{{Path: "./p/"}}},
	} {
		got, problem := experiment.ParseVariant(text)
		if diff := cmp.Diff(want, got); diff != "" || problem != "" {
			t.Errorf("%s: %s\n%s", text, problem, diff)
		}
	}
	for _, text := range []string{"", "@v1", "planner@", "./a.yaml@", "planner+", "planner+x", "planner+=x", "planner+model=", "shipped:planner@v1"} {
		if v, problem := experiment.ParseVariant(text); problem == "" {
			t.Errorf("%s is read as %+v", text, v)
		}
	}
}
