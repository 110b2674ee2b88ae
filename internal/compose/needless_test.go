package compose

import (
	"context"
	"strings"
	"testing"
	"time"

	"pflow/internal/mapparams"
	"pflow/internal/value"
	"pflow/ir"
)

// TestNeedlessStep has remarks by the way, for which a component has all the words or one: they make no step.
func TestNeedlessStep(t *testing.T) {
	port := func(key, says string) ir.Port {
		return ir.Port{Key: key, Type: value.String, Description: says, Required: true}
	}
	tools := []*ir.Interface{
		{Name: "createResearchProject", Description: "Create a research project.", Inputs: []ir.Port{port("title", "The title")}},
		{Name: "getFungalGrowth", Description: "Get the growth rate of a fungus.", Inputs: []ir.Port{port("fungus", "Name of the fungus")}},
		{Name: "getResearchParticipants", Description: "Get the participants of a study and their consent.", Inputs: []ir.Port{port("study_id", "Number of the study")}},
		{Name: "getSoilReport", Description: "Get the soil report of a region.", Inputs: []ir.Port{port("region", "The region")}},
	}
	for request, want := range map[string]string{
		"I need help with a research project. Get the growth rate of the fungus 'candida'. Then get the soil report of the region 'Bavaria'.":        "getFungalGrowth getSoilReport",
		"I have a survey of participants to prepare. Get the growth rate of the fungus 'candida'. Then get the soil report of the region 'Bavaria'.": "getFungalGrowth getSoilReport",
		"Get the participants of the study with the number 'S12'. Then get the soil report of the region 'Bavaria'.":                                 "getResearchParticipants getSoilReport",
		"Create a research project with the title 'Moss'.": "createResearchProject",
	} {
		read, err := mapparams.Read(context.Background(), request, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Compose(context.Background(), read, tools, Options{})
		if err != nil || r.Workflow == nil {
			t.Fatalf("%s: %v %s", request, err, r.Reason)
		}
		var got []string
		for _, n := range r.Workflow.Nodes {
			got = append(got, n.Type)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", request, got, want)
		}
	}
}
