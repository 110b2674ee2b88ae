package syntax

import (
	"strconv"
	"strings"
	"time"

	"pflow/engine/cond"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// What follows builds the typed tree. The tables have been checked before: a value that is of no use was reported
// then, and is left out here without a word.

func (c *checker) flow(tree *yamltree.Value) *Flow {
	f := &Flow{
		Tree: tree, File: tree.Place.File,
		Name: str(tree.Get("flow")), Description: str(tree.Get("description")),
		Extends: optional(tree.Get("extends")), Start: optional(tree.Get("start")),
		Params: mapOf(tree.Get("params")), Search: dimensions(tree.Get("search")), Functions: functions(tree.Get("functions")), State: stateKeys(tree.Get("state")), Limits: limitsOf(tree.Get("limits")),
	}
	f.Version, _ = scalar(tree.Get("version")).(int)
	partial := map[string]bool{}
	for _, bad := range c.found {
		partial[bad.Node] = true
	}
	defaults := tree.Get("defaults")
	for _, e := range tree.Get("nodes").Entries {
		n := c.nodeOf(e, defaults)
		n.Partial = partial[e.Key]
		f.Nodes = append(f.Nodes, n)
	}
	return f
}

func (c *checker) nodeOf(e yamltree.Entry, defaults *yamltree.Value) *Node {
	v := e.Value
	c.node = e.Key
	defer func() { c.node = "" }()
	n := &Node{
		ID: Str{e.Key, e.Name}, V: v, Op: str(v.Get("op")), Description: str(v.Get("description")).Text,
		Prep: bindings(v.Get("prep")), With: mapOf(v.Get("with")), Vars: bindings(v.Get("vars")), Post: bindings(v.Get("post")),
		Fallback: expr(v.Get("fallback"), cond.Expr), Action: expr(v.Get("action"), cond.Expr),
		NextV: v.Get("next"), Next: routes(v.Get("next")), Catch: optional(v.Get("catch").Get("action")),
	}
	n.MaxVisits = max(0, integer(v.Get("max_visits")))
	n.Timeout = duration(either(v, defaults, "timeout"))
	for _, percent := range []int{50, 95, 99} {
		if within := duration(v.Get("target").Get("p" + strconv.Itoa(percent))); within > 0 {
			n.Target = append(n.Target, Target{percent, within})
		}
	}
	n.Retry = c.retryOf(v.Get("retry"), defaults.Get("retry"))
	if actions := v.Get("actions"); actions != nil {
		for _, item := range actions.Items {
			n.Actions = append(n.Actions, actionCase(item))
		}
	}
	return n
}

// retryOf merges a node's retry with the flow's, field by field.
func (c *checker) retryOf(own, defaults *yamltree.Value) Retry {
	r := Retry{
		Attempts: max(1, integer(either(own, defaults, "attempts"))),
		Wait:     duration(either(own, defaults, "wait")),
		MaxWait:  duration(either(own, defaults, "max_wait")),
		On:       expr(either(own, defaults, "on"), cond.Expr),
		V:        own,
	}
	if r.V == nil {
		r.V = defaults
	}
	r.Exponential = scalar(either(own, defaults, "backoff")) == "exponential"
	switch j := scalar(either(own, defaults, "jitter")).(type) {
	case int:
		r.Jitter = float64(j)
	case float64:
		r.Jitter = j
	}
	if r.MaxWait > 0 && r.MaxWait < r.Wait {
		at := own.Get("max_wait")
		if at == nil {
			at = own.Get("wait")
		}
		if at == nil {
			at = defaults.Get("max_wait")
			c.node = "" // the same finding for every node, so it is shown once
		}
		c.report(at, BadRetry, "max_wait (%s) is shorter than wait (%s)", r.MaxWait, r.Wait)
	}
	return r
}

func (c *checker) unit(v *yamltree.Value) *Unit {
	return &Unit{V: v, Op: str(v.Get("op")), Flow: str(v.Get("flow")), Prep: bindings(v.Get("prep")), With: mapOf(v.Get("with"))}
}

// either gives a key of the first mapping, or else of the second.
func either(own, defaults *yamltree.Value, key string) *yamltree.Value {
	if v := own.Get(key); v != nil {
		return v
	}
	return defaults.Get(key)
}

func scalar(v *yamltree.Value) any {
	if v == nil {
		return nil
	}
	return v.Scalar
}

func integer(v *yamltree.Value) int {
	n, _ := scalar(v).(int)
	return n
}

func duration(v *yamltree.Value) time.Duration {
	if v == nil {
		return 0
	}
	d, _ := readDuration(v)
	return d
}

func mapOf(v *yamltree.Value) *yamltree.Value {
	if v == nil || v.Kind != yamltree.Map {
		return nil
	}
	return v
}

func str(v *yamltree.Value) Str {
	if v == nil || v.Kind != yamltree.String {
		return Str{}
	}
	return Str{v.Text, v}
}

func optional(v *yamltree.Value) *Str {
	if s := str(v); s.V != nil {
		return &s
	}
	return nil
}

// expr reads an expression; a literal that is no text is its own source.
func expr(v *yamltree.Value, lang cond.Lang) *Expr {
	switch {
	case v == nil, v.Kind == yamltree.Seq, v.Kind == yamltree.Map:
		return nil
	case v.Kind == yamltree.String:
		return &Expr{Lang: lang, Source: v.Text, V: v}
	}
	return &Expr{Lang: lang, Source: value.JSON(v.Scalar), V: v}
}

// valueOf reads an expression, or a mapping or a list of such values; nil if there is what was reported in it.
func valueOf(v *yamltree.Value, lang cond.Lang) *Expr {
	switch v.Kind {
	case yamltree.Map:
		out := &Expr{Lang: lang, V: v}
		for _, e := range v.Entries {
			part := partOf(e.Value, lang)
			if part == nil {
				return nil
			}
			out.Fields = append(out.Fields, Binding{Str{e.Key, e.Name}, *part})
		}
		return out
	case yamltree.Seq:
		out := &Expr{Lang: lang, V: v}
		for _, item := range v.Items {
			part := partOf(item, lang)
			if part == nil {
				return nil
			}
			out.Items = append(out.Items, *part)
		}
		return out
	}
	return expr(v, lang)
}

// partOf is valueOf inside a mapping or a list.
func partOf(v *yamltree.Value, lang cond.Lang) *Expr {
	if v.Kind == yamltree.Null || v.Kind == yamltree.String && strings.TrimSpace(v.Text) == "" {
		return nil
	}
	return valueOf(v, lang)
}

func bindings(v *yamltree.Value) []Binding {
	if mapOf(v) == nil {
		return nil
	}
	out := make([]Binding, 0, len(v.Entries))
	for _, e := range v.Entries {
		if x := valueOf(e.Value, cond.Expr); x != nil {
			out = append(out, Binding{Str{e.Key, e.Name}, *x})
		}
	}
	return out
}

func functions(v *yamltree.Value) []Function {
	if mapOf(v) == nil {
		return nil
	}
	var out []Function
	for _, e := range v.Entries {
		f := Function{Name: Str{e.Key, e.Name}, V: e.Value}
		if args := e.Value.Get("args"); args != nil && args.Kind == yamltree.Seq {
			for _, arg := range args.Items {
				f.Args = append(f.Args, Str{arg.Text, arg})
			}
			if f.Body = expr(e.Value.Get("expr"), cond.Expr); f.Body == nil {
				f.Body = expr(e.Value.Get("cel"), cond.CEL)
			}
		}
		out = append(out, f)
	}
	return out
}

func actionCase(v *yamltree.Value) ActionCase {
	a := ActionCase{Action: str(v.Get("action")), V: v, Cond: expr(v.Get("expr"), cond.Expr)}
	if a.Cond == nil {
		a.Cond = expr(v.Get("cel"), cond.CEL)
	}
	return a
}

func routes(v *yamltree.Value) []Route {
	if to := str(v); to.V != nil {
		return []Route{{Str{"default", v}, to}}
	}
	if mapOf(v) == nil {
		return nil
	}
	var out []Route
	for _, e := range v.Entries {
		if to := str(e.Value); to.V != nil {
			out = append(out, Route{Str{e.Key, e.Name}, to})
		}
	}
	return out
}

func stateKeys(v *yamltree.Value) []StateKey {
	if mapOf(v) == nil {
		return nil
	}
	var out []StateKey
	for _, e := range v.Entries {
		k := StateKey{Name: Str{e.Key, e.Name}, Type: value.Any, TypeV: e.Value.Get("type"), DefaultV: e.Value.Get("default")}
		if k.TypeV != nil && isType(k.TypeV) {
			k.Type = value.Type(k.TypeV.Text)
		}
		k.Required = scalar(e.Value.Get("required")) == true
		k.Description = str(e.Value.Get("description")).Text
		if k.DefaultV != nil {
			k.HasDefault, k.Default = true, k.DefaultV.Plain()
			if fit, err := value.Fits(k.Type, k.Default); err == nil {
				k.Default = fit
			}
		}
		out = append(out, k)
	}
	return out
}

func limitsOf(v *yamltree.Value) Limits {
	l := Limits{V: mapOf(v)}
	if l.V == nil {
		return l
	}
	for _, e := range v.Entries {
		switch {
		case e.Key == "steps":
			l.Steps = max(0, integer(e.Value))
		case e.Key == "timeout":
			l.Timeout = duration(e.Value)
		default:
			m := Meter{Name: Str{e.Key, e.Name}}
			switch n := e.Value.Scalar.(type) {
			case int:
				m.Max = float64(n)
			case float64:
				m.Max = n
			default:
				continue
			}
			l.Meters = append(l.Meters, m)
		}
	}
	return l
}
