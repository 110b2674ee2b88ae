package mapparams

import (
	"math"
	"regexp"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
	"pflow/internal/value"
)

// wants is the sort of value that an input's name and kind ask for.
type wants int

const (
	wantsAnything wants = iota
	wantsPath
	wantsURL
	wantsEmail
	wantsDate
	wantsTime
	wantsDuration
	wantsMoney
	wantsCode
	wantsName
	wantsPlace
	wantsText
	wantsRepo
)

// wantWords are what programs call such inputs; the last word of a name that is one of them decides.
var wantWords = func() map[string]wants {
	out := map[string]wants{}
	for w, words := range map[wants]string{
		wantsPath:     "path file filename folder directory dir image audio video document",
		wantsURL:      "url uri link website endpoint webpage href",
		wantsEmail:    "email mail recipient sender cc bcc",
		wantsDate:     "date day deadline birthday since until checkin checkout",
		wantsTime:     "time hour clock",
		wantsDuration: "duration length timeout period",
		wantsMoney:    "price amount cost budget salary income payment fee balance",
		wantsCode:     "id code number key identifier token isbn zip zipcode postcode sku phone symbol ticker uuid hash",
		wantsName:     "name title author artist person user username player team company brand actor director book movie film song album event game product",
		wantsPlace:    "city country location place address state region area destination origin town venue airport",
		wantsText:     "text query message content body prompt question description keyword keywords topic subject term comment note",
		wantsRepo:     "repo repository",
	} {
		for _, word := range strings.Fields(words) {
			out[word] = w
		}
	}
	return out
}()

func wantsOf(in Input) wants {
	words := retrieve.Words(in.key())
	for k := len(words) - 1; k >= 0; k-- {
		for _, form := range []string{words[k].Text, strings.TrimSuffix(words[k].Text, "s")} {
			if w, ok := wantWords[form]; ok {
				return w
			}
		}
	}
	if w, ok := wantWords[in.Kind]; ok {
		return w
	}
	text := strings.ToLower(in.Description)
	switch {
	case strings.Contains(text, "yyyy") || strings.Contains(text, "mm/dd"):
		return wantsDate
	case pathWords.MatchString(text):
		return wantsPath
	}
	return wantsAnything
}

var pathWords = regexp.MustCompile(`\b(?:path|folder|directory|file ?name)\b`)

// classScore says how well a sort of candidate suits an input: below zero it is unlikely, at minus infinity impossible.
func classScore(in *spec, c *candidate) float64 {
	no := math.Inf(-1)
	switch medium := Medium(c.text); {
	case medium != "" && in.Kind != "" && in.Kind != medium,
		IsMedium(in.Kind) && c.class != classEntity: // it is a file
		return no
	}
	switch in.Type {
	case value.Integer, value.Number:
		switch {
		case c.number == nil:
			return no
		case c.class == classCode:
			return 0.3
		case in.wants == wantsDate || in.wants == wantsPath:
			return -0.5
		}
		return 1.2
	case value.Array:
		if in.words && c.class != classList && c.number == nil {
			return 1
		}
		if c.class != classList {
			return no
		}
		s := 0.2 + 0.4*float64(min(len(c.list), 3))
		return s
	}
	if c.class == classList {
		return no
	}
	if c.kind == extract.Path {
		switch pattern := strings.Contains(c.text, "*"); {
		case takesPattern(in) && (pattern || endingForm.MatchString(c.text)):
			return 4
		case endingForm.MatchString(c.text) && !c.started:
			return -1.5
		case pattern:
			return -0.5
		}
	}
	s := map[class]float64{classEntity: 0.7, className: 1.1, classCode: 0.8, classPhrase: 0.3, classList: 0}[c.class]
	fits := func(kinds ...string) bool {
		for _, k := range kinds {
			if c.kind == k {
				return true
			}
		}
		return false
	}
	temporal := fits(extract.Date, extract.DateRange, extract.DateTime, extract.Time, extract.Duration)
	switch in.wants {
	case wantsPath:
		folder := folderWords.MatchString(in.Description) && !in.name["fil"]
		switch {
		case fits(extract.Path) && folder && fileForm.MatchString(c.text):
			return 0.6
		case fits(extract.Path):
			return 3
		case fits(extract.Quoted):
			return 1.4
		case c.class == classPhrase && folder && c.preposition != "":
			return 1.4
		case temporal || c.number != nil:
			return -1
		}
	case wantsURL:
		if fits(extract.URL) {
			return 3.5
		}
		return s - 1.5
	case wantsEmail:
		if fits(extract.Email) {
			return 3.5
		}
	case wantsRepo:
		if fits(extract.Repo) || fits(extract.Path) && strings.Count(c.text, "/") == 1 {
			return 3
		}
	case wantsDate:
		switch {
		case fits(extract.Date, extract.DateRange, extract.DateTime):
			return 3
		case temporal:
			return 0.5
		}
		return s - 1
	case wantsTime:
		switch {
		case fits(extract.Time):
			return 3
		case temporal:
			return 1.2
		}
		return s - 0.5
	case wantsDuration:
		switch {
		case fits(extract.Duration):
			return 2.4
		case temporal || c.number != nil:
			return 1
		}
	case wantsMoney:
		if c.number != nil {
			return 1.6
		}
	case wantsCode:
		switch {
		case c.class == classCode || fits(extract.Quoted, extract.Issue, extract.Version):
			return 1.8
		case c.number != nil:
			return 1.3
		case c.class == classPhrase:
			return -0.4
		case c.class == className && c.text != strings.ToUpper(c.text):
			return -1.5
		}
	case wantsName, wantsPlace:
		switch {
		case c.class == className:
			return 1.7
		case fits(extract.Quoted) && in.wants == wantsName:
			return 1.9
		case temporal || c.number != nil:
			return -0.8
		}
	case wantsText:
		if fits(extract.Quoted) {
			return 2
		}
		if c.class == classPhrase && !in.Required {
			s -= 1.5
		}
	}
	switch {
	case fits(extract.Path, extract.URL, extract.Email):
		return s - 0.2
	case temporal:
		return s - 0.9
	case c.number != nil && c.class == classEntity && !fits(extract.Quoted):
		return s - 0.6
	}
	return s
}

// splitExamples takes the examples out of a description: they say what values look like, not what they are called.
func splitExamples(text string) (plain string, examples map[string]bool) {
	examples = map[string]bool{}
	plain = exampleForm.ReplaceAllStringFunc(text, func(s string) string {
		for _, part := range exampleSplit.Split(s, -1) {
			part = strings.ToLower(strings.Trim(strings.TrimSpace(part), `"'.()`))
			if part != "" {
				examples[part] = true
			}
		}
		return " "
	})
	for _, q := range quotedForm.FindAllString(plain, -1) {
		examples[strings.ToLower(strings.Trim(q, `"'`))] = true
	}
	return quotedForm.ReplaceAllString(plain, " "), examples
}

var exampleForm = regexp.MustCompile(`(?i)\(?\b(?:e\.?g\.?|for example|for instance|such as|example:?|like)[^).;]*\)?`)
var exampleSplit = regexp.MustCompile(`,|\bor\b|\be\.?g\.?|(?i:for example|for instance|such as|example:?|\blike\b)`)
var quotedForm = regexp.MustCompile(`"[^"]+"|'[^']+'`)

// formatDate writes a day in the form that a description asks for, else as ISO.
func formatDate(t time.Time, description string) string {
	text := strings.ToLower(description)
	for _, f := range []struct{ named, layout string }{
		{"yyyy-mm-dd", time.DateOnly}, {"mm/dd/yyyy", "01/02/2006"}, {"dd/mm/yyyy", "02/01/2006"}, {"yyyy/mm/dd", "2006/01/02"},
		{"dd-mm-yyyy", "02-01-2006"}, {"mm-dd-yyyy", "01-02-2006"}, {"dd.mm.yyyy", "02.01.2006"}, {"yyyymmdd", "20060102"},
	} {
		if strings.Contains(text, f.named) {
			return t.Format(f.layout)
		}
	}
	return t.Format(time.DateOnly)
}

// WantedKind is the kind of written value that an input is for: a path, a URL or an e-mail address; "" for any other.
func WantedKind(in Input) string {
	switch wantsOf(in) {
	case wantsPath:
		return extract.Path
	case wantsURL:
		return extract.URL
	case wantsEmail:
		return extract.Email
	}
	return ""
}

// takesPattern reports whether an input is a pattern of names, as its default or its description shows.
func takesPattern(in *spec) bool {
	text, _ := in.Default.(string)
	return strings.Contains(text, "*") || strings.Contains(in.Description, "*.")
}

var (
	folderWords = regexp.MustCompile(`(?i)^\W*(?:the |a |path of the |which )?(?:folder|directory)\b`)
	fileForm    = regexp.MustCompile(`[^./]\.\pL[\pL\d]{0,7}$`)
)

var endingForm = regexp.MustCompile(`^\.[\pL\d]{1,8}$`)
