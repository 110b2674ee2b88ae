package mapparams

import (
	"context"
	"testing"
	"time"

	"pflow/internal/value"
)

// TestPercentOfARate has 5 % as .05 where a share of one is wanted, and as 5 where percent are.
func TestPercentOfARate(t *testing.T) {
	for _, c := range []struct {
		in   Input
		want any
	}{
		{Input{Name: "interest_rate", Type: value.Number, Description: "The interest rate per year."}, 0.05},
		{Input{Name: "yield", Type: value.Number, Description: "The yield per year as a decimal."}, 0.05},
		{Input{Name: "interest_rate", Type: value.Number, Description: "The interest rate in percent."}, 5},
		{Input{Name: "interest_rate", Type: value.Number, Description: "The interest rate.", Default: 3}, 5},
		{Input{Name: "humidity", Type: value.Number, Description: "The humidity."}, 5},
	} {
		c.in.Required = true
		read, _ := Read(context.Background(), "calculate it with an interest rate, yield or humidity of 5%", time.Time{})
		r, err := Map(context.Background(), read, []Input{c.in}, "")
		if err != nil || !value.Equal(r.Extracted[c.in.Name], c.want) {
			t.Errorf("%s (%s): %v, want %v", c.in.Name, c.in.Description, r.Extracted[c.in.Name], c.want)
		}
	}
}
