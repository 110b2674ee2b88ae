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
	One     bool    // there is one clause: a component that fits it may say it in other words altogether
}

// Weights are what each of Left counts, and Asking, that values have to be asked for: then the rest of the request has to be met
// more surely, since a question about a plan that is none is worse than no plan; and Single, that the workflow has one step.
type Weights struct {
	Clause, Weight, Clauses, Wishes, Share, One, Asking, Single float64
}

// Sum is the measure of what is left.
func (l Left) Sum(w Weights, asking, single bool) float64 {
	sum := w.Clause*l.Clause + w.Weight*l.Weight + w.Clauses*float64(min(l.Clauses, mostCounted)) +
		w.Wishes*float64(min(l.Wishes, mostCounted)) + w.Share*l.Share
	for _, f := range []struct {
		is     bool
		weight float64
	}{{l.One, w.One}, {asking, w.Asking}, {single, w.Single}} {
		if f.is {
			sum += f.weight
		}
	}
	if l.Marks > 0 {
		return max(sum, 1) // what limits is no matter of degree
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

// leftWords are the lexicons and weights of left.yaml. The file is part of the program, so a fault in it is one of the program.
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

	about                                                      map[string]bool
	asking, self, wishes, negative, given, bounds, per, polite map[string]bool
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

// cutting words begin a clause wherever they stand.
var cutting = map[string]bool{"and": true, "then": true, "but": true, "also": true, "if": true, "unless": true, "when": true, "while": true, "because": true}

// joins are the words behind which a clause may begin.
var joins = map[string]bool{"and": true, "then": true, "but": true, "also": true}

// Left says how much of a request is open. The time is linear in the request.
func (c Coverage) Left(request string) Left {
	d := leftData()
	var out Left
	var all, clause weighed
	weighty, begin := 0, noWord
	end := func() {
		if clause.sum > leastClause {
			weighty++
			out.Clause = max(out.Clause, clause.open/clause.sum)
			out.Weight = max(out.Weight, min(1, clause.open*clause.open/clause.sum/mostWeight))
		}
		if clause.sum > leastOpen && clause.open > openShare*clause.sum {
			out.Clauses++
			if begin == openWord {
				out.Wishes++
			}
		}
		clause, begin = weighed{}, noWord
	}
	part, open, before := 0, 0, 0
	var words []placed
	for _, w := range retrieve.Words(request) {
		for part < len(c.Parts) && c.Parts[part].End <= w.Start {
			part++
		}
		for open < len(c.Open) && c.Open[open].End <= w.Start {
			open++
		}
		begins := before <= w.Start && ends(request[before:w.Start])
		if cutting[w.Text] || begins {
			end()
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
		words = append(words, placed{w, by, begins || len(words) == 0 || joins[words[len(words)-1].Text]})
		if by == aValue {
			begin = cmp.Or(begin, otherWord)
			continue
		}
		if begin == noWord && !retrieve.LeadsIn(w.Text) && !cutting[w.Text] {
			begin = otherWord
			if isOpen && !w.Stop && !d.about[w.Text] {
				begin = openWord
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
	end()
	if all.sum > 0 {
		out.Share = all.open / all.sum
	}
	out.One = weighty <= 1
	return out
}

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
