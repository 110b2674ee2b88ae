package ir

import (
	"regexp"
	"strings"

	"pflow/internal/diag"
)

// foreignForms are how other languages write a template: its name is in one of the groups.
var foreignForms = regexp.MustCompile(`\{\{\s*([A-Za-z_][\w-]*)\s*\}\}|\{([A-Za-z_][\w-]*)\}|%([A-Za-z_][\w-]*)%|<([A-Za-z_][\w-]*)>`)

// foreign reports an input that is written as a template of another language. It may be text that means something to
// somebody else, such as the format of a program: so it is a warning, unless nothing else reads the input of a planned
// workflow. That the input is not read is not told beside it.
func (v *validator) foreign() {
	if len(v.w.Inputs) == 0 {
		return
	}
	told := map[string]bool{}
	look := func(path string, node int, text string) {
		if !strings.ContainsAny(text, "{%<") {
			return
		}
		markup := strings.Contains(text, "</")
		for _, at := range foreignForms.FindAllStringSubmatchIndex(text, -1) {
			form := text[at[0]:at[1]]
			if at[0] > 0 && text[at[0]-1] == '$' || form[0] == '<' && markup {
				continue
			}
			name := strings.Trim(form, "{}%<> \t\r\n")
			if _, ok := v.declared[name]; !ok {
				continue
			}
			severity := diag.Warning
			if !v.used[name] {
				told[name] = true
				severity = v.planned()
			}
			v.add(severity, ForeignTemplate, path, node, "%s is text here; the input %q is written ${%s}", form, name, name).Suggestion = "${" + name + "}"
		}
	}
	for i := range v.w.Nodes {
		for _, c := range v.params[i] {
			if c.port == nil || !c.port.Raw {
				c.param.eachText(v.path(i, "."+paramPath(c.key)), func(path, text string) { look(path, i, text) })
			}
		}
		if v.items[i] != nil {
			v.items[i].eachText(v.path(i, ".batch.items"), func(path, text string) { look(path, i, text) })
		}
	}
	for i, out := range v.w.Outputs {
		v.sources[i].eachText(key(key("outputs", out.Name), "source"), func(path, text string) { look(path, -1, text) })
	}
	for name := range told {
		v.used[name] = true
	}
}
