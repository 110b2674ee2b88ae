package when

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"pflow/internal/yamltree"
)

//go:embed lexicon.yaml
var lexiconText []byte

// zoneNames are the zones of the IANA database that have a place of their own (zone.tab, zone1970.tab), one a line.
//
//go:embed zones.txt
var zoneNames string

// lexicon is lexicon.yaml.
type lexicon struct {
	Days           map[string][]string
	Weekdays       []string
	Weekends       []string
	Working        []string
	Months         []string
	Numbers        []string
	Tens           map[string]int
	Ordinals       []string
	Parts          map[string]part
	Units          map[string][]string
	Adverbs        map[string]string
	Nightly        map[string]string
	Vague          map[string]string
	Carriers       []string
	Carried        []string
	Events         []string
	Subordinate    []string
	Retrying       []string
	Telling        []string
	Few            []string
	Emphasis       []string
	Roughly        []string
	About          []string
	Bounds         []string
	Openers        []string
	Arrives        []string
	Arriving       []string
	Reaches        []string
	Doings         []string
	Comes          []string
	Put            []string
	Somebody       []string
	Puts           []string
	Watching       []string
	Every          []string
	Is             []string
	Others         []string
	Into           []string
	Folder         []string
	Determiners    []string
	Kinds          map[string]string
	Files          []string
	Anything       []string
	Zones          map[string]string
	Offsets        []string
	Local          []string
	Spelled        []string
	NotSlips       []string `json:"not_slips"`
	BelongsBehind  []string `json:"belongs_behind"`
	BelongsBefore  []string `json:"belongs_before"`
	Determined     []string
	Questions      []string
	Polite         []string
	Modal          []string
	Running        []string
	Lasting        []string
	Ensuring       []string
	day, dayPlural map[string]time.Weekday
	month          map[string]time.Month
	number         map[string]int
	ordinal        map[string]int
	unit           map[string]string // of one word, singular or plural
	city           map[string]string
	spellings      []string        // words that are read through a slip
	slips          map[string]bool // words that are none
}

// part is a part of the day: its hours, beyond 24 those of the next day.
type part struct{ From, To int }

// words is the lexicon with what is looked up in it. The file is part of the program, so a fault in it is one of the program.
var words = sync.OnceValue(func() *lexicon {
	w := new(lexicon)
	doc, found := yamltree.Parse("embedded:lexicon.yaml", lexiconText)
	if doc == nil {
		panic("when: " + found.Text())
	}
	text, err := json.Marshal(doc.Plain())
	if err == nil {
		read := json.NewDecoder(bytes.NewReader(text))
		read.DisallowUnknownFields()
		err = read.Decode(w)
	}
	if err != nil {
		panic(fmt.Sprintf("when: lexicon.yaml: %v", err))
	}
	w.day, w.dayPlural, w.month = map[string]time.Weekday{}, map[string]time.Weekday{}, map[string]time.Month{}
	for d := range time.Weekday(7) {
		for _, name := range w.Days[strings.ToLower(d.String())] {
			w.day[name], w.dayPlural[name+"s"] = d, d
		}
	}
	for k, name := range w.Months {
		w.month[name], w.month[name[:3]] = time.Month(k+1), time.Month(k+1)
	}
	w.month["sept"] = time.September
	w.number, w.ordinal, w.unit, w.city = map[string]int{}, map[string]int{}, map[string]string{}, map[string]string{}
	for k, name := range w.Numbers {
		w.number[name] = k
	}
	for name, n := range w.Tens {
		w.number[name] = n
	}
	for k, name := range w.Ordinals {
		w.ordinal[name] = k + 1
	}
	for unit, names := range w.Units {
		for _, name := range names {
			w.unit[name], w.unit[name+"s"] = unit, unit
		}
	}
	w.slips = map[string]bool{}
	for _, name := range w.NotSlips {
		w.slips[name] = true
	}
	w.spellings = slices.Clone(w.Spelled)
	for d := range time.Weekday(7) {
		name := strings.ToLower(d.String())
		w.spellings = append(w.spellings, name, name+"s")
	}
	for _, name := range w.Months {
		if len(name) > 6 {
			w.spellings = append(w.spellings, name)
		}
	}
	for _, name := range w.spellings {
		w.slips[name], w.slips[name+"s"] = true, true
	}
	for name := range strings.FieldsSeq(zoneNames) {
		w.city[strings.ToLower(strings.ReplaceAll(name[strings.LastIndexByte(name, '/')+1:], "_", " "))] = name
	}
	return w
})
