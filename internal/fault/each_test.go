package fault

import (
	"errors"
	"sync/atomic"
	"testing"
)

// TestEach: each number is done once, and one that fails or breaks keeps none of the others from being done.
func TestEach(t *testing.T) {
	failed := errors.New("it fails")
	for _, n := range []int{0, 1, 1000} {
		done := make([]atomic.Int32, n)
		errs := Each(n, func(i int) error {
			done[i].Add(1)
			switch i % 10 {
			case 3:
				panic("it breaks")
			case 4:
				return failed
			}
			return nil
		})
		if len(errs) != n {
			t.Errorf("%d outcomes of %d", len(errs), n)
		}
		for i, err := range errs {
			if done[i].Load() != 1 {
				t.Errorf("%d of %d was done %d times", i, n, done[i].Load())
			}
			if broke := err != nil && Of(err).Kind == Bug; broke != (i%10 == 3) || (err == failed) != (i%10 == 4) {
				t.Errorf("%d of %d: %v", i, n, err)
			}
		}
	}
}
