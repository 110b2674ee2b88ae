package trigger

import (
	"strings"
)

// Fields are the times of one cron expression as numbers, ascending, for programs that read other forms of expressions than
// this one, or read them otherwise. nil are all. Where Day and Weekday both have numbers, either is enough.
type Fields struct {
	Minute, Hour, Day, Month, Weekday []int // Sunday is 0
	// Beyond is the field that says more than numbers do: L, 1W, 2#2. "" if none does.
	Beyond string
}

// FieldsOf gives the times of each expression of Cron.
func FieldsOf(text string) ([]Fields, error) {
	schedules, err := parse(text)
	if err != nil {
		return nil, err
	}
	var out []Fields
	written := strings.Split(text, ";")
	for k, s := range schedules {
		const star = 1 << 63
		f := Fields{Minute: values(s.Minute, 0, 59), Hour: values(s.Hour, 0, 23), Day: values(s.Dom, 1, 31), Month: values(s.Month, 1, 12), Weekday: values(s.Dow, 0, 6)}
		switch words := strings.Fields(written[k]); {
		case len(s.DomConstraints) > 0:
			f.Beyond = words[2]
		case len(s.DowConstraints) > 0:
			f.Beyond = words[4]
		case s.Dom&star == 0 && s.Dow&star == 0 && (f.Day == nil || f.Weekday == nil):
			f.Day, f.Weekday = nil, nil // either is enough, and one is every day
		}
		out = append(out, f)
	}
	return out, nil
}

// values lists the numbers of a set; nil if it has all of them.
func values(set uint64, least, last int) (out []int) {
	for n := least; n <= last; n++ {
		if set&(1<<n) != 0 {
			out = append(out, n)
		}
	}
	if len(out) == last-least+1 {
		return nil
	}
	return out
}
