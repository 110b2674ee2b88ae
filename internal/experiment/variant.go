package experiment

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"pflow/engine"
)

// ParseVariant reads a variant as a flag has it. What it cannot be read as is the problem.
//
//	planner                               a flow by name, or ./mine.yaml by path; shipped:planner is what pflow brings along
//	planner@HEAD~3  ./mine.yaml@v1.2      as it was at a revision of git
//	planner+./metadata.tmpl               with a prompt, or the schema of a reply, of a file; its name says which
//	planner+metadata=./shorter.tmpl       the same by a file of another name
//	planner+./prompts/                    with the prompts of a folder
//	planner+params.max_generations=2      with a setting, as --set has it
//	planner+model=openai/gpt-4.1-mini     with a model
//	short=planner+./metadata.tmpl         and a name of its own
//
// Changes may follow each other; ++ stands for a + in any of them.
func ParseVariant(text string) (v Variant, problem string) {
	parts := splitChanges(text)
	first := parts[0]
	if m := namedVariant.FindStringSubmatch(first); m != nil {
		v.Name, first = m[1], m[2]
	}
	if v.Flow, v.Rev, problem = splitRevision(first); problem != "" {
		return v, problem
	}
	for _, part := range parts[1:] {
		if problem := v.change(part); problem != "" {
			return v, problem
		}
	}
	if v.Name == "" {
		v.Name = v.label()
	}
	return v, ""
}

var namedVariant = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_.-]*)=(.+)$`)

// splitChanges cuts a text at every + that is not doubled.
func splitChanges(text string) []string {
	const plus = "\x00"
	parts := strings.Split(strings.ReplaceAll(text, "++", plus), "+")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], plus, "+")
	}
	return parts
}

// splitRevision takes FLOW@REVISION apart. In a path an @ counts behind the ending of the file alone.
func splitRevision(text string) (flow, rev, problem string) {
	name, after, found := strings.Cut(text, "@")
	if found && engine.IsPath(name) || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") {
		found = false
		for _, ending := range []string{".yaml", ".yml"} {
			if i := strings.Index(text, ending+"@"); i >= 0 {
				name, after, found = text[:i+len(ending)], text[i+len(ending)+1:], true
				break
			}
		}
	}
	switch {
	case !found && text == "":
		return "", "", "want a flow: its name, or the path of its file"
	case !found:
		return text, "", ""
	case name == "":
		return "", "", fmt.Sprintf("%q names no flow before its revision", text)
	case after == "":
		return "", "", fmt.Sprintf("%q names no revision after the @: a commit, a branch, a tag, or one such as HEAD~3", text)
	case strings.HasPrefix(name, engine.Shipped):
		return "", "", fmt.Sprintf("%q: what pflow brings along has no revisions; for an earlier one name the file of it in a clone, such as ./flows/%s.yaml@%s", text, strings.TrimPrefix(name, engine.Shipped), after)
	}
	return name, after, ""
}

// promptFileEndings are those of prompts, and of the schemas of replies.
var promptFileEndings = []string{".tmpl", ".schema.json"}

// PromptName is what a file of a prompt, or of a schema, is found by; false for another file.
func PromptName(file string) (string, bool) {
	for _, ending := range promptFileEndings {
		if name, ok := strings.CutSuffix(filepath.Base(file), ending); ok && name != "" {
			return name, true
		}
	}
	return "", false
}

// change takes up one +CHANGE.
func (v *Variant) change(part string) (problem string) {
	key, text, assigned := strings.Cut(part, "=")
	if name, ok := PromptName(part); ok && !assigned {
		v.Prompts = append(v.Prompts, Prompts{Name: name, Path: part})
		return ""
	}
	if _, ok := PromptName(text); ok && assigned && !strings.Contains(key, ".") && key != "" {
		v.Prompts = append(v.Prompts, Prompts{Name: key, Path: text})
		return ""
	}
	switch {
	case assigned && key == "model" && text != "":
		v.Model = text
	case assigned && key != "" && key != "model":
		v.Set = append(v.Set, engine.Setting{Path: key, Value: text})
	case !assigned && strings.ContainsRune(part, '/'):
		v.Prompts = append(v.Prompts, Prompts{Path: part})
	default:
		return fmt.Sprintf("+%s is no change of a flow: want PATH=VALUE, model=PROVIDER/MODEL, a file NAME.tmpl or NAME.schema.json, or a folder of prompts with a / in its path; ++ stands for a +", part)
	}
	return ""
}

// label is what a variant without a name is called.
func (v *Variant) label() string {
	out := FlowLabel(v.Flow)
	if v.Rev != "" {
		out += "@" + v.Rev
	}
	for _, p := range v.Prompts {
		out += "+" + filepath.Base(p.Path)
	}
	for _, s := range v.Set {
		out += "+" + s.Path + "=" + s.Value
	}
	if v.Model != "" && (len(v.Prompts)+len(v.Set) == 0) {
		out += "+" + v.Model
	}
	return out
}
