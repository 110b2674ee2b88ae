package mapparams

import (
	"math"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/value"
)

// The grades of what speaks for a value, or against it. They are few on purpose: finer ones, fitted case by case, gave
// 0.003 more value F1 on the 411 development cases of the map-params set.
const (
	certain = 4.0
	sure    = 3.0
	good    = 1.8
	fair    = 1.2
	some    = 0.7
	little  = 0.3
)

// impossible is the score of a candidate that cannot be a value of an input.
var impossible = math.Inf(-1)

// ofClass is what speaks for a candidate whatever is wanted.
var ofClass = map[class]float64{classEntity: some, className: fair, classCode: some, classPhrase: little}

// classScore says how well a sort of candidate suits an input: below zero it is unlikely.
func classScore(in *spec, c *candidate) float64 {
	switch {
	case c.medium != "" && in.Kind != "" && in.Kind != c.medium, IsMedium(in.Kind) && !mayBeFile(c):
		return impossible
	case c.part == unitPart:
		if c.number == nil && in.currency {
			return sure
		}
		return impossible
	case c.class == classExample:
		if c.listed {
			return certain
		}
		return sure
	case c.object != nil:
		if in.Type == value.Object {
			return fair
		}
		return impossible
	case in.Type == value.Integer || in.Type == value.Number:
		return numberScore(in, c)
	case in.Type == value.Array:
		return arrayScore(in, c)
	case c.class == classList:
		return impossible
	}
	if s, settled := patternScore(in, c); settled {
		return s
	}
	base := ofClass[c.class]
	if score := wantScores[in.wants]; score != nil {
		if s, settled := score(in, c, base); settled {
			return s
		}
	}
	switch {
	case c.is(extract.Path, extract.URL, extract.Email):
		return base - little
	case c.temporal(), c.number != nil && c.class == classEntity && !c.is(extract.Quoted):
		return base - some
	}
	return base
}

func numberScore(in *spec, c *candidate) float64 {
	switch {
	case in.numberOf(c) == nil:
		return impossible
	case c.counted && !in.units[c.unit]:
		return impossible
	case c.part == yearPart || c.part == monthPart || c.part == dayPart, c.days > 0:
		return sure
	case c.class == classCode:
		return little
	case in.wants == wantsDate && len(in.units) == 0 || in.wants == wantsPath, in.wants == wantsMoney && c.temporal():
		return -some
	case in.wants == wantsMoney && c.is(extract.Currency):
		return good
	}
	return fair
}

func arrayScore(in *spec, c *candidate) float64 {
	if in.words && c.class != classList && c.number == nil {
		return fair
	}
	if c.class != classList {
		if in.Required && c.class != classPhrase {
			return little - some // a list of one
		}
		return impossible
	}
	if c.bracketed {
		return sure
	}
	if in.Required && c.named {
		return fair + 0.4*float64(min(len(c.list), 3)-1)
	}
	return 0.2 + 0.4*float64(min(len(c.list), 3))
}

// patternScore settles which of paths and patterns an input takes: what has the signs of a pattern is one, and what has none
// names one thing.
func patternScore(in *spec, c *candidate) (s float64, settled bool) {
	if in.pattern && (c.class == classPhrase || c.class == className) {
		return -good, true
	}
	if !c.is(extract.Path) {
		return 0, false
	}
	switch {
	case in.pattern && (c.glob || c.ending):
		return certain, true
	case in.pattern:
		return -good, true
	case c.ending:
		return -good, true
	case c.glob:
		return -some, true
	}
	return 0, false
}

// wantScores are how well a candidate suits an input that asks for a sort of value; not settled, what holds for any input
// decides. base is what speaks for its class.
var wantScores = map[wants]func(in *spec, c *candidate, base float64) (s float64, settled bool){
	wantsPath:     pathScore,
	wantsURL:      urlScore,
	wantsEmail:    emailScore,
	wantsRepo:     repoScore,
	wantsDate:     dateScore,
	wantsTime:     timeScore,
	wantsDuration: durationScore,
	wantsMoney:    moneyScore,
	wantsCode:     codeScore,
	wantsName:     nameScore,
	wantsPerson:   nameScore,
	wantsPlace:    placeScore,
	wantsText:     textScore,
	wantsAnything: anyScore,
}

func pathScore(in *spec, c *candidate, _ float64) (float64, bool) {
	switch {
	case c.is(extract.Path) && in.folder && c.file:
		return some, true
	case c.is(extract.Path):
		return sure, true
	case c.is(extract.Quoted):
		return fair, true
	case c.class == classPhrase && in.folder && c.preposition != "":
		return good, true
	case c.temporal() || c.number != nil:
		return -fair, true
	}
	return 0, false
}

func urlScore(_ *spec, c *candidate, base float64) (float64, bool) {
	if c.is(extract.URL) {
		return certain, true
	}
	return base - good, true
}

func emailScore(_ *spec, c *candidate, _ float64) (float64, bool) {
	return certain, c.is(extract.Email)
}

func repoScore(_ *spec, c *candidate, _ float64) (float64, bool) {
	return sure, c.is(extract.Repo) || c.is(extract.Path) && strings.Count(c.text, "/") == 1
}

func dateScore(in *spec, c *candidate, base float64) (float64, bool) {
	switch {
	case in.role == noRole && c.is(extract.DateRange) && (c.part == fromPart) != strings.Contains(strings.ToLower(in.Description), "yy"):
		return sure - some, true // a period as it is said, or its first day where a day is to be written
	case c.is(extract.DateTime) && !momentWords.MatchString(in.Description):
		return sure - some, true // its day alone suits better
	case c.is(extract.Date, extract.DateRange, extract.DateTime):
		return sure, true
	case c.temporal():
		return some, true
	}
	return base - fair, true
}

func timeScore(_ *spec, c *candidate, base float64) (float64, bool) {
	switch {
	case c.is(extract.Time):
		return sure, true
	case c.temporal():
		return fair, true
	}
	return base - some, true
}

func durationScore(_ *spec, c *candidate, _ float64) (float64, bool) {
	if c.is(extract.Duration) {
		return good, true
	}
	return fair, c.temporal() || c.number != nil
}

func moneyScore(_ *spec, c *candidate, _ float64) (float64, bool) {
	switch {
	case c.is(extract.Currency):
		return sure, true
	case c.temporal():
		return -some, true
	}
	return good, c.number != nil
}

func codeScore(_ *spec, c *candidate, _ float64) (float64, bool) {
	switch {
	case c.class == classCode || c.is(extract.Quoted, extract.Issue, extract.Version):
		return good, true
	case c.number != nil:
		return fair, true
	case c.class == classPhrase:
		return -little, true
	}
	return -good, c.class == className && c.text != strings.ToUpper(c.text)
}

func nameScore(in *spec, c *candidate, base float64) (float64, bool) {
	switch {
	case c.class != className && c.is(extract.Quoted):
		return good, true
	case c.class == classCode:
		return fair, true
	}
	return placeScore(in, c, base)
}

func placeScore(_ *spec, c *candidate, _ float64) (float64, bool) {
	if c.class == className {
		return good, true
	}
	return -some, c.temporal() || c.number != nil
}

func textScore(in *spec, c *candidate, base float64) (float64, bool) {
	if c.is(extract.Quoted) {
		return good, true
	}
	return base - good, c.class == classPhrase && !in.Required
}

// anyScore: what is quoted is a value of something.
func anyScore(_ *spec, c *candidate, _ float64) (float64, bool) {
	return fair, c.is(extract.Quoted)
}
