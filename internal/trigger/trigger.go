// Package trigger says when a workflow runs by itself: at the times of a cron expression, at an interval, once, or when a file
// arrives in a folder. It holds and computes; what waits and runs is elsewhere.
//
// Times are those of a clock on the wall of the trigger's time zone. Where that clock is put forward, a time that it leaves out
// fires at the first one that there is again; where it is put back, a time that it shows twice fires once, the first time.
package trigger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // zones where the system has none, such as in a container of one program

	"pflow/internal/diag"
)

// Trigger is when something runs. Exactly one of Cron, Every, At and Watch is set.
type Trigger struct {
	// Cron has five fields: minute, hour, day of month, month, day of week. Several expressions stand with "; " between, and
	// each fires. L, LW, 1W, 1#2 and 5#L are read as well as what every crontab has.
	Cron string `json:"cron,omitempty"`
	// Every is an interval such as 45m or 2h, of one second at least. It counts from the last time it fired.
	Every string `json:"every,omitempty"`
	// At is one moment, as RFC 3339 writes it: 2026-03-12T09:00:00+01:00.
	At string `json:"at,omitempty"`
	// Watch is a folder in which files arrive.
	Watch *Watch `json:"watch,omitempty"`
	// Timezone is the IANA name of the zone that the fields of Cron are read in and times are shown in; "" is that of the machine.
	Timezone string `json:"timezone,omitempty"`
	// Text is how it was said, "" where it was not said in words.
	Text string `json:"text,omitempty"`
}

// Watch is a folder in which files arrive.
type Watch struct {
	Path    string `json:"path"`              // of the folder, as it was written
	Pattern string `json:"pattern,omitempty"` // of the names that count, as a shell has it; "" for all
	Input   string `json:"input,omitempty"`   // the input of the workflow that takes the path of the file; "" where none does
	// Named are inputs whose values are named for the file: in each, {stem} is its name without the ending.
	Named map[string]string `json:"named,omitempty"`
}

// Stem stands in Named for the name of the file that arrived, without its ending.
const Stem = "{stem}"

// Inputs are what the workflow takes of a file that arrived, by its path.
func (w *Watch) Inputs(file string) map[string]any {
	out := map[string]any{}
	if w.Input != "" {
		out[w.Input] = file
	}
	name := filepath.Base(file)
	if k := strings.LastIndexByte(name, '.'); k > 0 {
		name = name[:k]
	}
	for input, value := range w.Named {
		out[input] = strings.ReplaceAll(value, Stem, name)
	}
	return out
}

// The kinds of findings of Check.
const (
	Malformed   = "malformed-trigger"
	UnknownZone = "unknown-timezone"
)

// least is the shortest interval.
const least = time.Second

// Check says what is wrong with a trigger. Paths are those of its JSON: cron, watch.path.
func (t *Trigger) Check() diag.List {
	var out diag.List
	wrong := func(path, kind, message string, args ...any) {
		out = append(out, diag.Finding{Severity: diag.Error, Kind: kind, Path: path, Message: fmt.Sprintf(message, args...)})
	}
	var has []string
	for _, k := range []struct {
		name string
		set  bool
	}{{"cron", t.Cron != ""}, {"every", t.Every != ""}, {"at", t.At != ""}, {"watch", t.Watch != nil}} {
		if k.set {
			has = append(has, k.name)
		}
	}
	switch len(has) {
	case 0:
		wrong("", Malformed, "a trigger says when: give it cron, every, at or watch")
	case 1:
	default:
		wrong(has[1], Malformed, "a trigger says when once: it has %s; keep one", strings.Join(has, " and "))
	}
	if t.Cron != "" {
		if _, err := parse(t.Cron); err != nil {
			wrong("cron", Malformed, "%s", err)
		} else if _, ok := (&Trigger{Cron: t.Cron}).Next(time.Now()); !ok {
			wrong("cron", Malformed, "%q is a day that never comes; pflow reads minute, hour, day of month, month, day of week", t.Cron)
		}
	}
	if t.Every != "" {
		if _, err := interval(t.Every); err != nil {
			wrong("every", Malformed, "%s", err)
		}
	}
	if t.At != "" {
		if _, err := time.Parse(time.RFC3339, t.At); err != nil {
			wrong("at", Malformed, "%q is no moment: write it like 2026-03-12T09:00:00+01:00", t.At)
		}
	}
	if w := t.Watch; w != nil {
		if strings.TrimSpace(w.Path) == "" {
			wrong("watch.path", Malformed, "which folder is watched? give its path")
		}
		if _, err := path.Match(w.Pattern, ""); err != nil || strings.Contains(w.Pattern, "/") {
			wrong("watch.pattern", Malformed, "%q is no pattern of names: write one like *.csv", w.Pattern)
		}
	}
	if _, err := t.Zone(); err != nil {
		wrong("timezone", UnknownZone, "there is no time zone %q: write one like Europe/Berlin or UTC", t.Timezone)
	}
	return out
}

// Zone is the zone of the trigger, that of the machine if it names none.
func (t *Trigger) Zone() (*time.Location, error) {
	if t.Timezone == "" || t.Timezone == "Local" {
		return time.Local, nil
	}
	return time.LoadLocation(t.Timezone)
}

// interval reads Every.
func interval(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no interval: write one like 30s, 45m or 2h", text)
	}
	if d < least {
		return 0, fmt.Errorf("%q is too short an interval: the shortest is %s", text, least)
	}
	return d, nil
}

// Next is the first time after another at which the trigger fires; an interval counts from that other. There is none, ok being
// false, for what has passed, for a watch, and for what Check finds something wrong with.
func (t *Trigger) Next(after time.Time) (next time.Time, ok bool) {
	zone, err := t.Zone()
	if err != nil {
		return time.Time{}, false
	}
	switch {
	case t.Cron != "":
		schedules, err := parse(t.Cron)
		if err != nil {
			return time.Time{}, false
		}
		for _, s := range schedules {
			if at, found := nextOnWall(s, after, zone); found && (!ok || at.Before(next)) {
				next, ok = at, true
			}
		}
		return next, ok
	case t.Every != "":
		d, err := interval(t.Every)
		return after.Add(d).In(zone), err == nil
	case t.At != "":
		at, err := time.Parse(time.RFC3339, t.At)
		return at.In(zone), err == nil && at.After(after)
	}
	return time.Time{}, false
}

// Upcoming are the next n times after another; fewer where it does not fire so often.
func (t *Trigger) Upcoming(after time.Time, n int) (out []time.Time) {
	for len(out) < n {
		next, ok := t.Next(after)
		if !ok {
			break
		}
		out, after = append(out, next), next
	}
	return out
}

// Decode reads a trigger from its JSON. A key that no trigger has is an error. It does not check what the keys hold.
func Decode(data []byte) (*Trigger, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	t := new(Trigger)
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("this is no trigger: %w", err)
	}
	return t, nil
}

// Of reads a trigger from a value such as a plan holds it; nil is no trigger.
func Of(v any) (*Trigger, error) {
	if v == nil {
		return nil, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("this is no trigger: %w", err)
	}
	return Decode(data)
}

// Value is the trigger as a value of a flow.
func (t *Trigger) Value() map[string]any {
	data, err := json.Marshal(t)
	if err != nil {
		panic(err) // it holds only texts
	}
	out := map[string]any{}
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return out
}
