package coverage

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"pflow/internal/retrieve"
	"pflow/internal/yamltree"
)

// Left says how much of a request a coverage leaves open: of its words, by weight, of its clauses, and how many limits. Where what
// components say of themselves is free text, one word more or less tells little, a clause that is open much.
type Left struct {
	Clause  float64 // the greatest share of the words of a clause, from 0 to 1
	Weight  float64 // what of that clause is open, from 0 to 1, which is mostWeight or more
	Clauses int     // clauses of which next to nothing is explained
	Wishes  int     // such clauses that begin with an open word, as what asks for something does: polish my shoes
	Share   float64 // the share of all words, from 0 to 1
	Marks   int     // what limits, times or repeats what is done
	Dropped int     // values that nothing takes, joined to one that something takes
	One     bool    // there is one clause: a component that fits it may say it in other words altogether
	Said    float64 // the share of the words, values aside, that names and descriptions of the steps have, from 0 to 1
}

// Weights are what each of Left counts, and what does for any plan: Base; that values have to be asked for: Asking, since a question
// about a plan that is none is worse than no plan; and that the workflow has one step: Single.
type Weights struct {
	Base, Clause, Weight, Clauses, Wishes, Share, One, Asking, Single, Said float64
}

// Sum is the measure of what is left.
func (l Left) Sum(w Weights, asking, single bool) float64 {
	sum := w.Base + w.Clause*l.Clause + w.Weight*l.Weight + w.Clauses*float64(min(l.Clauses, mostCounted)) +
		w.Wishes*float64(min(l.Wishes, mostCounted)) + w.Share*l.Share + w.Said*l.Said
	for _, f := range []struct {
		is     bool
		weight float64
	}{{l.One, w.One}, {asking, w.Asking}, {single, w.Single}} {
		if f.is {
			sum += f.weight
		}
	}
	if l.Marks > 0 || l.Dropped > 0 {
		return max(sum, 1) // what limits is no matter of degree, and neither is one value of several
	}
	return sum
}

// mostCounted bounds how often a clause counts, mostWeight what the words of a clause do: three of them.
const (
	mostCounted = 2
	mostWeight  = 2.1
)

// Measure is how much is left, from 0: from 1 on too much to say that the request is met. asking says that values have to be asked
// for, single that the workflow has one step.
func (l Left) Measure(asking, single bool) float64 {
	return max(0, l.Sum(leftData().Weights, asking, single))
}

//go:embed left.yaml
var leftText []byte

// leftData are the lexicons and weights of left.yaml. The file is part of the program, so a fault in it is one of the program.
var leftData = sync.OnceValue(func() leftWords {
	var d leftWords
	doc, found := yamltree.Parse("embedded:left.yaml", leftText)
	if doc == nil {
		panic("coverage: " + found.Text())
	}
	text, err := json.Marshal(doc.Plain())
	if err == nil {
		read := json.NewDecoder(bytes.NewReader(text))
		read.DisallowUnknownFields()
		err = read.Decode(&d)
	}
	if err != nil {
		panic(fmt.Sprintf("coverage: left.yaml: %v", err))
	}
	d.about, d.asking, d.self, d.wishes, d.negative = wordSet(d.About), wordSet(d.Asking), wordSet(d.Self), wordSet(d.Wishes), wordSet(d.Negative)
	d.given, d.bounds, d.per, d.polite = wordSet(d.Given), wordSet(d.Bounds), wordSet(d.Per), wordSet(d.Polite)
	d.subjects, d.determiners, d.asks, d.before = wordSet(d.Subjects), wordSet(d.Determiners), wordSet(d.Asks), wordSet(d.Before)
	d.has = wordSet("has have had is are")
	d.limits = map[string][][]string{}
	for _, text := range d.Limits {
		words := strings.Fields(text)
		d.limits[words[0]] = append(d.limits[words[0]], words)
	}
	return d
})

type leftWords struct {
	Word, Digits   float64
	AboutShare     float64 `json:"about_share"`
	AboutExplained float64 `json:"about_explained"`
	About          string
	Limits         []string
	Weights        Weights

	Asking, Self, Wishes, Negative, Given, Bounds, Per, Polite string
	Subjects, Determiners, Asks, Before                        string

	about                                                      map[string]bool
	asking, self, wishes, negative, given, bounds, per, polite map[string]bool
	subjects, determiners, asks, before, has                   map[string]bool
	limits                                                     map[string][][]string // by their first word
}

// About reports whether a word in lower case is about a request and not of what is wanted: information, additionally.
func About(word string) bool { return leftData().about[word] }

// A clause is open from openShare on, if its words weigh leastOpen; one of less than leastClause tells nothing.
const (
	openShare   = 0.85
	leastOpen   = 0.8
	leastClause = 0.5
)

// joins are the words behind which a clause may begin.
var joins = map[string]bool{"and": true, "then": true, "but": true, "also": true}

// Left says how much of a request is open; steps are what each step of a workflow says of itself: its component's name and description. The time is linear in the request and the texts of steps.
func (c Coverage) Left(request string, steps []string) Left {
	d := leftData()
	out := Left{}
	var all weighed
	var clause clauseLeft
	weighty := 0
	end := func(asked bool) {
		if clause.isContext(asked) {
			clause = clauseLeft{}
			return
		}
		if clause.sum > leastClause {
			weighty++
			out.Clause = max(out.Clause, clause.open/clause.sum)
			out.Weight = max(out.Weight, min(1, clause.open*clause.open/clause.sum/mostWeight))
		}
		if clause.sum > leastOpen && clause.open > openShare*clause.sum {
			out.Clauses++
			if clause.begin == openWord {
				out.Wishes++
			}
		}
		clause = clauseLeft{}
	}
	part, open, before := 0, 0, 0
	said := retrieve.Words(request)
	words := make([]placed, 0, len(said))
	for k, w := range said {
		for part < len(c.Parts) && c.Parts[part].End <= w.Start {
			part++
		}
		for open < len(c.Open) && c.Open[open].End <= w.Start {
			open++
		}
		between := ""
		if before <= w.Start {
			between = request[before:w.Start]
		}
		begins := ends(between)
		if d.cuts(request, said, k, between) {
			end(strings.Contains(between, "?"))
		}
		before = max(before, w.End)
		isOpen := open < len(c.Open) && c.Open[open].Start <= w.Start
		by := nothing
		if part < len(c.Parts) && c.Parts[part].Start <= w.Start && !isOpen {
			switch of := c.Parts[part].By; {
			case strings.HasPrefix(of, "input:"):
				by, before = aValue, max(before, c.Parts[part].End)
			case of != Phrase:
				by = aStep
			}
		}
		words = append(words, placed{w, by, isOpen, begins || len(words) == 0 || joins[words[len(words)-1].Text]})
		d.mood(&clause, said, k)
		if by == aValue {
			clause.begin = cmp.Or(clause.begin, otherWord)
			continue
		}
		if clause.begin == noWord && !retrieve.LeadsIn(w.Text) && !joins[w.Text] {
			clause.begin = otherWord
			if isOpen && !w.Stop && !d.about[w.Text] {
				clause.begin = openWord
			}
		}
		if w.Stop {
			continue
		}
		weight := d.Word
		if strings.Trim(w.Text, "0123456789") == "" {
			weight = d.Digits
		}
		unexplained := 0.0
		if d.about[w.Text] {
			weight *= d.AboutShare
			unexplained = 1 - d.AboutExplained
		} else {
			unexplained = 1
		}
		if !isOpen {
			unexplained = 0
		}
		clause.add(weight, unexplained)
		all.add(weight, unexplained)
	}
	out.Marks = d.marks(words)
	out.Dropped = c.dropped(request, words)
	end(strings.Contains(request[min(before, len(request)):], "?"))
	if all.sum > 0 {
		out.Share = all.open / all.sum
	}
	out.One = weighty <= 1
	out.Said = d.said(words, steps)
	return out
}

// clauseLeft is what is known of a clause: its words, how it begins, and its mood.
type clauseLeft struct {
	weighed
	begin   int
	subject bool // it begins with what is spoken of
	settled bool // whether it does is known
	asks    bool // it has a word of wishing or asking
}

// isContext reports whether a clause says how things are and asks for nothing: my parents come for a week. It explains the request, and
// no step has to.
func (c *clauseLeft) isContext(asked bool) bool { return c.subject && !c.asks && !asked }

// mood notes what the next word says of the mood of its clause.
func (d *leftWords) mood(c *clauseLeft, said []retrieve.Word, k int) {
	w := said[k].Text
	c.asks = c.asks || d.asks[w] || w == "to" && k > 0 && d.has[said[k-1].Text]
	if !c.settled && !d.before[w] {
		c.subject, c.settled = d.subjects[w], true
	}
}

// cuts reports whether a clause begins with a word: at the end of a sentence and with then, and behind a comma or and where what
// follows begins as wishes and sentences do. A list of things, and what is said of them, is no clause of its own.
func (d *leftWords) cuts(request string, said []retrieve.Word, k int, between string) bool {
	comma := ends(between)
	if comma && strings.Trim(between, ", \"'") != "" || said[k].Text == "then" {
		return true
	}
	if !comma && !cutting[said[k].Text] {
		return false
	}
	at := k
	for at < len(said) && (retrieve.LeadsIn(said[at].Text) || cutting[said[at].Text] || d.about[said[at].Text] && strings.HasSuffix(said[at].Text, "ly")) {
		if wishing[said[at].Text] {
			return true
		}
		at++
	}
	if at == len(said) {
		return false
	}
	if w := said[at].Text; pronouns[w] || questions[w] || retrieve.IsVerb(w) {
		return true
	}
	return at+1 < len(said) && !said[at].Stop && d.determiners[said[at+1].Text] && strings.TrimSpace(request[said[at].End:said[at+1].Start]) == ""
}

// cutting words may begin a clause wherever they stand.
var cutting = map[string]bool{"and": true, "then": true, "but": true, "also": true, "if": true, "unless": true, "when": true, "while": true, "because": true}

// wishing are the words leading in to a clause that make sure that it is one.
var wishing = wordSet("i want would need please you could can also then help")

// pronouns begin a clause, and so do words of questions.
var (
	pronouns  = wordSet("i i'm i've i'd i'll we we're we've you it it's he she they there there's that's what's")
	questions = wordSet(`what which who whom whose when where why how is are was were do does did can could would should will may might must`)
)

// What the first word of a clause is, those that lead in to it aside.
const (
	noWord = iota
	openWord
	otherWord
)

// weighed is the weight of words, and of those that are open.
type weighed struct{ sum, open float64 }

func (w *weighed) add(weight, unexplained float64) {
	w.sum += weight
	w.open += weight * unexplained
}

// ends reports whether what stands between two words ends a clause.
func ends(between string) bool {
	for k := range len(between) {
		switch between[k] {
		case '.', ',', ':', '!', '?', ';':
			if k+1 == len(between) || between[k+1] == ' ' || between[k+1] == '\n' || between[k+1] == '"' || between[k+1] == '\'' {
				return true
			}
		case '\n':
			return true
		}
	}
	return false
}
