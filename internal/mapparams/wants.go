package mapparams

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
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
	wantsPerson
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
		wantsName:     "name title team company brand book movie film song album track event game product",
		wantsPerson:   "author artist person user username player actor actress director singer performer writer cast starring",
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
				if w == wantsName && slices.ContainsFunc(words, func(o retrieve.Word) bool { return wantWords[o.Text] == wantsPerson }) {
					return wantsPerson // the name of one
				}
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
	case codeWords.MatchString(text):
		return wantsCode
	case len(words) > 1 && words[len(words)-1].Text == "by":
		return wantsPerson
	case nameWords.MatchString(text):
		for _, w := range retrieve.Words(text[:min(len(text), nameAbout)]) {
			if wantWords[w.Text] == wantsPerson || wantWords[strings.TrimSuffix(w.Text, "s")] == wantsPerson {
				return wantsPerson
			}
		}
		return wantsName
	}
	return wantsAnything
}

// nameAbout is in how many bytes a description that begins with "name of" says whose.
const nameAbout = 60

var (
	codeWords = regexp.MustCompile(`^\W*(?:the )?(?:unique )?(?:id|uuid|unique identifier|code)\b`)
	nameWords = regexp.MustCompile(`^\W*(?:the )?(?:(?:full|first|last|and|or) )*names? (?:of|and)\b`)
)

var pathWords = regexp.MustCompile(`\b(?:path|folder|directory|file ?name)\b`)

// mayBeFile reports whether a candidate could name a file.
func mayBeFile(c *candidate) bool {
	return c.kind == extract.Path || c.kind == extract.URL || c.kind == extract.Quoted && !strings.ContainsAny(c.text, " \n")
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

// WantsFolder reports whether an input is for a folder and not for a file.
func WantsFolder(key, description string) bool {
	return folderWords.MatchString(description) && !strings.Contains(key, "file")
}

// IsFile reports whether a path has the form of a file's.
func IsFile(path string) bool { return fileForm.MatchString(path) }

// IsPattern reports whether a path has the signs of a pattern of paths.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// WantsPattern reports whether an input is a pattern of names, as its kind, its default or what it is called shows. A regular
// expression is none.
func WantsPattern(in Input) bool {
	if expressionWords.MatchString(in.Description) {
		return false
	}
	text, _ := in.Default.(string)
	return patternWords.MatchString(in.Kind) || patternWords.MatchString(in.key()) ||
		strings.Contains(text, "*") || strings.Contains(in.Description, "*.")
}

var (
	folderWords     = regexp.MustCompile(`(?i)^\W*(?:the |a |path of the |which )?(?:folder|directory)\b`)
	patternWords    = regexp.MustCompile(`(?i)(?:^|[_-])(?:pattern|glob|wildcard)s?$`)
	expressionWords = regexp.MustCompile(`(?i)\bregex|\bregular expression`)
	fileForm        = regexp.MustCompile(`[^./]\.\pL[\pL\d]{0,7}$`)
)

var endingForm = regexp.MustCompile(`^\.[\pL\d]{1,8}$`)
