package extract

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tokenForm is a number with its grouping and decimals, a word, or one sign.
var tokenForm = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|\pL+(?:['’]\pL+)*|[^\s\pL\d]`)

// writtenForms are what is recognized by how it is written. Of forms that match at one place the first counts.
var writtenForms = []struct {
	kind string
	form *regexp.Regexp
}{
	{Quoted, regexp.MustCompile("\"[^\"\n]+\"|“[^”\n]+”|`[^`\n]+`|(?:^|[\\s(:=,])('[^'\n]+')(?:$|[\\s),.;:?!])")},
	{URL, regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>]+|\bwww\.[^\s"'<>]+\.[^\s"'<>]+`)},
	{Email, regexp.MustCompile(`[\pL\d._%+-]+@[\pL\d-]+(?:\.[\pL\d-]+)+`)},
	{Issue, regexp.MustCompile(`#(\d+)\b`)},
	{Version, regexp.MustCompile(`\bv\d+(?:\.\d+)*(?:-[\pL\d.]+)?\b|\b\d+\.\d+\.\d+(?:[-+][\pL\d.]+)?\b`)},
	{Path, regexp.MustCompile(`(?:^|\s)(\.{1,2}|\.\pL[\pL\d_-]{8,30})(?:$|[\s,;:!?])`)},
	{Path, regexp.MustCompile(`(?:~|\.{1,2})?/[\pL\d._~*@+-][\pL\d._~/*@+-]*|[\pL\d._~*@+-]*[\pL_*~][\pL\d._~*@+-]*/[\pL\d._~/*@+-]*|` +
		`(?:\*|[\pL\d_-][\pL\d_.*-]*)?\.[\pL][\pL\d]{0,7}\b`)},
}

var repoForm = regexp.MustCompile(`^[\pL\d][\pL\d_-]*/[\pL\d][\pL\d_-]*$`)

// written finds the entities that are recognized by how they are written.
func written(text string) []Entity {
	var out []Entity
	free := func(start, end int) bool {
		return !slices.ContainsFunc(out, func(e Entity) bool { return start < e.End && end > e.Start })
	}
	for _, f := range writtenForms {
		for _, m := range f.form.FindAllStringSubmatchIndex(text, -1) {
			start, end := m[0], m[1]
			if len(m) > 3 && m[2] >= 0 && (f.kind == Quoted || f.kind == Path) {
				start, end = m[2], m[3]
			}
			alone := f.kind == Path && len(m) > 3 && m[2] >= 0
			for !alone && end > start && strings.IndexByte(".,;:!?)", text[end-1]) >= 0 {
				end--
			}
			if f.kind == Path && !alone && !isPath(text, start, end) || !free(start, end) {
				continue
			}
			e := Entity{Kind: f.kind, Text: text[start:end], Start: start, End: end, Value: text[start:end]}
			switch f.kind {
			case Quoted:
				e.Value = strings.Trim(e.Text, "\"'`“”")
			case Issue:
				n, err := strconv.Atoi(text[m[2]:m[3]])
				if err != nil {
					continue
				}
				e.Value = n
			case Path:
				if repoForm.MatchString(e.Text) && strings.Count(e.Text, "/") == 1 && repoCue.MatchString(text[:start]) {
					e.Kind = Repo
				}
			}
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entity) int { return a.Start - b.Start })
	return out
}

var repoCue = regexp.MustCompile(`(?i)\b(?:repo|repository|project|fork|github)\W+(?:of|for|named|called|in)?\W*$`)

// isPath tells a path from other words with a dot or a slash: and/or, e.g., U.S., a sentence without a blank behind it.
func isPath(text string, start, end int) bool {
	s := text[start:end]
	if s == "" || start > 0 && (isLetter(text[start-1]) || isDigit(text[start-1]) || text[start-1] == '.' && s[0] != '.') {
		return false
	}
	if strings.Contains(s, "/") {
		if strings.Trim(s, "/.~") == "" {
			return false
		}
		for _, part := range strings.Split(s, "/") {
			if part == "or" || part == "and" {
				return false
			}
		}
		return !slashDate.MatchString(s)
	}
	dot := strings.LastIndexByte(s, '.')
	stem, ending := s[:dot], s[dot+1:]
	if len(ending) < 2 && !strings.ContainsAny(stem, "_-") && (len(stem) < 2 || ending != strings.ToLower(ending)) {
		return false // e.g, U.S
	}
	// A sentence that goes on without a blank has a capital behind the dot; a decimal has digits before it.
	if ending[0] >= 'A' && ending[0] <= 'Z' && ending != strings.ToUpper(ending) || strings.Trim(stem, "0123456789") == "" && stem != "" {
		return false
	}
	switch strings.ToLower(ending) {
	case "am", "pm", "etc":
		return false
	}
	return true
}

var slashDate = regexp.MustCompile(`(?i)^\d+/(?:\d+|[a-z]{3,9})(?:/\d+)?$|^[a-z]{3,9}/\d{4}$`)

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }
