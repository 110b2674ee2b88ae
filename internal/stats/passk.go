package stats

import "pflow/internal/fault"

// PassK estimates the chance that k runs of a case all pass, from c passes in n runs: C(c,k)/C(n,k), the share of all
// choices of k runs that hold no fail. It is unbiased (Yao et al., tau-bench, arXiv:2406.12045, 2024, section 3, after
// Chen et al., arXiv:2107.03374, 2021). The mean over cases is the pass^k of a variant. It is an error unless
// 1 <= k <= n and 0 <= c <= n.
func PassK(c, n, k int) (float64, error) {
	if k < 1 || k > n {
		return 0, fault.New(fault.InvalidRequest, "pass^%d needs at least %d runs of a case and k of 1 or more; there are %d runs", k, k, n)
	}
	if c < 0 || c > n {
		return 0, fault.New(fault.InvalidRequest, "%d passes of %d runs cannot be", c, n)
	}
	chance := 1.
	for i := range k {
		chance *= float64(max(0, c-i)) / float64(n-i)
	}
	return chance, nil
}
