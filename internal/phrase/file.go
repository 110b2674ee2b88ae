package phrase

import "pflow/internal/yamltree"

// decode reads a file of a grammar. The error has every finding, with its place.
func decode(name string, data []byte) (*file, error) {
	f := &file{Words: map[string][]string{}, Is: map[string][]string{}}
	doc, found := yamltree.Parse(name, data)
	if found.HasErrors() {
		return nil, found.Err()
	}
	d := &yamltree.Decoder{}
	var r Rule
	fields := fieldsOf(d, &r)
	d.Mapping(doc, "a file of phrases", yamltree.Fields{
		"words": lists(d, f.Words), "is": lists(d, f.Is),
		"guards": d.Texts(&f.Guards), "endings": d.Texts(&f.Endings), "filler": d.Texts(&f.Filler),
		"joins": d.Texts(&f.Joins),
		"rules": func(v *yamltree.Value) {
			d.Each(v, "a list of rules", func(v *yamltree.Value) {
				r = Rule{}
				d.Mapping(v, "a rule", fields)
				f.Rules = append(f.Rules, r)
			})
		},
	})
	return f, d.Found.Err()
}

func fieldsOf(d *yamltree.Decoder, r *Rule) yamltree.Fields {
	return yamltree.Fields{
		"as": d.Text(&r.As), "says": d.Texts(&r.Says), "cost": d.Number(&r.Cost, -1),
		"do": d.Text(&r.Do), "with": d.Object(&r.With), "default": d.Object(&r.Default), "each": d.Text(&r.Each), "gives": d.Text(&r.Gives),
		"steps": func(v *yamltree.Value) {
			d.Each(v, "a list of steps", func(v *yamltree.Value) {
				s := Step{}
				d.Mapping(v, "a step", yamltree.Fields{"id": d.Text(&s.ID), "do": d.Text(&s.Do), "with": d.Object(&s.With), "each": d.Text(&s.Each), "expr": d.Text(&s.Expr)})
				r.Steps = append(r.Steps, s)
			})
		},
		"value": yamltree.Plain(&r.Value), "expr": d.Text(&r.Expr), "add": d.Object(&r.Add), "on": d.Text(&r.On), "lacks": d.Texts(&r.Lacks), "off": d.Text(&r.Off), "becomes": d.Text(&r.Becomes), "params": d.Object(&r.Params),
		"makes": d.Text(&r.Makes), "piped": d.Truth(&r.Piped), "prev": d.Truth(&r.Prev), "branch": d.Truth(&r.Branch), "negate": d.Truth(&r.Negate), "first": d.Text(&r.First),
	}
}

// lists reads {name: [texts]}.
func lists(d *yamltree.Decoder, to map[string][]string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		d.Named(v, "lists of texts", func(e yamltree.Entry) {
			var list []string
			d.Texts(&list)(e.Value)
			to[e.Key] = list
		})
	}
}
