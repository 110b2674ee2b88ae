package stats

import "sort"

// Holm adjusts the p values of several comparisons, in their order, so that calling those at most Alpha significant
// errs in any of them at most that often (Holm, Scand. J. Stat. 6, 1979). One p value stays as it is.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return p[order[i]] < p[order[j]] })
	out := make([]float64, len(p))
	least := 0.
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}
