package llmtest

import (
	"os"
	"time"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// Load reads a script from a YAML file.
func Load(file string) (Script, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Script{}, err
	}
	s, found := Parse(file, data)
	return s, found.Err()
}

// Parse reads a script from YAML. Findings have the kinds unknown-key, wrong-kind, bad-value, and those of YAML.
func Parse(file string, data []byte) (Script, diag.List) {
	tree, found := yamltree.Parse(file, data)
	if found.HasErrors() {
		return Script{}, found
	}
	r := &reader{}
	var s Script
	r.Mapping(tree, "a script: {reject, replies}", yamltree.Fields{
		"reject": func(v *yamltree.Value) {
			r.Each(v, "a list of features", func(item *yamltree.Value) {
				var name string
				r.OneOf(&name, Features()...)(item)
				s.Reject = append(s.Reject, name)
			})
		},
		"replies": func(v *yamltree.Value) {
			r.Each(v, "a list of replies", func(item *yamltree.Value) { s.Replies = append(s.Replies, r.reply(item)) })
		},
	})
	if !r.Found.HasErrors() {
		if _, err := compile(s); err != nil {
			r.Report(tree, yamltree.BadValue, "%v", err)
		}
	}
	return s, r.Found.Sort()
}

type reader struct{ yamltree.Decoder }

func (r *reader) reply(v *yamltree.Value) Reply {
	var p Reply
	r.Mapping(v, "a reply as a mapping", yamltree.Fields{
		"match":  r.Written(&p.Match),
		"last":   r.Written(&p.Last),
		"model":  r.Written(&p.Model),
		"schema": r.Written(&p.Schema),
		"times": func(v *yamltree.Value) {
			if v.Scalar == "any" {
				p.Times = Any
			} else if n, ok := v.Scalar.(int); ok && n > 0 {
				p.Times = n
			} else {
				r.Report(v, yamltree.BadValue, "want a whole number from 1 on, or the word any")
			}
		},
		"text":   r.Written(&p.Text),
		"json":   yamltree.Plain(&p.JSON),
		"finish": r.Written(&p.Finish),
		"fault":  r.OneOf(&p.Fault, Faults()...),
		"status": r.Within(&p.Status, 200, 599),
		"delay": func(v *yamltree.Value) {
			var text string
			if r.Written(&text)(v); text == "" {
				return
			}
			d, err := time.ParseDuration(text)
			if err != nil || d < 0 {
				r.Report(v, yamltree.BadValue, "want a duration such as 20ms")
			}
			p.Delay = d
		},
		"headers": func(v *yamltree.Value) {
			p.Headers = map[string]string{}
			r.Named(v, "a mapping from headers to texts", func(e yamltree.Entry) {
				var text string
				r.Written(&text)(e.Value)
				p.Headers[e.Key] = text
			})
		},
		"tool_calls": func(v *yamltree.Value) {
			r.Each(v, "a list of {name, arguments}", func(item *yamltree.Value) {
				var c ToolCall
				r.Mapping(item, "{name, arguments}", yamltree.Fields{"name": r.Written(&c.Name), "arguments": yamltree.Plain(&c.Arguments)})
				p.ToolCalls = append(p.ToolCalls, c)
			})
		},
		"usage": func(v *yamltree.Value) {
			p.Usage = &Usage{}
			r.Mapping(v, "{prompt, cached, completion, reasoning}", yamltree.Fields{
				"prompt":     r.Whole(&p.Usage.Prompt, 0),
				"cached":     r.Whole(&p.Usage.Cached, 0),
				"completion": r.Whole(&p.Usage.Completion, 0),
				"reasoning":  r.Whole(&p.Usage.Reasoning, 0),
			})
		},
	})
	return p
}
