package ir

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Setting is a number or a duration that says how a node runs: it stands in the document, or one template gives it when
// the node's turn comes.
type Setting[T int | time.Duration] struct {
	Value    T      // unless there is a template
	Template string // "${name}"; "" if the document has the value
}

// Count is a whole number from 1 on, Span a duration.
type (
	Count = Setting[int]
	Span  = Setting[time.Duration]
)

// Given reports whether the setting says anything.
func (s Setting[T]) Given() bool { return s.Value != 0 || s.Template != "" }

// Written is the setting as it stands in the document.
func (s Setting[T]) Written() any {
	if s.Template != "" {
		return s.Template
	}
	if d, ok := any(s.Value).(time.Duration); ok {
		return Duration(d)
	}
	return int(s.Value)
}

// NamedSetting is a setting of a node with its path.
type NamedSetting struct {
	Path     string // in the node: retry.attempts
	Value    any    // as it stands in the document
	Template bool   // the value is one
	Duration bool   // it is a duration, not a number
	Raw      bool   // it is no template, whatever stands in it
}

// Settings lists the numbers and durations that a node is given, in the order of the document, with what else says how
// often it runs and is not what every node has.
func (n *Node) Settings() []NamedSetting {
	var out []NamedSetting
	retry := func(path string, r *Retry) {
		if r == nil {
			return
		}
		out = append(out, named(path+".attempts", r.Attempts))
		if r.Wait.Given() {
			out = append(out, named(path+".wait", r.Wait))
		}
		if r.Exponential {
			out = append(out, NamedSetting{Path: path + ".backoff", Value: "exponential"})
		}
	}
	retry("retry", n.Retry)
	if n.Timeout.Given() {
		out = append(out, named("timeout", n.Timeout))
	}
	if b := n.Batch; b != nil {
		if b.OnError != "fail" {
			out = append(out, NamedSetting{Path: "batch.on_error", Value: b.OnError})
		}
		if b.Concurrency != (Count{Value: 1}) {
			out = append(out, named("batch.concurrency", b.Concurrency))
		}
		retry("batch.retry", b.Retry)
	}
	if r := n.Repeat; r != nil {
		out = append(out, NamedSetting{Path: "repeat.until", Value: r.Until, Raw: true}, named("repeat.max", r.Max))
		if r.Wait.Given() {
			out = append(out, named("repeat.wait", r.Wait))
		}
	}
	return out
}

func named[T int | time.Duration](path string, s Setting[T]) NamedSetting {
	_, duration := any(s.Value).(time.Duration)
	return NamedSetting{Path: path, Value: s.Written(), Template: s.Template != "", Duration: duration}
}

// ReadCount reads a whole number from 1 on out of what a template gave; text may hold it. The error is of kind type.
func ReadCount(v any) (int, error) {
	if got, err := Coerce(value.Integer, v); err == nil {
		if n, ok := got.(int); ok && n >= 1 {
			return n, nil
		}
	}
	return 0, fault.New(fault.Type, "want a whole number from 1 on, got %s", value.Describe(tidy(v)))
}

// ReadSpan reads a duration out of what a template gave: text as in "30s". zero tells that it may be none. The error is
// of kind type.
func ReadSpan(v any, zero bool) (time.Duration, error) {
	text, ok := v.(string)
	if ok {
		if d, err := time.ParseDuration(strings.TrimSpace(text)); err == nil && (d > 0 || d == 0 && zero) {
			return d, nil
		}
	}
	unit := ""
	if n, number := tidy(v).(int); number {
		unit = "; write its unit with it, as in " + strconv.Quote(strconv.Itoa(n)+"s")
	}
	return 0, fault.New(fault.Type, `want a duration as in "500ms", "30s" or "2m", got %s%s`, value.Describe(tidy(v)), unit)
}

// template takes a setting that is no literal: a text with a template in it, or with a malformed one, which the validator
// reports.
func (d *decoder) template(v any) (string, bool) {
	s, ok := v.(string)
	if !ok {
		return "", false
	}
	t, problem := ParseTemplate(s)
	if problem != nil {
		return s, true
	}
	_, fixed := t.fixed()
	return s, !fixed
}

func (d *decoder) count(path string, v any) Count {
	if t, ok := d.template(v); ok {
		return Count{Template: t}
	}
	if n, ok := v.(json.Number); ok {
		if i, err := strconv.Atoi(string(n)); err == nil && i >= 1 {
			return Count{Value: i}
		}
	}
	d.want(path, "a whole number from 1 on, or one template that gives it", v)
	return Count{Value: 1}
}

func (d *decoder) span(path string, v any, zero bool) Span {
	if t, ok := d.template(v); ok {
		return Span{Template: t}
	}
	if s, ok := v.(string); ok {
		if t, err := time.ParseDuration(s); err == nil && (t > 0 || t == 0 && zero) {
			return Span{Value: t}
		}
	}
	d.want(path, `a duration as in "500ms", "30s" or "2m", or one template that gives it`, v)
	return Span{}
}

// setting writes a setting.
func setting[T int | time.Duration](o *writer, k string, s Setting[T]) { o.value(k, s.Written()) }

// openSetting is a setting that a template gives, compiled.
type openSetting struct {
	NamedSetting
	param *Param
	port  *Port
}

// settings compiles the templates of a node's settings. Each is one template and no longer text.
func (v *validator) settings(node int) (out []openSetting) {
	for _, s := range v.w.Nodes[node].Settings() {
		if !s.Template {
			continue
		}
		path := v.path(node, "."+s.Path)
		p, broken := v.template(s.Value, path, node)
		what, read := "a whole number", func(v any) error { _, err := ReadCount(v); return err }
		port := &Port{Key: s.Path, Type: value.Integer}
		if s.Duration {
			what, read = `a duration as in "30s"`, func(v any) error { _, err := ReadSpan(v, true); return err }
			port.Type = value.String
		}
		whole := p.Whole()
		if whole == nil {
			if !broken {
				v.error(BadTemplate, path, node, "%s is %s or exactly one template, as in \"${limit}\", with no text around it", s.Path, what)
			}
			continue
		}
		for _, alt := range whole.Alts {
			if alt.Ref == nil {
				if err := read(alt.Literal); err != nil {
					v.error(BadParamType, path, node, "%s: %s: %v", s.Path, whole.Text, err)
				}
			}
		}
		out = append(out, openSetting{s, p, port})
	}
	return out
}
