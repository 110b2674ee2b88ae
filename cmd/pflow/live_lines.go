package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"pflow/internal/printable"
	"pflow/internal/runs"
)

// How much is shown: of a run that has ended, of the making of a plan, and of what one step says where others run, too, and where
// it is the only one.
const (
	mostSummary   = 30
	mostPlanLines = 10
	speechLines   = 1
	speechAlone   = 3
)

// lines are the view as it stands now: a line for the whole, and as much of the steps as fits, around those that are under way.
func (v *liveView) lines(past time.Duration, columns, height int) [][]any {
	v.mu.Lock()
	defer v.mu.Unlock()
	room := height - 2 // one for the whole, and the one that the cursor is in
	if v.most > 0 {
		room = min(room, v.most)
	}
	head := v.what
	switch {
	case v.note != "":
		head += ": " + v.note
	case v.typeOf != nil:
		head += ": " + v.counts()
	}
	out := [][]any{{head + " (" + seconds(past) + ")"}}
	return append(out, v.window(max(room, 1), columns, (*liveStep).open, v.at+time.Since(v.toldAt), false)...)
}

// summary is the view once all has ended.
func (v *liveView) summary(past time.Duration, columns int) [][]any {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.rows {
		switch s.status {
		case "":
			s.status = runs.StepNotReached
		case runs.StepOpen:
			s.status = stepStopped
		}
	}
	_, name, _ := strings.Cut(v.what, " ")
	out := [][]any{{fmt.Sprintf("%s: %s in %s", name, v.counts(), lasted(past))}}
	unusual := func(s *liveStep) bool { return s.status == stepFailed || s.status == runs.StepWaiting }
	return append(out, v.window(mostSummary, columns, unusual, v.at, true)...)
}

// counts says how many steps ended, and how.
func (v *liveView) counts() string {
	n := map[string]int{}
	for _, s := range v.rows {
		n[s.status]++
	}
	done := n[stepDone] + n[stepKept]
	text := fmt.Sprintf("%d of %d done", done, len(v.rows)-n[runs.StepSkipped])
	for _, status := range []string{stepFailed, stepStopped, runs.StepWaiting, runs.StepSkipped} {
		if n[status] > 0 {
			text += fmt.Sprintf(", %d %s", n[status], status)
		}
	}
	return text
}

// window gives the lines of the steps that fit into a number of lines: those around the steps that count.
func (v *liveView) window(room, columns int, counts func(*liveStep) bool, now time.Duration, ended bool) (out [][]any) {
	speaking := 0
	for _, s := range v.rows {
		if s.speech != nil && s.open() {
			speaking++
		}
	}
	speech := speechLines
	if speaking == 1 {
		speech = speechAlone
	}
	for speech > 0 && len(v.rows)+speaking*speech > room {
		speech--
	}
	fits := len(v.rows)+speaking*speech <= room
	if !fits && room > 3 {
		speech = speechLines
	}
	all := func(s *liveStep) [][]any {
		lines := [][]any{v.line(s, columns, now, ended)}
		if s.speech != nil && s.open() {
			for _, text := range s.speech.lines(speech, columns-2*s.indent-8) {
				lines = append(lines, []any{strings.Repeat("  ", s.indent) + "      ", v.styled(codeFaint, text)})
			}
		}
		return lines
	}
	first, last := -1, -1
	for i, s := range v.rows {
		if counts(s) {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first < 0 && !ended { // between two steps: what ended last
		for i, s := range v.rows {
			if s.status != "" && s.status != runs.StepSkipped {
				first, last = i, i
			}
		}
	}
	first, last = max(first, 0), max(last, 0)

	// The window is some steps from from on. It is made no larger than the room, whatever the steps say.
	if fits {
		for _, s := range v.rows {
			out = append(out, all(s)...)
		}
		return out
	}
	inner := max(room-2, 1) // with what is left out above and below
	from := max(0, min(first-max(0, inner-(last-first+1))/2, len(v.rows)-inner))
	if from > 0 {
		out = append(out, []any{v.styled(codeFaint, fmt.Sprintf("  … %d more", from))})
	} else {
		inner++
	}
	to := from
	for used := 0; to < len(v.rows); to++ {
		lines := all(v.rows[to])
		if left := inner - used; len(lines) > left {
			if lines = lines[:max(left, 0)]; left <= 0 {
				break
			}
		}
		used += len(lines)
		out = append(out, lines...)
	}
	if to < len(v.rows) {
		out = append(out, []any{v.styled(codeFaint, fmt.Sprintf("  … %d more", len(v.rows)-to))})
	}
	return out
}

// marks of the statuses of steps, and their styles.
var marks = map[string]styled{
	"":                  {"", "○"},
	runs.StepNotReached: {"", "○"},
	runs.StepOpen:       {codeYellow, "●"},
	runs.StepWaiting:    {codeYellow, "?"},
	runs.StepSkipped:    {"", "-"},
	stepDone:            {codeGreen, "✓"},
	stepKept:            {codeGreen, "="},
	stepFailed:          {codeRed, "✗"},
	stepStopped:         {codeRed, "✗"},
}

func (v *liveView) styled(code, text string) any {
	if v.plain || code == "" {
		return text
	}
	return styled{code, text}
}

// line is the line of a step: its mark, what it is and how far it is. On a narrow terminal its type goes first, then the end of its
// name.
func (v *liveView) line(s *liveStep, columns int, now time.Duration, ended bool) []any {
	label, kind := printable.Line(s.label), ""
	if s.kind != "" && s.kind != s.label {
		kind = " (" + printable.Line(s.kind) + ")"
	}
	status := s.tell(columns, now)
	if status != "" {
		status = ": " + status
	}
	mark := marks[s.status]
	left := columns - 2 - 2*s.indent - 4 - printable.Width(label) - printable.Width(status)
	if left < printable.Width(kind) {
		kind = ""
	}
	if left < 0 {
		room := max(8, printable.Width(label)+left)
		if printable.Width(label) > room {
			label = cutColumns(label, room-1) + "…"
		}
	}
	if s.status == stepFailed {
		return []any{strings.Repeat("  ", s.indent) + "  ", v.styled(mark.code, mark.text+" "+label+kind+status)}
	}
	return []any{strings.Repeat("  ", s.indent) + "  ", v.styled(mark.code, mark.text), " " + label + kind + status}
}

// tell says how far a step is.
func (s *liveStep) tell(columns int, now time.Duration) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch s.status {
	case "":
		return ""
	case runs.StepOpen:
		switch {
		case s.units >= 0:
			add("%s %d/%d", bar(s.unitsEnded, s.units, columns), s.unitsEnded, s.units)
			if s.unitsFailed > 0 {
				add("%d failed", s.unitsFailed)
			}
		case s.rounds > 0:
			add("round %d/%d", max(s.round, 1), s.rounds)
		}
		switch {
		case s.again:
			add("attempt %d/%d failed, another follows", s.attempt, s.attempts)
		case s.attempts > 1 && s.units < 0 && s.attempt > 1:
			add("attempt %d/%d", s.attempt, s.attempts)
		}
		add("%s", seconds(now-s.began))
		if s.speech != nil && s.speech.model {
			add("%d characters", s.speech.chars)
		}
	case runs.StepWaiting:
		add("waiting for approval")
	case stepDone, stepFailed, stepStopped:
		text := s.status
		if s.ended > 0 || s.began > 0 {
			text += " in " + lasted(s.ended-s.began)
		}
		if s.action != "" && s.action != "default" && s.status == stepDone {
			text += " -> " + s.action
		}
		parts = append(parts, text)
		if s.units >= 0 {
			add("%d of %d", s.unitsEnded-s.unitsFailed, s.units)
			if s.unitsFailed > 0 {
				add("%d failed", s.unitsFailed)
			}
		} else if s.round > 1 {
			add("%d rounds", s.round)
		}
		if s.attempt > 1 && s.units < 0 {
			add("%d attempts", s.attempt)
		}
	default:
		add("%s", strings.ReplaceAll(s.status, "_", " "))
	}
	return strings.Join(parts, ", ")
}

// bar shows a part of a whole.
func bar(part, whole, columns int) string {
	length := 20
	if columns < 70 {
		length = 8
	}
	full := length
	if whole > 0 {
		full = min(length, part*length/whole)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", length-full) + "]"
}

// seconds is a time that goes on: no more exact than it is looked at.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
	}
	return lasted(d)
}

func lasted(d time.Duration) string { return duration(float64(d.Microseconds()) / 1000) }

// styling is what programs write for terminals.
var styling = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// lines are the last ones that are not empty, with their ends where they are too long: that is what was said last.
func (s *speech) lines(most, columns int) []string {
	columns = max(columns, 8)
	text := s.end
	if seen := 4 * columns * (most + 1); len(text) > seen {
		text = text[len(text)-seen:]
	}
	text = strings.ToValidUTF8(text, "")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(styling.ReplaceAllString(text, ""))
	var out []string
	for len(text) > 0 && len(out) < most {
		at := strings.LastIndexByte(text, '\n')
		line := strings.TrimSpace(text[at+1:])
		if text = text[:max(at, 0)]; line == "" {
			continue
		}
		out = append(out, lastColumns(printable.Line(line), columns))
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// lastColumns is the end of a text that is wider.
func lastColumns(text string, room int) string {
	if printable.Width(text) <= room {
		return text
	}
	runes := []rune(text)
	at := len(runes)
	for left := room - 1; at > 0; at-- {
		if left -= printable.Columns(runes[at-1]); left < 0 {
			break
		}
	}
	return "…" + string(runes[at:])
}
