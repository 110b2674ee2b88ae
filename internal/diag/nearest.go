package diag

import "strings"

// Nearest is the candidate that name was probably meant to be, or "". Only candidates that are still possible should
// be given. The measure is the optimal string alignment distance (Levenshtein with transpositions of neighbours),
// allowed up to a third of the longer length; a candidate that name begins or that begins with name counts as near.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", 1<<30
	folded := fold(name)
	for _, c := range candidates {
		other := fold(c)
		longer, shorter := max(len(folded), len(other)), min(len(folded), len(other))
		if longer == 0 || longer > 100 {
			continue
		}
		d := longer // a beginning stands behind every true near miss
		if longer-shorter <= longer/3 {
			d = distance([]byte(folded), []byte(other))
		}
		if d > longer/3 {
			if shorter < 3 || !(strings.HasPrefix(other, folded) || strings.HasPrefix(folded, other)) {
				continue
			}
			d = longer
		}
		if d < bestDistance || d == bestDistance && c < best {
			best, bestDistance = c, d
		}
	}
	return best
}

// fold makes case and the choice of separator not count.
func fold(s string) string {
	return separators.Replace(strings.ToLower(s))
}

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

// Distance is how many letters differ: left out, put in, changed, or two neighbours in the other order.
func Distance(a, b string) int { return distance([]rune(a), []rune(b)) }

// distance is the restricted Damerau-Levenshtein distance (Damerau 1964).
func distance[E comparable](a, b []E) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
