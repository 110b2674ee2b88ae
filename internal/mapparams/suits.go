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

// classScore says how well a sort of candidate suits an input: below zero it is unlikely, at minus infinity impossible.
func classScore(in *spec, c *candidate) float64 {
	no := math.Inf(-1)
	switch medium := Medium(c.text); {
	case medium != "" && in.Kind != "" && in.Kind != medium,
		IsMedium(in.Kind) && !mayBeFile(c):
		return no
	}
	switch in.Type {
	case value.Integer, value.Number:
		switch {
		case c.number == nil:
			return no
		case c.class == classCode:
			return little
		case in.wants == wantsDate || in.wants == wantsPath:
			return -some
		}
		return fair
	case value.Array:
		if in.words && c.class != classList && c.number == nil {
			return fair
		}
		if c.class != classList {
			return no
		}
		s := 0.2 + 0.4*float64(min(len(c.list), 3))
		return s
	}
	if c.class == classList {
		return no
	}
	if c.kind == extract.Path {
		switch pattern := strings.Contains(c.text, "*"); {
		case takesPattern(in) && (pattern || endingForm.MatchString(c.text)):
			return certain
		case endingForm.MatchString(c.text):
			return -good
		case pattern:
			return -some
		}
	}
	s := map[class]float64{classEntity: some, className: fair, classCode: some, classPhrase: little}[c.class]
	fits := func(kinds ...string) bool {
		for _, k := range kinds {
			if c.kind == k {
				return true
			}
		}
		return false
	}
	temporal := fits(extract.Date, extract.DateRange, extract.DateTime, extract.Time, extract.Duration)
	switch in.wants {
	case wantsPath:
		folder := folderWords.MatchString(in.Description) && !in.name["fil"]
		switch {
		case fits(extract.Path) && folder && fileForm.MatchString(c.text):
			return some
		case fits(extract.Path):
			return sure
		case fits(extract.Quoted):
			return fair
		case c.class == classPhrase && folder && c.preposition != "":
			return good
		case temporal || c.number != nil:
			return -fair
		}
	case wantsURL:
		if fits(extract.URL) {
			return certain
		}
		return s - good
	case wantsEmail:
		if fits(extract.Email) {
			return certain
		}
	case wantsRepo:
		if fits(extract.Repo) || fits(extract.Path) && strings.Count(c.text, "/") == 1 {
			return sure
		}
	case wantsDate:
		switch {
		case fits(extract.Date, extract.DateRange, extract.DateTime):
			return sure
		case temporal:
			return some
		}
		return s - fair
	case wantsTime:
		switch {
		case fits(extract.Time):
			return sure
		case temporal:
			return fair
		}
		return s - some
	case wantsDuration:
		switch {
		case fits(extract.Duration):
			return good
		case temporal || c.number != nil:
			return fair
		}
	case wantsMoney:
		if c.number != nil {
			return good
		}
	case wantsCode:
		switch {
		case c.class == classCode || fits(extract.Quoted, extract.Issue, extract.Version):
			return good
		case c.number != nil:
			return fair
		case c.class == classPhrase:
			return -little
		case c.class == className && c.text != strings.ToUpper(c.text):
			return -good
		}
	case wantsName, wantsPlace:
		switch {
		case c.class == className:
			return good
		case fits(extract.Quoted) && in.wants == wantsName:
			return good
		case temporal || c.number != nil:
			return -some
		}
	case wantsAnything:
		if fits(extract.Quoted) {
			return fair // what is quoted is a value of something
		}
	case wantsText:
		if fits(extract.Quoted) {
			return good
		}
		if c.class == classPhrase && !in.Required {
			s -= good
		}
	}
	switch {
	case fits(extract.Path, extract.URL, extract.Email):
		return s - little
	case temporal:
		return s - some
	case c.number != nil && c.class == classEntity && !fits(extract.Quoted):
		return s - some
	}
	return s
}
