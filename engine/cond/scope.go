package cond

import (
	"context"
	"reflect"
	"time"

	"github.com/expr-lang/expr/vm"

	"pflow/internal/fault"
)

// Bounds on the work of one evaluation. A step is an iteration of a predicate, an element looked at or made, 64 bytes of
// text looked at or 16 made (see paid.go); a loop of empty steps runs about 30 million of them a second.
const (
	maxSteps  = 5_000_000
	maxMemory = 4_000_000 // elements that expr's own functions make
	maxText   = 64 << 20  // bytes of one text
)

// Names in the environment that no source can spell, since @ begins no identifier in either language.
const (
	nowName   = "@now"
	todayName = "@today"
	scopeName = "@scope"
)

// Scope is what the expressions of one run see. It is reused from node to node and not safe for concurrent use.
type Scope struct {
	env   map[string]any
	own   vm.VM // runs the expression, and not the functions that it calls
	vm    *vm.VM
	steps int // what one evaluation may do
	left  int // what is left of it
	ctx   context.Context
	stop  error // why a loop of CEL's was left
	paid  int   // how often something was paid since ctx was looked at
	last  *pattern

	frames []*frame // of the functions that are being called, and of those that were
	depth  int      // how many are
}

// NewScope gives a Scope whose now() and today() are the instant given, in its time zone.
func NewScope(now time.Time) *Scope {
	s := &Scope{env: make(map[string]any, 12), steps: maxSteps, ctx: context.Background()}
	s.own.MemoryBudget = maxMemory
	s.vm = &s.own
	s.env[nowName] = now.Format(time.RFC3339)
	s.env[todayName] = now.Format(time.DateOnly)
	s.env[scopeName] = s
	return s
}

// Until makes evaluations stop once ctx is done, with an error of kind cancelled or timeout. Without it only the bound
// on their work stops them.
func (s *Scope) Until(ctx context.Context) { s.ctx = ctx }

// Set gives a record (as map[string]any) or a variable its value. Values must be normalised; they are shared, never
// written to.
func (s *Scope) Set(name string, v any) { s.env[name] = v }

// spend takes n steps off what this evaluation may do.
func (s *Scope) spend(n int) error {
	s.left -= n
	if s.left < 0 || n < 0 {
		return tooMuchWork()
	}
	s.paid++
	if s.paid < payments && n < payments {
		return nil
	}
	s.paid = 0
	if err := s.ctx.Err(); err != nil {
		return fault.Of(err)
	}
	return nil
}

// payments is how many steps may pass before the context is looked at again.
const payments = 256

// text pays for n bytes of text about to be made.
func (s *Scope) text(n int) error {
	if n < 0 || n > maxText {
		return fault.New(fault.InvalidRequest, "the expression makes a text of more than %d MB", maxText>>20)
	}
	return s.spend(n / 16)
}

// walk pays for looking at every part of v, before that is done. Scalars and short texts are free.
func (s *Scope) walk(v any) error {
	if !walk(v, &s.left) {
		return tooMuchWork()
	}
	return nil
}

func tooMuchWork() error {
	return fault.New(fault.InvalidRequest, "the expression does too much work: more than %d million steps; do it in several nodes or on less data", maxSteps/1_000_000)
}

// small reports whether walking v stays within the bound on steps. A result that holds one list in many places can be
// exponentially larger to walk than to make.
func small(v any) bool {
	left := maxSteps
	return walk(v, &left)
}

func walk(v any, left *int) bool {
	switch v := v.(type) {
	case nil, bool, int, float64:
	case string:
		*left -= len(v) / 64
	case []any:
		*left -= len(v)
		for _, item := range v {
			if *left < 0 || !walk(item, left) {
				return false
			}
		}
	case map[string]any:
		*left -= len(v)
		for key, item := range v {
			*left -= len(key) / 64
			if *left < 0 || !walk(item, left) {
				return false
			}
		}
	case []int:
		*left -= len(v)
	default:
		return walkOther(reflect.ValueOf(v), left)
	}
	return *left >= 0
}

// walkOther walks the lists and maps that expr makes beside those of a flow: []string, map[any][]any.
func walkOther(v reflect.Value, left *int) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		*left -= v.Len()
		for i := 0; i < v.Len(); i++ {
			if *left < 0 || !walk(v.Index(i).Interface(), left) {
				return false
			}
		}
	case reflect.Map:
		*left -= v.Len()
		for at := v.MapRange(); at.Next(); {
			if *left < 0 || !walk(at.Key().Interface(), left) || !walk(at.Value().Interface(), left) {
				return false
			}
		}
	}
	return *left >= 0
}

// Get gives what Set last gave a name, nil if nothing did.
func (s *Scope) Get(name string) any { return s.env[name] }
