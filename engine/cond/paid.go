package cond

import (
	"math/bits"
	"regexp"
	"regexp/syntax"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// What an operation costs grows with its values, in both languages. Here is what it pays.

// short is the length in bytes up to which a literal is compared, or a member's name looked up, for nothing.
const short = 256

// scan pays for going through n bytes of text once.
func (s *Scope) scan(n int) error {
	if n < 64 {
		return nil
	}
	return s.spend(n / 64)
}

// pay pays for an operation on v that takes weight steps for each 64 bytes of a text, or one for each item of a list or
// object, whose items it does not look into.
func (s *Scope) pay(v any, weight int) error {
	switch v := v.(type) {
	case string:
		return s.scan(len(v) * weight)
	case []any:
		return s.spend(len(v))
	case []int:
		return s.spend(len(v))
	case map[string]any:
		return s.spend(len(v))
	}
	return nil
}

// payText pays for an operation on v that takes weight steps for each 64 bytes, if v is a text.
func (s *Scope) payText(v any, weight int) error {
	if text, ok := v.(string); ok {
		return s.scan(len(text) * weight)
	}
	return nil
}

// sorting pays for putting n items in order.
func (s *Scope) sorting(n int) error { return s.spend(n * bits.Len(uint(n)) / 4) }

// The weights of operations on texts.
const (
	reads    = 1  // looks at each byte
	converts = 8  // makes another text of it, letter by letter
	parses   = 32 // makes values of it
	cuts     = 64 // makes a list of its parts
)

// same is equal, paid for by what is looked at.
func (s *Scope) same(a, b any) (bool, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok && len(x) == len(y) {
			if err := s.scan(len(x)); err != nil {
				return false, err
			}
		}
		return equal(a, b), nil
	case []any:
		if y, ok := b.([]any); ok && len(x) != len(y) {
			return false, nil
		}
	}
	if isScalar(a) || isScalar(b) {
		return equal(a, b), nil
	}
	if err := s.walk(a); err != nil {
		return false, err
	}
	if err := s.walk(b); err != nil {
		return false, err
	}
	return equal(a, b), nil
}

// order is compare, paid for.
func (s *Scope) order(op string, a, b any) (int, error) {
	x, ok1 := a.(string)
	y, ok2 := b.(string)
	if ok1 && ok2 {
		if err := s.scan(min(len(x), len(y))); err != nil {
			return 0, err
		}
	}
	return compare(op, a, b)
}

// isScalar reports that v is no list and no object.
func isScalar(v any) bool {
	switch v.(type) {
	case nil, bool, int, float64, string:
		return true
	}
	return false
}

// normal gives what expr made in the forms of value, so that no operation on it has to do that again.
func (s *Scope) normal(v any) (any, error) {
	if err := s.walk(v); err != nil {
		return nil, err
	}
	if out, err := value.Normalize(v); err == nil {
		return out, nil
	}
	return v, nil // what it cannot be used for says so
}

// pattern is a regular expression that matching pays for: Go's look at each byte once for each of their instructions at
// worst.
type pattern struct {
	source string
	re     *regexp.Regexp
	after  *regexp.Regexp // finds what comes after one character more, see next
	weight int
}

func compilePattern(source string) (*pattern, error) {
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, fault.New(fault.Type, "%v", err)
	}
	p := &pattern{source: source, re: re, weight: reads}
	if _, literal := re.LiteralPrefix(); literal {
		return p, nil
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, fault.New(fault.Type, "%v", err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fault.New(fault.Type, "%v", err)
	}
	p.weight = 3 * len(program.Inst)
	return p, nil
}

// pattern is a pattern that is only known now. The last one is kept: in a loop it is mostly the same.
func (s *Scope) pattern(source string) (*pattern, error) {
	if err := s.scan(len(source)); err != nil {
		return nil, err
	}
	if s.last != nil && s.last.source == source {
		return s.last, nil
	}
	if err := s.spend(len(source)); err != nil {
		return nil, err
	}
	p, err := compilePattern(source)
	if err != nil {
		return nil, err
	}
	if err := s.spend(4 * p.weight); err != nil {
		return nil, err
	}
	s.last = p
	return p, nil
}

// matches is matching with a pattern that is only known now.
func (s *Scope) matches(text, source string) (bool, error) {
	p, err := s.pattern(source)
	if err != nil {
		return false, err
	}
	if err := s.scan(len(text) * p.weight); err != nil {
		return false, err
	}
	return p.re.MatchString(text), nil
}

// weightOf is what matching with a pattern costs; one that does not compile is reported elsewhere.
func weightOf(source string) int {
	if p, err := compilePattern(source); err == nil {
		return p.weight
	}
	return reads
}
