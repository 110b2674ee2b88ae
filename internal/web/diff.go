package web

import "strings"

// change is a difference in what a flow or a workflow means.
type change struct {
	Flow, Kind, Path string
	Change           string // added, removed or changed
	Diff             string // of texts of several lines, unified
	Old, New         any    // nil: there was none, or there is none
}

// Lines are what was and what is now.
func (c change) Lines() (out []diffLine) {
	if c.Diff != "" {
		return linesOfDiff(c.Diff)
	}
	side := func(mark string, v any) {
		if v == nil {
			return
		}
		for line := range strings.SplitSeq(strings.TrimRight(valueOf("", v).Text, "\n"), "\n") {
			out = append(out, diffLine{mark, line})
		}
	}
	side("del", c.Old)
	side("ins", c.New)
	return out
}

// diffLine is a line of a difference, without its sign, which the page's style puts before it. Mark is ins, del, mod, or "" of
// what stays.
type diffLine struct{ Mark, Text string }

// linesOfDiff are the lines of a unified difference.
func linesOfDiff(text string) (out []diffLine) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		l := diffLine{"", line} // @@
		for sign, mark := range map[string]string{"+": "ins", "-": "del", " ": ""} {
			if rest, ok := strings.CutPrefix(line, sign); ok {
				l = diffLine{mark, rest}
			}
		}
		out = append(out, l)
	}
	return out
}

// changeLines are the lines in which pflow flow diff tells what changed. What is indented below one is a unified difference of a text.
func changeLines(lines []string) []diffLine {
	marks := map[string]string{"+": "ins", "-": "del", "~": "mod"}
	out := make([]diffLine, 0, len(lines))
	for _, line := range lines {
		if inner, ok := strings.CutPrefix(line, "    "); ok && inner != "" && !strings.HasPrefix(inner, "@@") {
			out = append(out, diffLine{marks[inner[:1]], "  " + inner[1:]})
		} else if sign, rest, ok := strings.Cut(line, " "); ok && marks[sign] != "" {
			out = append(out, diffLine{marks[sign], rest})
		} else {
			out = append(out, diffLine{"", line})
		}
	}
	return out
}
