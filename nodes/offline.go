package nodes

import (
	"cmp"
	"fmt"
	"pflow/ir"
	"regexp"
	"slices"
	"strings"
)

type entity struct { // something that a text names, at byte offsets
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Value string `json:"value"`
}

var entityForms = regexp.MustCompile(`(?P<quoted>"[^"]+"|'[^']+')|(?P<url>\w+://[^\s,;"]+)|` +
	`(?P<path>[\pL\d_~.+-]*/[\pL\d_~.+/-]*|[\pL\d_~+.-]*\.\pL\w*)|(?P<number>-?\d+(?:\.\d+)?\b)|(?P<identifier>[\pL\d_'’-]+)`)
var stopWords = strings.Fields("I a an the this that it its is are be to from into onto in on at of as by for with and then " +
	"or please can could would you we me my your make do give take want need like let just")
var word, ending = regexp.MustCompile(`[\pL\d]+`), regexp.MustCompile(`(\pL{3})(?:ing|ed|es|s|e)$`)

func entities(text string) []entity {
	out := []entity{}
	for _, m := range entityForms.FindAllStringSubmatchIndex(text, -1) {
		kind := slices.IndexFunc(m[2:], func(at int) bool { return at >= 0 })/2 + 1
		t := strings.TrimRight(text[m[0]:m[1]], ".")
		if !slices.Contains(stopWords, t) && (m[0] > 0 || !slices.Contains(stopWords, strings.ToLower(t))) {
			out = append(out, entity{entityForms.SubexpNames()[kind], t, m[0], m[0] + len(t), strings.Trim(t, `"'`)})
		}
	}
	return out
}

func words(text string) (out []string) {
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		if !slices.Contains(stopWords, w) { // what remains has a meaning, of which the stem is enough
			out = append(out, ending.ReplaceAllString(strings.ReplaceAll(w, "ie", "y"), "$1"))
		}
	}
	return out
}

// values are the entities that are not just words of what a component says of itself and its inputs.
func values(all []entity, c ir.Interface) []entity {
	text := c.Name + " " + c.Description
	for _, p := range c.Inputs {
		text += " " + p.Key + " " + p.Description
	}
	known := words(text)
	return slices.DeleteFunc(slices.Clone(all), func(e entity) bool {
		own := words(e.Text)
		return e.Kind == "identifier" && len(own) > 0 && !slices.ContainsFunc(own, func(w string) bool { return !slices.Contains(known, w) })
	})
}

type candidate struct {
	Name       string  `json:"name"`
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
}

// retrieve ranks by the share of what the request names that is in a candidate's own words.
func retrieve(p prep) any {
	out, all := []candidate{}, entities(p.Request)
	for _, c := range p.Candidates {
		own := len(all) - len(values(all, c))
		out = append(out, candidate{c.Name, float64(own) / max(1, float64(len(all))), fmt.Sprintf("%d of %d words", own, len(all))})
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out
}

// compose takes the first interface that leaves nothing of the request over: each word is one of its own, each value
// has an input. The values stay out of the workflow, which is null where nothing fits.
func compose(p prep) any {
	for _, c := range p.Interfaces {
		if len(values(p.Entities, c)) <= len(c.Inputs) {
			params, inputs := map[string]any{}, map[string]ir.Port{}
			for _, in := range c.Inputs {
				params[in.Key] = "${" + in.Key + "}"
				inputs[in.Key] = ir.Port{Type: in.Type, Required: true, Description: in.Description}
			}
			n := ir.Node{ID: c.Name, Type: c.Name, Params: params, Purpose: c.Description}
			return ir.Workflow{Version: "0.1.0", Nodes: []ir.Node{n}, Edges: []map[string]string{}, Inputs: inputs}
		}
	}
	return nil
}

// mapParams gives each value of the request to the input whose words stand before it (2) or name its kind (1), else in
// the order of mention. Words of the purpose are no values. Result: {extracted, missing}.
func mapParams(p prep) any {
	extracted, used := map[string]string{}, map[int]bool{}
	found := values(entities(p.Request), ir.Interface{Name: p.Purpose, Inputs: p.Inputs})
	for least := 3; least >= 0; least-- {
		for _, in := range p.Inputs {
			text := strings.ReplaceAll(" "+in.Key+" "+in.Description+" ", "_", " ")
			for i, e := range found {
				before := strings.Fields("- " + strings.ToLower(p.Request[:e.Start]))
				cue := strings.ReplaceAll(strings.Trim(before[len(before)-1], "-="), "_", " ")
				score := 2*strings.Count(text, " "+cue+" ") + strings.Count(text, " "+e.Kind+" ")
				if score >= least && extracted[in.Key] == "" && !used[i] {
					extracted[in.Key], used[i] = e.Value, true
				}
			}
		}
	}
	missing := slices.DeleteFunc(p.Inputs, func(in ir.Port) bool { return extracted[in.Key] != "" })
	return map[string]any{"extracted": extracted, "missing": missing}
}
