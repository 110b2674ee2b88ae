package extract

import (
	"math"
	"strconv"
	"strings"
)

var units = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}

var tens = map[string]float64{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var scales = map[string]float64{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

// shortScales stand directly behind digits, or behind a blank if they are capitals.
var shortScales = map[string]float64{"k": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}

var fractions = map[string]float64{
	"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5,
	"sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10,
}

var signs = map[string]float64{"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1.0 / 3, "⅔": 2.0 / 3}

// number reads a number that stands for itself.
func (p *reader) number(i int) (Entity, int) {
	v, n := p.amount(i)
	if n == 0 {
		return Entity{}, 0
	}
	if p.lettered(i) || p.glued(i+n) && !p.toks[i+n].wall && !p.toks[i+n].digits && isLetter(p.toks[i+n].text[0]) && p.toks[i+n-1].digits {
		return Entity{}, 0 // part of a code
	}
	if p.is(i, "one") && n == 1 && p.is(i-1, "the", "this", "that", "which", "any", "each", "every", "no", "another") {
		return Entity{}, 0 // a pronoun
	}
	if p.is(i, "one") && n == 1 && p.is(i+1, "of", "another", "who", "that") {
		return Entity{}, 0
	}
	if p.is(i, "half", "quarter", "third") && n == 1 && !p.is(i, "half") {
		return Entity{}, 0 // an ordinal, or a quarter of a year
	}
	if n == 1 && p.toks[i].digits { // as it is written: a float has 53 bits
		if exact, err := strconv.Atoi(strings.ReplaceAll(p.word(i), ",", "")); err == nil {
			return Entity{Kind: Number, Value: exact}, n
		}
	}
	return Entity{Kind: Number, Value: tidyNumber(v)}, n
}

// lettered reports whether digits follow letters without a blank.
func (p *reader) lettered(i int) bool {
	return p.glued(i) && p.toks[i].digits && !p.toks[i-1].wall && isLetter(p.toks[i-1].text[0])
}

func tidyNumber(f float64) any {
	switch {
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return int(f)
	case math.Abs(f) >= 1<<40: // it has no twelfth decimal
		return f
	}
	return math.Round(f*1e12) / 1e12
}

// amount reads a number: digits, scaled digits, words, fractions, with its sign. One that no float holds is none.
func (p *reader) amount(i int) (float64, int) {
	v, n := p.signed(i)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, 0
	}
	return v, n
}

func (p *reader) signed(i int) (float64, int) {
	if p.is(i, "minus", "negative") {
		if v, n := p.positive(i + 1); n > 0 {
			return -v, n + 1
		}
		return 0, 0
	}
	if p.is(i, "-", "−") && !(i > 0 && p.glued(i) && !p.toks[i-1].wall && !p.is(i-1, "=", "(", "[", ",", ":")) && i+1 < len(p.toks) && p.toks[i+1].digits {
		if v, n := p.positive(i + 1); n > 0 && !(p.is(i+1+n, "-") && p.glued(i+1+n)) {
			return -v, n + 1
		}
	}
	return p.positive(i)
}

// positive reads a number without a sign.
func (p *reader) positive(i int) (float64, int) { return p.positives.read(i, p.unsigned) }

func (p *reader) unsigned(i int) (float64, int) {
	v, n := p.whole(i)
	if n == 0 {
		return p.fraction(i)
	}
	// two thirds, 3/4
	if d, ok := fractions[p.word(i+n)]; ok && v == math.Trunc(v) && v < 100 && (v > 1 || strings.HasSuffix(p.word(i+n), "f") || v == 1) && !p.is(i+n, "second") && !p.quarterOfYear(i+n) {
		return v / d, n + 1
	}
	if p.is(i+n, "/") && p.glued(i+n) && p.glued(i+n+1) && n == 1 {
		if d, ok := p.digits(i + 2); ok && d > 1 && !p.is(i+3, "/") && v == math.Trunc(v) {
			return v / d, 3
		}
	}
	// forty two and a third, one and a half, 2 1/2
	if p.is(i+n, "and") {
		if f, m := p.fraction(i + n + 1); m > 0 && f < 1 {
			return v + f, n + 1 + m
		}
	}
	if f, ok := signs[p.word(i+n)]; ok {
		return v + f, n + 1
	}
	return v, n
}

// quarterOfYear tells the quarter in "last quarter" and "two quarters ago" from a fourth part.
func (p *reader) quarterOfYear(i int) bool {
	return p.is(i, "quarter", "quarters") && (p.is(i-2, "last", "past", "previous", "next") || p.is(i+1, "ago", "later", "from", "hence"))
}

// fraction reads half, a half, a third, ½.
func (p *reader) fraction(i int) (float64, int) {
	if f, ok := signs[p.word(i)]; ok {
		return f, 1
	}
	if p.is(i, "half") && !p.is(i+1, "past", "-") {
		return 0.5, 1
	}
	if p.is(i, "a", "an") {
		if p.is(i+1, "dozen") {
			return 12, 2
		}
		if d, ok := fractions[p.word(i+1)]; ok && !(p.is(i+1, "third", "fourth", "fifth", "sixth", "eighth", "tenth") && !p.is(i+2, "of") && !p.is(i-1, "and")) &&
			!(p.is(i+1, "quarter") && !p.is(i-1, "and") && !p.is(i+2, "of")) {
			return 1 / d, 2
		}
		if s, ok := scales[p.word(i+1)]; ok {
			return s, 2
		}
	}
	return 0, 0
}

// digits reads a token of digits.
func (p *reader) digits(i int) (float64, bool) {
	if i < 0 || i >= len(p.toks) || !p.toks[i].digits {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(p.toks[i].text, ",", ""), 64)
	return f, err == nil
}

// whole reads digits with a scale, or number words.
func (p *reader) whole(i int) (float64, int) {
	if f, ok := p.digits(i); ok {
		n := 1
		for n < 20 && p.is(i+n, ",") && p.glued(i+n) && p.glued(i+n+1) && i+n+1 < len(p.toks) && p.toks[i+n+1].digits && len(p.toks[i+n+1].text) == 3 {
			g, _ := p.digits(i + n + 1) // groups that a tokenizer has split
			f, n = f*1000+g, n+2
		}
		if s, ok := shortScales[p.word(i+n)]; ok && i+n < len(p.toks) && (p.glued(i+n) || p.toks[i+n].upper || p.is(i+n, "k")) {
			return f * s, n + 1
		}
		scaled := false
		for s, ok := scales[p.word(i+n)]; ok; s, ok = scales[p.word(i+n)] {
			f, n, scaled = f*s, n+1, true
		}
		if p.is(i+n, "dozen", "dozens") {
			return f * 12, n + 1
		}
		if scaled && p.is(i+n, "and") {
			if g, m := p.numberWords(i + n + 1); m > 0 && g < 1000 {
				f, n = f+g, n+1+m
			}
		}
		return f, n
	}
	v, n := p.numberWords(i)
	if n > 0 && p.is(i+n, "point") {
		text, m := []byte("0."), n+1
		for {
			if g, k := p.numberWords(i + m); k > 0 {
				text = strconv.AppendFloat(text, g, 'f', -1, 64)
				m += k
				continue
			}
			break
		}
		if f, err := strconv.ParseFloat(string(text), 64); err == nil && len(text) > len("0.") {
			return v + f, m
		}
	}
	if n > 0 && p.is(i+n, "dozen", "dozens") {
		return v * 12, n + 1
	}
	return v, n
}

// numberWords reads two hundred and six thousand.
func (p *reader) numberWords(i int) (float64, int) {
	total, part := 0.0, 0.0
	n, end := 0, 0 // end is behind the last word of a number: a joining "and" alone does not count
	last := ""     // what kind of word came last
	for {
		w := p.word(i + n)
		switch {
		case units[w] > 0 || w == "zero":
			if last == "unit" || last == "ten" && units[w] >= 10 {
				return total + part, end
			}
			part, last = part+units[w], "unit"
		case tens[w] > 0:
			if last == "unit" || last == "ten" {
				return total + part, end
			}
			part, last = part+tens[w], "ten"
		case scales[w] > 0 && last != "":
			if w == "hundred" {
				part *= 100
			} else {
				total, part = total+max(part, 1)*scales[w], 0
			}
			last = "scale"
		case w == "-" && last == "ten" && units[p.word(i+n+1)] > 0, w == "and" && last == "scale" && (units[p.word(i+n+1)] > 0 || tens[p.word(i+n+1)] > 0):
			n++
			continue
		default:
			return total + part, end
		}
		n++
		end = n
	}
}
