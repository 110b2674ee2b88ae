package experiment

import (
	"pflow/internal/value"
)

// Counts are hits, what was planned, and what was expected, of one kind of thing.
type Counts struct{ Hits, Planned, Expected int }

// F1 is 2·hits/(planned+expected); 1 where nothing was expected and nothing planned.
func (c Counts) F1() float64 {
	if c.Planned+c.Expected == 0 {
		return 1
	}
	return 2 * float64(c.Hits) / float64(c.Planned+c.Expected)
}

func (c Counts) exact() bool { return c.Hits == c.Planned && c.Hits == c.Expected }

func (c *Counts) add(d Counts) {
	c.Hits, c.Planned, c.Expected = c.Hits+d.Hits, c.Planned+d.Planned, c.Expected+d.Expected
}

// matchNames compares multisets.
func matchNames(got, want []string) Counts {
	left := map[string]int{}
	for _, name := range got {
		left[name]++
	}
	c := Counts{Planned: len(got), Expected: len(want)}
	for _, name := range want {
		if left[name] > 0 {
			left[name]--
			c.Hits++
		}
	}
	return c
}

// matchEdges compares sets.
func matchEdges(got map[edge]bool, want []edge) Counts {
	set := map[edge]bool{}
	for _, e := range want {
		set[e] = true
	}
	c := Counts{Planned: len(got), Expected: len(set)}
	for e := range set {
		if got[e] {
			c.Hits++
		}
	}
	return c
}

// matchParams compares params. With ParamsListed only planned params that are expected, whatever their value, are
// counted, a key "*" standing for one of the node's other params.
func matchParams(got []param, want []ParamExpect, mode string) Counts {
	left := append([]param{}, got...)
	hits := 0
	named, free := map[edge]bool{}, map[string]int{}
	for _, w := range want {
		key := w.Key
		if key == "*" {
			free[w.Node]++
		} else {
			key = comparableKey(key)
			named[edge{w.Node, key}] = true
		}
		for i, g := range left {
			if g.node == w.Node && (key == "*" || g.key == key) && w.fits(g.value) {
				left = append(left[:i], left[i+1:]...)
				hits++
				break
			}
		}
	}
	c := Counts{Hits: hits, Planned: len(got), Expected: len(want)}
	if mode == ParamsListed {
		counted, others := 0, map[string]int{}
		for _, g := range got {
			if named[edge{g.node, g.key}] {
				counted++
			} else {
				others[g.node]++
			}
		}
		for node, n := range free {
			counted += min(n, others[node])
		}
		c.Planned = max(counted, hits)
	}
	return c
}

// fits reports whether a value is the one that is expected.
func (w ParamExpect) fits(v any) bool {
	if w.Type == "" {
		return comparable(v) == comparable(w.Value)
	}
	t := value.TypeOf(v)
	return t == w.Type || w.Type == value.Any || w.Type == value.Number && t == value.Integer
}

// accepted reports whether a value is one that the accepted one allows. Objects among the accepted hold lists of what is
// accepted for each member; "" among them lets it be left out. Text may hold lists and objects as JSON.
func accepted(v, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		have, ok := inText(v).(map[string]any)
		if !ok {
			return false
		}
		lists := map[string][]any{}
		for k, x := range want {
			list, ok := x.([]any)
			if !ok {
				list = []any{x}
			}
			lists[comparableKey(k)] = list
		}
		return fitsArgs(have, lists)
	case []any:
		have, ok := inText(v).([]any)
		if !ok || len(have) != len(want) {
			return false
		}
		for i := range want {
			if !accepted(have[i], want[i]) {
				return false
			}
		}
		return true
	}
	return comparable(v) == comparable(want)
}

// inText is a list or an object that a text holds as JSON, else the value itself.
func inText(v any) any {
	if s, ok := v.(string); ok {
		if parsed, err := value.ParseJSON([]byte(s)); err == nil {
			switch parsed.(type) {
			case []any, map[string]any:
				return parsed
			}
		}
	}
	return v
}

// fitsArgs reports whether every argument is accepted, none is extra, and those left out may be.
func fitsArgs(have map[string]any, want map[string][]any) bool {
	given := map[string]any{}
	for k, v := range have {
		key := comparableKey(k)
		if _, known := want[key]; !known {
			return false
		}
		given[key] = v
	}
	for k, list := range want {
		if v, ok := given[k]; ok {
			if !acceptedAny(v, list) {
				return false
			}
		} else if !optional(list) {
			return false
		}
	}
	return true
}

func acceptedAny(v any, list []any) bool {
	if v == (missing{}) {
		return false
	}
	for _, want := range list {
		if accepted(v, want) {
			return true
		}
	}
	return false
}

// optional reports whether an argument may be left out: "" says so, and no value, or an empty one, is as good.
func optional(list []any) bool {
	for _, v := range list {
		if absent(v) {
			return true
		}
	}
	return len(list) == 0
}

// matchCalls reports whether the planned calls can be paired with the expected ones so that every argument is accepted.
func matchCalls(got []call, want []CallExpect) bool {
	if len(got) != len(want) {
		return false
	}
	taken := make([]int, len(want)) // 1 + the planned call that has it
	var pair func(i int, tried []bool) bool
	pair = func(i int, tried []bool) bool {
		for j, w := range want {
			if tried[j] || got[i].node != w.Node || !fitsArgs(got[i].args, w.Args) {
				continue
			}
			tried[j] = true
			if taken[j] == 0 || pair(taken[j]-1, tried) {
				taken[j] = i + 1
				return true
			}
		}
		return false
	}
	for i := range got {
		if !pair(i, make([]bool, len(want))) {
			return false
		}
	}
	return true
}

// callValues counts the values of calls; calls of one type are taken in order. Expected are the arguments that are given
// or may not be left out.
func callValues(got []call, want []CallExpect) Counts {
	var c Counts
	pool := map[string][]map[string]any{}
	for _, g := range got {
		pool[g.node] = append(pool[g.node], g.args)
		c.Planned += len(g.args)
	}
	for _, w := range want {
		var have map[string]any
		if list := pool[w.Node]; len(list) > 0 {
			have, pool[w.Node] = list[0], list[1:]
		}
		for k, list := range w.Args {
			v, given := have[k]
			if given && acceptedAny(v, list) {
				c.Hits++
			}
			if given || !optional(list) {
				c.Expected++
			}
		}
	}
	return c
}
