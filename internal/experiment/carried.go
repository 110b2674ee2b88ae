package experiment

import (
	"fmt"
	"math"
	"slices"

	"pflow/internal/fault"
	"pflow/internal/stats"
)

// A recording is of the words that were asked. Of an edited prompt there is none, and with Replies.Carry its calls are
// answered by what was replied to the same question in other words. What becomes of that is real: whether the reply still
// fits, what the flow makes of it, how many calls and tokens it takes. What the model says to the new words is not known, so
// nothing here judges how good the plans are.

// unheard is what of a row no model has said to the words that it was asked in.
type unheard struct {
	Carried       int  // calls whose reply was given to the same question in other words
	CarriedTokens int  // that they take, the prompts in the words of today
	Missed        bool // a call that no recording serves: the row has no answer
}

// Carried is the same of the rows of a variant.
type Carried struct {
	Cases   int `json:"cases"`   // with any such row
	Calls   int `json:"calls"`   // answered by the reply to the same question in other words
	Tokens  int `json:"tokens"`  // that these take
	Missed  int `json:"missed"`  // rows without an answer, since no recording serves a call
	Misfits int `json:"misfits"` // of these, those to which a reply was carried over that does not fit the schema of today
}

func (c *Carried) row(r *Row) {
	if r.Carried == 0 && !r.Missed {
		return
	}
	c.Cases = 1
	c.Calls += r.Carried
	c.Tokens += r.CarriedTokens
	if r.Missed {
		c.Missed++
		if r.ErrorKind == string(fault.Schema) {
			c.Misfits++
		}
	}
}

// carriedBy sums a variant up; nil where every call was answered in its own words.
func (x *results) carriedBy(variant int) *Carried {
	var out Carried
	for _, c := range x.carried[variant] {
		out.Cases += c.Cases
		out.Calls += c.Calls
		out.Tokens += c.Tokens
		out.Missed += c.Missed
		out.Misfits += c.Misfits
	}
	if out.Cases == 0 {
		return nil
	}
	return &out
}

// missed is how many rows have no answer since no recording serves a call.
func (r *Report) missed() int {
	n := 0
	for _, v := range r.Variants {
		if v.Carried != nil {
			n += v.Carried.Missed
		}
	}
	return n
}

// carriedWarnings says before all else what of each variant rests on no reply to its words.
func (r *Report) carriedWarnings() []string {
	var out []string
	for _, v := range r.Variants {
		c := v.Carried
		if c == nil {
			continue
		}
		if c.Calls > 0 {
			out = append(out, fmt.Sprintf("%s: on %d of %s, %s were answered by what the model replied to the same question in other words; "+
				"what it replies to these is not known, so quality is not judged: formats, routes, calls and tokens are", v.Name, c.Cases, counted(r.Cases, "case"), counted(c.Calls, "call")))
		}
		if n := c.Missed - c.Misfits; n > 0 {
			out = append(out, fmt.Sprintf("%s: %s without an answer: there is no recording of the question, or of what comes after it", v.Name, counted(n, "row")))
		}
		if c.Misfits > 0 {
			out = append(out, fmt.Sprintf("%s: %s without an answer: the reply to the same question in other words does not fit the schema of today", v.Name, counted(c.Misfits, "row")))
		}
	}
	return out
}

// unheard says why a metric of a variant cannot be held to the baseline's, or "". Quality is that of replies to the words that
// were asked; what a row takes is not known where it has no answer.
func (x *results) unheard(variant int, m Metric) string {
	cases, calls, rows := 0, 0, 0
	for i := range x.cases {
		a, b := x.carried[0][i], x.carried[variant][i]
		cases += max(a.Cases, b.Cases)
		calls += a.Calls + b.Calls
		rows += a.Missed + b.Missed
	}
	switch {
	case m.Rate() && calls > 0:
		return fmt.Sprintf("%s is not judged: what the model replies to the new words is not known on %d of %s", m, cases, counted(len(x.cases), "case"))
	case rows > 0:
		return fmt.Sprintf("%s is not judged: %s no recorded answer", m, rowsHave(rows))
	}
	return ""
}

// unjudged takes a verdict back that would rest on what no model has said. A guardrail that is broken stands: it holds
// nothing but what is known.
func (x *results) unjudged(r *Report, variant int, guards []stats.Checked, d stats.Decision) (_ stats.Decision, instead string) {
	why := x.unheard(variant, r.Primary)
	broken := slices.ContainsFunc(guards, func(g stats.Checked) bool { return g.State == stats.Broken })
	if why == "" || broken {
		return d, ""
	}
	d.Verdict, d.Further, d.Reason = stats.Inconclusive, 0, why+"; "+x.settled(variant)
	return d, "ask a model to know"
}

// settled says what it takes to know.
func (x *results) settled(variant int) string {
	var calls, tokens, all, allTokens float64
	rows, missed := 0, 0
	for _, v := range []int{0, variant} {
		for i := range x.cases {
			c := x.carried[v][i]
			calls += float64(c.Calls)
			tokens += float64(c.Tokens)
			all += sum(x.values[Calls][v][i])
			allTokens += sum(x.values[Tokens][v][i])
			rows += len(x.values[Pass][v][i]) - c.Missed
			missed += c.Missed
		}
	}
	each, eachTokens := 1., 0. // of a row that has no answer, as much as of one that has
	if rows > 0 && all > 0 {
		each, eachTokens = all/float64(rows), allTokens/float64(rows)
	}
	calls, tokens = calls+each*float64(missed), tokens+eachTokens*float64(missed)
	all, allTokens = all+each*float64(missed), allTokens+eachTokens*float64(missed)
	command := x.spec.Command
	if command == "" {
		command = "pflow experiment run …"
	}
	models := x.spec.Model
	if v := x.variants[variant].Model; v != "" {
		models = v
	}
	if models == "" {
		models = "the model that was recorded"
	}
	return fmt.Sprintf("%s, about %s tokens, of %s settle it, or at most %s, about %s, of another model: %s --replay-or-call --record NEW --model MODEL",
		counted(int(math.Ceil(calls)), "call"), about(tokens), models, about(math.Ceil(all)), about(allTokens), command)
}

func rowsHave(n int) string {
	if n == 1 {
		return "1 row has"
	}
	return fmt.Sprintf("%d rows have", n)
}

// about writes a number as people say it.
func about(n float64) string {
	switch {
	case n >= 995_000:
		return fmt.Sprintf("%.1f million", n/1e6)
	case n >= 9_950:
		return fmt.Sprintf("%.0f,000", n/1000)
	}
	return fmt.Sprintf("%.0f", n)
}
