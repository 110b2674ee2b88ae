package workflow

import (
	"slices"
	"strings"
	"unicode"

	"pflow/internal/value"
	"pflow/ir"
)

// Text shows a dry run to a person: a step a line in CLI notation, and below it what is not known yet.
func (d *DryRun) Text() string {
	var b strings.Builder
	for _, s := range d.Steps {
		b.WriteString(shown(s.Node) + ": " + shown(s.Type))
		for _, k := range value.SortedKeys(s.Params) {
			b.WriteString(" --" + word(k) + "=" + word(ir.Text(s.Params[k])))
		}
		b.WriteByte('\n')
		if s.Purpose != "" {
			b.WriteString("    # " + shown(s.Purpose) + "\n")
		}
		if s.Items != nil {
			b.WriteString("    once for each of: " + word(ir.Text(s.Items)) + "\n")
		}
		var settings []string
		for _, k := range value.SortedKeys(s.Settings) {
			settings = append(settings, k+"="+word(ir.Text(s.Settings[k])))
		}
		if len(settings) > 0 {
			b.WriteString("    runs with: " + strings.Join(settings, ", ") + "\n")
		}
		for _, note := range s.Notes() {
			b.WriteString("    " + shown(note) + "\n")
		}
		if s.Approval {
			b.WriteString("    waits for approval\n")
		}
		if len(s.Pending) > 0 {
			b.WriteString("    not known before earlier steps ran: " + shown(strings.Join(slices.Compact(slices.Clone(s.Pending)), ", ")) + "\n")
		}
	}
	b.WriteString("nothing was run\n")
	return b.String()
}

// Notes says what a step does to what is there, a line each.
func (s *PlannedStep) Notes() []string {
	var out []string
	if s.Refused != "" {
		out = append(out, "will not run: "+s.Refused)
	}
	if len(s.Absent) > 0 {
		out = append(out, "not there now: "+strings.Join(s.Absent, ", "))
	}
	if s.Destroys != "" {
		out = append(out, "destroys: "+s.Destroys)
	}
	if len(s.Replaces) > 0 {
		out = append(out, "replaces: "+strings.Join(s.Replaces, ", "))
	}
	if len(s.Appends) > 0 {
		out = append(out, "appends to: "+strings.Join(s.Appends, ", "))
	}
	if len(s.Changes) > 0 {
		out = append(out, "changes:")
	}
	for _, line := range s.Changes {
		out = append(out, "  "+line)
	}
	return out
}

// word writes text as one word of a command line, with what a terminal would act on escaped.
func word(s string) string {
	plain := s != ""
	for _, r := range s {
		if !unicode.IsPrint(r) || r == '\'' || r == unicode.ReplacementChar {
			return value.JSON(s)
		}
		plain = plain && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:@%+,=${}[]", r))
	}
	if plain {
		return s
	}
	return "'" + s + "'"
}

// shown escapes what a terminal would act on.
func shown(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	quoted := value.JSON(s)
	return quoted[1 : len(quoted)-1]
}
