package phrase

import (
	"slices"
	"strings"

	"pflow/internal/value"
)

const (
	costOfTaking = 0.1 // what was given is taken as something else
	mostTakings  = 3
)

// takes notes the rules by which something of one sort is taken as one of another: those with a pattern that is a slot alone.
func (g *Grammar) takes(r *Rule) {
	if r.Prev || r.Piped || r.Branch || r.On != "" {
		return
	}
	for _, text := range r.Says {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "{") || strings.IndexByte(text, '}') != len(text)-1 {
			continue
		}
		slot, sort, named := strings.Cut(strings.Trim(text, "{}"), ":")
		if !named {
			sort = slot
		}
		if g.taken[r.As] == nil {
			g.taken[r.As] = map[string]taking{}
		}
		if old := g.taken[r.As][sort]; old.rule == nil || old.rule.Cost > r.Cost {
			g.taken[r.As][sort] = taking{r, slot}
		}
	}
}

// previous is what was given last as a sort that it is, or can be taken as; nil if there is no such thing.
func (s *resolver) previous(sort string) *val {
	if s.last == nil {
		return nil
	}
	if s.g.is(s.last.sort, sort) {
		return s.last
	}
	if v, ok := s.as[sort]; ok {
		return v
	}
	if s.as == nil {
		s.as = map[string]*val{s.last.sort: s.last}
	}
	v := s.last
	for _, step := range s.g.way(s.last.sort, sort) {
		if s.as[step.rule.As] != nil {
			v = s.as[step.rule.As]
			continue
		}
		m := step.rule.mean(s.g, &bindings{step.slot, &edge{sort: v.sort, meaning: &meaning{val: v}}, nil})
		if m == nil || m.val == nil {
			return nil
		}
		s.cost += costOfTaking
		s.more = append(s.more, m.steps...)
		v = m.val
		s.as[step.rule.As] = v
	}
	if s.as[sort] == nil {
		return nil
	}
	return v
}

// sortDisplay is what something is taken as where it is shown, if an expression does that: a list of lines as a text.
const sortDisplay = "display"

// What a step gives is shown as it is: another step for that would be one too many.
func (g *Grammar) display(v *val) *val {
	if v.expr == nil {
		return v
	}
	shown := v
	for _, step := range g.way(v.sort, sortDisplay) {
		m := step.rule.mean(g, &bindings{step.slot, &edge{sort: shown.sort, meaning: &meaning{val: shown}}, nil})
		if m == nil || m.val == nil || len(m.steps) > 0 {
			return v
		}
		shown = m.val
	}
	return shown
}

// taking is a rule by which something is taken as something else, and the slot that it is then.
type taking struct {
	rule *Rule
	slot string
}

// way is the shortest way from one sort to another; nil if there is none.
func (g *Grammar) way(from, to string) []taking {
	if g == nil {
		return nil
	}
	ways := map[string][]taking{from: nil}
	for at := []string{from}; len(at) > 0 && len(ways[at[0]]) < mostTakings; at = at[1:] {
		for _, as := range value.SortedKeys(g.taken) {
			rule := g.taken[as][at[0]]
			if _, been := ways[as]; been || rule.rule == nil {
				continue
			}
			ways[as] = append(slices.Clone(ways[at[0]]), rule)
			if as == to {
				return ways[as]
			}
			at = append(at, as)
		}
	}
	return nil
}
