package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Unit says how values of a metric are written for people.
type Unit string

// The units. What has none is written as a number.
const (
	Points       Unit = "points" // of a rate from 0 to 1: hundredths
	Dollars      Unit = "$"
	Milliseconds Unit = "ms"
)

// amount writes the size of a difference.
func (u Unit) amount(x float64) string {
	x = math.Abs(x)
	switch u {
	case Points:
		if text := trimmed(100*x, 1); text != "1" {
			return text + " points"
		}
		return "1 point"
	case Dollars:
		return "$" + short(x)
	case Milliseconds:
		return short(x) + " ms"
	}
	return short(x)
}

// bare is amount without its unit, for the ends of an interval of which the last says it.
func (u Unit) bare(x float64) string {
	switch u {
	case Points:
		return trimmed(100*math.Abs(x), 1)
	case Dollars:
		return u.amount(x)
	}
	return short(math.Abs(x))
}

// trimmed writes a number with so many digits behind the point, without those that say nothing.
func trimmed(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// seen is a difference with its interval, as people say it: pass is worse by 23.9 points (95% interval 12.2 to 35.5 points worse).
func (r Rule) seen(t TTest) string {
	more, less := "better", "worse"
	if r.LowerWins {
		more, less = "higher", "lower"
	}
	way := func(x float64) string {
		if x < 0 {
			return less
		}
		return more
	}
	mean, i := t.Mean, t.Interval
	text := name(r.Metric) + " is no different"
	switch {
	case t.Differ == 0 && t.Cases > 1:
		text = fmt.Sprintf("%s is the same in all %d cases", name(r.Metric), t.Cases)
	case r.Unit.bare(mean) != "0":
		text = fmt.Sprintf("%s is %s by %s", name(r.Metric), way(mean), r.Unit.amount(mean))
	}
	switch {
	case !i.Known:
		return text
	case i.Low == i.High:
		return text + " in each case"
	case i.Low >= 0 || i.High <= 0: // the end that is nearer to none is told first
		near, far := i.Low, i.High
		if math.Abs(near) > math.Abs(far) {
			near, far = far, near
		}
		return fmt.Sprintf("%s (95%% interval %s to %s %s)", text, r.Unit.bare(near), r.Unit.amount(far), way(far))
	}
	return fmt.Sprintf("%s (95%% interval %s %s to %s %s)", text, r.Unit.amount(i.Low), less, r.Unit.amount(i.High), more)
}
