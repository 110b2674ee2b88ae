package compose

import (
	_ "embed"
	"math"
	"sync"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// Weights are what the composer goes by; weights.yaml says what each of them is.
type Weights struct {
	Workflow, Step, Remark float64 // thresholds

	share, rest, restOfOne, bestOfWhole float64 // clauses

	hasInputs, hasAddresses, isRead, lacksInput, lacksValue, lacksPlace, lacksAddress, otherWorkflow float64 // values
	rightWay, cannotWrite, otherNumber, destroys, hasPattern, hasMedium, lacksMedium                 float64

	headed, headedAlone float64 // heads
	headedByFew         int

	sameKind, sameKey, wholeOutput, wholeInput, oneWord, nameSaid, wordSaid, mostSaid, sameType float64 // ports
	nameWords                                                                                   int
	anything, anyKind, givesIt, givesItKind, onlyAFlag, onlyANumber                             float64

	leastWire, leastGiver, sureWire, outputSpoken, farther, fartherOfAny, laterOutput float64 // wires

	leastStep, ownWord, described, named, inputsHad, besideSteps float64 // steps
}

// Weight is one of the weights that may be fitted, by its section and key in weights.yaml.
type Weight struct {
	Section, Key string
	Value        *float64
}

//go:embed weights.yaml
var weightsText []byte

// Shipped are the weights of weights.yaml. The file is part of the program, so a fault in it is one of the program.
var Shipped = sync.OnceValue(func() Weights {
	w, found := ReadWeights("embedded:weights.yaml", weightsText)
	if err := found.Err(); err != nil {
		panic("compose: " + found.Text())
	}
	return w
})

// ReadWeights reads weights as they are written in weights.yaml; file is the name that findings give. Each weight has to be there.
func ReadWeights(file string, text []byte) (Weights, diag.List) {
	var w Weights
	doc, found := yamltree.Parse(file, text)
	if found.HasErrors() {
		return w, found
	}
	var d yamltree.Decoder
	sections := map[string]yamltree.Fields{}
	for _, f := range w.Fields() {
		if sections[f.Section] == nil {
			sections[f.Section] = yamltree.Fields{}
		}
		if f.Section == thresholds {
			sections[f.Section][f.Key] = share(&d, f.Value)
			continue
		}
		sections[f.Section][f.Key] = d.Number(f.Value, math.Inf(-1))
	}
	sections["heads"]["by_few"] = d.Whole(&w.headedByFew, 1)
	sections["ports"]["name_words"] = d.Whole(&w.nameWords, 1)
	top := yamltree.Fields{}
	for name, fields := range sections {
		top[name] = func(v *yamltree.Value) { d.Every(v, "a number for each weight of "+name, fields) }
	}
	d.Every(doc, "a mapping of weights by section", top)
	return w, d.Found.Sort()
}

// thresholds is the section of weights that are confidences.
const thresholds = "thresholds"

// share reads a number from 0 to 1.
func share(d *yamltree.Decoder, to *float64) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if d.Number(to, 0)(v); *to > 1 {
			d.Report(v, yamltree.BadValue, "want a number from 0 to 1")
		}
	}
}

// Fields lists the weights, in the order of weights.yaml; counts of words and usages are none.
func (w *Weights) Fields() []Weight {
	return []Weight{
		{thresholds, "workflow", &w.Workflow}, {thresholds, "step", &w.Step}, {thresholds, "remark", &w.Remark},
		{"clauses", "share", &w.share}, {"clauses", "rest", &w.rest}, {"clauses", "rest_of_one", &w.restOfOne},
		{"clauses", "best_of_whole", &w.bestOfWhole},
		{"values", "has_inputs", &w.hasInputs}, {"values", "has_addresses", &w.hasAddresses}, {"values", "is_read", &w.isRead},
		{"values", "lacks_input", &w.lacksInput}, {"values", "lacks_value", &w.lacksValue}, {"values", "lacks_place", &w.lacksPlace},
		{"values", "lacks_address", &w.lacksAddress}, {"values", "other_workflow", &w.otherWorkflow}, {"values", "right_way", &w.rightWay},
		{"values", "cannot_write", &w.cannotWrite}, {"values", "other_number", &w.otherNumber}, {"values", "destroys", &w.destroys},
		{"values", "has_pattern", &w.hasPattern}, {"values", "has_medium", &w.hasMedium}, {"values", "lacks_medium", &w.lacksMedium},
		{"heads", "said", &w.headed}, {"heads", "alone", &w.headedAlone},
		{"ports", "same_kind", &w.sameKind}, {"ports", "same_key", &w.sameKey}, {"ports", "whole_output", &w.wholeOutput},
		{"ports", "whole_input", &w.wholeInput}, {"ports", "one_word", &w.oneWord}, {"ports", "name_said", &w.nameSaid},
		{"ports", "word_said", &w.wordSaid}, {"ports", "most_said", &w.mostSaid}, {"ports", "same_type", &w.sameType},
		{"ports", "anything", &w.anything}, {"ports", "any_kind", &w.anyKind}, {"ports", "gives_it", &w.givesIt},
		{"ports", "gives_it_kind", &w.givesItKind}, {"ports", "only_a_flag", &w.onlyAFlag}, {"ports", "only_a_number", &w.onlyANumber},
		{"wires", "least", &w.leastWire}, {"wires", "least_giver", &w.leastGiver}, {"wires", "sure", &w.sureWire},
		{"wires", "spoken", &w.outputSpoken}, {"wires", "farther", &w.farther}, {"wires", "farther_of_any", &w.fartherOfAny},
		{"wires", "later_output", &w.laterOutput},
		{"steps", "least", &w.leastStep}, {"steps", "own_word", &w.ownWord}, {"steps", "described", &w.described},
		{"steps", "named", &w.named}, {"steps", "inputs_had", &w.inputsHad}, {"steps", "beside", &w.besideSteps},
	}
}
