package engine

import "time"

// retry is a node's policy for attempts that failed.
type retry struct {
	attempts    int
	wait        time.Duration
	maxWait     time.Duration // 0: none
	exponential bool
	jitter      float64 // 0..1: the share of the wait that is random, around the wait
	on          Tester  // nil: the error's kind is temporary
}

// longestWait caps a wait that doubled too often to mean anything, before it can overflow.
const longestWait = 24 * time.Hour

// backoff is the wait after the failed attempt number n (from 1): wait, or wait·2^(n-1), capped at maxWait, then moved
// by up to ±jitter. random is in [0, 1).
func (p retry) backoff(n int, random float64) time.Duration {
	ceiling := longestWait
	if p.maxWait > 0 {
		ceiling = min(ceiling, p.maxWait)
	}
	d := min(p.wait, ceiling)
	if p.exponential {
		for i := 1; i < n && d < ceiling; i++ {
			d = min(2*d, ceiling)
		}
	}
	if p.jitter > 0 {
		d += time.Duration(float64(d) * p.jitter * (2*random - 1))
	}
	return d
}

// splitmix is the generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): a run's
// random numbers follow from its seed and their order alone.
type splitmix uint64

// next gives a number in [0, 1).
func (s *splitmix) next() float64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return float64((z^(z>>31))>>11) / (1 << 53)
}
