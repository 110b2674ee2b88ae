package compose

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// bind gives the inputs of steps the values of the request.
func (c *composer) bind(steps []*step) error {
	var inputs []mapparams.Input
	var about strings.Builder
	name := func(n int, p *ir.Port) string { return fmt.Sprintf("%s_%d", p.Key, n+1) }
	for n, s := range steps {
		s.given = map[string]binding{}
		about.WriteString(s.text() + "\n")
		for _, p := range s.inputs {
			if isPayload(lastPart(p.Key)) && n > 0 && !quotes(c.Text[s.clause[0]:s.clause[1]]) {
				continue // what an earlier step gives
			}
			inputs = append(inputs, mapparams.Input{
				Name: name(n, &p), Type: p.Type, Kind: p.Kind, Description: p.Description, Required: p.Required,
				Default: p.Default, HasDefault: p.Default != nil, Enum: choices(p.Enum), Step: s.text(), Order: n + 1,
			})
		}
	}
	r, err := mapparams.Map(c.ctx, c.Request, inputs, about.String())
	if err != nil {
		return err
	}
	for n, s := range steps {
		for _, p := range s.inputs {
			name := name(n, &p)
			at, said := r.Taken[name]
			if said && c.refers(at, steps[:n]) {
				continue // wire leads it here
			}
			v, ok := r.Extracted[name]
			anyway := ok && len(p.Enum) > 0 && value.Equal(v, p.Default) // the request names what is done anyway
			if ok && !anyway {
				s.given[p.Key] = binding{value: v, at: at}
			}
			if said {
				c.taken = append(c.taken, taken{start: at[0], end: at[1], key: p.Key, anyway: anyway})
			}
		}
	}
	return nil
}

// choices are values that there is a choice of: a flag that has one only is said by its name.
func choices(values []any) []any {
	if len(values) < 2 {
		return nil
	}
	return values
}

// refers reports whether a place of the request names what an earlier step gives: the computed volume.
func (c *composer) refers(at [2]int, earlier []*step) bool {
	if at[0] > 0 && strings.ContainsRune("\"'`", rune(c.Text[at[0]-1])) {
		return false // quoted
	}
	stems := retrieve.Stems(c.Text[at[0]:at[1]])
	for _, s := range earlier {
		does := c.stemsOf(s.text())
		for _, out := range s.of.Outputs {
			key := c.stemsOf(out.Key)
			named, other := 0, 0
			for _, stem := range stems {
				switch {
				case slices.Contains(key, stem):
					named++
				case !slices.Contains(does, stem):
					other++
				}
			}
			if named > 0 && other == 0 {
				return true
			}
		}
	}
	return false
}

// quotes reports whether a text quotes something.
func quotes(text string) bool {
	return strings.ContainsAny(text, "\"“`") || strings.Contains(text, " '")
}

// refersBack reports whether a clause speaks of what came before it.
func refersBack(clause string) bool {
	return slices.ContainsFunc(retrieve.Words(clause), func(w retrieve.Word) bool { return lexicon().back[w.Text] })
}
