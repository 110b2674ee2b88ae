package schedule

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/consent"
	"pflow/internal/trigger"
)

var update = flag.Bool("update", false, "write what is exported to testdata")

var exported = Command{Program: "/usr/local/bin/pflow", Home: "/home/ada/my flows"}

// TestExport holds what is written for other programs to testdata/NAME.txt.
func TestExport(t *testing.T) {
	zoned := func(name, cron, zone, missed string) *Schedule {
		s := &Schedule{Name: name, Consent: consent.Consent{Workflow: "w"}, Trigger: trigger.Trigger{Cron: cron, Timezone: zone}, Missed: missed}
		s.Default()
		if list := s.Check(); list.HasErrors() {
			t.Fatal(list)
		}
		return s
	}
	weekdays := zoned("weekdays", "0 8 * * 1-5", "Europe/Berlin", Once)
	either := zoned("either", "*/15 9-17 13 1,7 fri; 30 22 * * *", "", Once)
	either.Jitter = "90s"
	often := &Schedule{Name: "often", Consent: consent.Consent{Workflow: "w"}, Trigger: trigger.Trigger{Every: "15m"}, Missed: Skip}
	often.Default()
	moment := &Schedule{Name: "moment", Consent: consent.Consent{Workflow: "w"}, Trigger: trigger.Trigger{At: "2026-03-12T09:00:00+01:00"}}
	moment.Default()
	plain := zoned("plain", "30 22 13 * fri", "", Once)
	for name, write := range map[string]func() (string, error){
		"systemd-weekdays": func() (string, error) { return exported.Systemd(weekdays) },
		"systemd-either":   func() (string, error) { return exported.Systemd(either) },
		"systemd-often":    func() (string, error) { return exported.Systemd(often) },
		"systemd-moment":   func() (string, error) { return exported.Systemd(moment) },
		"crontab": func() (string, error) {
			return exported.Crontab([]*Schedule{zoned("a", "0 8 * * mon-fri", "Europe/Berlin", Once), zoned("b", "0 9 1 * *; 30 9 2 * *", "Europe/Berlin", Skip), often})
		},
		"launchd-plain": func() (string, error) { return exported.Launchd(plain) },
		"launchd-often": func() (string, error) { return exported.Launchd(often) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := write()
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || got != string(want) {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

// TestNotExported: what a program has no way to say is an error that says what.
func TestNotExported(t *testing.T) {
	make := func(when trigger.Trigger, missed, overlap string) *Schedule {
		s := &Schedule{Name: "s", Consent: consent.Consent{Workflow: "w"}, Trigger: when, Missed: missed, Overlap: overlap}
		s.Default()
		return s
	}
	cron := func(text string) trigger.Trigger { return trigger.Trigger{Cron: text} }
	watch := trigger.Trigger{Watch: &trigger.Watch{Path: "in"}}
	crontab := func(all ...*Schedule) func() (string, error) {
		return func() (string, error) { return exported.Crontab(all) }
	}
	systemd := func(s *Schedule) func() (string, error) {
		return func() (string, error) { return exported.Systemd(s) }
	}
	launchd := func(s *Schedule) func() (string, error) {
		return func() (string, error) { return exported.Launchd(s) }
	}
	berlin, rome := cron("0 8 * * *"), cron("0 8 * * *")
	berlin.Timezone, rome.Timezone = "Europe/Berlin", "Europe/Rome"
	for want, write := range map[string]func() (string, error){
		"an interval of seconds":          crontab(make(trigger.Trigger{Every: "90s"}, Skip, "")),
		"to say every 7m":                 crontab(make(trigger.Trigger{Every: "7m"}, Skip, "")),
		"has one time zone":               crontab(make(berlin, Skip, ""), make(rome, Skip, "")),
		"when a file arrives":             crontab(make(watch, "", "")),
		"missed times":                    crontab(make(berlin, All, "")),
		"one moment; pflow":               crontab(make(trigger.Trigger{At: "2030-01-01T00:00:00Z"}, Skip, "")),
		`a crontab has no way to say "L"`: crontab(make(cron("0 9 L * *"), Skip, "")),
		`systemd has no way to say "5#L"`: systemd(make(cron("0 9 * * 5#L"), "", "")),
		"systemd does not say which file": systemd(make(watch, "", "")),
		"systemd makes up for all":        systemd(make(berlin, All, "")),
		"systemd runs a unit once":        systemd(make(berlin, "", Allow)),
		"systemd leaves out a time":       systemd(make(berlin, "", Queue)),
		"launchd knows the time zone of":  launchd(make(berlin, "", "")),
		"launchd wants each of":           launchd(make(cron("*/2 8-18 * * 1-5"), "", "")),
		"launchd does not say which file": launchd(make(watch, "", "")),
		"the path": func() (string, error) {
			return Command{Program: exported.Program, Home: "/home/a\n* * * * * rm x"}.Crontab([]*Schedule{make(cron("0 8 * * *"), Skip, "")})
		},
		"launchd makes up for missed times": launchd(make(cron("0 8 * * *"), All, "")),
	} {
		if text, err := write(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\n%s\nwant %s", err, text, want)
		}
	}
}
