package phrase

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
)

// terminals are the sorts that a value of a request is by its form.
//
//	file      a path with an ending, or a name in quotes: notes.txt, src/a.go, 'my notes.txt'
//	folder    a path or a word that has no ending: docs, src/, "my files", .
//	dirname   a folder by its name: none of ., .., ~ and /, which are whole trees; slashed: one that is written with a slash, docs/
//	path      either
//	glob      a pattern of paths: *.txt; anyglob one that leaves nothing out: *
//	ending    of files, without its dot: .md, md; dotted: .md only; endings in the plural: the mds
//	number    an integer or another number
//	date      a day, as 2006-01-02: one that is named, such as 31 January 2026. What counts from today (tomorrow, in 3 days) is a matter
//	          of phrases, which have it computed whenever the workflow runs
//	since     from a day on: since Monday; until: up to a day, exclusive: before May; span: both, as .after and .before: last week
//	time      a clock time, as 15:04
//	duration  a time such as 5m, as a text that parse_duration reads
//	age       such a time, or months and years, as list-files takes it: 7d, 6mo
//	bytes     a size, in bytes: 10 kB, 1 MB
//	period    days behind one another, such as December 2026, as 2026-12-01/2026-12-31
//	money     an amount such as $15 or 15 euros, as a number
//	url, email
//	table-file, json-file   a file of rows (.csv, .tsv, .jsonl, .json), a file of JSON
//	json      an object or a list in JSON
//	quoted    a text in quotes
//	name      two to four words that begin with capitals: New York
//	command   a program and its arguments: a line in quotes, or words as they stand; a list of them
//	noun      a word that can be what something is called, such as a column: none that only binds others, as is and twice do
//	singular  a noun that is no plural by its form, as prices is
//	proper    a word that begins with a capital, though no sentence begins with it
//	word      one word, or a text in quotes
//	literal   a word that is a text itself rather than says what is meant, as the date, digits and notes.txt do, or a text in quotes
//	words     words, as they stand, or a text in quotes
//	caps      a word in capitals, such as ERROR, in a request that is not all capitals
//	rest      all that is left of the request, as it stands
//	unknown   two to four words that no phrase knows
//	dated     a path with YYYY in it
//	branch    a word that is no file: what git calls a commit by
//	text-file a file of lines: not one of data, nor of an archive
//	plain-file  a file that a text can be written to: of lines, or of data
//	dot-file  .gitignore
//	keypath   where a value stands in a document: data.items.0.name, of no ending that is known
//	numbered  a name with a number in it, at its end: day1, a1.txt
//	archive-file  of an ending such as .zip or .tar.gz
var terminals = map[string]bool{"file": true, "folder": true, "dirname": true, "slashed": true, "path": true, "dated": true, "glob": true, "anyglob": true, "ending": true, "dotted": true, "endings": true,
	"number": true, "integer": true, "date": true, "since": true, "until": true, "span": true, "time": true, "duration": true, "age": true, "bytes": true, "url": true, "email": true, "json": true,
	"quoted": true, "command": true, "word": true, "words": true, "caps": true, "unknown": true, "rest": true, "money": true, "period": true, "table-file": true, "json-file": true, "name": true,
	"noun": true, "singular": true, "proper": true, "literal": true, "keypath": true, "branch": true, "text-file": true, "plain-file": true, "dot-file": true, "archive-file": true, "numbered": true}

// What values cost. A word that is taken for a name could be anything.
const (
	costOfProper = 0.2  // a word with a capital
	costOfWord   = 0.3  // each word that is taken as a value, by no form of its own
	costOfText   = 0.5  // words that are taken as a text though nothing holds them together
	mostOfText   = 14   // words of such a text
	costOfKnown  = 0.15 // on top, where phrases know the word
)

// pointing are words that point at a thing or count it, and name none.
var pointing = map[string]bool{"this": true, "that": true, "these": true, "those": true, "the": true, "it": true, "its": true, "them": true, "their": true, "all": true, "each": true, "every": true,
	"any": true, "some": true, "no": true, "none": true, "other": true, "others": true, "same": true, "here": true, "there": true, "everything": true, "anything": true, "nothing": true, "something": true,
	"which": true, "what": true, "whose": true, "one": true, "ones": true, "not": true, "my": true, "our": true, "your": true, "and": true, "or": true, "another": true, "both": true, "only": true}

// noFolder are words behind "to" and "in" that are no names of folders: times, places that are said by where they lie, and what is no
// part of a file system. With a slash behind them, or in quotes, they are.
var noFolder = setOf("second seconds minute minutes hour hours day days night morning afternoon evening noon midnight week weeks weekend month months year years quarter moment while time " +
	"monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december " +
	"git index history list parent home above below beneath root previous current clipboard trash cloud phone printer screen stick drive disk reverse order half parts pieces")

// gitNouns are words for what a repository has, and no names of branches; nor are those of noFolder, which say when.
var gitNouns = setOf("tag tags commit commits branch branches repo repository changes change")

// noLines are endings of files of data: a line of text behind them makes them something else. noText are those that only programs write.
var (
	noLines = setOf(".json .csv .tsv .tab .xml .html .htm")
	noText  = setOf(".xlsx .xls .docx .doc .odt .ods .pptx .pdf .epub .zip .tar .gz .tgz .bz2 .xz .7z .rar .jar .png .jpg .jpeg .gif .webp .bmp .ico .mp3 .mp4 .wav .mov .avi .flac .exe .db .sqlite")
)

// toolFolders are folders that programs keep for themselves.
var toolFolders = setOf(".git .ssh .gnupg .cache .config .local .svn .hg")

// archives are endings of archives.
var archives = setOf(".zip .tar .gz .tgz .bz2 .xz .7z")

// greetings ask for nothing at the begin of a sentence only: echo hello says hello.
var greetings = setOf("hi hello hey")

// noArgument are words that say when, where or how a program is run: none of them is an argument of it, unless in quotes.
var noArgument = setOf("at in on in by as for over under per during within around about after before through via against inside monday tuesday wednesday thursday friday saturday sunday " +
	"midnight noon tonight today tomorrow now later soon everything")

// ownPlurals are words that look like endings in the plural, and are names of folders more often.
var ownPlurals = map[string]bool{"docs": true, "logs": true, "confs": true, "patches": true, "diffs": true}

// literal is a value that the request has.
type literal struct {
	start, end int // byte offsets
	value      any
}

// valueAt is a value at some tokens: of a sort, for a price.
type valueAt struct {
	sort  string
	first int // tokens; last is behind
	last  int
	value any
	cost  float64
	start int // byte offsets, where they are not those of the tokens
	end   int
}

var (
	pluralForm   = regexp.MustCompile(`[^sui]s$`) // of a word in small letters
	nameForm     = regexp.MustCompile(`^[\p{L}\p{N}_.][\p{L}\p{N}_.+@~-]*$`)
	folderForm   = regexp.MustCompile(`^(?:\.{1,2}|~)?/?(?:[\p{L}\p{N}_.+@~-]+/)*[\p{L}\p{N}_.+@~-]*/?$`)
	endingForm   = regexp.MustCompile(`^\.?[a-z][a-z0-9]{0,9}(?:\.[a-z][a-z0-9]{0,5})?$`)
	bytesForm    = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)\s*(bytes?|b|kb|kib|k|kilobytes?|mb|mib|m|megs?|megabytes?|gb|gib|g|gigs?|gigabytes?|tb|terabytes?)$`)
	capsForm     = regexp.MustCompile(`^[A-Z][A-Z0-9_-]*[A-Z0-9]$`)
	settingForm  = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)
	keypathForm  = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)+$`)
	placeInPath  = regexp.MustCompile(`\.([0-9]+)\b`)
	numberedForm = regexp.MustCompile(`^[\p{L}_-]*[1-9][0-9]*(?:\.[a-z0-9]+)?$`)
	datedForm    = regexp.MustCompile(`YYYY`)
	wholeForm    = regexp.MustCompile(`^-?[0-9]+$`)
)

// valuesOf lists what could be values of a request.
func (g *Grammar) valuesOf(ctx context.Context, r *mapparams.Request, tokens []token, here Here) []valueAt {
	var out []valueAt
	add := func(sort string, first, last int, value any, cost float64) {
		if was := value; sort == "folder" {
			name, _ := value.(string)
			if low := strings.ToLower(name); (pointing[low] || noFolder[low]) && !tokens[first].quoted {
				return
			}
			if cut := strings.TrimRight(name, "/"); cut != "" {
				name, value = cut, cut
			}
			if !dots(name) && name != "~" {
				out = append(out, valueAt{sort: "dirname", first: first, last: last, value: value, cost: cost, start: tokens[first].start, end: tokens[last-1].end})
				if value != was {
					out = append(out, valueAt{sort: "slashed", first: first, last: last, value: value, cost: cost, start: tokens[first].start, end: tokens[last-1].end})
				}
			}
		}
		if name, _ := value.(string); sort == "glob" && strings.Trim(name, "*?./") == "" {
			sort = "anyglob"
		}
		out = append(out, valueAt{sort: sort, first: first, last: last, value: value, cost: cost, start: tokens[first].start, end: tokens[last-1].end})
	}
	for k := range tokens {
		t := &tokens[k]
		switch {
		case t.sign:
			continue
		case t.quoted:
			text := unquote(t.text)
			for _, sort := range []string{"quoted", "noun", "singular", "word", "literal", "words", "branch"} {
				add(sort, k, k+1, text, 0)
			}
			if words := commandLine(text); words != nil {
				add("command", k, k+1, words, 0)
			}
			if text != "" && !strings.ContainsAny(text, "\n\x00") {
				add("path", k, k+1, text, 0.02)
				if path.Ext(text) != "" {
					add("file", k, k+1, text, 0.01)
					fileKinds(text, k, add)
				}
				add("folder", k, k+1, text, 0.05)
			}
			if mapparams.IsPattern(text) {
				add("glob", k, k+1, text, 0.05)
			}
			if endingForm.MatchString(text) && text[0] == '.' {
				add("ending", k, k+1, text[1:], 0.02)
			}
			continue
		}
		g.wordValues(tokens, k, here, add)
		spacedName(r.Text, tokens, k, here, add)
		if k+1 < len(tokens) && tokens[k+1].start-t.end <= 1 {
			if n, ok := bytesOf(t.text + " " + tokens[k+1].word); ok {
				add("bytes", k, k+2, n, 0)
			}
		}
	}
	for _, e := range r.Entities {
		entityValue(e, r.Now, tokens, add)
	}
	innerDays(ctx, r, tokens, add)
	g.texts(tokens, add)
	g.commands(tokens, add)
	unknowns(tokens, g.knows, g.isFiller, add)
	g.rest(tokens, add)
	if strings.ToUpper(r.Text) != r.Text {
		for k := range tokens {
			text := tokens[k].text
			if one := strings.TrimSuffix(text, "s"); len(one) > 2 && capsForm.MatchString(one) {
				text = one // TODOs
			}
			if !tokens[k].quoted && capsForm.MatchString(text) {
				add("caps", k, k+1, text, 0.05)
			}
		}
	}
	names(tokens, add)
	return out
}

// gainOfSpaced makes the name that stands there cheaper than the words before it and a name that does not.
const gainOfSpaced = -0.5

// spacedName is the name of a file with blanks in it that is said without quotes, as my notes.txt, if it is there and what its last
// word names is not.
func spacedName(text string, tokens []token, k int, here Here, add func(string, int, int, any, float64)) {
	if here == nil || path.Ext(tokens[k].text) == "" || k == 0 || tokens[k-1].sign || tokens[k-1].quoted || here(tokens[k].text) != Absent {
		return
	}
	const mostBefore = 3
	for first := k - 1; first >= max(0, k-mostBefore) && !tokens[first].sign && !tokens[first].quoted; first-- {
		if name := text[tokens[first].start:tokens[k].end]; here(name) == File {
			add("file", first, k+1, name, gainOfSpaced)
			add("path", first, k+1, name, gainOfSpaced+0.01)
			fileKinds(name, k, func(sort string, _, last int, value any, cost float64) {
				add(sort, first, last, value, cost+gainOfSpaced)
			})
		}
	}
}

// rest is what is left from a place on. What could be another wish is no part of it.
func (g *Grammar) rest(tokens []token, add func(string, int, int, any, float64)) {
	for first := len(tokens) - 1; first >= 0; first-- {
		t := &tokens[first]
		if n := longest(g.joins, tokens[first:]); n > 1 || n == 1 && first+1 < len(tokens) && g.begins(tokens[first+1].stem) {
			return
		}
		if t.quoted && first == len(tokens)-1 || t.sign || t.word == "of" || t.word == "from" { // of what, the words before do not say
			continue
		}
		add("rest", first, len(tokens), nil, costOfText+0.1*float64(len(tokens)-first))
	}
}

// unknowns are the stretches of a few words that no phrase knows: a name, or what is looked for.
func unknowns(tokens []token, known func(*token) bool, filler func([]token) int, add func(string, int, int, any, float64)) {
	const most = 4
	for first := range tokens {
		for last := first + 1; last <= min(len(tokens), first+most); last++ {
			if t := &tokens[last-1]; t.sign || t.quoted || known(t) {
				break
			}
			if last > first+1 && filler(tokens[first:]) == 0 && filler(tokens[last-1:last]) == 0 {
				add("unknown", first, last, nil, costOfText+0.05*float64(last-first))
			}
		}
	}
}

// wordValues are what a token may be by its form.
func (g *Grammar) wordValues(tokens []token, k int, here Here, add func(string, int, int, any, float64)) {
	t := &tokens[k]
	text := t.text
	if n, ok := bytesOf(text); ok {
		add("bytes", k, k+1, n, 0)
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && !textForm.MatchString(text) {
		add("integer", k, k+1, n, 0) // also one of a range: between 10 and 20
	}
	if text[0] == '{' || text[0] == '[' {
		add("json", k, k+1, text, 0)
		return
	}
	if strings.Contains(text, "://") {
		add("url", k, k+1, text, 0)
		return
	}
	if mapparams.IsPattern(text) && strings.ContainsAny(text, "*?") {
		add("glob", k, k+1, text, 0)
		return
	}
	if g.guards[t.word] {
		return
	}
	if n, ok := numberWords[t.word]; ok {
		add("integer", k, k+1, n, 0.01)
	} else if wholeForm.MatchString(text) && len(text) < 10 && text[0] != '-' && !textForm.MatchString(text) {
		n, _ := strconv.Atoi(text)
		add("integer", k, k+1, n, 0.01)
		add("number", k, k+1, n, 0.01)
	}
	if folderForm.MatchString(text) && datedForm.MatchString(text) {
		add("dated", k, k+1, text, 0)
		return
	}
	price := costOfWord
	if g.knows(t) {
		price += costOfKnown
	}
	add("word", k, k+1, text, price)
	if !(k > 0 && articles[tokens[k-1].word]) && !describing[t.word] && !g.names(text) {
		add("literal", k, k+1, text, price)
	}
	if !binds(t.word) && !deeds[t.word] && !counts(tokens, k) && text[0] != '-' && nameForm.MatchString(text) && !wholeForm.MatchString(text) {
		add("noun", k, k+1, text, price)
		if !pluralForm.MatchString(t.word) {
			add("singular", k, k+1, text, price)
		}
	}
	named := folderForm.MatchString(text)
	ending := path.Ext(strings.TrimSuffix(text, "/"))
	if toolFolders[t.word] {
		return // it is neither a file nor one's own folder
	}
	isFile := ending != "" && ending != text && !strings.HasSuffix(text, "/") && strings.Trim(ending, ".0123456789") != "" || strings.HasPrefix(text, ".") && len(text) > 2 && ending == text
	if keypathForm.MatchString(text) && !g.names(text) {
		add("keypath", k, k+1, placeInPath.ReplaceAllString(text, "[$1]"), 0)
	}
	if numberedForm.MatchString(text) {
		add("numbered", k, k+1, text, 0.05)
	}
	if !g.names(text) && !pointing[t.word] && !articles[t.word] && !noFolder[t.word] && !gitNouns[t.word] {
		add("branch", k, k+1, text, price)
	}
	stands := Absent
	// The archive is what was made, or spoken of, rather than what is called so.
	if here != nil && named && !articles[t.word] && !g.inFiller(tokens, k) && !(k > 0 && tokens[k-1].word == "the") {
		stands = here(text)
	}
	switch {
	case !named:
	case stands == Folder:
		price := 0.0
		if !strings.Contains(text, "/") && g.knows(t) {
			price = costOfKnown
		}
		add("folder", k, k+1, strings.TrimRight(text, "/")+"/", price)
		add("path", k, k+1, text, price+0.02)
	case stands == File && !isFile:
		price := 0.0
		if g.knows(t) {
			price = costOfKnown
		}
		add("file", k, k+1, text, price)
		add("path", k, k+1, text, price+0.01)
		fileKinds(text, k, add)
	case isFile:
		price := 0.0
		if ending == text && g.endings[t.word[1:]] {
			price = costOfWord // .tmp is an ending rather than a file
		}
		add("file", k, k+1, text, price)
		add("path", k, k+1, text, price+0.01)
		fileKinds(text, k, add)
	case strings.Contains(text, "/") || dots(text):
		add("folder", k, k+1, text, 0)
		add("path", k, k+1, text, 0.02)
	case articles[t.word] || g.inFiller(tokens, k):
	case nameForm.MatchString(text) && !deeds[t.word]:
		add("folder", k, k+1, text, price)
		add("path", k, k+1, text, price+0.05)
	}
	if endingForm.MatchString(t.word) {
		switch {
		case t.word[0] == '.':
			add("ending", k, k+1, t.word[1:], 0)
			add("dotted", k, k+1, t.word[1:], 0)
		case g.endings[t.word]:
			add("ending", k, k+1, t.word, 0.1)
		case strings.HasSuffix(t.word, "s") && g.endings[t.word[:len(t.word)-1]] && !ownPlurals[t.word] && len(t.word) > 3:
			add("endings", k, k+1, t.word[:len(t.word)-1], 0.1)
		}
	}
}

// names reports whether a word is the name of a file, by an ending that is known.
func (g *Grammar) names(text string) bool {
	ending := path.Ext(text)
	return ending != "" && ending != text && g.endings[strings.ToLower(ending[1:])]
}

// fileKinds says what a file holds, by its ending.
func fileKinds(name string, k int, add func(string, int, int, any, float64)) {
	ending := strings.ToLower(path.Ext(name))
	switch ending {
	case ".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json":
		add("table-file", k, k+1, name, 0)
	}
	if ending == ".json" {
		add("json-file", k, k+1, name, 0)
	}
	if !noText[ending] {
		add("plain-file", k, k+1, name, 0)
		if !noLines[ending] {
			add("text-file", k, k+1, name, 0)
		}
	}
	if archives[ending] {
		add("archive-file", k, k+1, name, 0)
	}
	if base := path.Base(name); base[0] == '.' {
		add("dot-file", k, k+1, name, 0)
	}
}

func bytesOf(text string) (int, bool) {
	m := bytesForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	var n float64
	if _, err := fmt.Sscanf(m[1], "%g", &n); err != nil {
		return 0, false
	}
	unit := strings.ToLower(m[2])
	for prefix, factor := range map[byte]float64{'k': 1e3, 'm': 1e6, 'g': 1e9, 't': 1e12} {
		if unit[0] == prefix {
			if strings.HasSuffix(unit, "ib") {
				factor = map[byte]float64{'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30, 't': 1 << 40}[prefix]
			}
			n *= factor
		}
	}
	return int(n), true
}

// backwards are times that are counted back from now: the last 7 days.
var backwards = regexp.MustCompile(`(?i)\b(last|past|previous)\s+\S+\s+(days|weeks|months|years)\b`)

// entityValue is what an entity of the request is.
func entityValue(e extract.Entity, now time.Time, tokens []token, add func(string, int, int, any, float64)) {
	first, last := -1, -1
	for k := range tokens {
		if tokens[k].start == e.Start {
			first = k
		}
		if tokens[k].end == e.End {
			last = k + 1
		}
	}
	if first < 0 || last <= first {
		return
	}
	// Hours count from the moment of a run, which a reading does not have; and what was changed before Monday was so before the last one.
	if e.Range && (e.Kind == extract.DateRange && !ahead(e, now) || e.Kind == extract.DateTime && !relative.MatchString(e.Text)) {
		switch {
		case e.From != nil && e.To != nil:
			before := e.To
			if day := now.Format(time.DateOnly); before == any(day) && backwards.MatchString(e.Text) {
				before = day + "T24:00" // the last days are those up to now
			}
			add("span", first, last, map[string]any{"after": e.From, "before": before}, 0)
		case e.From != nil:
			add("since", first, last, e.From, 0)
		case e.To != nil:
			add("until", first, last, e.To, 0)
		}
	}
	switch e.Kind {
	case extract.Number:
		if textForm.MatchString(e.Text) {
			return
		}
		add("number", first, last, e.Value, 0)
		if n, ok := e.Value.(int); ok && n >= 0 {
			add("integer", first, last, n, 0)
		}
	case extract.Date:
		if !relative.MatchString(e.Text) {
			add("date", first, last, e.Value, 0)
		}
	case extract.DateRange:
		if !relative.MatchString(e.Text) {
			if text := periodText(e); text != "" {
				add("period", first, last, text, 0)
			}
		}
	case extract.Currency:
		if !e.Range {
			add("money", first, last, e.Value, 0)
		}
	case extract.Time:
		if s, ok := e.Value.(string); ok {
			add("time", first, last, s, 0)
		}
	case extract.Duration:
		if s, ok := e.Value.(string); ok {
			if text := durationText(s); text != "" {
				add("duration", first, last, text, 0)
			}
			if text := ageText(s); text != "" {
				add("age", first, last, text, 0)
			}
		}
	case extract.Email:
		add("email", first, last, e.Text, 0)
	case extract.URL:
		add("url", first, last, e.Text, 0)
	}
}

// relative are the words of a day that counts from today, or from another day.
var relative = regexp.MustCompile(`(?i)\b(?:today|tonight|tomorrow|yesterday|now|next|last|this|coming|past|previous|ago|in|on|from|before|after|later|earlier|between|since|until|till|days?|weeks?|months?|years?|weekends?|` +
	`end|beginning|start|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?\b`)

// periodText writes days as the first and the last of them: 2026-01-01/2026-01-31.
func periodText(e extract.Entity) string {
	from, _ := e.From.(string)
	to, _ := e.To.(string)
	end, err := time.Parse(time.DateOnly, to)
	if from == "" || err != nil {
		return ""
	}
	return from + "/" + end.AddDate(0, 0, -1).Format(time.DateOnly)
}

// ahead reports whether one end of a time is a day to come that no year is said of.
func ahead(e extract.Entity, now time.Time) bool {
	if yearForm.MatchString(e.Text) || e.From != nil && e.To != nil {
		return false
	}
	today := now.Format(time.DateOnly)
	for _, end := range []any{e.From, e.To} {
		if day, ok := end.(string); ok && day > today {
			return true
		}
	}
	return false
}

var (
	yearForm = regexp.MustCompile(`[0-9]{4}`)
	textForm = regexp.MustCompile(`^-?0[0-9]|\.[0-9]*0$|[0-9]{16}`) // 007, 1.10 and what has more digits than a number keeps
)

// innerDays are the days that are named inside a longer reading: 24 December in 10 days before 24 December.
func innerDays(ctx context.Context, r *mapparams.Request, tokens []token, add func(string, int, int, any, float64)) {
	for _, e := range r.Entities {
		if e.Kind != extract.Date && e.Kind != extract.DateRange && e.Kind != extract.DateTime && e.Kind != extract.Duration || !relative.MatchString(e.Text) {
			continue
		}
		for k := range tokens {
			if tokens[k].start <= e.Start || tokens[k].start >= e.End || tokens[k].sign {
				continue
			}
			inner, err := extract.Entities(ctx, r.Text[tokens[k].start:e.End], r.Now)
			if err != nil || len(inner) == 0 || inner[0].Start != 0 {
				continue
			}
			in := inner[0]
			in.Start, in.End = in.Start+tokens[k].start, in.End+tokens[k].start
			if in.Kind == extract.Date || in.Kind == extract.DateRange {
				entityValue(in, r.Now, tokens, add)
			}
		}
	}
}

// numberWords are numbers that are part of a longer reading: two in two weeks.
var numberWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}

var isoDuration = regexp.MustCompile(`^P(?:([0-9.]+)W)?(?:([0-9.]+)D)?(?:T(?:([0-9.]+)H)?(?:([0-9.]+)M)?(?:([0-9.]+)S)?)?$`)

// durationText writes an ISO 8601 duration as 1w2d3h4m5s; "" if it has months or years, which are no fixed time.
func durationText(iso string) string {
	m := isoDuration.FindStringSubmatch(iso)
	if m == nil {
		return ""
	}
	var b strings.Builder
	for k, unit := range []string{"w", "d", "h", "m", "s"} {
		if m[k+1] != "" {
			b.WriteString(m[k+1] + unit)
		}
	}
	return b.String()
}

// binds reports whether a word only binds others, so that nothing is called so.
func binds(word string) bool {
	for _, w := range retrieve.Words(word) {
		if w.Stop && !named[word] || binding[word] {
			return true
		}
	}
	return false
}

// deeds are words that say what is done, or of what, rather than what something is called, unless in quotes: delete a and b in x.csv
// lists no column delete, and the rows of x.csv are no column rows.
var deeds = setOf("delete remove erase drop insert append replace rename reverse sort shuffle swap copy duplicate reorder flip dedupe deduplicate row rows column columns")

// ordinals are words for places. Before a column, or behind the, the first and the last are, too. quantities are words for what is
// computed: of rows they are no columns.
var (
	ordinals   = setOf("second third fourth fifth sixth seventh eighth ninth tenth 1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th")
	ends       = setOf("first last final")
	quantities = setOf("sum total average mean median list count amount number quantity percentage share majority maximum minimum")
)

// counts reports whether a word says which, or how many, rather than what something is called.
func counts(tokens []token, k int) bool {
	if ordinals[tokens[k].word] {
		return true
	}
	if ends[tokens[k].word] {
		return k > 0 && tokens[k-1].word == "the" || k+1 < len(tokens) && (tokens[k+1].stem == "column" || tokens[k+1].stem == "field")
	}
	if !quantities[tokens[k].word] || k+2 >= len(tokens) || tokens[k+1].word != "of" {
		return false
	}
	for k += 2; k+1 < len(tokens) && (articles[tokens[k].word] || tokens[k].word == "all"); {
		k++
	}
	return rowWords[tokens[k].word]
}

var rowWords = setOf("row rows record records entry entries line lines")

// articles before a word say that it tells what is meant rather than is the text itself: lines that contain a date, append the total.
// So do words for many texts: replace all digits.
var (
	articles   = setOf("the a an my our your their its this that these those each every")
	describing = setOf("digit digits number numbers letter letters vowel vowels consonant consonants punctuation whitespace spaces tabs commas dots periods semicolons dashes hyphens underscores quotes " +
		"umlauts date dates time times timestamp timestamps everything anything something nothing words lines newlines linebreaks breaks characters uppercase lowercase capitals emails urls links addresses counts sizes")
)

// binding are words like those that are looked up as stop words, for what they do to others; named are such words that things are
// called by, too.
var (
	binding = setOf("except only unless until since twice once thrice again always never ever instead rather without but whether either neither nor among between through during because " +
		"although though while otherwise else even still already yet randomly back away together apart same other another such own more most less least many much few several none nothing everything " +
		"something anything someone anyone everyone nobody won't isn't aren't wasn't weren't doesn't didn't hasn't haven't to from")
	named = setOf("like done need help")
)

func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// names are the words that begin with capitals, one that is not the first of a sentence, or two to four behind one another.
func names(tokens []token, add func(string, int, int, any, float64)) {
	const most = 4
	text := ""
	for first := range tokens {
		if t := &tokens[first]; first > 0 && !t.sign && !t.quoted && tokens[first-1].word != "." {
			if c, _ := utf8.DecodeRuneInString(t.text); unicode.IsUpper(c) && t.text != "I" {
				add("proper", first, first+1, t.text, costOfProper)
			}
		}
		for last := first; last < min(len(tokens), first+most); last++ {
			t := &tokens[last]
			if c, _ := utf8.DecodeRuneInString(t.text); t.sign || t.quoted || !unicode.IsUpper(c) {
				break
			}
			if last == first {
				text = t.text
				continue
			}
			text += " " + t.text
			add("name", first, last+1, text, costOfWord)
		}
	}
}

var isoAge = regexp.MustCompile(`^P(?:([0-9]+)Y)?(?:([0-9]+)M)?(?:([0-9]+)W)?(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)S)?)?$`)

// ageText writes an ISO 8601 duration of whole units as 1y2mo3w4d5h6m7s.
func ageText(iso string) string {
	m := isoAge.FindStringSubmatch(iso)
	if m == nil {
		return ""
	}
	var b strings.Builder
	for k, unit := range []string{"y", "mo", "w", "d", "h", "m", "s"} {
		if m[k+1] != "" {
			b.WriteString(m[k+1] + unit)
		}
	}
	return b.String()
}

// texts are the stretches of words that a text may be: in quotes it is one token, else up to where a sign ends it.
func (g *Grammar) texts(tokens []token, add func(string, int, int, any, float64)) {
	if len(tokens) == 0 {
		return
	}
	for first := range tokens {
		if tokens[first].sign || tokens[first].quoted {
			continue
		}
		for last := first + 1; last <= min(len(tokens), first+mostOfText); last++ {
			if t := &tokens[last-1]; t.quoted || g.guards[t.word] || t.sign && t.word != "," && t.word != "!" && t.word != "?" && t.word != "." {
				break
			}
			add("words", first, last, nil, costOfText+0.1*float64(last-first))
		}
	}
}

// unquote takes off the pair of quotes around a text.
func unquote(text string) string {
	for _, pair := range []string{`""`, "''", "``", "“”", "‘’", "«»", "„“"} {
		open, close := pair[:len(pair)/2], pair[len(pair)/2:]
		if len(text) >= len(pair) && strings.HasPrefix(text, open) && strings.HasSuffix(text, close) {
			return text[len(open) : len(text)-len(close)]
		}
	}
	return text
}

// shellSigns are what a shell reads in a line, beside words.
const shellSigns = "|&;<>()$`\\\"'*?[]#~{}"

// commandLine cuts a line of a program and its arguments into words; nil if a shell would read more in it.
func commandLine(line string) []any {
	if strings.ContainsAny(line, shellSigns) {
		return nil
	}
	var out []any
	for _, w := range strings.Fields(line) {
		out = append(out, w)
	}
	if len(out) > 0 && settingForm.MatchString(out[0].(string)) {
		return append([]any{"env"}, out...)
	}
	if len(out) > 0 && strings.Contains(out[0].(string), "://") {
		return nil // an address is no program
	}
	return out
}

// inFiller reports whether a token ends words that ask for nothing, such as me of for me.
func (g *Grammar) inFiller(tokens []token, k int) bool {
	for from := max(0, k-4); from < k; from++ {
		if from+g.isFiller(tokens[from:]) > k {
			return true
		}
	}
	return false
}

// commands are the stretches of words that may be a program and its arguments, up to a sign or a guard. What phrases know could be
// meant as theirs: in quotes it is without doubt.
func (g *Grammar) commands(tokens []token, add func(string, int, int, any, float64)) {
	const most = 8
	for first := range tokens {
		t := &tokens[first]
		if t.sign || t.quoted || g.guards[t.word] || g.inFiller(tokens, first) {
			continue
		}
		if first > 0 && articles[tokens[first-1].word] && !strings.ContainsAny(t.text, "./") {
			continue // the server: which one, is not said
		}
		words, price := []any{}, 0.0
		for last := first; last < min(len(tokens), first+most); last++ {
			t := &tokens[last]
			if t.sign || g.guards[t.word] || !t.quoted && noArgument[t.word] || g.isFiller(tokens[last:]) > 0 && !(last > first && greetings[t.word]) || longest(g.joins, tokens[last:last+1]) > 0 || !t.quoted && commandLine(t.text) == nil {
				break
			}
			switch {
			case letters(t.word) && g.knows(t):
				price += costOfWord + costOfKnown
			case last == first && !strings.Contains(t.text, "/"):
				price += costOfWord
			default:
				price += 0.05
			}
			if last == first && settingForm.MatchString(t.text) {
				words = append(words, "env") // FOO=bar make
			}
			words = append(words, unquote(t.text))
			add("command", first, last+1, append([]any{}, words...), price)
		}
	}
}
