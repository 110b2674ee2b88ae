package tune

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"pflow/internal/experiment"
)

// Split is the cases in two parts. Whatever is tuned, a case is always in the same part for the same share, so that no search
// sees what another one is judged by.
type Split struct {
	Search  []experiment.Case // in the order in which they are used
	HeldOut []experiment.Case // in the order of the file
}

// SplitCases holds out about a share of the cases, by a hash of the id, or of the group: groups never part. The cases to
// search on are in an order of the seed.
func SplitCases(cases []experiment.Case, share float64, seed uint64) Split {
	var s Split
	for _, c := range cases {
		if hashed(key(c), 0) < share {
			s.HeldOut = append(s.HeldOut, c)
		} else {
			s.Search = append(s.Search, c)
		}
	}
	slices.SortStableFunc(s.Search, func(a, b experiment.Case) int {
		return cmp.Or(cmp.Compare(hashed(key(a), seed+1), hashed(key(b), seed+1)), cmp.Compare(key(a), key(b)))
	})
	return s
}

// key is what of a case decides its part.
func key(c experiment.Case) string {
	if c.Group != "" {
		return "group " + c.Group
	}
	return "case " + c.ID
}

// hashed is a number from 0 to below 1.
func hashed(key string, seed uint64) float64 {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(key+"\n"), seed))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// Groups counts what is independent: groups, and cases without one.
func Groups(cases []experiment.Case) int {
	seen := map[string]bool{}
	for _, c := range cases {
		seen[key(c)] = true
	}
	return len(seen)
}
