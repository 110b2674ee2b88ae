package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// comparable gives a value in a form in which values that people take for the same are the same text: numbers as
// numbers ("$1,200" is 1200, "20%" is 20), dates and clock times as ISO, text without case, punctuation and runs of
// space. "007" stays text.
func comparable(v any) string { return compared(v, 0) }

const deepest = 40

func compared(v any, depth int) string {
	if depth > deepest {
		return "…"
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "t:" + strconv.FormatBool(v)
	case int:
		if v > -1e15 && v < 1e15 {
			return comparedFloat(float64(v))
		}
		return "n:" + strconv.Itoa(v)
	case float64:
		return comparedFloat(v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = strconv.Quote(compared(item, depth+1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for k, item := range v {
			parts = append(parts, comparableKey(k)+"="+strconv.Quote(compared(item, depth+1)))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return comparedText(fmt.Sprint(v))
}

func comparedFloat(f float64) string {
	if math.Abs(f) < 1e15 {
		return "n:" + strconv.FormatFloat(f, 'g', 12, 64)
	}
	return "n:" + strconv.FormatFloat(f, 'g', -1, 64)
}

var (
	numeral     = regexp.MustCompile(`^[$€£¥]? ?([+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?) ?%?$`)
	leadingZero = regexp.MustCompile(`^0[0-9]+$`)
	notWords    = regexp.MustCompile(`[^0-9a-z\x{0080}-\x{10ffff}]+`)
	notKey      = regexp.MustCompile(`[^a-z0-9]+`)
)

func comparedText(text string) string {
	s := strings.TrimSpace(cases.Fold().String(norm.NFKC.String(text)))
	if m := numeral.FindStringSubmatch(s); m != nil && strings.ContainsAny(m[1], "0123456789") && !leadingZero.MatchString(m[1]) && len(m[1]) < 300 {
		digits := strings.ReplaceAll(m[1], ",", "")
		if len(m[1]) > 15 {
			return "n:" + digits // more digits than a number holds
		}
		if f, err := strconv.ParseFloat(digits, 64); err == nil || math.IsInf(f, 0) {
			return "n:" + strconv.FormatFloat(f, 'g', 12, 64)
		}
	}
	s = strings.Trim(s, `'"“”‘’ `)
	if d := writtenDate(s); d != "" {
		return "t:" + d
	}
	if c := writtenClock(s); c != "" {
		return "t:" + c
	}
	if words := strings.TrimSpace(notWords.ReplaceAllString(s, " ")); words != "" {
		return "t:" + words
	}
	return "t:" + s
}

// comparableKey is a key without case and separators.
func comparableKey(k string) string {
	return strings.Trim(notKey.ReplaceAllString(cases.Fold().String(k), "_"), "_")
}

var (
	dateISO   = regexp.MustCompile(`^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?:[t ]00:00(?::00)?(?:\.0+)?z?)?$`)
	dateSlash = regexp.MustCompile(`^([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})$`)
	dateMonth = regexp.MustCompile(`^([a-z]{3,9})\.? +([0-9]{1,2})(?:st|nd|rd|th)?,? +([0-9]{4})$`)
	dateDay   = regexp.MustCompile(`^([0-9]{1,2})(?:st|nd|rd|th)?(?: of)? +([a-z]{3,9})\.?,? +([0-9]{4})$`)
	clock12   = regexp.MustCompile(`^t?([0-9]{1,2})(?::([0-9]{2}))?(?::([0-9]{2}))?(?:\.0+)?\s*([ap])\.?m\.?$`)
	clock24   = regexp.MustCompile(`^t?([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?:\.0+)?$`)
)

// writtenDate reads a whole text that is a date; "" if it is none.
func writtenDate(s string) string {
	year, month, day := "", 0, ""
	switch {
	case dateISO.MatchString(s):
		m := dateISO.FindStringSubmatch(s)
		year, month, day = m[1], atoi(m[2]), m[3]
	case dateSlash.MatchString(s):
		m := dateSlash.FindStringSubmatch(s)
		year, month, day = m[3], atoi(m[1]), m[2]
		if month > 12 {
			month, day = atoi(m[2]), m[1]
		}
	case dateMonth.MatchString(s):
		m := dateMonth.FindStringSubmatch(s)
		year, month, day = m[3], monthOf(m[1]), m[2]
	case dateDay.MatchString(s):
		m := dateDay.FindStringSubmatch(s)
		year, month, day = m[3], monthOf(m[2]), m[1]
	}
	if year == "" {
		return ""
	}
	date := fmt.Sprintf("%s-%02d-%02d", year, month, atoi(day))
	if !isDate(date) || year == "0000" {
		return ""
	}
	return date
}

func monthOf(name string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String()[:3], name[:3]) {
			return int(m)
		}
	}
	return 0
}

// writtenClock reads a whole text that is a time of day; "" if it is none.
func writtenClock(s string) string {
	hour, minute, second := 0, 0, 0
	if m := clock12.FindStringSubmatch(s); m != nil {
		hour, minute, second = atoi(m[1])%12, atoi(m[2]), atoi(m[3])
		if m[4] == "p" {
			hour += 12
		}
	} else if m := clock24.FindStringSubmatch(s); m != nil {
		hour, minute, second = atoi(m[1]), atoi(m[2]), atoi(m[3])
	} else {
		return ""
	}
	if hour > 23 || minute > 59 || second > 59 {
		return ""
	}
	return fmt.Sprintf("t%02d:%02d:%02d", hour, minute, second)
}

// atoi reads digits that a pattern has matched; "" is 0.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// absent reports a value that is as good as none.
func absent(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
