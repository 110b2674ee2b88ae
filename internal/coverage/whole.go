package coverage

import (
	"slices"
	"strings"

	"pflow/internal/retrieve"
)

// enough is the share of the words of a piece from which on a Said that is Whole stands for the others. One of three: of
// requests of clinc150 with a wish of another workflow added it lets one in eight pass, and holds back one in twelve of those
// without.
const enough = 0.3

// limiting are the words before which a clause is cut once more: what they begin limits what is done or says why, and has to
// be spoken of itself. "I lost my card, if it matters" is about a card that was lost; "pay it if it rains" is about rain.
var limiting = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("and then but also if unless until till except excepting excluding without otherwise instead whenever because while twice thrice again") {
		out[w] = true
	}
	return out
}()

// wholes are the pieces of a request that something which is Whole stands for, in the order of the request. A word of grammar
// that changes what is asked for has to stand alone in what it says where it has no words beside it.
func wholes(request string, said []Said) (out []Part) {
	for _, s := range said {
		if !s.Whole {
			continue
		}
		own, spoken := map[string]bool{}, map[string]bool{}
		for _, text := range s.Texts {
			for _, w := range retrieve.Words(text) {
				own[w.Stem] = own[w.Stem] || !w.Stop
				spoken[w.Text] = true
			}
		}
		for _, clause := range retrieve.Clauses(request, nil) {
			for _, piece := range pieces(request, clause) {
				has, of, limits, alone := 0, 0, false, false
				words := retrieve.Words(request[piece[0]:piece[1]])
				for k, w := range words {
					switch {
					case isGrave(words, k):
						limits, alone = true, alone || !spoken[w.Text]
					case !w.Stop && own[w.Stem]:
						has++
						of++
					case !w.Stop:
						of++
					}
				}
				asks := of == 1 && len(words) > 1 && words[0].Stop && !retrieve.LeadsIn(words[0].Text) // such as: how is it handled
				if (float64(has) >= enough*float64(of) || asks && !limits) && (of > 0 || !alone) {
					out = append(out, Part{request[piece[0]:piece[1]], piece[0], piece[1], s.By})
				}
			}
		}
	}
	return out
}

// pieces cuts a clause before the words that limit it.
func pieces(request string, clause [2]int) (out [][2]int) {
	from := clause[0]
	for _, w := range retrieve.Words(request[clause[0]:clause[1]]) {
		if at := clause[0] + w.Start; limiting[w.Text] && at > from {
			out, from = append(out, [2]int{from, at}), at
		}
	}
	return slices.Clip(append(out, [2]int{from, clause[1]}))
}
