package retrieve

import (
	_ "embed"
	"encoding/json"
	"math"
)

// calibration turns the score of a discovery into the share of requests that the candidate is right for: a logistic curve,
// fitted by fit/ from requests whose workflow is known.
var calibration = func() (c struct {
	Offset float64 `json:"offset"`
	Slope  float64 `json:"slope"`
}) {
	if err := json.Unmarshal(calibrationFile, &c); err != nil || c.Slope <= 0 {
		panic("retrieve: calibration.json is damaged")
	}
	return c
}()

//go:embed calibration.json
var calibrationFile []byte

// hardly is a confidence from which on something speaks for a candidate: one request of twenty.
const hardly = 0.05

// rightAt is the confidence of a score.
func rightAt(score float64) float64 {
	p := 1 / (1 + math.Exp(-calibration.Offset-calibration.Slope*score))
	if p < hardly {
		return 0
	}
	return p
}
