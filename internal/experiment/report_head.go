package experiment

import (
	"fmt"
	"math"
	"strings"

	"pflow/internal/stats"
)

// inFull is the most comparisons of which the head tells more than the verdict: it is read in ten lines.
const inFull = 4

// head is how a report begins: what was compared, whether to keep each variant, and what keeps it from being taken at its word.
func (r *Report) head() []string {
	out := []string{r.compared()}
	if len(r.Comparisons) == 0 {
		out = append(out, r.score(0))
	}
	for _, c := range r.Comparisons {
		line := fmt.Sprintf("%s against %s: %s, %s", c.Variant, r.Baseline, c.Verdict, r.advice(&c))
		if len(r.Comparisons) > inFull {
			if d := c.difference(r.Primary); d != nil {
				line += fmt.Sprintf(" (%s %s, 95%% interval %s)", r.Primary, r.Primary.change(d.TTest.Mean), r.Primary.within(d.TTest.Interval))
			}
			out = append(out, line)
			continue
		}
		out = append(out, line, "  "+c.said())
	}
	for _, w := range r.Warnings {
		out = append(out, "!! "+w)
	}
	if r.Replies != "" {
		out = append(out, "replies: "+firstSentence(oneLine(r.Replies)))
	}
	return out
}

// firstSentence keeps a head readable; who wants the rest is told where it is.
func firstSentence(text string) string {
	first, rest, more := strings.Cut(text, ". ")
	if !more || rest == "" {
		return text
	}
	return first + " … (pflow experiment show says all)"
}

// compared says how much was run.
func (r *Report) compared() string {
	line := fmt.Sprintf("%s: %s, %s, %s each", r.Name, counted(r.Cases, "case"), counted(len(r.Variants), "variant"), counted(r.Repeats, "run"))
	if len(r.Comparisons) > 0 {
		line += "; baseline " + r.Baseline
	}
	return line
}

// score is a variant by itself, in one line.
func (r *Report) score(i int) string {
	v := r.Variants[i]
	mean, ok := v.Means[r.Primary]
	if !ok {
		return fmt.Sprintf("%s: no value of %s", v.Name, r.Primary)
	}
	line := fmt.Sprintf("%s: %s %s", v.Name, r.Primary, r.Primary.show(mean))
	if v.Score != nil && v.Score.Interval.Known {
		line += fmt.Sprintf(" (95%% interval %s to %s)", r.Primary.show(v.Score.Interval.Low), r.Primary.show(v.Score.Interval.High))
	}
	fails, made := r.failing(i)
	return line + fmt.Sprintf("; %d of %s %s", fails, counted(made, "case"), verb(fails, "fails", "fail"))
}

// advice is what to do about a verdict. One of a part of the run, or of few cases, is none to act on.
func (r *Report) advice(c *Comparison) string {
	switch decided := c.Verdict == stats.Promote || c.Verdict == stats.Reject; {
	case c.unjudged != "":
		return c.unjudged
	case r.Missing > 0:
		return "of a part of the run alone"
	case decided && r.few:
		return "but on too few cases to rely on"
	}
	switch c.Verdict {
	case stats.Promote:
		return "keep it"
	case stats.Reject:
		return "do not keep it"
	case stats.Extend:
		return "run about " + counted(c.Further, "more case") + " to know"
	}
	return "no reason to change from " + r.Baseline
}

// said is why, and what else a reader wants to know of a variant before deciding.
func (c *Comparison) said() string {
	return strings.Join(append([]string{c.Reason}, c.aside()...), "; ")
}

// aside is what stands beside the reason: which cases changed sides, and what a case takes more or less.
func (c *Comparison) aside() []string {
	fixed, broken := len(c.Fixed)+c.MoreFixed, len(c.Broken)+c.MoreBroken
	out := []string{fmt.Sprintf("fixes %s, breaks %d", counted(fixed, "case"), broken)}
	if fixed+broken == 0 {
		out[0] = "fixes and breaks no case"
	}
	var sure, open []string
	for _, d := range c.Metrics {
		switch t := d.takes(); {
		case t == "":
		case d.Ratio != nil && d.Ratio.PHolm > stats.Alpha:
			open = append(open, t)
		default:
			sure = append(sure, t)
		}
	}
	if len(sure) > 0 {
		out = append(out, "a case takes "+strings.Join(sure, ", "))
	}
	if len(open) > 0 {
		out = append(out, "a case took "+strings.Join(open, ", ")+", which chance could do")
	}
	return out
}

// takes says how much more or less of what is paid for a case takes, "" for what nobody pays.
func (d *Difference) takes() string {
	by := math.Abs(d.TTest.Mean)
	less, more, of := "fewer", "more", " "+string(d.Metric)
	var amount string
	switch d.Metric {
	case Calls, Tokens:
		amount = fmt.Sprintf("%.1f", by)
		if d.Metric == Tokens || by >= 100 {
			amount = fmt.Sprintf("%.0f", by)
		}
		if amount == "1" {
			of = strings.TrimSuffix(of, "s")
		}
	case CostUSD:
		less, amount, of = "less", d.Metric.show(by), ""
	case Latency:
		less, amount, of = "less", fmt.Sprintf("%.0f ms", by), ""
	default:
		return ""
	}
	if strings.Trim(amount, "$0. ms") == "" {
		return ""
	}
	word := more
	if d.TTest.Mean < 0 {
		word = less
	}
	return amount + " " + word + of
}

// failing counts the cases that a variant does not pass in every run, and those that were made.
func (r *Report) failing(variant int) (fails, made int) {
	for _, row := range r.Matrix {
		if c := row.Cells[variant]; c.Runs > 0 {
			made++
			if c.Passes < c.Runs {
				fails++
			}
		}
	}
	return fails, made
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
