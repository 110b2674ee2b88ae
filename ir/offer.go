package ir

import (
	"regexp"
	"strings"
)

// What findings offer in the place of a template is tried before it is offered: whoever follows the advice is not told of
// another mistake at the same place.

// offer adds a reference to what is offered at a place, as a template, if it is accepted there: as it is, or with a
// default where what it reads may be missing.
func (v *validator) offer(offers []string, u use, ref string) []string {
	for _, text := range []string{"${" + ref + "}", "${" + ref + ` ?? ""}`} {
		if v.accepts(u, text) {
			return append(offers, text)
		}
	}
	return offers
}

// accepts reports whether a template has no error at a place.
func (v *validator) accepts(u use, text string) bool {
	p, problems := Compile(text)
	if e := p.Whole(); len(problems) > 0 || e == nil {
		return false
	}
	list, hints, trial := v.list, v.hints, v.trial
	v.list, v.hints, v.trial = nil, 0, true
	p.Walk(func(_ string, e *Expr) {
		o := v.expression(u, e)
		if u.node >= 0 && len(o.refs) > 0 {
			v.orders([]order{o})
		}
	})
	sound := !v.list.HasErrors()
	v.list, v.hints, v.trial = list, hints, trial
	return sound
}

// read notes that an input is used.
func (v *validator) read(input string) {
	if !v.trial {
		v.used[input] = true
	}
}

// reach lists what can stand at a place, as templates: what only this node has, the outputs of the nodes before it, nearest
// in the document first, and the inputs. For an output of the workflow that is every node.
func (v *validator) reach(u use) []string {
	const most, tries = 20, 30
	var out []string
	tried := 0
	add := func(ref string) bool {
		if tried++; tried > tries || len(out) == most {
			return false
		}
		out = v.offer(out, u, ref)
		return true
	}
	for _, ref := range v.own(u) {
		add(ref)
	}
	for _, in := range v.w.Inputs {
		if isID(in.Name) {
			add(in.Name)
		}
	}
	before := v.ancestors(u.node)
	for i := len(v.w.Nodes) - 1; i >= 0; i-- {
		if !before(i) || v.writes[i] == nil {
			continue
		}
		for _, o := range v.writes[i].Outputs {
			if u.port != nil && u.whole && o.Kind != "" && u.port.Kind != "" && o.Kind != u.port.Kind {
				continue
			}
			if !add(refText(v.w.Nodes[i].ID, []Step{{Key: o.Key}})) {
				return out
			}
		}
	}
	return out
}

// own lists what only templates at this place see.
func (v *validator) own(u use) []string {
	var out []string
	n := u.scope()
	if n < 0 {
		return nil
	}
	if b := v.w.Nodes[n].Batch; b != nil && isID(b.As) {
		out = append(out, b.As)
	}
	if v.w.Nodes[n].Repeat == nil {
		return out
	}
	out = append(out, IndexRoot)
	if v.rounds[n] != nil {
		for _, k := range v.rounds[n].OutputKeys() {
			out = append(out, refText(PreviousRoot, []Step{{Key: k}}))
		}
	}
	return out
}

// How a shell script gives a variable its value; NAME is put in.
const (
	binds   = `\b(?:for|read(?:\s+-\w+)*)\s+NAME\b`
	assigns = `(?m)\b(?:export|local|declare|readonly)(?:\s+-\w+)*\s+NAME\b|(?:^|;|&&|\|\||\b(?:do|then|else)\b|[({])\s*NAME\+?=`
)

// shellVariable gives how a name that nothing gives is written as a variable of the shell, "" if it is not likely one: the
// text gives it a value itself or, where no input can be meant, it is in capitals, as in $HOME.
func shellVariable(u use, r *Ref, implied bool) string {
	name := r.Root
	if u.node < 0 || u.whole || len(r.Path) > 0 || word(name, 0) != len(name) {
		return ""
	}
	given := func(pattern string) bool {
		found, err := regexp.MatchString(strings.ReplaceAll(pattern, "NAME", name), u.text)
		return err == nil && found
	}
	if given(binds) || !implied && (strings.ToUpper(name) == name || given(assigns)) {
		return "$$" + name
	}
	return ""
}
