package experiment

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// plot is an SVG drawing with two linear scales. Colours are those of the page's style, by class.
type plot struct {
	b                     strings.Builder
	width, height         float64
	left, right, top, low float64 // margins
	x0, x1, y0, y1        float64 // the ends of the scales
}

func newPlot(title string, width, height, x0, x1, y0, y1 float64) *plot {
	p := &plot{width: width, height: height, left: 60, right: 20, top: 14, low: 40, x0: x0, x1: x1, y0: y0, y1: y1}
	if p.x0 == p.x1 {
		p.x0, p.x1 = p.x0-1, p.x1+1
	}
	if p.y0 == p.y1 {
		p.y0, p.y1 = p.y0-1, p.y1+1
	}
	fmt.Fprintf(&p.b, `<svg viewBox="0 0 %s %s" width="%s" role="img" aria-label="%s">`, coord(width), coord(height), coord(width*1.15), html.EscapeString(title))
	return p
}

// coord writes a coordinate: a hundredth of a pixel is enough, and the same on every machine.
func coord(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

func (p *plot) x(v float64) float64 {
	return p.left + (v-p.x0)/(p.x1-p.x0)*(p.width-p.left-p.right)
}

func (p *plot) y(v float64) float64 {
	return p.height - p.low - (v-p.y0)/(p.y1-p.y0)*(p.height-p.top-p.low)
}

func (p *plot) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&p.b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, coord(x1), coord(y1), coord(x2), coord(y2))
}

func (p *plot) dot(class string, x, y, r float64, title string) {
	fmt.Fprintf(&p.b, `<circle class="%s" cx="%s" cy="%s" r="%s"><title>%s</title></circle>`, class, coord(x), coord(y), coord(r), html.EscapeString(title))
}

// text writes text; anchor is start, middle or end.
func (p *plot) text(x, y float64, anchor, s string) {
	fmt.Fprintf(&p.b, `<text x="%s" y="%s" text-anchor="%s">%s</text>`, coord(x), coord(y), anchor, html.EscapeString(s))
}

// ticks draws the scale of an axis with a line for each of its steps.
func (p *plot) ticks(vertical bool, name string) {
	from, to := p.x0, p.x1
	if vertical {
		from, to = p.y0, p.y1
	}
	step := niceStep(to - from)
	for i := math.Ceil(from / step); i*step <= to+step*1e-9; i++ {
		v := i * step
		label := strings.TrimSpace(fmt.Sprintf("%.6g", v))
		if v == 0 {
			label = "0"
		}
		if vertical {
			p.line("grid", p.left, p.y(v), p.width-p.right, p.y(v))
			p.text(p.left-6, p.y(v)+4, "end", label)
		} else {
			p.line("grid", p.x(v), p.top, p.x(v), p.height-p.low)
			p.text(p.x(v), p.height-p.low+16, "middle", label)
		}
	}
	if vertical {
		fmt.Fprintf(&p.b, `<text transform="translate(14 %s) rotate(-90)" text-anchor="middle">%s</text>`, coord((p.top+p.height-p.low)/2), html.EscapeString(name))
	} else {
		p.text((p.left+p.width-p.right)/2, p.height-6, "middle", name)
	}
}

// niceStep gives 1, 2 or 5 times a power of ten, so that a range has about five steps.
func niceStep(span float64) float64 {
	raw := span / 5
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if raw <= f*power {
			return f * power
		}
	}
	return 10 * power
}

func (p *plot) done() string { return p.b.String() + "</svg>" }

// span is the least and the greatest of some numbers, with room on both sides.
func span(list ...float64) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, v := range list {
		from, to = min(from, v), max(to, v)
	}
	if from > to {
		return 0, 1
	}
	room := (to - from) * .08
	if room == 0 {
		room = max(math.Abs(to)*.1, 1e-9)
	}
	return from - room, to + room
}
