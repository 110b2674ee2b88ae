package web

import (
	"fmt"
	"math"
)

// intervalPlot is a difference with its interval on a line, 0 in the middle, as attributes of an SVG drawing.
type intervalPlot struct {
	Label                string
	Known                bool
	Low, High, Mean      string // places on the line
	Wide                 string // from Low to High
	Effect               string // the smallest difference that matters, "" if it is not shown
	Zero, Width, Height  int
	Middle, Top, Thick   int
	EffectTop, EffectLow int
}

const plotWidth = 200

// reach is how far a scale goes to both sides of 0.
func reach(values ...float64) float64 {
	out := 0.
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = max(out, math.Abs(v))
		}
	}
	if out == 0 {
		return 1
	}
	return out * 1.1
}

func newIntervalPlot(reach, mean float64, iv interval, effect float64) intervalPlot {
	at := func(v float64) float64 { return plotWidth/2 + max(-1, min(1, v/reach))*(plotWidth/2-4) }
	text := func(v float64) string { return fmt.Sprintf("%.1f", v) }
	p := intervalPlot{Known: iv.Known, Mean: text(at(mean)), Zero: plotWidth / 2, Width: plotWidth, Height: 20, Middle: 10, Top: 7, Thick: 6, EffectTop: 2, EffectLow: 18}
	if iv.Known {
		p.Low, p.High = text(at(iv.Low)), text(at(iv.High))
		p.Wide = text(max(1, at(iv.High)-at(iv.Low)))
	}
	if effect != 0 {
		p.Effect = text(at(effect))
	}
	return p
}
