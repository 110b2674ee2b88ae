package coverage

import (
	"slices"
	"sort"
	"strings"

	"pflow/internal/retrieve"
)

// few past requests do not tell in what other words the same may be asked for: then every word has to be known.
const few = 2

// limiting are the words before which a clause is cut once more: what they begin limits what is done or says why, and has to
// be spoken of itself. "I lost my card, if it matters" is about a card that was lost; "pay it if it rains" is about rain.
var limiting = wordSet("and then but also if unless until till except excepting excluding without otherwise instead whenever because while twice thrice again")

// wholes are the pieces of a request that something with past requests stands for, in the order of the request. A word of
// grammar that changes what is asked for has to stand alone in what it says where it has no words beside it. A place that
// nothing takes counts as a word that it does not have.
func wholes(request string, said []Said, taken []Value, marks [][2]int) (out []Part) {
	for _, s := range said {
		if len(s.Past) == 0 {
			continue
		}
		k := known{stems: map[string]int{}, spoken: map[string]bool{}}
		for _, texts := range [][]string{s.Texts, s.Past} {
			for _, text := range texts {
				k.read(text)
			}
		}
		least := k.least(s.Past)
		for _, clause := range retrieve.Clauses(request, nil) {
			for _, piece := range k.pieces(request, clause) {
				if k.speaksOf(request, piece, least, taken, marks) {
					out = append(out, Part{request[piece[0]:piece[1]], piece[0], piece[1], s.By})
				}
			}
		}
	}
	return out
}

// known is what something says: in how many texts it has a stem, and the words of grammar that it speaks of.
type known struct {
	stems  map[string]int
	spoken map[string]bool
}

func (k *known) read(text string) {
	for stem := range stemsOf(text) {
		k.stems[stem]++
	}
	for _, w := range retrieve.Words(text) {
		k.spoken[w.Text] = true
	}
}

func stemsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range retrieve.Words(text) {
		if !w.Stop {
			out[w.Stem] = true
		}
	}
	return out
}

// least is the share of the words of a piece that have to be known for it to stand for the others, too. What was approved for
// few wordings is known by those alone, so that every word has to be; what was approved for many that differ may be asked for
// in further ones, of which as few words may be known as of its past requests by each other, and half as many, since a
// further one is the least of all as often as not.
func (k *known) least(past []string) float64 {
	if len(past) <= few {
		return 1
	}
	lowest := 1.0
	for _, text := range past {
		stems := stemsOf(text)
		shared := 0
		for stem := range stems {
			if k.stems[stem] > 1 {
				shared++
			}
		}
		if len(stems) > 0 {
			lowest = min(lowest, float64(shared)/float64(len(stems)))
		}
	}
	return max(1/float64(len(past)), lowest/2)
}

// speaksOf reports whether enough of a piece is known, or whether it only tells something.
func (k *known) speaksOf(request string, piece [2]int, least float64, taken []Value, marks [][2]int) bool {
	has, of, limits, alone := 0, 0, false, false
	words := retrieve.Words(request[piece[0]:piece[1]])
	counted := 0 // the end of the mark that was counted last
	for i, w := range words {
		at := [2]int{piece[0] + w.Start, piece[0] + w.End}
		switch mark := over(marks, at); {
		case held(taken, at):
		case mark[1] > 0:
			if counted != mark[1] {
				of++
			}
			counted = mark[1]
		case isGrave(words, i):
			limits, alone = true, alone || !k.spoken[w.Text]
		case !w.Stop && k.stems[w.Stem] > 0:
			has++
			of++
		case !w.Stop:
			of++
		}
	}
	if float64(has) >= least*float64(of) && (of > 0 && least < 1 || !alone) {
		return true
	}
	if least == 1 {
		return false
	}
	asks := of == 1 && len(words) > 1 && words[0].Stop && !retrieve.LeadsIn(words[0].Text) // such as: how is it handled
	return asks && !limits || tells(words)
}

// A piece that begins with one of these words tells something: it was late. What wishes does so by a verb, or with "I want".
var (
	telling = wordSet(`i i'm i've i'll it it's its he he's she she's they they're we we're we've this that these those there there's my our his her
		their the a an someone somebody something nobody nothing`)
	wanting  = wordSet("want wants need needs wish would should must like i'd please")
	bringing = wordSet("and but also because while so") // what may stand before
)

// tells reports whether words only tell something: they begin as a statement does, wish nothing and limit nothing but by
// saying what is not so.
func tells(words []retrieve.Word) bool {
	for len(words) > 0 && bringing[words[0].Text] {
		words = words[1:]
	}
	if len(words) == 0 || !telling[words[0].Text] {
		return false
	}
	for k, w := range words {
		if wanting[w.Text] || isGrave(words, k) && !denies(w.Text) {
			return false
		}
	}
	return true
}

// denies reports whether a word of grammar says that something is not so.
func denies(word string) bool {
	return strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t") || word == "not" || word == "no" || word == "never" || word == "nobody" || word == "nothing"
}

// over gives that of places, which are in order, that holds the beginning of another one; nothing if none does.
func over(places [][2]int, at [2]int) [2]int {
	k := sort.Search(len(places), func(k int) bool { return places[k][1] > at[0] })
	if k < len(places) && places[k][0] <= at[0] {
		return places[k]
	}
	return [2]int{}
}

// pieces cuts a clause before the words that limit it. It does not cut behind a single word that is not known and has an "if"
// behind it: that asks whether something is so, as "check if" does.
func (k *known) pieces(request string, clause [2]int) (out [][2]int) {
	from := clause[0]
	stems, last := 0, retrieve.Word{}
	for _, w := range retrieve.Words(request[clause[0]:clause[1]]) {
		at := clause[0] + w.Start
		whether := w.Text == "if" && stems == 1 && !last.Stop && k.stems[last.Stem] == 0
		if limiting[w.Text] && at > from && !whether {
			out, from, stems = append(out, [2]int{from, at}), at, 0
		}
		if !w.Stop && !grave[w.Text] {
			stems++
		}
		last = w
	}
	return slices.Clip(append(out, [2]int{from, clause[1]}))
}
